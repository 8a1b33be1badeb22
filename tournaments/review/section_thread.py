"""The thread of a section: region and office ask, answer and note, and all of it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide
from players.office.models import Decision, User
from players.office.record_chain_and_sealed_words import SealedWords
from tournaments.events.lock_section import lock_section
from tournaments.events.models import Section, Stage
from tournaments.review.models import Remark
from tournaments.review.remark_ties import UNTIED, Tie

MOST_WORDS = 2000
ANY_STAGE = tuple(Stage)


@dataclass(frozen=True, slots=True)
class TiedWords:
    """Words about one thing of a section."""

    tie: Tie
    words: str


def as_details(remarks: Sequence[TiedWords]) -> list[dict[str, str]]:
    """The remarks as the record seals them: the thing as it was called that day, and the words."""
    return [{"about": one.tie.words, "words": one.words.strip()} for one in remarks]


def keep_reason(section: Section, decision: Decision, kind: str, key: str) -> Remark:
    """Enter the reason of a decision, which the record keeps under `key`, into the section's thread."""
    return _keep(section, decision, kind, key)


def keep_remarks(section: Section, decision: Decision, kind: str, remarks: Sequence[TiedWords]) -> None:
    """Enter the remarks of a decision, which the record keeps as `remarks`, into the section's thread."""
    for place, one in enumerate(remarks):
        _keep(section, decision, kind, "remarks", one.tie, place=place)


@transaction.atomic
def ask(*, section: Section, by: User, on: date, words: str, tie: Tie = UNTIED) -> Remark:
    """Ask the region about a section, at whatever stage it is."""
    return _say(section, "ask", Remark.Kind.QUESTION, by, on, TiedWords(tie, words))


@transaction.atomic
def note(*, section: Section, by: User, on: date, words: str, tie: Tie = UNTIED) -> Remark:
    """Note something about a section for the office alone; the region never reads it."""
    return _say(section, "note", Remark.Kind.NOTE, by, on, TiedWords(tie, words))


@transaction.atomic
def answer(*, section: Section, by: User, on: date, words: str, answers_to: Remark | None = None) -> Remark:
    """Answer a remark of the office as its region, or tell the office something unasked.

    Raises `Refused` where somebody of the region has answered that remark meanwhile, or the office took it
    back.
    """
    lock_section(section, stages=ANY_STAGE)
    if answers_to is not None:
        refuse_taken_back(answers_to.pk)
    if answers_to is not None and answers_to.answers.exists():
        raise Refused(_("Somebody has answered this already. Read the answer first."))
    return _say(section, "answer", Remark.Kind.ANSWER, by, on, TiedWords(UNTIED, words), answers_to)


def refuse_taken_back(remark: int) -> None:
    """Raise `Refused` where a remark (by its key) is no more: what is taken back leaves the thread."""
    if not Remark.objects.filter(pk=remark).exists():
        raise Refused(
            _("The office took this remark back meanwhile: there is nothing to answer. Read what stands now.")
        )


def open_remarks(section: Section) -> int:
    """The number of the office's remarks that want an answer of the region and have none."""
    return section.thread.filter(WANTS_ANSWER, answers=None).count()


WANTS_ANSWER = Q(kind=Remark.Kind.QUESTION) | Q(kind=Remark.Kind.RETURN, place__isnull=False)
"""Remarks that want an answer. The reason of a return wants a corrected section instead."""


def _say(
    section: Section,
    verb: str,
    kind: str,
    by: User,
    on: date,
    said: TiedWords,
    answers_to: Remark | None = None,
) -> Remark:
    """Put one remark on record, its words and the name of the thing sealed, and enter it into the thread."""
    if not said.words.strip():
        raise Refused(_("Write a few words first."))
    locked = lock_section(section, stages=ANY_STAGE)
    decision = decide(
        locked.event.federation,
        kind=verb,
        by=by,
        on=on,
        about=f"section {locked.key}",
        words=said.words.strip(),
        named=SealedWords(said.tie.words),
    )
    return _keep(locked, decision, kind, "words", said.tie, answers_to=answers_to)


def _keep(
    section: Section, decision: Decision, kind: str, key: str, tie: Tie = UNTIED, **place: Any
) -> Remark:
    remark = Remark.objects.create(
        section=section,
        kind=kind,
        by=decision.by,
        at=decision.at,
        decision=decision,
        sealed_words=decision.words.filter(key=key).first(),
        tie=tie.kind,
        tied_to=tie.numbers,
        upload=section.uploads.held(),
        **place,
    )
    remark.players.set(tie.players)
    return remark
