"""Edits a registered event, or one of its sections, until it is submitted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.db import transaction
from django.db.models import Max, Min
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide
from players.office.models import User
from tournaments.events.lock_section import lock_section
from tournaments.events.models import NOT_PLAYED, Event, Section, Stage
from tournaments.filing.changes.lock_event import lock_event, refuse_decided, sections_of
from tournaments.filing.open_questions import recheck

CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,19}")
TAKEN_CODES = frozenset({"sections"})
"""Codes at whose addresses the office has pages of its own."""


@dataclass(frozen=True, slots=True)
class EventParticulars:
    """All that an edit says of an event; None: as it was."""

    name: str
    starts: date
    ends: date
    place: str | None = None
    country: str | None = None
    organizer: str | None = None
    arbiters: Sequence[Mapping[str, str]] | None = None
    """`{"name", "title", "id"}`, in order of appointment."""


@dataclass(frozen=True, slots=True)
class SectionParticulars:
    """All that an edit says of a section; days that are None are as they were."""

    name: str
    code: str
    format: str
    rounds: int | None
    team: bool | None = None
    """None: as it was."""
    starts: date | None = None
    ends: date | None = None
    particulars: Mapping[str, Any] = field(default_factory=dict)


@transaction.atomic
def edit_event(*, event: Event, by: User | None, on: date, version: int, said: EventParticulars) -> Event:
    """Change an event's particulars. Sections with the event's days follow them; others keep theirs.

    Raises `Refused` if a section is submitted or rated, or one with days of its own would lie outside.
    """
    locked = lock_event(event, version=version)
    sections = sections_of(locked)
    refuse_decided(sections)
    before = _told(locked)
    open_ones = [section for section in sections if section.open_to_filing]
    moved = [
        section for section in open_ones if (section.starts, section.ends) == (locked.starts, locked.ends)
    ]
    _refuse_outside([section for section in open_ones if section not in moved], said.starts, said.ends)
    _write(locked, said)
    for section in moved if (locked.starts, locked.ends) != (before["starts"], before["ends"]) else ():
        move_section(section, locked.starts, locked.ends)
    for section in open_ones:
        recheck(section)
    changed = sorted(name for name, value in _told(locked).items() if value != before[name])
    decide(locked.federation, kind="edit", by=by, on=on, about=f"event {locked.number}", changed=changed)
    return locked


def _write(event: Event, said: EventParticulars) -> None:
    event.name, event.starts, event.ends = said.name, said.starts, said.ends
    home = event.federation.ruleset.country
    for name in ("place", "organizer"):
        if (value := getattr(said, name)) is not None:
            setattr(event, name, value)
    if said.country is not None:
        event.country = "" if said.country == home else said.country
    if said.arbiters is not None:
        event.arbiters = [dict(arbiter) for arbiter in said.arbiters]
    event.version += 1
    event.save()


def _told(event: Event) -> dict[str, Any]:
    names = ("name", "starts", "ends", "place", "country", "organizer", "arbiters")
    return {name: getattr(event, name) for name in names}


def _refuse_outside(sections: Sequence[Section], starts: date, ends: date) -> None:
    outside = [section.name for section in sections if not starts <= section.starts <= section.ends <= ends]
    if outside:
        raise Refused(
            _("These sections have days of their own, outside these: %(sections)s. Change theirs first.")
            % {"sections": ", ".join(outside)}
        )


def move_section(section: Section, starts: date, ends: date) -> None:
    """Give a locked section other days, as a new version; its rounds' days move as its first day does."""
    by = starts - section.starts
    days = [date.fromisoformat(day) + by if day else None for day in section.round_dates]
    section.round_dates = [day.isoformat() if day and day <= ends else None for day in days]
    section.starts, section.ends = starts, ends
    section.version += 1
    section.save()


@transaction.atomic
def edit_section(
    *, section: Section, by: User | None, on: date, version: int, said: SectionParticulars
) -> Section:
    """Change a section's particulars; its event then lasts from the first section's day to the last one's.

    Raises `Refused` if it is not open, or if another code is given where something was filed already.
    """
    locked = lock_section(section, version=version)
    event = Event.objects.select_related("federation", "region").get(pk=locked.event_id)
    locked.event = event
    before = locked.code
    if said.code != before:
        _refuse_code(locked, said.code)
    locked.code, locked.name, locked.format = said.code, said.name, said.format
    locked.team = locked.team if said.team is None else said.team
    locked.rounds, locked.particulars = said.rounds, dict(said.particulars)
    locked.round_dates = locked.round_dates[: said.rounds] if said.rounds else locked.round_dates
    move_section(locked, said.starts or locked.starts, said.ends or locked.ends)
    span_event(event)
    recheck(locked)
    codes = {} if said.code == before else {"before": before, "after": said.code}
    decide(event.federation, kind="edit", by=by, on=on, about=f"section {locked.key}", **codes)
    return locked


def can_change_code(section: Section) -> bool:
    """Whether nothing names the section by its code yet: no file came, and no decision was made on it."""
    about = section.event.federation.decisions.filter(about=f"section {section.key}")
    named = section.filed_on or section.uploads.exists() or section.permissions or section.before_play
    return section.stage == Stage.REGISTERED and not named and not about.exists()


def _refuse_code(section: Section, code: str) -> None:
    if not can_change_code(section):
        raise Refused(
            _("The record names this section by its code %(code)s already: the code stays.")
            % {"code": section.code}
        )
    if not CODE.fullmatch(code) or code in TAKEN_CODES:
        raise Refused(_("A code has letters of A to Z, digits and hyphens, such as A or U16."))
    if section.event.sections.exclude(pk=section.pk).filter(code=code).exists():
        raise Refused(_("Another section of this event has the code %(code)s.") % {"code": code})


def span_event(event: Event) -> None:
    """Let the event last from its sections' first day to their last, where the office waits for them."""
    played = event.sections.exclude(stage__in=NOT_PLAYED)
    span = played.aggregate(starts=Min("starts"), ends=Max("ends"))
    if span["starts"] and (span["starts"], span["ends"]) != (event.starts, event.ends):
        event.starts, event.ends = span["starts"], span["ends"]
        event.version += 1
        event.save(update_fields=["starts", "ends", "version"])
