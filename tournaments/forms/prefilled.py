"""The first content of a form of registration: copied from a section, from an earlier event, or as typed."""

from __future__ import annotations

import re
from collections.abc import Set
from datetime import date, timedelta
from typing import Any

from django import forms

from tournaments.events import ruleset_fields
from tournaments.events.models import NOT_PLAYED, Event, Section
from tournaments.forms.event_forms import BaseSections

WEEK = 7
YEARS = re.compile(r"(?<!\d)(\d{4})(?:([/–-])(\d{4}|\d{2}))?(?!\d)|(?<=['’])(\d{2})(?!\d)")
"""A year in a name, by itself (2026, ’26) or with the next (2026/27)."""


def row_like(section: Section, *, later: timedelta = timedelta(0), named: bool = False) -> dict[str, Any]:
    """A row of the form like a section: its format, rounds, particulars, and its days where they are not the
    event's. `later`: by how much days move; `named`: the name too.
    """
    event = section.event
    row: dict[str, Any] = {"format": section.format, "rounds": section.rounds, "team": section.team}
    own_days = (section.starts, section.ends) != (event.starts, event.ends)
    if own_days:
        row |= {"starts": section.starts + later, "ends": section.ends + later}
    particulars = {name: _moved(value, later) for name, value in section.particulars.items()}
    row |= ruleset_fields.initial_of(particulars)
    return row | ({"name": section.name} if named else {})


def _moved(value: Any, later: timedelta) -> Any:
    """A particular as it was; a day among them moves with the event."""
    try:
        return (date.fromisoformat(value) + later).isoformat() if isinstance(value, str) else value
    except ValueError:
        return value


def event_like(event: Event, on: date) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The form to register an event again: its particulars, and a row for each section that was planned; the
    days a year later, on the same weekday.
    """
    later = same_weekday_a_year_later(event.starts, on) - event.starts
    by = (event.starts + later).year - event.starts.year
    of_event = {event.starts.year, event.ends.year}
    kept = {name: getattr(event, name) for name in ("place", "organizer", "region")}
    kept["name"] = with_years_moved(event.name, of_event, by)
    country = {"country": event.country} if event.country else {}
    days = {"starts": event.starts + later, "ends": event.ends + later}
    sections = event.sections.exclude(stage__in=NOT_PLAYED) if event.state == "planned" else event.sections
    rows = [row_like(section, later=later, named=True) for section in sections.select_related("event")]
    for row in rows:
        row["name"] = with_years_moved(row["name"], of_event, by)
    return kept | country | days, rows


def with_years_moved(name: str, years: Set[int], by: int) -> str:
    """A name in which these years, and pairs of years with one of them, are so many years later."""

    def moved(found: re.Match[str]) -> str:
        if short := found[4]:
            year = 2000 + int(short)
            return f"{year + by}"[2:] if year in years else short
        year, sign, second = int(found[1]), found[2] or "", found[3] or ""
        if second and int(second) == (year + 1) % 10 ** len(second) and {year, year + 1} & years:
            return f"{year + by}{sign}{str(year + 1 + by)[-len(second) :]}"
        return f"{year + by if year in years else year}{sign}{second}"

    return YEARS.sub(moved, name)


def same_weekday_a_year_later(day: date, on: date) -> date:
    """The day of this weekday that is nearest to the next anniversary of `day` after `on`."""
    year = day.year + 1
    while (found := _nearest_weekday(day, year)) <= on:
        year += 1
    return found


def _nearest_weekday(day: date, year: int) -> date:
    last_of_february = (day.month, day.day) == (2, 29)
    anniversary = date(year, 2, 28) if last_of_february else day.replace(year=year)
    ahead = (day.weekday() - anniversary.weekday()) % WEEK
    return anniversary + timedelta(days=ahead if ahead <= WEEK // 2 else ahead - WEEK)


def typed_in(form: forms.BaseForm) -> dict[str, Any]:
    """All that was typed into a form, right or wrong, to be shown again without complaint."""
    return {
        name: field.widget.value_from_datadict(form.data, form.files, form.add_prefix(name))
        for name, field in form.fields.items()
        if name != "once"
    }


def one_row_more(sections: BaseSections) -> list[dict[str, Any]]:
    """The rows as typed, and one more that is like the last but for its name."""
    rows = [typed_in(form) for form in sections.forms]
    return [*rows, {**rows[-1], "name": ""}] if rows else []
