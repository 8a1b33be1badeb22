"""Lines that came in with a history, told apart from an office's own by the `taken_over` line below them."""

from __future__ import annotations

from bisect import bisect_left
from datetime import date

from players.office.models import Federation
from ratings.journal.models import Fact

NO_RECORD = ("federation", "player", "opening", "taken_over")
"""Lines that begin no record of the office's own: who is who, and the ratings that it begins with."""


class DaysTakenOver:
    """An office's `taken_over` lines, read once."""

    def __init__(self, federation: Federation) -> None:
        rows = Fact.objects.of_kinds(federation, "taken_over")
        self.lines = sorted(rows.values_list("number", "on"))

    def of_line(self, line: int) -> date | None:
        """The day on which the history that a line is of was taken over; None: the office wrote it itself."""
        at = bisect_left(self.lines, (line,))
        return self.lines[at][1] if at < len(self.lines) else None


def day_taken_over(federation: Federation, line: int) -> date | None:
    """The day on which the history that a line is of was taken over; None: the office wrote it itself."""
    return DaysTakenOver(federation).of_line(line)


def first_own_line(federation: Federation) -> int | None:
    """The number of the first line of the office's own record below its last history; None: it has decided
    nothing yet.

    A `taken_over` line speaks of all lines above it since the last one, so none may stand below this line: it
    would say of the office's own lists too that they were computed afterwards.
    """
    taken_over = Fact.objects.of_kinds(federation, "taken_over")
    last = max(taken_over.values_list("number", flat=True), default=0)
    rows = Fact.objects.filter(federation=federation).order_by("number")
    return rows.filter(number__gt=last).exclude(kind__in=NO_RECORD).values_list("number", flat=True).first()


def opening_day(federation: Federation) -> date | None:
    """The day of the list with whose ratings the office begins; None: it begins without."""
    newest = Fact.objects.newest_of(federation, "opening")
    return newest.on if newest else None
