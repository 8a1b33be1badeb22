"""Days for all rounds of a section at once: on its first day, or spread over its days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from tournaments.events.models import Section

ONE_DAY, SPREAD = "one", "spread"
"""The ways in which all rounds are dated at once."""


def spread(starts: date, ends: date, rounds: int) -> list[date]:
    """A day for each round, in order: as many rounds a day as on any other, the first days one more."""
    days = (ends - starts).days + 1
    each, more = divmod(rounds, days)
    if not each:  # more days than rounds: first and last are played, the others lie evenly between
        return [starts + timedelta(days=at * (days - 1) // max(rounds - 1, 1)) for at in range(rounds)]
    counts = [each + (at < more) for at in range(days)]
    return [starts + timedelta(days=at) for at, count in enumerate(counts) for _round in range(count)]


def dated(way: str, section: Section, rounds: int) -> list[date]:
    """The days of so many rounds of a section, dated in one of the ways."""
    return spread(section.starts, section.ends if way == SPREAD else section.starts, rounds)


def way_of(section: Section) -> str:
    """The way in which all rounds of a section of several days are dated; empty: another, or not yet."""
    days: Sequence[str | None] = section.round_dates
    for way in (ONE_DAY, SPREAD) if days and section.starts < section.ends else ():
        if list(days) == [day.isoformat() for day in dated(way, section, len(days))]:
            return way
    return ""


def proposed_days(section: Section, rounds: int) -> list[date]:
    """Days for the rounds of a section of which none has one, as the last file of the program was dated;
    nothing where no such file is remembered.
    """
    way = section.hints.get("days", "")
    return dated(way, section, rounds) if way and not any(section.round_dates) else []
