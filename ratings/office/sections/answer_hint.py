"""The form by which an official answers a hint at review: all is right, or the region is asked."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from ratings.hints.answer_hint import ask_region, say_right
from ratings.office.common.decision_forms import HintForm
from ratings.office.sections.review import review_page, section_for

DEEDS = {"right": say_right, "asked": ask_region}


@permitted(Permission.SECTIONS_REVIEW)
@never_cache
@require_POST
def answer(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Answer a hint; a refusal shows the review again with what was typed."""
    section = section_for(request, number, code, Permission.SECTIONS_REVIEW)
    form = HintForm(request.POST)
    typed = request.POST.get("words", "").strip()
    if not form.is_valid():
        words = _("Write a few words, and choose one of the two answers.")
        return review_page(request, section, refused=words, typed=typed, status=400)
    given = dict(form.cleaned_data)
    deed = DEEDS[given.pop("answer")]
    try:
        deed(section=section, by=request.user, on=today(request.office), **given)
    except Refused as refused:
        section.refresh_from_db()
        return review_page(request, section, refused=str(refused), typed=typed, status=409)
    messages.success(
        request,
        _("The region is asked; the hint stays open.") if deed is ask_region else _("The hint is answered."),
    )
    url = redirect("ratings:review", office=request.office.code, number=number, code=code).url
    return redirect(f"{url}#hints")
