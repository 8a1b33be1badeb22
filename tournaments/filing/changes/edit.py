"""Edits a registered event, or one of its sections, until it is submitted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused
from players.office.models import User
from tournaments.events.lock_section import lock_section
from tournaments.events.models import Event, Section, Stage
from tournaments.filing.changes.changed_fields import (
    changes,
    look_again,
    record_edit,
    seen,
    told_of_event,
    told_of_section,
)
from tournaments.filing.changes.lock_event import lock_event, reason_for, refuse_reviewed, sections_of
from tournaments.filing.changes.move_days import (
    days_of,
    move_announced_section,
    move_event,
    move_section,
    recheck_open,
    record_move,
)
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
    reason: str = ""
    """The reason for other days, name or place, in words for everybody."""


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
    reason: str = ""
    """The reason for other days and whatever else everybody could read, in words for everybody."""


@transaction.atomic
def edit_event(*, event: Event, by: User | None, on: date, version: int, said: EventParticulars) -> Event:
    """Change an event's particulars. Other days are announced, with the reason, as when it is postponed.

    Raises `Refused` if a section is rated; if one is submitted and more changes than may in review; or if
    what everybody could read changes without a reason.
    """
    locked = lock_event(event, version=version)
    sections = sections_of(locked)
    was, to = days_of(locked), (said.starts, said.ends)
    before = told_of_event(locked)
    _write(locked, said)
    changed = changes(before, told_of_event(locked))
    refuse_reviewed(sections, [*changed, *(["days"] if to != was else [])])
    words = reason_for(said.reason, asked=to != was or bool(seen(changed)))
    moved = move_event(locked, sections, to, words, on) if to != was else []
    locked.save()
    recheck_open(sections)
    look_again(sections)
    if to != was:
        record_move(locked, by, on, words, was, moved=moved)
    if changed or to == was:
        record_edit(locked, by, on, changed, words)
    return locked


def _write(event: Event, said: EventParticulars) -> None:
    event.name = said.name
    home = event.federation.ruleset.country
    for name in ("place", "organizer"):
        if (value := getattr(said, name)) is not None:
            setattr(event, name, value)
    if said.country is not None:
        event.country = "" if said.country == home else said.country
    if said.arbiters is not None:
        event.arbiters = [dict(arbiter) for arbiter in said.arbiters]
    event.version += 1


@transaction.atomic
def edit_section(
    *, section: Section, by: User | None, on: date, version: int, said: SectionParticulars
) -> Section:
    """Change a section's particulars. Other days are announced, with the reason, as when it is postponed.

    Raises `Refused` if it is not open, if what everybody could read changes without a reason, or if another
    code is given where something was filed already.
    """
    locked = lock_section(section, version=version)
    locked.event = Event.objects.select_related("federation", "region").get(pk=locked.event_id)
    before, was = told_of_section(locked), days_of(locked)
    to = (said.starts or locked.starts, said.ends or locked.ends)
    if said.code != locked.code:
        _refuse_code(locked, said.code)
    write_section(locked, said)
    changed = changes(before, told_of_section(locked))
    words = reason_for(said.reason, asked=to != was or bool(seen(changed)))
    if to != was:
        of_event = move_announced_section(locked, to, words, on)
        record_move(locked, by, on, words, was, of_event)
    else:
        move_section(locked, *to)
    recheck(locked)
    if changed or to == was:
        record_edit(locked, by, on, changed, words)
    return locked


def write_section(section: Section, said: SectionParticulars) -> None:
    """Give a section the fields of an edit, unsaved and without its days."""
    section.code, section.name, section.format = said.code, said.name, said.format
    section.team = section.team if said.team is None else said.team
    section.rounds, section.particulars = said.rounds, dict(said.particulars)
    section.round_dates = section.round_dates[: said.rounds] if said.rounds else section.round_dates


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
