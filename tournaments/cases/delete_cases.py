"""Deleting cases: unconfirmed ones after three days, closed ones after a year, with every word in them."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from django.db import transaction

from players.office.decision_record import decide, lock_ledger
from players.office.models import Federation
from tournaments.cases.links import GOOD_FOR
from tournaments.cases.models import Case

DAYS_KEPT = 365
"""Days for which a closed case is kept."""


def delete_unconfirmed(now: datetime) -> int:
    """Delete the reports of all offices whose mail address nobody confirmed in time; return how many."""
    late = Case.objects.filter(state=Case.State.UNCONFIRMED, reported_at__lt=now - GOOD_FOR)
    number = late.count()
    late.delete()
    return number


@transaction.atomic
def delete_closed(federation: Federation, on: date) -> int:
    """Delete an office's cases that were closed a year ago; the record says how many. Returns that number.

    Raises `Refused` in an office that was put back from a backup and may record nothing yet.
    """
    lock_ledger(federation)
    old = Case.objects.filter(federation=federation, state=Case.State.CLOSED)
    old = old.filter(closed_on__lt=on - timedelta(days=DAYS_KEPT))
    number = old.count()
    if number:
        old.delete()
        decide(federation, kind="delete-cases", by=None, on=on, about="cases", number=number)
    return number
