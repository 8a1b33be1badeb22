"""Registers an event with its sections, and sections of an event, each as one decision."""

from __future__ import annotations

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

from players.office.access import Permission, Rights
from players.office.decision_record import Refused, decide, keep_mark, lock_ledger, made_before
from players.office.models import Federation, Region, User
from tournaments.events.models import Event, Section


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


def _refuse_region(rights: Rights, region: Region) -> None:
    if not rights.regions(Permission.EVENTS_REGISTER).filter(pk=region.pk).exists():
        raise Refused(_("You do not file for %(region)s. Choose one of your regions.") % {"region": region})


def _refuse_registered(region: Region, name: str, starts: date, ends: date) -> None:
    if (same := registered_before(region, name, starts, ends)) is not None:
        raise RegisteredBefore(same)


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
    _refuse_region(rights, region)
    lock_ledger(federation)
    if number := made_before(federation, mark):
        return Event.objects.get(federation=federation, number=number)
    if not another:
        _refuse_registered(region, name, starts, ends)
    event = Event.objects.create(
        federation=federation,
        number=_next_number(federation, starts.year),
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


def _next_number(federation: Federation, year: int) -> str:
    of_year = Event.objects.filter(federation=federation, number__startswith=f"{year}-")
    found = of_year.aggregate(last=Max(Cast(Substr("number", 6), IntegerField())))
    return f"{year}-{(found['last'] or 0) + 1:03}"


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
