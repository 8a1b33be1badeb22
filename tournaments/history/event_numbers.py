"""The numbers and codes of a history's events and sections: sections of one event stand together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date

from players.office.models import Federation
from players.register.name_folding import fold
from tournaments.events.models import Event, Section
from tournaments.filing.register_event import free_codes


def number_events(federation: Federation, sections: Sequence[Section]) -> None:
    """Join sections of one event, and number the events on from those that the office has, by the year of
    their first day. Nothing is written.

    Sections are of one event where its name and region are the same and their days touch.
    """
    taken = _taken(federation)
    events: dict[tuple[str, int], list[Event]] = defaultdict(list)
    codes: dict[int, set[str]] = defaultdict(set)
    for section in sorted(sections, key=lambda each: (each.starts, each.ends, each.event.name, each.name)):
        own = section.event
        known = events[fold(own.name), own.region_id]
        if not known or known[-1].ends < section.starts:
            known.append(own)
            own.number = _next(taken, own.starts)
        section.event = event = known[-1]
        event.ends = max(event.ends, section.ends)
        section.code = next(free_codes(codes[id(event)]))
        codes[id(event)].add(section.code)


def _taken(federation: Federation) -> dict[int, int]:
    """The last number of each year that an event of the office has."""
    taken: dict[int, int] = defaultdict(int)
    for number in Event.objects.filter(federation=federation).values_list("number", flat=True):
        year, _dash, place = number.partition("-")
        if year.isdecimal() and place.isdecimal():
            taken[int(year)] = max(taken[int(year)], int(place))
    return taken


def _next(taken: dict[int, int], starts: date) -> str:
    taken[starts.year] += 1
    return f"{starts.year}-{taken[starts.year]:03}"
