"""Postpones an event, or one of its sections, to other days: the days announced at first stay to be read."""

from __future__ import annotations

from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide
from players.office.models import User
from tournaments.events.lock_section import lock_section
from tournaments.events.models import Event, Section
from tournaments.filing.changes.edit import move_section, span_event
from tournaments.filing.changes.lock_event import given, lock_event, refuse_decided, sections_of
from tournaments.filing.open_questions import recheck


@transaction.atomic
def postpone_event(
    *, event: Event, by: User | None, on: date, version: int, starts: date, ends: date, reason: str
) -> Event:
    """Put an event on other days. Its sections move as its first day does, those with its days to the new
    ones.
    """
    words = given(reason)
    locked = lock_event(event, version=version)
    sections = sections_of(locked)
    refuse_decided(sections, one_by_one=_("Other sections can be postponed one by one."))
    _refuse_same(locked, starts, ends)
    before = (locked.starts, locked.ends)
    for section in sections:
        if section.open_to_filing:
            _move_with_event(section, before, starts, ends)
    _keep_days(locked)
    locked.announce(words, on)
    locked.starts, locked.ends = starts, ends
    locked.version += 1
    locked.save()
    _record(locked, f"event {locked.number}", by, on, words, before)
    return locked


def _move_with_event(section: Section, before: tuple[date, date], starts: date, ends: date) -> None:
    """Move a section as its event moves: to the event's days if it has those, else by as many days."""
    _keep_days(section)
    if (section.starts, section.ends) == before:
        move_section(section, starts, ends)
    else:
        by = starts - before[0]
        if section.ends + by > ends:
            raise Refused(
                _("Section %(section)s would end on %(day)s, after the event. Give the event a later end.")
                % {"section": section.name, "day": (section.ends + by).isoformat()}
            )
        move_section(section, section.starts + by, section.ends + by)
    recheck(section)


@transaction.atomic
def postpone_section(
    *, section: Section, by: User | None, on: date, version: int, starts: date, ends: date, reason: str
) -> Section:
    """Put a section on other days; its event then lasts from the first section's day to the last one's."""
    words = given(reason)
    locked = lock_section(section, version=version)
    _refuse_same(locked, starts, ends)
    before = (locked.starts, locked.ends)
    _keep_days(locked)
    locked.announce(words, on)
    move_section(locked, starts, ends)
    span_event(Event.objects.get(pk=locked.event_id))
    recheck(locked)
    _record(locked.event, f"section {locked.key}", by, on, words, before)
    return locked


def _refuse_same(thing: Event | Section, starts: date, ends: date) -> None:
    if (thing.starts, thing.ends) == (starts, ends):
        raise Refused(_("These are the days it has already. Give the new ones."))


def _keep_days(thing: Event | Section) -> None:
    """Keep the days announced at first, however often it is postponed."""
    if thing.first_starts is None:
        thing.first_starts, thing.first_ends = thing.starts, thing.ends


def _record(
    event: Event, about: str, by: User | None, on: date, words: str, before: tuple[date, date]
) -> None:
    days = [day.isoformat() for day in before]
    decide(event.federation, kind="postpone", by=by, on=on, about=about, reason=words, days_before=days)
