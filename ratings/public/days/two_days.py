"""Reads the two days between which an address asks for changes, and the lines of the journal between them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

from players.office.access import OfficeRequest
from players.office.models import Federation
from players.office.settings_schema import today
from ratings.journal.read_facts import AFTER_EVERYTHING
from ratings.public.common.asked_day import day_asked
from ratings.results.as_of import AsOf, as_of, first_day

LONGEST_NUMBER = 18
"""The most digits of a line's number in an address."""


@dataclass(frozen=True)
class TwoDays:
    """Two days, the later not before the earlier; what changed is what the later knew and the earlier not."""

    office: Federation
    first: date
    last: date
    today: date
    began: date
    """The first day of the record."""

    @cached_property
    def then(self) -> AsOf:
        """The knowledge at the end of the earlier day."""
        return as_of(self.office, self.first, self.today)

    @cached_property
    def lines(self) -> tuple[int, int]:
        """The last line known on the earlier day, and the last known on the later."""
        known = (AFTER_EVERYTHING if each.line is None else each.line for each in (self.then, self.since))
        first, last = known
        return first, last

    @cached_property
    def since(self) -> AsOf:
        """The knowledge at the end of the later day."""
        return as_of(self.office, self.last, self.today)


def days_between(request: OfficeRequest, usual: timedelta) -> TwoDays:
    """The days that `from` and `to` ask for, in either order. Where none is named: today, and `usual` before,
    but no day before the record. 404 where one is no day of the record.
    """
    office, now = request.office, today(request.office)
    began = first_day(office) or now
    last = day_asked(office, request.GET.get("to"), now, began) or now
    first = day_asked(office, request.GET.get("from"), now, began) or max(began, last - usual)
    return TwoDays(office, min(first, last), max(first, last), now, began)


def line_before(request: OfficeRequest) -> int | None:
    """The line below which a further page begins (`?before=`); None: the page is the first."""
    text = request.GET.get("before", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER else None
