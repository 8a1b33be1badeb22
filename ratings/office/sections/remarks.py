"""Forms by which an official asks a region about a section, or notes something for the office alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from ratings.office.common.decision_forms import RemarkForm
from ratings.office.sections.review import review_page, section_for
from tournaments.events.models import Section
from tournaments.review import section_thread
from tournaments.review.remark_ties import choices_of, tie_of

IDS = {"asking": "ask_%s", "noting": "note_%s"}
"""By the name that the page of the review has for a form: the ids of its fields there."""


@permitted(Permission.SECTIONS_REVIEW)
@never_cache
@require_POST
def ask(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code, Permission.SECTIONS_REVIEW)
    words = _("%(region)s reads your question, and can answer it.") % {"region": section.event.region}
    return _say(request, section, "asking", section_thread.ask, words)


@permitted(Permission.SECTIONS_REVIEW)
@never_cache
@require_POST
def note(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code, Permission.SECTIONS_REVIEW)
    return _say(request, section, "noting", section_thread.note, _("Noted: the office alone reads it."))


def _say(
    request: OfficeRequest, section: Section, name: str, verb: Callable[..., Any], done: str
) -> HttpResponse:
    """Carry out `verb` with the form's words and tie; a refusal shows the review again with them, in the form
    that has this `name` there.
    """
    form = RemarkForm(request.POST, ties=choices_of(section), auto_id=IDS[name])
    if not form.is_valid():
        words = _("Write a few words, and choose what they are about.")
        return review_page(request, section, refused=words, sent={name: form}, status=400)
    given = form.cleaned_data
    try:
        tie = tie_of(section, given["tie"], given["which"])
        verb(section=section, by=request.user, on=today(request.office), words=given["words"], tie=tie)
    except Refused as refused:
        return review_page(request, section, refused=str(refused), sent={name: form}, status=409)
    messages.success(request, done)
    return redirect(
        "ratings:review", office=request.office.code, number=section.event.number, code=section.code
    )
