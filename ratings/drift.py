"""How a rating moved between two facts of the player's own, where others' results and time alone move it.

Nothing of it is stored: the rules answer for each day on which something may have moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, localcontext
from typing import Any

from ratings.models import Change, Fact, Wide
from ratings.rulesets.facts import Key, State
from ratings.rulesets.ruleset import CONTEXT, Ruleset
from ratings.states import newest_wide

A_DAY = timedelta(1)
DaysOfChange = Callable[[Any, date, date], list[date]]


@dataclass(frozen=True, slots=True)
class Drift:
    """A day on which a rating moved though the player did nothing."""

    on: date
    fact: Fact | None
    """What was taken in that day; None: time took weight away."""
    before: Decimal | None
    after: Decimal | None

    @property
    def points(self) -> Decimal | None:
        return None if self.before is None or self.after is None else self.after - self.before


def drifts(change: Change, later: Change | None, until: date) -> list[Drift]:
    """What moved the player's rating after a change, up to the next one or to the end of a day; earliest
    first. Empty where only facts of their own move a rating.
    """
    player, ruleset = change.player, change.fact.federation.ruleset
    if ruleset.days_of_change is None:
        return []
    key = (player.number, change.track)
    standing = ruleset.load(change.track, change.state)
    now, found = change.after, list[Drift]()
    for on, fact, wide in _moments(change, ruleset.days_of_change, later, until):
        then = _rating(ruleset, key, standing, wide, on)
        if then != now:
            found.append(Drift(on, fact, now, then))
            now = then
    return found


def _moments(
    change: Change, days_of_change: DaysOfChange, later: Change | None, until: date
) -> Iterator[tuple[date, Fact | None, Any]]:
    """Each day on which something may have moved it, with the federation-wide part of the state then."""
    federation = change.fact.federation
    ruleset = federation.ruleset
    wide, day = newest_wide(federation, change.order + 1), _day(change)
    rows = Wide.objects.filter(federation=federation, order__gt=change.order).order_by("order")
    if later is not None:
        rows = rows.filter(order__lt=later.order)
        until = min(until, _day(later))
    orders = dict(rows.values_list("order", "state"))
    facts = Fact.objects.filter(federation=federation, order__in=orders, on__lte=until)
    for fact in facts.select_related("section__event").order_by("order"):
        on = fact.on or day
        yield from ((quiet, None, wide) for quiet in days_of_change(wide, day + A_DAY, on - A_DAY))
        wide, day = ruleset.load_wide(orders[fact.order or 0]), on
        yield on, fact, wide
    yield from ((quiet, None, wide) for quiet in days_of_change(wide, day + A_DAY, until))


def _day(change: Change) -> date:
    """Of its fact; a line of the register has no day of its own but that of the last before it."""
    if change.fact.on is not None:
        return change.fact.on
    dated = Fact.objects.filter(federation=change.fact.federation, on__isnull=False)
    newest = dated.filter(number__lt=change.fact.number).order_by("-number").first()
    return newest.on if newest and newest.on else change.fact.federation.ruleset.editions[0].in_force


def _rating(ruleset: Ruleset, key: Key, standing: Any, wide: Any, on: date) -> Decimal | None:
    rules = ruleset.edition_on(max(on, ruleset.editions[0].in_force)).rules
    with localcontext(CONTEXT):
        answers = rules.answers(_state(key, standing, wide), on)
        return next((each.rating for each in answers if (each.player, each.track) == key), None)


def _state(key: Key, standing: Any, wide: Any) -> State[Any]:
    state: State[Any] = State(wide=wide)
    state.put(key, standing)
    return state
