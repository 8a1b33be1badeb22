"""Reads dates as programs write them.

A date that can be read in two ways is not read by itself. The other dates of its file may decide it, since
rounds lie within the event and in order.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import pairwise, product

_YEAR_FIRST = re.compile(r"([0-9]{4})([/.-])([0-9]{1,2})\2([0-9]{1,2})")
_DAY_FIRST = re.compile(r"([0-9]{1,2})([/.-]) ?([0-9]{1,2})\2 ?([0-9]{4})")
_SHORT_YEAR = re.compile(r"([0-9]{2})/([0-9]{2})/([0-9]{2})")
_MONTH_NAMED = re.compile(r"([A-Za-z]{3})[a-z]*\.? ([0-9]{1,2}), ([0-9]{4})")  # Lichess: May 10, 2020
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


def is_certainly_day_first(text: str) -> bool:
    """Whether a text can only be a date with the day first, as the file's other dates then are too."""
    found = _DAY_FIRST.fullmatch(text)
    return found is not None and int(found[1]) > 12


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
_PARTS = re.compile(r"([0-9]{1,2}|[0-9]{4})([/.-]) ?([0-9]{1,2})\2 ?([0-9]{1,2}|[0-9]{4})")
_STANDARD = re.compile(r"[0-9]{2}/[0-9]{2}/[0-9]{2}")
_ORDERS = {"ymd": (0, 1, 2), "ydm": (0, 2, 1), "dmy": (2, 1, 0), "mdy": (2, 0, 1)}
"""The places of year, month and day in a text, by their order."""
CERTAIN = ""
LONGEST_EVENT = timedelta(days=366)

DaysByOrder = dict[str, date]
"""The days that a text can mean, by the order; `CERTAIN` if there is only one."""


@dataclass(frozen=True, slots=True)
class ResolvedDates:
    """Days by their texts: the event's first and last day (`head`), and its rounds."""

    head: Mapping[str, date] = field(default_factory=dict)
    rounds: Mapping[str, date] = field(default_factory=dict)


def resolve_dates(
    event_texts: Sequence[str], round_texts: Sequence[str], *, day_first: bool
) -> ResolvedDates:
    """Find the only reading of all dates in which they fit together; nothing if there is none, or several.

    `event_texts`: first and last day, as far as given; `day_first`: of dates with a whole year.
    """
    head_readings = [_readings(text, day_first=day_first) for text in event_texts]
    round_readings = [
        {CERTAIN: day}
        if (day := (_readings(text).get("ymd") if _STANDARD.fullmatch(text) else None))
        else _readings(text)
        for text in round_texts
    ]
    texts = [text for text, read in zip(round_texts, round_readings, strict=True) if read]
    known = [read for read in round_readings if read]
    fitting: list[tuple[tuple[date, ...], tuple[date, ...]]] = []
    for one, other in product(_orders(head_readings), _orders(known)):
        days, cells = _days_in_order(head_readings, one), _days_in_order(known, other)
        if days is not None and cells is not None and _fit(days, cells) and (days, cells) not in fitting:
            fitting.append((days, cells))
    if len(fitting) != 1:
        return ResolvedDates()
    days, cells = fitting[0]
    return ResolvedDates(dict(zip(event_texts, days, strict=True)), dict(zip(texts, cells, strict=True)))


def _readings(text: str, *, day_first: bool = False) -> DaysByOrder:
    found = _PARTS.fullmatch(text)
    if found is None:
        return {}
    parts = (found[1], found[3], found[4])
    if len(parts[0]) == 4 or (len(parts[2]) == 4 and (day_first or found[2] == ".")):
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
    try:
        return date(int(year) + (2000 if len(year) == 2 else 0), int(month), int(day))
    except ValueError:
        return None


def _orders(readings: Iterable[DaysByOrder]) -> Iterator[str]:
    """Yield the orders that these texts can have; `CERTAIN` alone if none has several."""
    named = {order for read in readings for order in read} - {CERTAIN}
    yield from sorted(named) or [CERTAIN]


def _days_in_order(readings: Iterable[DaysByOrder], order: str) -> tuple[date, ...] | None:
    """The days of all texts if those with several readings have this order; None if one cannot have it."""
    days = [read.get(CERTAIN) or read.get(order) for read in readings]
    whole = [day for day in days if day]
    return tuple(whole) if len(whole) == len(days) else None


def _fit(days: Sequence[date], rounds: Sequence[date]) -> bool:
    every = [*days[:1], *rounds, *days[1:]]
    forward = all(a <= b for a, b in pairwise(every))
    return forward and (not every or every[-1] - every[0] <= LONGEST_EVENT)
