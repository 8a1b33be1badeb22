"""Ending cases by the clock: answered ones are closed once nobody writes any more, unconfirmed ones deleted
after three days, closed ones after a year, with every word in them.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from players.office.decision_record import decide, lock_ledger
from players.office.mail.letters import in_language, order_letter
from players.office.models import Federation
from tournaments.cases.case_letters import OUTCOME
from tournaments.cases.links import GOOD_FOR
from tournaments.cases.models import DAYS_ANSWERED, Case, CaseMessage, CaseQuerySet

DAYS_KEPT = 365
"""Days for which a closed case is kept."""


def delete_unconfirmed(now: datetime) -> int:
    """Delete the reports of all offices whose mail address nobody confirmed in time; return how many."""
    late = Case.objects.filter(state=Case.State.UNCONFIRMED, reported_at__lt=now - GOOD_FOR)
    number = late.count()
    late.delete()
    return number


def close_answered(federation: Federation, on: date, at: datetime) -> int:
    """Close an office's cases that were answered and in which nobody has written for `DAYS_ANSWERED` days;
    return how many. Each is one transaction. Raises `Refused` as `delete_closed` does.
    """
    return sum(_close_answered(federation, case.pk, on, at) for case in _silent(federation, at))


@transaction.atomic
def _close_answered(federation: Federation, key: int, on: date, at: datetime) -> bool:
    """Close one of them, if nobody has written meanwhile; its reporter gets a letter."""
    lock_ledger(federation)
    case = _silent(federation, at).filter(pk=key).first()
    if case is None:
        return False
    with in_language(case.language or federation.language):
        words = _("Nobody has written here for %(days)s days after the answer: so the report is closed.")
    said = case.messages.create(
        author=CaseMessage.Author.OFFICE, at=at, words=words % {"days": DAYS_ANSWERED}
    )
    case.state, case.outcome, case.closed_on = Case.State.CLOSED, Case.Outcome.LAPSED, on
    case.version += 1
    case.save(update_fields=["state", "outcome", "closed_on", "version"])
    decide(federation, kind="lapse-case", by=None, on=on, about=f"case {case.pk}")
    order_letter(case.email, OUTCOME, case=case.pk, message=said.pk)
    return True


def _silent(federation: Federation, at: datetime) -> CaseQuerySet:
    """Cases of an office that were answered, and whose newest word or note is older than `DAYS_ANSWERED`."""
    answered = Case.objects.filter(federation=federation, state=Case.State.ANSWERED)
    last = answered.annotate(last=Max("messages__at")).order_by("pk")
    return last.filter(last__lt=at - timedelta(days=DAYS_ANSWERED))


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
