"""Registers events and sections, edits them until they are submitted, and withdraws what was a mistake.

Each of these is one decision on record.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import count, product
from string import ascii_uppercase
from typing import Any

from django.db import transaction
from django.db.models import IntegerField, Max
from django.db.models.functions import Cast, Substr
from django.utils.translation import gettext as _

from players.access import Permission, Rights
from players.models import Federation, Region, User
from players.record import Refused, decide, keep_mark, lock_ledger, made_before
from tournaments import announcements
from tournaments.acceptance import recheck
from tournaments.models import Event, Section, Stage
from tournaments.sections import lock_section


@dataclass(frozen=True, slots=True)
class NewSection:
    """A section to be registered; days left out are the event's."""

    name: str
    format: str
    code: str = ""
    """Empty: the next free letter."""
    rounds: int | None = None
    team: bool = False
    starts: date | None = None
    ends: date | None = None
    particulars: Mapping[str, Any] = field(default_factory=dict)


class RegisteredBefore(Refused):
    """The refusal of a second registration; `event` is the first."""

    def __init__(self, event: Event) -> None:
        words = _("%(event)s is registered already for these days, as %(number)s.")
        super().__init__(words % {"event": event.name, "number": event.number})
        self.event = event


def registered_before(region: Region, name: str, starts: date, ends: date) -> Event | None:
    """An event of the same name and days in a region, if one is registered and not withdrawn."""
    events = Event.objects.filter(region=region, name__iexact=name.strip(), starts=starts, ends=ends)
    return events.not_withdrawn().select_related("federation").first()


@transaction.atomic
def event_made_by(federation: Federation, mark: str) -> Event | None:
    """The event that a form of this mark has made already; None: it has made none."""
    lock_ledger(federation)
    number = made_before(federation, mark)
    return Event.objects.get(federation=federation, number=number) if number else None


@transaction.atomic
def register_event(
    *,
    rights: Rights,
    by: User | None,
    on: date,
    name: str,
    region: Region,
    starts: date,
    ends: date,
    sections: Sequence[NewSection],
    place: str = "",
    country: str = "",
    organizer: str = "",
    mark: str = "",
    another: bool = False,
) -> Event:
    """Register an event with its sections; its number is `YYYY-NNN`, by the year of its first day.

    `mark`: of the form that was sent; sent again, it returns the event that it made. `another`: the person
    was told that such an event is registered, and means another. Raises `RegisteredBefore` without that.
    """
    federation = rights.federation
    if not rights.regions(Permission.EVENTS_REGISTER).filter(pk=region.pk).exists():
        raise Refused(_("You do not file for %(region)s. Choose one of your regions.") % {"region": region})
    lock_ledger(federation)
    if number := made_before(federation, mark):
        return Event.objects.get(federation=federation, number=number)
    if not another and (same := registered_before(region, name, starts, ends)) is not None:
        raise RegisteredBefore(same)
    year = starts.year
    of_year = Event.objects.filter(federation=federation, number__startswith=f"{year}-")
    found = of_year.aggregate(last=Max(Cast(Substr("number", 6), IntegerField())))
    event = Event.objects.create(
        federation=federation,
        number=f"{year}-{(found['last'] or 0) + 1:03}",
        name=name,
        place=place,
        region=region,
        country="" if country == federation.ruleset.country else country,
        starts=starts,
        ends=ends,
        organizer=organizer,
        registered_on=on,
        registered_by=by,
    )
    _create_sections(event, sections, on)
    keep_mark(federation, mark, event.number)
    decide(federation, kind="register", by=by, on=on, about=f"event {event.number}")
    return event


@transaction.atomic
def add_sections(
    *, event: Event, by: User | None, on: date, sections: Sequence[NewSection], mark: str = ""
) -> list[Section]:
    """Add sections to a registered event. `mark`: of the form; sent again, it returns what it made."""
    lock_ledger(event.federation)
    event.refresh_from_db(fields=["starts", "ends", "state"])
    if event.state != Event.State.PLANNED:
        words = _("This event is %(state)s: no section can be added.")
        raise Refused(words % {"state": event.get_state_display()})
    if made := made_before(event.federation, mark):
        return list(event.sections.filter(code__in=made.split()))
    created = _create_sections(event, sections, on)
    codes = [section.code for section in created]
    keep_mark(event.federation, mark, " ".join(codes))
    decide(event.federation, kind="register", by=by, on=on, about=f"event {event.number}", sections=codes)
    return created


def _create_sections(event: Event, sections: Sequence[NewSection], on: date) -> list[Section]:
    taken = set(event.sections.values_list("code", flat=True)) | {s.code for s in sections if s.code}
    free = free_codes(taken)
    return [
        Section.objects.create(
            event=event,
            code=new.code or next(free),
            name=new.name,
            format=new.format,
            rounds=new.rounds,
            team=new.team,
            particulars=dict(new.particulars),
            starts=new.starts or event.starts,
            ends=new.ends or event.ends,
            registered_on=on,
        )
        for new in sections
    ]


def free_codes(taken: Collection[str]) -> Iterator[str]:
    """Yield the codes for an event's further sections, in order: those that none of its own has."""
    return (code for code in _letters() if code not in taken)


def _letters() -> Iterator[str]:
    """Yield the codes for an event's sections: A to Z, AA to ZZ, AAA and on, without end."""
    for length in count(1):
        yield from map("".join, product(ascii_uppercase, repeat=length))


# ---- Edit a registered event, or one of its sections, until it is submitted.
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
    locked = announcements.lock_event(event, version=version)
    sections = announcements.sections_of(locked)
    was, to = announcements.days_of(locked), (said.starts, said.ends)
    before = announcements.told_of_event(locked)
    _write(locked, said)
    changed = announcements.changes(before, announcements.told_of_event(locked))
    announcements.refuse_reviewed(sections, [*changed, *(["days"] if to != was else [])])
    words = announcements.reason_for(said.reason, asked=to != was or bool(announcements.seen(changed)))
    moved = announcements.move_event(locked, sections, to, words, on) if to != was else []
    locked.save()
    announcements.recheck_open(sections)
    announcements.look_again(sections)
    if to != was:
        announcements.record_move(locked, by, on, words, was, moved=moved)
    if changed or to == was:
        announcements.record_edit(locked, by, on, changed, words)
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
    before, was = announcements.told_of_section(locked), announcements.days_of(locked)
    to = (said.starts or locked.starts, said.ends or locked.ends)
    if said.code != locked.code:
        code = said.code
        if not can_change_code(locked):
            raise Refused(
                _("The record names this section by its code %(code)s already: the code stays.")
                % {"code": locked.code}
            )
        if not CODE.fullmatch(code) or code in TAKEN_CODES:
            raise Refused(_("A code has letters of A to Z, digits and hyphens, such as A or U16."))
        if locked.event.sections.exclude(pk=locked.pk).filter(code=code).exists():
            raise Refused(_("Another section of this event has the code %(code)s.") % {"code": code})
    write_section(locked, said)
    changed = announcements.changes(before, announcements.told_of_section(locked))
    words = announcements.reason_for(said.reason, asked=to != was or bool(announcements.seen(changed)))
    if to != was:
        of_event = announcements.move_announced_section(locked, to, words, on)
        announcements.record_move(locked, by, on, words, was, of_event)
    else:
        announcements.move_section(locked, *to)
    recheck(locked)
    if changed or to == was:
        announcements.record_edit(locked, by, on, changed, words)
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


# ---- Withdraw an event or a section that was registered by mistake: it is kept, and nobody waits for it.
@transaction.atomic
def withdraw_event(*, event: Event, by: User | None, on: date, version: int, reason: str) -> Event:
    """Take an event that was one too many out of the calendar, with all its sections; none is deleted."""
    words = announcements.given(reason)
    states = (Event.State.PLANNED, Event.State.CANCELLED)
    locked = announcements.lock_event(event, version=version, states=states)
    sections = announcements.sections_of(locked)
    announcements.refuse_decided(sections, one_by_one=_("Other sections can be withdrawn one by one."))
    for section in sections:
        if section.stage in announcements.BEFORE_RATING:
            announcements.close(section, Stage.WITHDRAWN, words, on, with_event=True)
    locked.state = Event.State.WITHDRAWN
    locked.announce(words, on)
    locked.version += 1
    locked.save(update_fields=["state", "notice", "notice_on", "version"])
    about = f"event {locked.number}"
    decide(locked.federation, kind="withdraw-event", by=by, on=on, about=about, reason=words)
    return locked


@transaction.atomic
def withdraw_section(*, section: Section, by: User | None, on: date, version: int, reason: str) -> Section:
    """Take a section that was one too many off its event; its code stays taken."""
    words = announcements.given(reason)
    locked = lock_section(section, version=version, stages=announcements.BEFORE_RATING)
    announcements.close(locked, Stage.WITHDRAWN, words, on)
    announcements.span_event(locked.event)
    about = f"section {locked.key}"
    decide(locked.event.federation, kind="withdraw-section", by=by, on=on, about=about, reason=words)
    return locked
