"""Decisions on lists: publish the list of a day, or revise a published one; each is one transaction."""

from __future__ import annotations

from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from players.drawing.days_in_words import day_in_words
from players.office.decision_record import Refused, decide, keep_mark, lock_ledger, made_before
from players.office.models import Federation, Ledger, User
from players.office.wake_worker import wake_recompute
from ratings.journal.append import JournalWriter
from ratings.journal.models import Fact
from ratings.law import facts
from ratings.recompute.office_rules import are_in_force
from ratings.recompute.revised_lists import list_line


@transaction.atomic
def publish_list(*, federation: Federation, by: User | None, on: date, note: str = "") -> Fact:
    """Publish the list of a day by adding the line that closes it; the worker draws it up and freezes its
    rows. `note`: words for everybody, which the list shows for ever; empty: none.

    Raises `Refused` while ratings are being recomputed or other rules wait to be applied, where that day's
    list is published already, or where the journal holds a later day.
    """
    ledger = lock_ledger(federation)
    _refuse_under_other_rules(federation, ledger)
    if ledger.pending:
        raise Refused(_("The ratings are being recomputed. Wait a few seconds, then publish."))
    if Fact.objects.filter(federation=federation, kind="list", on=on).exists():
        raise Refused(_("The list of %(day)s is published already.") % {"day": day_in_words(on)})
    writer = JournalWriter(federation, ledger)
    if writer.day(on) != on:
        raise Refused(
            _("The journal already has a decision of %(day)s. Choose that day or a later one.")
            % {"day": day_in_words(writer.day(on))}
        )
    fact = writer.write(facts.ListClosing(on))
    writer.ask_for_recompute()
    told = {"note": note.strip()} if note.strip() else {}
    decide(federation, kind="publish", by=by, on=on, about=f"list {on}", fact=fact.number, **told)
    wake_recompute(federation)
    return fact


@transaction.atomic
def revise_list(
    *, federation: Federation, day: date, by: User | None, on: date, note: str, mark: str = ""
) -> Fact:
    """Publish the list of a day anew, beside the first: as it should have been by what is known now (D-2).

    `note` says why, for everybody; `mark`: of the form, which sent again returns the line that it made. The
    worker draws the revision up and freezes the tracks that differ.

    Raises `Refused` where there is no list of that day, no note, or ratings are being recomputed or other
    rules wait to be applied.
    """
    ledger = lock_ledger(federation)
    if number := made_before(federation, mark):
        return Fact.objects.get(federation=federation, number=number)
    _refuse_under_other_rules(federation, ledger)
    if not note.strip():
        raise Refused(_("Say why the list is published again: everybody can read the note on the list."))
    if list_line(federation, day) is None:
        raise Refused(_("No list of %(day)s was published.") % {"day": day_in_words(day)})
    if ledger.pending:
        raise Refused(_("The ratings are being recomputed. Wait a few seconds, then revise the list."))
    writer = JournalWriter(federation, ledger)
    fact = writer.write(facts.Revised(day, writer.day(on)))
    writer.ask_for_recompute()
    keep_mark(federation, mark, fact.number)
    decide(
        federation,
        kind="revise",
        by=by,
        on=writer.day(on),
        about=f"list {day}",
        note=note.strip(),
        fact=fact.number,
    )
    wake_recompute(federation)
    return fact


def _refuse_under_other_rules(federation: Federation, ledger: Ledger) -> None:
    """A list would be drawn up by rules of which nobody has said yet that they apply to what it rests on."""
    if not are_in_force(federation, ledger):
        raise Refused(
            _(
                "The ratings stored here were worked out by other rules than those of the present program. "
                "No list is published until the worker has found that the new rules move nothing, or the "
                "office has said on its desk that they are to be applied."
            )
        )
