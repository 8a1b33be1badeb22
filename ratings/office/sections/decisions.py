"""Pages of an official's decisions on a section. Each form names the version of the section that it saw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from players.office.access import OfficeRequest, Permission, permitted
from players.office.office_settings import today
from players.office.record import Refused
from ratings import decisions
from ratings.office.common.decision_forms import DecisionForm, ReasonForm
from ratings.office.sections.hand_out_file import open_upload
from ratings.office.sections.review import review_page, section_for
from ratings.office.sections.unknown_births import answers_given, births_asked
from tournaments.events.models import Section, Stage
from tournaments.events.section_line import Incomplete
from tournaments.views.filing_steps import reasons_of


@permitted(Permission.SECTIONS_APPROVE)
@never_cache
@require_POST
def approve(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code, Permission.SECTIONS_APPROVE)
    asked = births_asked(section, request.POST)
    if section.stage == Stage.SUBMITTED and any(one.wrong for one in asked):
        words = _("Nothing was rated yet. Correct these years of birth:")
        return review_page(request, section, refused=words, births=request.POST, status=400)
    approve = partial(decisions.approve, reasons=reasons_of(request), births=answers_given(asked))
    form = DecisionForm(request.POST)
    return _decide(request, section, form, approve, then="ratings:outcome", births=request.POST)


@permitted(Permission.SECTIONS_RETURN)
@never_cache
@require_POST
def return_section(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code, Permission.SECTIONS_RETURN)
    words = _("%(section)s went back to %(region)s.")
    return _decide(request, section, ReasonForm(request.POST), decisions.return_section, words=words)


@permitted(Permission.SECTIONS_REFUSE)
@never_cache
@require_POST
def refuse(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code, Permission.SECTIONS_REFUSE)
    words = _("%(section)s was refused; %(region)s reads why.")
    return _decide(request, section, ReasonForm(request.POST), decisions.refuse, words=words)


@permitted(Permission.SECTIONS_REVIEW)
@never_cache
@require_POST
def open_file(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
    """Download of a section's file. It holds dates of birth, so the record keeps who opened it."""
    section = section_for(request, number, code, Permission.SECTIONS_REVIEW)
    upload = section.uploads.held()
    if upload is None or upload.content is None:
        raise Http404
    content = open_upload(upload=upload, by=request.user, on=today(request.office))
    return FileResponse(
        content, as_attachment=True, filename=upload.name, content_type="application/octet-stream"
    )


def _decide(
    request: OfficeRequest,
    section: Section,
    form: DecisionForm,
    verb: Callable[..., Any],
    *,
    words: str = "",
    then: str = "",
    births: Mapping[str, str] | None = None,
) -> HttpResponse:
    """Carry out an official's decision on a section by its service `verb`, then go to the desk with a message
    `words`, or to the page `then`. A refusal shows the review again, with what was typed.
    """
    typed = request.POST.get("words", request.POST.get("reason", "")).strip()
    if not form.is_valid():
        missing = (
            _("Say why: the region reads it and acts on it.")
            if form.errors.keys() & {"reason", "words"}
            else _("Look again.")
        )
        return review_page(request, section, refused=missing, births=births, status=400)
    try:
        verb(section=section, by=request.user, on=today(request.office), **form.cleaned_data)
    except (Refused, Incomplete) as refused:
        section.refresh_from_db()
        return review_page(request, section, refused=str(refused), typed=typed, births=births, status=409)
    if words:
        messages.success(request, words % {"section": section, "region": section.event.region})
        return redirect("ratings:desk", office=request.office.code)
    return redirect(then, office=request.office.code, number=section.event.number, code=section.code)
