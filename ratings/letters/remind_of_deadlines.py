"""Reminds of deadlines some days before their last: each night, on record, and the letter follows from that.

The record itself says which deadline was reminded of already. It grows under the ledger's lock, so of two
that remind at once the second finds what the first wrote.
"""

from __future__ import annotations

from datetime import date

from django.db import transaction

from players.office.decision_record import decide, lock_ledger
from players.office.models import Decision, Federation
from players.office.settings_schema import settings_of
from tournaments.events.models import OPEN_TO_FILING, Event, Section, SectionQuerySet
from tournaments.events.section_days import SectionDeadline, deadlines_of

REMIND = "remind"


def remind_of_deadlines(office: Federation, on: date) -> int:
    """Remind of each deadline of an office that is near on a day and was not reminded of yet; return their
    number. Each section is one transaction.

    Raises `Refused` while the office is held after a restore.
    """
    if office.ruleset.sections.deadlines is None:
        return 0
    waiting = [section.pk for section in still_waited_for(office) if near_deadlines(section, on)]
    return sum(_remind_of(office, key, on) for key in waiting)


@transaction.atomic
def _remind_of(office: Federation, key: int, on: date) -> int:
    """Put on record that a section's near deadlines are reminded of, as far as they stand in no row of it."""
    lock_ledger(office)
    section = still_waited_for(office).filter(pk=key).first()
    if section is None:
        return 0
    about = f"section {section.key}"
    earlier = Decision.objects.filter(federation=office, about=about, kind=REMIND)
    told = {(each.details["clause"], each.details["last"]) for each in earlier}
    new = [named for each in near_deadlines(section, on) if (named := name_of(each)) not in told]
    for clause, last in new:
        decide(office, kind=REMIND, by=None, on=on, about=about, clause=clause, last=last)
    return len(new)


def still_waited_for(office: Federation) -> SectionQuerySet:
    """The sections of an office that somebody has yet to act on: neither called off nor handed in."""
    planned = Section.objects.filter(event__federation=office, event__state=Event.State.PLANNED)
    related = planned.select_related("event__federation", "event__region")
    return related.filter(stage__in=OPEN_TO_FILING).prefetch_related("permission_requests").order_by("pk")


def near_deadlines(section: Section, on: date) -> list[SectionDeadline]:
    """The deadlines of a section that are still to be kept and end within the days that the office set."""
    days = settings_of(section.event.federation).reminder_days
    return [each for each in deadlines_of(section, on) if each.presses and 0 <= each.days_left <= days]


def name_of(deadline: SectionDeadline) -> tuple[str, str]:
    """A deadline of a section as the record names it: by clause and last day. Postponed, it is another."""
    return deadline.clause, deadline.last.isoformat()
