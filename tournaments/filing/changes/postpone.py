"""Postpones an event, or one of its sections, to other days: the days announced at first stay to be read."""

from __future__ import annotations

from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused
from players.office.models import User
from tournaments.events.lock_section import lock_section
from tournaments.events.models import Event, Section
from tournaments.filing.changes.lock_event import given, lock_event, refuse_decided, sections_of
from tournaments.filing.changes.move_days import (
    days_of,
    move_announced_section,
    move_event,
    recheck_open,
    record_move,
)
from tournaments.filing.open_questions import recheck


@transaction.atomic
def postpone_event(
    *, event: Event, by: User | None, on: date, version: int, starts: date, ends: date, reason: str
) -> Event:
    """Put an event on other days, and its open sections with it."""
    words = given(reason)
    locked = lock_event(event, version=version)
    sections = sections_of(locked)
    refuse_decided(sections, one_by_one=_("Other sections can be postponed one by one."))
    _refuse_same(locked, starts, ends)
    before = days_of(locked)
    moved = move_event(locked, sections, (starts, ends), words, on)
    locked.version += 1
    locked.save()
    recheck_open(sections)
    record_move(locked, by, on, words, before, moved=moved)
    return locked


@transaction.atomic
def postpone_section(
    *, section: Section, by: User | None, on: date, version: int, starts: date, ends: date, reason: str
) -> Section:
    """Put a section on other days; its event then lasts from the first section's day to the last one's."""
    words = given(reason)
    locked = lock_section(section, version=version)
    _refuse_same(locked, starts, ends)
    before = days_of(locked)
    of_event = move_announced_section(locked, (starts, ends), words, on)
    recheck(locked)
    record_move(locked, by, on, words, before, of_event)
    return locked


def _refuse_same(thing: Event | Section, starts: date, ends: date) -> None:
    if days_of(thing) == (starts, ends):
        raise Refused(_("These are the days it has already. Give the new ones."))
