"""Law and working cannot differ: a working follows each number of the rules, and ends in what they give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal, localcontext
from typing import Any

import pytest

from players.models import Federation
from ratings.rulesets import rulesets
from ratings.rulesets.facts import Change, State, Working
from ratings.rulesets.parameters import Dated, Grid, Parameter
from ratings.rulesets.ruleset import CONTEXT, Edition, Ruleset, with_parameters
from ratings.tests.strategies import record
from ratings.tests.test_pocket_calculator import agrees
from ratings.workings import StepRow, step_rows

every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
SEEDS = (2, 8, 22)
WORKINGS_OF_EACH_NUMBER = 4
"""For each altered number and record; a thousand more would show the same."""
RATING_STEPS = (
    "rated-after",
    "rating-after",
    "after-established",
    "after-novice",
    "mean",
    "list-floor",
    "list",
    "opening",
)
"""The keys of steps that give the rating to which a working leads, the last of them first."""


def alter(number: Parameter | Grid) -> Parameter | Grid:
    """The number, or the whole table, as another: whole ones are one more, decimals a quarter more."""
    cells = list(number.cells()) if isinstance(number, Grid) else [number]
    for each in cells:
        value = each.value
        if isinstance(value, int | Decimal):
            other = value + 1 if isinstance(value, int) else value * Decimal("1.25")
            number = number.with_value(each.key, Dated(None, other))
    return number


def with_altered(edition: Edition, key: str) -> Edition:
    """The edition with a number or table altered, and with all that follows from it."""
    altered = tuple(alter(each) if each.key == key else each for each in edition.parameters)
    return with_parameters(edition, altered, edition.parameters)


def load_altered_editions(ruleset: Ruleset) -> Iterator[tuple[str, Edition]]:
    """The newest edition with each of its numbers altered, by the number's key."""
    for each in ruleset.newest.parameters:
        altered = with_altered(ruleset.newest, each.key)
        if altered.parameters != ruleset.newest.parameters:
            yield each.key, altered


def changes_by_player(edition: Edition, state: State[Any], fact: Any) -> dict[tuple[str, str], Change[Any]]:
    with localcontext(CONTEXT):
        return {(each.player, each.track): each for each in edition.rules.apply(state, fact).changes}


def check_working(
    ruleset: Ruleset, edition: Edition, state: State[Any], fact: Any, change: Change[Any]
) -> list[StepRow]:
    """Check the working of a change against the change, and return its printed steps."""
    with localcontext(CONTEXT):
        working: Working = edition.rules.explain(state, fact, change.player, change.track)
    rows = step_rows(working, Federation(code=ruleset.slug, ruleset_slug=ruleset.slug), edition)
    assert all(agrees(row) for row in rows if row.formula)
    steps = {step.key: step for step in working.steps}
    last = next((steps[key] for key in RATING_STEPS if key in steps), None)
    if last is None:
        assert not change.points
        return rows
    inputs = last.inputs if last.key == "rated-after" else {}
    assert inputs.get("rating", last.result) == change.after.rating
    assert inputs.get("pending") in (None, getattr(change.after, "pending", None))
    return rows


@pytest.mark.long
@every_ruleset
def test_a_number_that_moves_a_rating_is_altered_in_the_working_too(ruleset: Ruleset) -> None:
    altered, moved = dict(load_altered_editions(ruleset)), set()
    for seed in SEEDS:
        state: State[Any] = State()
        shown: Counter[str] = Counter()
        for fact in record(ruleset, seed, sections=16):
            outcome = ruleset.apply(state, fact)
            for name, edition in altered.items():
                found = changes_by_player(edition, state, fact)
                for old in outcome.changes:
                    new = found.get((old.player, old.track))
                    if new is None or (old.after.rating, old.points) == (new.after.rating, new.points):
                        continue
                    moved.add(name)
                    shown[name] += 1
                    if shown[name] <= WORKINGS_OF_EACH_NUMBER:
                        before = check_working(ruleset, ruleset.newest, state, fact, old)
                        assert check_working(ruleset, edition, state, fact, new) != before, name
            state.absorb(outcome)
    assert len(moved) >= {"csa": 22, "ssdc": 5, "pfo": 9, "piskvorky": 5, "mahjong": 3}[ruleset.slug]


@every_ruleset
def test_each_working_ends_in_the_rating_that_the_rules_give(ruleset: Ruleset) -> None:
    for seed in SEEDS:
        state: State[Any] = State()
        for fact in record(ruleset, seed, sections=4):
            outcome = ruleset.apply(state, fact)
            for change in outcome.changes:
                check_working(ruleset, ruleset.edition_for(fact), state, fact, change)
            state.absorb(outcome)


def test_an_altered_number_alters_what_follows_from_it_and_nothing_else() -> None:
    csa = rulesets()["csa"]
    altered = with_altered(csa.newest, "32.span")
    assert csa.newest.rules.formulas.EVEN_SPAN * Decimal("1.25") == altered.rules.formulas.EVEN_SPAN
    numbers = csa.numbers_of(csa.newest)
    assert {name for name, value in csa.numbers_of(altered).items() if value != numbers[name]} == {"span"}
    assert csa.newest is rulesets()["csa"].newest
    assert replace(altered, rules=csa.newest.rules, parameters=csa.newest.parameters) == csa.newest
