"""Shows how a rating moved between two facts of the player's own, where others' results and time alone move
it.

Nothing of it is stored: the rules answer for each day on which something may have moved.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, localcontext
from typing import Any, NamedTuple

from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce

from players.office.models import Federation
from ratings.journal.models import Fact
from ratings.law.facts import Key, State
from ratings.law.ruleset import CONTEXT, Ruleset
from ratings.results.as_of import AsOf
from ratings.results.models import PastWide, Wide
from ratings.results.rating_changes import ChangeOfFact
from ratings.results.read_states import known

A_DAY = timedelta(1)


class Cause(NamedTuple):
    """The section that moved the ratings of people who did not play in it."""

    event: str
    code: str
    name: str
    event_name: str


@dataclass(frozen=True, slots=True)
class Drift:
    """A move of a rating on a day without a game of the player's: by others' results, or by time."""

    on: date
    cause: Cause | None
    """The section rated that day; None: time took weight away."""
    before: Decimal | None
    after: Decimal | None

    @property
    def points(self) -> Decimal | None:
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True, slots=True)
class ChangeWithDrifts:
    """A change by the player's own fact, and the drifts after it until the next one, earliest first."""

    move: ChangeOfFact
    drifts: Sequence[Drift] = ()

    @property
    def after(self) -> Decimal | None:
        """The rating at the end of the leg."""
        return self.drifts[-1].after if self.drifts else self.move.after


class Moment(NamedTuple):
    """A fact that changed the federation-wide part of the state, and so may have moved everybody's rating."""

    order: int
    on: date
    state: str
    cause: Cause | None


def legs(key: Key, moves: Sequence[ChangeOfFact], asked: AsOf) -> list[ChangeWithDrifts]:
    """A player's changes in a track up to the day asked for, newest first, each with the drifts after it.
    `moves`: the changes, newest first.
    """
    ruleset = asked.federation.ruleset
    if ruleset.calendar.days_of_change is None or not moves:
        return [ChangeWithDrifts(move) for move in moves]
    calculator = DriftCalculator(key, asked, moves)
    return [
        ChangeWithDrifts(move, calculator.after(move, later))
        for move, later in zip(moves, (None, *moves), strict=False)
    ]


class DriftCalculator:
    """Works out the drifts in a player's history; the moments that moved everybody are read once."""

    def __init__(self, key: Key, asked: AsOf, moves: Sequence[ChangeOfFact]) -> None:
        self.key, self.until = key, asked.day
        self.ruleset = asked.federation.ruleset
        self.days = _days_of_lines(asked.federation, [move.line for move in moves if move.on is None])
        self.moments = _moments(asked, moves[-1].order)
        self.orders = [moment.order for moment in self.moments]
        self.wides: dict[int, Any] = {}

    def after(self, move: ChangeOfFact, later: ChangeOfFact | None) -> list[Drift]:
        """The drifts after a player's change, up to the next one (`later`) or the day asked for, in order."""
        standing = self.ruleset.storage.load(self.key[1], move.state)
        now, found = move.after, list[Drift]()
        for on, cause, wide in self._days(move, later):
            then = _rating(self.ruleset, self.key, standing, wide, on)
            if then != now:
                found.append(Drift(on, cause, now, then))
                now = then
        return found

    def _days(
        self, move: ChangeOfFact, later: ChangeOfFact | None
    ) -> Iterator[tuple[date, Cause | None, Any]]:
        """Each day between two changes of the player's on which the rating may have moved: the day, the
        section that caused it (None: time), and the federation-wide part of the state then.
        """
        days_of_change = self.ruleset.calendar.days_of_change
        assert days_of_change is not None
        here = bisect_right(self.orders, move.order)
        wide, day = self._wide(here - 1), self._day(move)
        if move.on is None:
            yield day, None, wide
        until, end = self.until, len(self.moments)
        if later is not None:
            until, end = min(until, self._day(later)), bisect_left(self.orders, later.order)
        for at in range(here, end):
            _order, on, _state, cause = self.moments[at]
            yield from ((quiet, None, wide) for quiet in days_of_change(wide, day + A_DAY, on - A_DAY))
            wide, day = self._wide(at), on
            yield on, cause, wide
        yield from ((quiet, None, wide) for quiet in days_of_change(wide, day + A_DAY, until))

    def _wide(self, at: int) -> Any:
        if at < 0:
            return None
        if at not in self.wides:
            assert self.ruleset.storage.load_wide is not None
            self.wides[at] = self.ruleset.storage.load_wide(self.moments[at].state)
        return self.wides[at]

    def _day(self, move: ChangeOfFact) -> date:
        """The day of a change's fact; if its line has none, that of the last dated line above it."""
        return move.on or self.days.get(move.line) or self.ruleset.editions[0].in_force


def _days_of_lines(federation: Federation, lines: Sequence[int]) -> dict[int, date]:
    """For lines without a day, by number: the day of the last dated line above each."""
    if not lines:
        return {}
    of_office = Fact.objects.filter(federation=federation)
    above = of_office.filter(on__isnull=False, number__lt=OuterRef("number")).order_by("-number")
    rows = of_office.filter(number__in=lines).annotate(day=Subquery(above.values("on")[:1]))
    return {number: day for number, day in rows.values_list("number", "day") if day}


def _moments(asked: AsOf, first: int) -> list[Moment]:
    """The moments from a place in the order on, beginning with the one in force there."""
    here, *past = (
        rows.filter(federation=asked.federation, order__gte=first).values_list("order", "state")
        for rows in known(Wide, PastWide, asked.line)
    )
    states: dict[int, str] = dict(here.union(*past, all=True) if past else here)
    if first not in states:  # an earlier state is in force at the first move
        for rows in known(Wide, PastWide, asked.line):
            earlier = rows.filter(federation=asked.federation, order__lt=first).order_by("-order")
            states.update(earlier.values_list("order", "state")[:1])
    facts = Fact.objects.filter(federation=asked.federation).in_force(asked.line)
    facts = facts.filter(order__gte=min(states, default=0))
    first_day = Coalesce("first_rated__on", "on")
    columns = ("section__event__number", "section__code", "section__name", "section__event__name")
    return [
        Moment(order, on, states[order], Cause(*cause) if cause[0] else None)
        for order, on, *cause in facts.order_by("order").values_list("order", first_day, *columns)
        if order in states and on is not None
    ]


def _rating(ruleset: Ruleset, key: Key, standing: Any, wide: Any, on: date) -> Decimal | None:
    with localcontext(CONTEXT):
        if ruleset.calendar.rating_on:
            return ruleset.calendar.rating_on(standing, wide, on)
        state: State[Any] = State(wide=wide)
        state.put(key, standing)
        answers = ruleset.edition_on(max(on, ruleset.editions[0].in_force)).rules.answers(state, on)
        return next((each.rating for each in answers if (each.player, each.track) == key), None)
