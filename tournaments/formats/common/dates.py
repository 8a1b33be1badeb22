"""Dates as programs write them. A date that can be read two ways is not read."""

import re
from datetime import date

_YEAR_FIRST = re.compile(r"([0-9]{4})([/.-])([0-9]{1,2})\2([0-9]{1,2})")
_DAY_FIRST = re.compile(r"([0-9]{1,2})([/.-]) ?([0-9]{1,2})\2 ?([0-9]{4})")
_SHORT_YEAR = re.compile(r"([0-9]{2})/([0-9]{2})/([0-9]{2})")
_MONTH_NAMED = re.compile(r"([A-Za-z]{3})[a-z]*\.? ([0-9]{1,2}), ([0-9]{4})")  # Lichess: May 10, 2020
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NOT_GIVEN = "(?:0?0|  ?)?"
_BIRTH_YEAR = re.compile(f"([0-9]{{4}})(?:[/.-]{_NOT_GIVEN}(?:[/.-]{_NOT_GIVEN})?)?")
"""A year of birth, with month and day left blank or zero: `1975.  .` too, whose end blanks are cut."""

EARLIEST = 1900
PLACEHOLDER_FROM = 2100  # Vega writes the year 2126 where nobody filled a date in


def read_date(text: str, *, day_first: bool = False) -> date | None:
    """Read a date of the event; None if it is none, or if day and month could be either (`05/02/2026`)."""
    if found := _YEAR_FIRST.fullmatch(text):
        return _date(found[1], found[3], found[4])
    if (found := _MONTH_NAMED.fullmatch(text)) and found[1].lower() in _MONTHS:
        return _date(found[3], str(_MONTHS.index(found[1].lower()) + 1), found[2])
    if found := _DAY_FIRST.fullmatch(text):
        certain = found[2] == "." or day_first or int(found[1]) > 12
        return _date(found[4], found[3], found[1]) if certain else None
    return None


def tells_day_first(text: str) -> bool:
    """Whether a text can only be a date with the day first; then the file's other dates are taken so too."""
    found = _DAY_FIRST.fullmatch(text)
    return found is not None and int(found[1]) > 12


def could_be_either(text: str) -> bool:
    return _DAY_FIRST.fullmatch(text) is not None or _SHORT_YEAR.fullmatch(text) is not None


def read_round_date(text: str) -> date | None:
    """Read a cell of TRF 132: `YY/MM/DD`, in some files with the whole year."""
    found = _SHORT_YEAR.fullmatch(text)
    return _date(f"20{found[1]}", found[2], found[3]) if found else read_date(text)


def read_birth(text: str) -> tuple[int | None, date | None] | None:
    """Read year and day of a birth: `2008/03/01`, or a year alone (`2008`, `2008/00/00`). None if no date."""
    if not text.strip("0/.- "):
        return None, None
    if found := _BIRTH_YEAR.fullmatch(text):
        year = int(found[1])
        return (year, None) if EARLIEST <= year < PLACEHOLDER_FROM else None
    day = read_date(text)
    return (day.year, day) if day and day.year < PLACEHOLDER_FROM else None


def _date(year: str, month: str, day: str) -> date | None:
    try:
        found = date(int(year), int(month), int(day))
    except ValueError:
        return None
    return found if found.year >= EARLIEST else None
