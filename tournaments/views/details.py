"""The third step: details that the file cannot carry."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.settings_schema import today
from tournaments.events.finding_words import TIME_CONTROL, in_details_form, show_findings
from tournaments.events.models import Finding, Section
from tournaments.filing.changes.details import save_details
from tournaments.filing.open_questions import last_round
from tournaments.forms.details import DetailsForms
from tournaments.forms.played.absences import FILL_ALL, with_one_answer
from tournaments.forms.rounds import FILL_DAYS, with_days
from tournaments.views.filing_steps import (
    decide_on,
    done_steps,
    next_step,
    not_read,
    own_section,
    show,
    to_step,
    too_late,
)


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def details(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = own_section(request, number, code, Permission.SECTIONS_FILE)
    if elsewhere := too_late(request, section):
        return elsewhere
    if request.method == "POST" and FILL_DAYS in request.POST:
        filled = with_days(request.POST, section, last_round(section))
        return _page(request, section, DetailsForms(section, filled, refused=True), 200)
    if request.method == "POST" and FILL_ALL in request.POST:
        filled = with_one_answer(request.POST, section)
        return _page(request, section, DetailsForms(section, filled, refused=True), 200)
    forms = DetailsForms(section, request.POST if request.method == "POST" else None)
    if request.method == "POST" and forms.is_valid():
        decision = partial(save_details, section=section, by=request.user, on=today(request.office))
        said = partial(decision, details=forms.said(), event_version=forms.event_version)
        if not decide_on(request, said, _("Saved, and checked again.")):
            return _refused(request, number, code)
        section.refresh_from_db()
        answered = "details" in done_steps(section)
        return redirect(next_step(section, "details")) if answered else to_step(section, "details")
    return _page(request, section, forms, 400 if request.method == "POST" else 200)


def _page(request: OfficeRequest, section: Section, forms: DetailsForms, status: int) -> HttpResponse:
    context = {"forms": forms, "asked": show_findings(section, _asked(section), here=True)}
    return show(request, section, "details", context, status)


def _refused(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """The page with all that was typed and could not be saved, on the section as it is by now."""
    section = own_section(request, number, code, Permission.SECTIONS_FILE)
    if elsewhere := not_read(section):
        return elsewhere
    return _page(request, section, DetailsForms(section, request.POST, refused=True), 409)


def _asked(section: Section) -> Iterable[Finding]:
    """Findings that block and are answered here or by a new file, and the rules' notices about this form."""
    blocking = section.findings.blocking().exclude(source="players").exclude(level="blocks", source="file")
    minded = section.findings.filter(level="notice").filter(
        Q(source="rules", where__in=in_details_form(section)) | Q(key__in=TIME_CONTROL)
    )
    return blocking | minded
