"""Reads dates as programs write them.

A date that can be read in two ways is not read by itself. The other dates of its file may decide it, since
rounds lie within the event and in order.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise, product

_TIME = r"(?:[ T] ?[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)?"
"""A time of day, which may be behind a date and is passed over."""
_YEAR_FIRST = re.compile(rf"([0-9]{{4}})([/.-])([0-9]{{1,2}})\2([0-9]{{1,2}}){_TIME}")
_DAY_FIRST = re.compile(rf"([0-9]{{1,2}})([/.-]) ?([0-9]{{1,2}})\2 ?([0-9]{{4}}){_TIME}")
_SHORT_YEAR = re.compile(r"([0-9]{2})/([0-9]{2})/([0-9]{2})")
_MONTH_NAMED = re.compile(rf"([A-Za-z]{{3}})[a-z]*\.? ([0-9]{{1,2}}), ([0-9]{{4}}){_TIME}")  # May 10, 2020
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NOT_GIVEN = "(?:0?0|  ?)?"
_BIRTH_YEAR = re.compile(f"([0-9]{{4}})(?:[/.-]{_NOT_GIVEN}(?:[/.-]{_NOT_GIVEN})?)?")
"""A year of birth, with month and day left blank or zero: `1975.  .` too, whose end blanks are cut."""

EARLIEST_YEAR = 1900
FIRST_PLACEHOLDER_YEAR = 2100  # Vega writes the year 2126 if nobody filled in a date


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


def can_be_ambiguous_date(text: str) -> bool:
    return _DAY_FIRST.fullmatch(text) is not None or _SHORT_YEAR.fullmatch(text) is not None


def read_round_date(text: str) -> date | None:
    """Read a cell of TRF 132: `YY/MM/DD`, or with the whole year."""
    found = _SHORT_YEAR.fullmatch(text)
    return _date(f"20{found[1]}", found[2], found[3]) if found else read_date(text)


def read_birth(text: str) -> tuple[int | None, date | None] | None:
    """Read year and day of a birth: `2008/03/01`, or a year alone (`2008`, `2008/00/00`); None if no date."""
    if not text.strip("0/.- "):
        return None, None
    if found := _BIRTH_YEAR.fullmatch(text):
        year = int(found[1])
        return (year, None) if EARLIEST_YEAR <= year < FIRST_PLACEHOLDER_YEAR else None
    day = read_date(text)
    return (day.year, day) if day and day.year < FIRST_PLACEHOLDER_YEAR else None


def _date(year: str, month: str, day: str) -> date | None:
    try:
        found = date(int(year), int(month), int(day))
    except ValueError:
        return None
    return found if found.year >= EARLIEST_YEAR else None


# ---- Dates that can be read in several ways
_PARTS = re.compile(rf"([0-9]{{1,2}}|[0-9]{{4}})([/.-]) ?([0-9]{{1,2}})\2 ?([0-9]{{4}}|[0-9]{{1,2}}){_TIME}")
_STANDARD = re.compile(r"[0-9]{2}/[0-9]{2}/[0-9]{2}")
_ORDERS = {"ymd": (0, 1, 2), "ydm": (0, 2, 1), "dmy": (2, 1, 0), "mdy": (2, 0, 1)}
"""The places of year, month and day in a text, by their order."""
CERTAIN = ""
LONGEST_EVENT = timedelta(days=366)

DaysByOrder = dict[str, date]
"""The days that a text can mean, by the order; `CERTAIN` if there is only one."""
DaysByText = Mapping[str, date]


def resolve_dates(
    event_texts: Sequence[str], round_texts: Sequence[str] = ()
) -> tuple[DaysByText, DaysByText]:
    """The days of the event and of its rounds, by their texts, in the only reading of all in which they fit
    together; else those of the event in the only order that all of its texts can have; else nothing.

    `event_texts`: first and last day, as far as given.
    """
    head_readings = [_readings(text) for text in event_texts]
    round_readings = [
        {CERTAIN: day}
        if (day := (_readings(text).get("ymd") if _STANDARD.fullmatch(text) else None))
        else _readings(text)
        for text in round_texts
    ]
    texts = [text for text, read in zip(round_texts, round_readings, strict=True) if read]
    heads = _days_by_order(head_readings)
    rounds = _days_by_order([read for read in round_readings if read])
    fitting = {(days, cells) for days, cells in product(heads, rounds) if _fit(days, cells)}
    if len(fitting) != 1:
        return dict(zip(event_texts, *heads, strict=True)) if len(heads) == 1 else {}, {}
    [(days, cells)] = fitting
    return dict(zip(event_texts, days, strict=True)), dict(zip(texts, cells, strict=True))


def read_days(texts: Sequence[str], *, day_first: bool = False) -> list[date | None]:
    """Read the days of an event, which settle each other's order of day and month; `day_first` is as in
    `read_date`, for a format that says so.
    """
    days = [read_date(text, day_first=day_first) for text in texts]
    settled = resolve_dates(texts)[0] if None in days else {}
    return [settled.get(text, day) for text, day in zip(texts, days, strict=True)]


def _readings(text: str) -> DaysByOrder:
    found = _PARTS.fullmatch(text)
    if found is None:
        return {}
    parts = (found[1], found[3], found[4])
    if len(parts[0]) == 4 or (len(parts[2]) == 4 and found[2] == "."):
        day = _day(parts, "ymd" if len(parts[0]) == 4 else "dmy")
        return {CERTAIN: day} if day else {}
    orders: Iterable[str] = ()
    if len(parts[2]) == 4:
        orders = ("dmy", "mdy")
    elif all(len(part) == 2 for part in parts):
        orders = _ORDERS
    return {order: day for order in orders if (day := _day(parts, order))}


def _day(parts: Sequence[str], order: str) -> date | None:
    year, month, day = (parts[place] for place in _ORDERS[order])
    return _date(f"20{year}" if len(year) == 2 else year, month, day)


def _days_by_order(readings: Sequence[DaysByOrder]) -> set[tuple[date, ...]]:
    """The days of all texts in each order that all those with several readings can have."""
    orders = {order for read in readings for order in read} - {CERTAIN} or {CERTAIN}
    found = [[read.get(CERTAIN) or read.get(order) for read in readings] for order in orders]
    return {tuple(day for day in days if day) for days in found if None not in days}


def _fit(days: Sequence[date], rounds: Sequence[date]) -> bool:
    every = [*days[:1], *rounds, *days[1:]]
    forward = all(a <= b for a, b in pairwise(every))
    return forward and (not every or every[-1] - every[0] <= LONGEST_EVENT)
