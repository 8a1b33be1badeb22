"""The whole thread of a section before play: questions, answers and decisions, as the record has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from players.office.models import Decision
from tournaments.events.models import Section
from tournaments.review.take_back import was_taken_back

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

TALK: Mapping[str, StrOrPromise] = {
    "ask-before-play": _("The office asked."),
    "answer-before-play": _("The region answered."),
    "put-off": _("The office put its decision off."),
}
"""Headings of what region and office said to each other, by the kind of the decision."""
DECIDED: Mapping[str, StrOrPromise] = {
    "admit": _("The office admitted it as declared."),
    "refuse-before-play": _("The office refused it before play."),
    "close-before-play": _("The office found nothing in the way."),
}
"""Headings of decisions of the office."""


@dataclass(frozen=True, slots=True)
class SaidBeforePlay:
    """A thing that was said of a section before play: when, what, in which words, and until when."""

    on: date
    heading: str
    words: str
    """Empty where none were given, or where they were withdrawn from the record."""
    until: date | None = None


def said_before_play(section: Section, *, decisions: bool) -> list[SaidBeforePlay]:
    """All that was said of a section before play, the oldest first; `decisions`: with what was decided, but
    for refusals that were taken back.
    """
    headings = {**TALK, **(DECIDED if decisions else {})}
    found = Decision.objects.filter(
        federation=section.event.federation_id, about=section.named_on_record, kind__in=list(headings)
    )
    told = found.prefetch_related("words").order_by("number")
    return [_said(each, str(headings[each.kind])) for each in told if not was_taken_back(each)]


def _said(decision: Decision, heading: str) -> SaidBeforePlay:
    details = decision.details
    words = details.get("words") or details.get("reason") or ""
    until = details.get("until")
    return SaidBeforePlay(decision.on, heading, words, date.fromisoformat(until) if until else None)
