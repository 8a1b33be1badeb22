"""The page of the first decision on a section, before play, where the regulations want one."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.models import Federation
from players.office.office_settings import today
from players.office.record import Refused
from ratings.office.common.decision_forms import AdmissionForm
from ratings.office.sections.review import particulars_of, section_for
from tournaments.events.finding_words import show_findings
from tournaments.events.models import Section, Stage
from tournaments.filing.filed_facts import admitted_before_play
from tournaments.filing.first_decision import admit_before_play
from tournaments.filing.open_questions import findings_before_play

ROWS = 50


@permitted(Permission.SECTIONS_APPROVE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def before_play(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Page on which an official admits a section as its region declared it, or reads what prevents that.
    Leads to the review in federations without such a decision, and once the section is filed.
    """
    section = section_for(request, number, code, Permission.SECTIONS_APPROVE)
    if request.office.ruleset.sections.admission is None or not section.open_to_filing:
        return redirect("ratings:review", office=request.office.code, number=number, code=code)
    form = AdmissionForm(request.POST or None, initial={"version": section.version})
    refused = ""
    if request.method == "POST" and form.is_valid():
        try:
            admit_before_play(section=section, by=request.user, on=today(request.office), **form.cleaned_data)
        except Refused as why:
            refused = str(why)
            section.refresh_from_db()
        else:
            messages.success(request, _("%(section)s is admitted as declared.") % {"section": section})
            return redirect("ratings:desk", office=request.office.code)
    found = findings_before_play(section)
    context = {
        "section": section,
        "form": form,
        "refused": refused,
        "admitted": admitted_before_play(section),
        "particulars": particulars_of(section),
        "findings": show_findings(section, found, here=True),
        "blocked": any(each.level == "blocks" for each in found),
    }
    return render(request, "ratings/office/before_play.html", context, status=409 if refused else 200)


def awaiting(office: Federation) -> list[Section]:
    """Sections that wait for the decision before play, the soonest first; none where no rule wants it."""
    if office.ruleset.sections.admission is None:
        return []
    registered = Section.objects.filter(event__federation=office, stage=Stage.REGISTERED)
    sections = registered.select_related("event__federation", "event__region").order_by("starts", "pk")
    return [section for section in sections[:ROWS] if admitted_before_play(section) is None]
