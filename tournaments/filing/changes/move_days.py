"""Moves announced days, of an event or a section: everybody reads why, and the first days stay to be read."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from django.db.models import Max, Min
from django.utils.translation import gettext as _

from players.drawing.days_in_words import day_in_words, days_in_words
from players.office.decision_record import Refused, decide
from players.office.models import User
from tournaments.events.models import NOT_PLAYED, WITH_THE_OFFICE, Event, Section
from tournaments.filing.changes.lock_event import refuse_decided, sections_of
from tournaments.filing.open_questions import recheck

Days = tuple[date, date]


def days_of(thing: Event | Section) -> Days:
    return thing.starts, thing.ends


def move_event(event: Event, sections: Iterable[Section], to: Days, words: str, on: date) -> list[str]:
    """Give a locked event other days, and its open sections those of `days_within`. Whoever calls saves the
    event, and checks its sections anew. Returns the codes of the sections that moved.
    """
    before, moved = days_of(event), list[str]()
    _announce(event, words, on)
    event.starts, event.ends = to
    for section in sections:
        if section.open_to_filing and (days := days_within(section, before, to)) != days_of(section):
            _announce(section, words, on)
            move_section(section, *days)
            moved.append(section.code)
    return moved


def days_within(section: Section, before: Days, to: Days) -> Days:
    """A section's days once its event has others: the event's, if it had those. Days of its own stay where
    the event gets longer or shorter around them; else they move as the event's first day does.
    """
    if days_of(section) == before:
        return to
    if _longer_or_shorter(before, to) and _lies_within(days_of(section), to):
        return days_of(section)
    by = to[0] - before[0]
    if section.ends + by > to[1]:
        raise Refused(
            _("Section %(section)s would end on %(day)s, after the event. Give the event a later end.")
            % {"section": section.name, "day": day_in_words(section.ends + by)}
        )
    return section.starts + by, section.ends + by


def _longer_or_shorter(before: Days, to: Days) -> bool:
    return _lies_within(before, to) or _lies_within(to, before)


def _lies_within(days: Days, span: Days) -> bool:
    return span[0] <= days[0] and days[1] <= span[1]


def recheck_open(sections: Iterable[Section]) -> None:
    """Check those sections of an event anew that are open to filing."""
    for section in sections:
        if section.open_to_filing:
            recheck(section)


def move_announced_section(section: Section, to: Days, words: str, on: date) -> Days | None:
    """Give a locked section other days; its event then lasts from the first section's day to the last one's,
    and says why if its own days changed by that. Returns the event's days before; None: they are the same.

    Raises `Refused` if the event would last longer while the office has another of its sections.
    """
    event = section.event
    was = days_of(event)
    _refuse_longer(event, to)
    _announce(section, words, on)
    move_section(section, *to)
    if not span_event(event):
        return None
    if event.state == Event.State.PLANNED:
        event.first_starts, event.first_ends = event.first_starts or was[0], event.first_ends or was[1]
        event.announce(words, on)
        event.save(update_fields=["first_starts", "first_ends", "notice", "notice_on"])
    return was


def _refuse_longer(event: Event, to: Days) -> None:
    """Raise `Refused` for a section's days outside its event's, while the office has another section."""
    if not _lies_within(to, days_of(event)):
        words = _("Days within those of the event, %(days)s, can be given now.")
        within = words % {"days": days_in_words(_as_text(days_of(event)))}
        refuse_decided(sections_of(event), one_by_one=within)


def _announce(thing: Event | Section, words: str, on: date) -> None:
    keep_days(thing)
    thing.announce(words, on)


def keep_days(thing: Event | Section) -> None:
    """Keep the days announced at first, however often it is postponed."""
    if thing.first_starts is None:
        thing.first_starts, thing.first_ends = days_of(thing)


def move_section(section: Section, starts: date, ends: date) -> None:
    """Give a locked section other days, as a new version; its rounds' days move as its first day does."""
    by = starts - section.starts
    days = [date.fromisoformat(day) + by if day else None for day in section.round_dates]
    section.round_dates = [day.isoformat() if day and day <= ends else None for day in days]
    section.starts, section.ends = starts, ends
    section.version += 1
    section.save()


def span_event(event: Event) -> bool:
    """Let the event last from its sections' first day to their last, where the office waits for them; its
    open sections are checked anew, since deadlines count from its days. While the office has a section, its
    days stay.

    Returns whether its days changed.
    """
    if event.sections.filter(stage__in=WITH_THE_OFFICE).exists():
        return False
    played = event.sections.exclude(stage__in=NOT_PLAYED)
    span = played.aggregate(starts=Min("starts"), ends=Max("ends"))
    if not span["starts"] or (span["starts"], span["ends"]) == days_of(event):
        return False
    event.starts, event.ends = span["starts"], span["ends"]
    event.version += 1
    event.save(update_fields=["starts", "ends", "version"])
    sections = sections_of(event)
    recheck_open(sections)
    return True


def record_move(
    thing: Event | Section,
    by: User | None,
    on: date,
    words: str,
    before: Days,
    of_event: Days | None = None,
    moved: list[str] | None = None,
) -> None:
    """Put on record that an event or a section has other days than before, and why. `of_event`: the days that
    the event of a moved section had, where it lasts otherwise now; `moved`: the sections that moved with an
    event, by their codes.
    """
    event = thing if isinstance(thing, Event) else thing.event
    days = {"days_before": _as_text(before), "days_now": _as_text(days_of(thing))}
    if of_event:
        days |= {"event_days_before": _as_text(of_event), "event_days_now": _as_text(days_of(event))}
    about, office = thing.named_on_record, event.federation
    told: dict[str, Any] = {"reason": words, **days}
    if moved is not None:
        told["sections_moved"] = moved
    decide(office, kind="postpone", by=by, on=on, about=about, **told)


def _as_text(days: Days) -> list[str]:
    return [day.isoformat() for day in days]
