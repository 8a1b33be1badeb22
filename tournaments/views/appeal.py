"""The region's appeal against a refusal, from the page of the section."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from tournaments.forms.overtaken_answers import come_back
from tournaments.forms.permission_forms import AppealForm
from tournaments.review import appeals
from tournaments.views.filing_steps import note_opened, own_section, to_step
from tournaments.views.submit import submission_page


@permitted(Permission.SECTIONS_SUBMIT)
@never_cache
@require_POST
def appeal(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Appeal against the refusal of a section."""
    section = own_section(request, number, code, Permission.SECTIONS_SUBMIT)
    note_opened(request, section)
    form = AppealForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Say in at most 1,000 letters why the office should decide otherwise."))
        return submission_page(request, section, appeal=form, status=400)
    try:
        appeals.appeal(section=section, by=request.user, on=today(request.office), **form.cleaned_data)
    except Refused as refused:
        section.refresh_from_db()
        messages.error(request, str(refused))
        form = come_back(AppealForm, request.POST, section, refused)
        return submission_page(request, section, appeal=form, status=409)
    messages.success(request, _("Your appeal is with the office. It answers on this page."))
    return to_step(section, "submit")
