"""An official's second thoughts: an appeal is decided, a slip is taken back."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from ratings.office.sections.admit_before_play import before_play_page
from ratings.office.sections.review import review_page, section_for
from tournaments.events.models import Section
from tournaments.events.section_days import refused_before_play
from tournaments.forms.overtaken_answers import come_back
from tournaments.forms.permission_forms import AnswerForm
from tournaments.review.appeal_models import Appeal
from tournaments.review.appeals import decide_appeal as decide_on_appeal
from tournaments.review.take_back import take_back as take_back_slip
from tournaments.views.filing_steps import decide_on


@permitted(Permission.SECTIONS_REFUSE)
@never_cache
@require_POST
def decide_appeal(request: OfficeRequest, number: str, code: str, key: int) -> HttpResponse:
    """Uphold or dismiss an appeal."""
    section = section_for(request, number, code, Permission.SECTIONS_REFUSE)
    found = get_object_or_404(Appeal, pk=key, section=section)
    form = AnswerForm(request.POST)
    if not form.is_valid():
        words = _("Uphold the appeal or dismiss it, and give your reason.")
        return _again(request, section, words, form, status=400)
    given = form.cleaned_data
    try:
        decide_on_appeal(
            appeal=found,
            by=request.user,
            on=today(request.office),
            upheld=given["granted"] == "yes",
            reason=given["reason"],
            version=given["version"],
        )
    except Refused as refused:
        section = section_for(request, number, code, Permission.SECTIONS_REFUSE)
        form = come_back(AnswerForm, request.POST, section, refused)
        return _again(request, section, str(refused), form, status=409)
    messages.success(request, _("The appeal is decided; the region reads your words."))
    return _to_review(section)


def _again(
    request: OfficeRequest, section: Section, words: str, form: AnswerForm, *, status: int
) -> HttpResponse:
    """The page with the appeal and the words typed for its answer, which was not taken."""
    if refused_before_play(section):
        return before_play_page(request, section, refused=words, answering=form, status=status)
    return review_page(request, section, refused=words, sent={"answering": form}, status=status)


@permitted(Permission.SECTIONS_RETURN)
@never_cache
@require_POST
def take_back(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Take a return or a refusal back before the region has heard of it."""
    section = section_for(request, number, code, Permission.SECTIONS_RETURN)
    decision = partial(
        take_back_slip, section=section, by=request.user, at=timezone.now(), on=today(request.office)
    )
    early = refused_before_play(section)
    words = _("Taken back: the section waits for review again.")
    decide_on(request, decision, _("Taken back: the section stands as it did before.") if early else words)
    return _to_review(section)


def _to_review(section: Section) -> HttpResponse:
    """Lead to the review or, of a section refused before play, to the page of the first decision."""
    event, before_play = section.event, refused_before_play(section)
    page = "ratings:before_play" if before_play else "ratings:review"
    return redirect(page, office=event.federation.code, number=event.number, code=section.code)
