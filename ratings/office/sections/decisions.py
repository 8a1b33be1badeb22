"""Pages of an official's decisions on a section. Each form names the version of the section that it saw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
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
from ratings import decisions
from ratings.office.common.decision_forms import (
    NUMBERS,
    ApprovalForm,
    DecisionForm,
    ReasonForm,
    ReturnForm,
)
from ratings.office.sections.review import review_page, section_for
from ratings.office.sections.unknown_births import answers_given, births_asked
from tournaments.events.models import Section, Stage
from tournaments.events.section_fact import Incomplete
from tournaments.review.remark_ties import choices_of, tie_of
from tournaments.review.section_thread import TiedWords
from tournaments.review.take_back import until_when
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
    form = ApprovalForm(request.POST, auto_id="approve_%s")
    return _decide(request, section, form, approve, then="ratings:outcome", births=request.POST)


@permitted(Permission.SECTIONS_RETURN)
@never_cache
@require_POST
def return_section(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code, Permission.SECTIONS_RETURN)
    words = _("%(section)s went back to %(region)s.")
    form = ReturnForm(request.POST, auto_id="return_%s", ties=choices_of(section))
    tied: list[TiedWords] = []
    answer = _decide(request, section, form, partial(_return, form, tied), words=words)
    if about := [each.tie.words for each in tied if each.tie.words]:
        told = _(
            "The remarks are about: %(things)s. If you meant another, you can still take the return back."
        )
        messages.info(request, told % {"things": "; ".join(about)})
    return answer


def _return(
    form: ReturnForm, tied: list[TiedWords], *, section: Section, version: int, reason: str, **given: Any
) -> None:
    """Return a section with the remarks of the form, each tied to the thing that it names; `tied` is given
    them once they are sent.
    """
    remarks = [TiedWords(tie_of(section, kind, which), words) for kind, which, words in form.remarks()]
    by, on = given["by"], given["on"]
    decisions.return_section(section=section, by=by, on=on, version=version, reason=reason, remarks=remarks)
    tied += remarks


@permitted(Permission.SECTIONS_REFUSE)
@never_cache
@require_POST
def refuse(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code, Permission.SECTIONS_REFUSE)
    words = _("%(section)s was refused; %(region)s reads why.")
    form = ReasonForm(request.POST, auto_id="refuse_%s")
    return _decide(request, section, form, decisions.refuse, words=words)


FORM_NAMES: Mapping[type[DecisionForm], str] = {
    ApprovalForm: "approval",
    ReturnForm: "returning",
    ReasonForm: "refusal",
}
"""The name by which the page of the review has each form."""


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
    remarks = request.POST.dict() if isinstance(form, ReturnForm) else None
    if not form.is_valid():
        missing = (
            _("Say why: the region reads it and acts on it.")
            if form.errors.keys() & {"reason", "words"}
            else _("Look again.")
        )
        sent = {FORM_NAMES[type(form)]: form}
        return review_page(request, section, refused=missing, births=births, sent=sent, status=400)
    try:
        verb(section=section, by=request.user, on=today(request.office), **form.cleaned_data)
    except (Refused, Incomplete) as refused:
        section.refresh_from_db()
        kept = remarks if section.stage == Stage.SUBMITTED else None
        return review_page(
            request,
            section,
            refused=str(refused),
            typed="" if kept else _typed(request),
            births=births,
            returning=kept,
            status=409,
        )
    if words:
        messages.success(request, _told(section, words))
        return redirect("ratings:desk", office=request.office.code)
    return redirect(then, office=request.office.code, number=section.event.number, code=section.code)


def _typed(request: OfficeRequest) -> str:
    """All words that were typed into the form."""
    names = ("words", "reason", "despite_hints", *(f"words-{number}" for number in NUMBERS))
    written = (request.POST.get(name, "").strip() for name in names)
    return "\n".join(words for words in written if words)


def _told(section: Section, words: str) -> str:
    """The words of a decision that was made, and until when it can be taken back."""
    told = words % {"section": section, "region": section.event.region}
    return f"{told} {until_when(section)}".strip()
