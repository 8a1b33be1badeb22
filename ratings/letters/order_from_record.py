"""Orders letters as the record grows: none is lost and none is ordered twice, whoever is killed.

A row for each office holds the number of the decision up to which its letters were ordered. It moves in the
transaction that orders them.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db import transaction
from django.db.models import F, OuterRef, Q, Subquery

from players.office.mail.letters import GOOD_FOR, order_letter
from players.office.models import Decision, Federation, Ledger, LettersOrdered, LetterSwitch, User
from ratings.letters.compose_letter import KIND
from ratings.letters.letter_kinds import LETTERS, LetterKind

MOST_AT_ONCE = 200
"""Decisions of one transaction: a long record is taken in pieces, and nobody waits for long."""


def order_letters_of_the_record(now: datetime) -> None:
    """Order the letters of every office's decisions since the last look."""
    ordered = LettersOrdered.objects.filter(federation=OuterRef("federation")).values("number")
    grown = Ledger.objects.annotate(ordered=Subquery(ordered)).filter(
        Q(ordered=None, decisions__gt=0) | Q(decisions__gt=F("ordered"))
    )
    for federation in Federation.objects.filter(ledger__in=grown):
        while order_next(federation, now):
            pass


@transaction.atomic
def order_next(federation: Federation, now: datetime) -> bool:
    """Order the letters of an office's next decisions; return whether there were any.

    What was decided longer ago than letters are good for brings none: the past of a demo, or of an office
    that was put back from an old backup.
    """
    LettersOrdered.objects.get_or_create(federation=federation)
    row = LettersOrdered.objects.select_for_update().get(federation=federation)
    newer = Decision.objects.filter(federation=federation, number__gt=row.number)
    decisions = newer.select_related("federation").order_by("number")[:MOST_AT_ONCE]
    last = row.number
    for decision in decisions:
        last = decision.number
        if decision.at > now - GOOD_FOR:
            _order(decision)
    LettersOrdered.objects.filter(pk=row.pk).update(number=last)
    return last > row.number


@transaction.atomic
def order_none_until_now(federation: Federation) -> None:
    """Let what an office has decided so far bring no letters: the past that a demo is given."""
    decided = Ledger.objects.get(federation=federation).decisions
    LettersOrdered.objects.update_or_create(federation=federation, defaults={"number": decided})


def _order(decision: Decision) -> None:
    for kind in LETTERS.get(decision.kind, ()):
        for user in receivers(decision, kind):
            due = decision.at + kind.waits
            order_letter(user.email, KIND, due=due, about=kind.name, decision=decision.pk, person=user.pk)


def receivers(decision: Decision, kind: LetterKind) -> Iterator[User]:
    """The people to whom a decision brings this letter: not to whoever decided, nor who switched it off."""
    off = set(LetterSwitch.objects.filter(kind=kind.name).values_list("user", flat=True))
    for user in kind.audience(decision).distinct().order_by("pk"):
        if (kind.own_deeds or user.pk != decision.by_id) and not (kind.switchable and user.pk in off):
            yield user
