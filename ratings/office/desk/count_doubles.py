"""Counts the likely doubles of a register for the desk: the worker's part, as no desk waits for the pass."""

from __future__ import annotations

from datetime import datetime, timedelta

from players.office.models import Decision, Federation, Ledger
from ratings.office.desk.models import DoublesCount
from ratings.office.players.doubles import pairs_to_look_through

CHANGING = (
    *("approve", "correct", "forget-name", "import", "import-register", "match", "merge", "part"),
    *("submit", "take-fide", "two-persons", "unrate"),
)
"""The kinds of decisions after which the register, or who was told apart, is another."""
REST = timedelta(minutes=5)
"""The least time between two passes over one register."""


def out_of_date(federation: Federation, at: datetime) -> bool:
    """Whether the doubles were never counted, or the register has changed since and the rest is over."""
    counted = DoublesCount.objects.filter(federation=federation).first()
    if counted is None:
        return True
    since = Decision.objects.filter(federation=federation, number__gt=counted.decision, kind__in=CHANGING)
    return at - counted.at >= REST and since.exists()


def count_doubles(federation: Federation, at: datetime) -> bool:
    """Count the likely doubles anew where that is due; return whether it was."""
    if not out_of_date(federation, at):
        return False
    decision = Ledger.objects.values_list("decisions", flat=True).get(federation=federation)
    pairs = len(pairs_to_look_through(federation))
    told = {"pairs": pairs, "decision": decision, "at": at}
    DoublesCount.objects.update_or_create(federation=federation, defaults=told)
    return True
