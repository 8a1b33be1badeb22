"""Answers to hints: all is right, or the region is asked; and approving with hints left open."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from players.office.decision_record import Refused, decide
from players.office.models import User
from players.people.models import PairOfTwo
from players.people.tell_apart import tell_apart
from players.register.models import Player
from ratings.hints.hint import HintKind
from ratings.hints.models import Hint, HintAnswer
from tournaments.events.lock_section import lock_section
from tournaments.events.models import Section, Stage
from tournaments.review import section_thread
from tournaments.review.models import Remark
from tournaments.review.remark_ties import ENTRY, UNTIED, Tie, tie_of


@transaction.atomic
def say_right(*, section: Section, key: str, version: int, by: User, on: date, words: str) -> HintAnswer:
    """Answer a hint of a waiting section: all is right, for this reason. Of a look-alike it says that they
    are two persons, which holds for the whole register from then on.

    Raises `Refused` without a reason, where the section or the hint is not what the official saw, or somebody
    answered it so before.
    """
    locked, hint = _lock(section, key, version, words)
    if hint.kind == HintKind.LOOK_ALIKE:
        _tell_apart(locked, hint, by, on, words)
    return _answer(locked, hint, HintAnswer.Outcome.RIGHT, by, on, words.strip())


@transaction.atomic
def ask_region(*, section: Section, key: str, version: int, by: User, on: date, words: str) -> HintAnswer:
    """Answer a hint of a waiting section by a question to its region, in the official's own words: of the
    hint itself the region sees nothing. The hint stays open until somebody says that all is right.

    Raises `Refused` without words, or where the section or the hint is not what the official saw.
    """
    locked, hint = _lock(section, key, version, words)
    tie = _tie(locked, hint)
    remark = section_thread.ask(section=locked, by=by, on=on, words=words, tie=tie)
    return _answer(locked, hint, HintAnswer.Outcome.ASKED, by, on, words.strip(), remark)


def leave_open(section: Section, by: User | None, on: date, because: str) -> int:
    """Put on record that a section is approved although hints are open, and why; return how many. The caller
    approves it in the same transaction, and has locked the office.

    Raises `Refused` where hints are open and no word is given.
    """
    left = list(Hint.objects.open().filter(section=section))
    if not left:
        return 0
    if not because.strip():
        raise Refused(
            ngettext(
                "%(count)s hint is not answered. Answer it, or say in a word why you approve the section all "
                "the same.",
                "%(count)s hints are not answered. Answer them, or say in a word why you approve the section "
                "all the same.",
                len(left),
            )
            % {"count": len(left)}
        )
    kinds = sorted(hint.kind for hint in left)
    _record(section, "leave-hints", by, on, hints=len(left), kinds=kinds, reason=because.strip())
    return len(left)


def _lock(section: Section, key: str, version: int, words: str) -> tuple[Section, Hint]:
    """Lock a waiting section and find the hint as it stands; raise `Refused` where it is settled or gone."""
    locked = lock_section(section, version=version, stages=(Stage.SUBMITTED,))
    if not words.strip():
        raise Refused(_("Write a few words first: the record keeps them."))
    hint = Hint.objects.current().filter(section=locked, key=key).first()
    if hint is None:
        raise Refused(_("This hint is not there any more. Look at the hints as they are now."))
    if not Hint.objects.open().filter(pk=hint.pk).exists():
        raise Refused(_("Somebody has answered this hint already. Read the answer first."))
    return locked, hint


def _tell_apart(section: Section, hint: Hint, by: User, on: date, words: str) -> None:
    """Say that a look-alike's two are two persons, unless somebody said so meanwhile."""
    register = Player.objects.of(section.event.federation)
    numbers = [str(hint.evidence[name]) for name in ("player", "other")]
    one, other = sorted(register.filter(number__in=numbers), key=lambda each: each.pk)
    if not PairOfTwo.objects.filter(one=one, other=other).exists():
        tell_apart(player=one, other=other, by=by, on=on, reason=words)


def _tie(section: Section, hint: Hint) -> Tie:
    """The thing that the question is about: the hint’s player, where it speaks of one entry."""
    number = hint.evidence.get("entry")
    return UNTIED if number is None else tie_of(section, ENTRY, str(number))


def _answer(
    section: Section,
    hint: Hint,
    outcome: HintAnswer.Outcome,
    by: User,
    on: date,
    words: str,
    remark: Remark | None = None,
) -> HintAnswer:
    decision = _record(section, "answer-hint", by, on, hint=hint.kind, outcome=outcome.value, words=words)
    answer = HintAnswer.objects.create(
        section=section,
        kind=hint.kind,
        key=hint.key,
        version=section.version,
        outcome=outcome,
        evidence=hint.evidence,
        decision=decision,
        remark=remark,
    )
    answer.players.set(hint.players.all())
    return answer


def _record(section: Section, kind: str, by: User | None, on: date, **details: Any) -> Any:
    return decide(
        section.event.federation, kind=kind, by=by, on=on, about=f"section {section.key}", **details
    )
