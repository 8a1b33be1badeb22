"""The days on which an office's lists are due: the regular ones of its federation, and those that officials
planned.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from itertools import takewhile

from players.office.models import Federation
from ratings.journal.models import Fact
from ratings.lists.models import ListTaking

AHEAD = 366
"""The most days for which a list is planned or looked at beforehand."""


def regular_days(office: Federation, first: date, last: date) -> Iterator[date]:
    """Yield the regular days of an office's lists from one day to another, both included."""
    regular = office.publication.list_days
    day = first
    while regular and day <= last:
        if day.day in regular.of_month:
            yield day
        day += timedelta(days=1)


def newest_list_day(office: Federation) -> date | None:
    """The day of the newest list that was published; None: there is none yet."""
    lists = Fact.objects.filter(federation=office, kind="list")
    return lists.order_by("-on").values_list("on", flat=True).first()


def coming_days(office: Federation, today: date) -> list[date]:
    """The days of the lists to come within a year, earliest first: a regular one that passed without a list
    too, where no list was published since.
    """
    newest = newest_list_day(office)
    start = max(today, newest + timedelta(days=1)) if newest else today
    days = {*regular_days(office, start, today + timedelta(days=AHEAD))}
    planned = ListTaking.objects.filter(federation=office, on__gte=start)
    days |= set(planned.values_list("on", flat=True))
    if newest is not None and (missed := _missed_day(office, newest, today)):
        days.add(missed)
    return sorted(days)


def _missed_day(office: Federation, newest: date, today: date) -> date | None:
    """The last regular day before today, where it came after the newest list."""
    since = max(newest, today - timedelta(days=AHEAD)) + timedelta(days=1)
    return max(takewhile(lambda day: day < today, regular_days(office, since, today)), default=None)


def next_day(office: Federation, today: date) -> date | None:
    """The day of the list that is due next, or was due and is missing; None: none is planned."""
    return next(iter(coming_days(office, today)), None)
