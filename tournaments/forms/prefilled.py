"""The first content of a form of registration: copied from a section, from an earlier event, or as typed."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from django import forms

from tournaments.events import ruleset_fields
from tournaments.events.models import NOT_PLAYED, Event, Section
from tournaments.forms.event_forms import BaseSections

WEEK = 7


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
    kept = {name: getattr(event, name) for name in ("name", "place", "organizer", "region")}
    country = {"country": event.country} if event.country else {}
    days = {"starts": event.starts + later, "ends": event.ends + later}
    sections = event.sections.exclude(stage__in=NOT_PLAYED) if event.state == "planned" else event.sections
    rows = [row_like(section, later=later, named=True) for section in sections.select_related("event")]
    return kept | country | days, rows


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
