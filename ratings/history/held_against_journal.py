"""A history held against the journal that it would stand in: what no history goes in behind."""

from __future__ import annotations

from collections.abc import Iterator

from players.office.models import Federation
from ratings.journal.days_taken_over import first_own_line, opening_day
from ratings.journal.models import Fact
from ratings.law import journal
from tournaments.history.plan import HistoryPlan
from tournaments.history.questions import Question

FORBID = ("journal-has-begun", "journal-goes-on", "before-openings")
"""Questions beside which no ratings are worked out: the lines would be no journal."""


def held_against_journal(plan: HistoryPlan, lines: list[journal.JournalLine]) -> Iterator[Question]:
    """Say what of an office's journal forbids these lines behind it."""
    federation = plan.history.federation
    if (own := first_own_line(federation)) is not None:
        yield Question("blocks", "journal-has-begun", params={"line": own})
        return
    early = list(_before_openings(federation, plan))
    yield from early or _backwards(federation, lines)


def _before_openings(federation: Federation, plan: HistoryPlan) -> Iterator[Question]:
    """The sections that begin before the record does: an office with openings has it from their day on."""
    day = opening_day(federation)
    for planned in plan.sections:
        if day and planned.section.starts <= day:
            told = {"day": day.isoformat()}
            yield Question("blocks", "before-openings", planned.name, planned.name, told)


def _backwards(federation: Federation, lines: list[journal.JournalLine]) -> Iterator[Question]:
    """A question where the journal has a later day than the first of the history."""
    rows = Fact.objects.filter(federation=federation, on__isnull=False).order_by("number")
    newest = rows.values_list("on", flat=True).last()
    first = next((on for line in lines if (on := getattr(line.fact, "on", None))), None)
    if newest and first and newest > first:
        told = {"newest": newest.isoformat(), "first": first.isoformat()}
        yield Question("blocks", "journal-goes-on", params=told)
