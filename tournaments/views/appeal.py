"""The region's appeal against a refusal, from the page of the section."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from players.office.access import OfficeRequest, Permission, permitted
from players.office.settings_schema import today
from tournaments.forms.permission_forms import AppealForm
from tournaments.review import appeals
from tournaments.views.filing_steps import decide_on, note_opened, own_section, to_step


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
        return to_step(section, "submit")
    reason = form.cleaned_data["reason"]
    decision = partial(
        appeals.appeal, section=section, by=request.user, on=today(request.office), reason=reason
    )
    decide_on(request, decision, _("Your appeal is with the office. It answers on this page."))
    return to_step(section, "submit")
