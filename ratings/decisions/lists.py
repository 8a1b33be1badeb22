"""Decisions on lists: publish the list of a day, or revise a published one; each is one transaction."""

from __future__ import annotations

from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.models import Federation, User
from players.office.record import Refused, decide, lock_ledger
from players.office.wake_worker import wake_recompute
from ratings.journal.append import Pen
from ratings.journal.models import Fact
from ratings.law import facts
from ratings.recompute.revisions import list_line


@transaction.atomic
def publish_list(*, federation: Federation, by: User | None, on: date) -> Fact:
    """Publish the list of a day by adding the line that closes it; the worker draws it up and freezes its
    rows.

    Raises `Refused` while ratings are being recomputed, where that day's list is published already, or where
    the journal holds a later day.
    """
    ledger = lock_ledger(federation)
    if ledger.pending:
        raise Refused(_("The ratings are being recomputed. Wait a few seconds, then publish."))
    if Fact.objects.filter(federation=federation, kind="list", on=on).exists():
        raise Refused(_("The list of %(day)s is published already.") % {"day": on})
    pen = Pen(federation, ledger)
    if pen.day(on) != on:
        raise Refused(
            _("The journal already has a decision of %(day)s. Choose that day or a later one.")
            % {"day": pen.day(on)}
        )
    fact = pen.write(facts.ListClosing(on))
    pen.want()
    decide(federation, kind="publish", by=by, on=on, about=f"list {on}", fact=fact.number)
    wake_recompute(federation)
    return fact


@transaction.atomic
def revise_list(*, federation: Federation, day: date, by: User | None, on: date, note: str) -> Fact:
    """Publish the list of a day anew, beside the first: as it should have been by what is known now (D-2).

    `note` says why, for everybody. The worker draws the revision up and freezes the tracks that differ.
    Raises `Refused` where there is no list of that day, no note, or ratings are being recomputed.
    """
    ledger = lock_ledger(federation)
    if not note.strip():
        raise Refused(_("Say why the list is published again: everybody can read the note on the list."))
    if list_line(federation, day) is None:
        raise Refused(_("No list of %(day)s was published.") % {"day": day})
    if ledger.pending:
        raise Refused(_("The ratings are being recomputed. Wait a few seconds, then revise the list."))
    pen = Pen(federation, ledger)
    fact = pen.write(facts.Revised(day, pen.day(on)))
    pen.want()
    decide(
        federation,
        kind="revise",
        by=by,
        on=pen.day(on),
        about=f"list {day}",
        note=note.strip(),
        fact=fact.number,
    )
    wake_recompute(federation)
    return fact
