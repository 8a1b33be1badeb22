"""Polish Othello: the ruleset against a second one, written from the text alone."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given, settings

from ratings.rulesets.facts import Fact, StandingKey, State
from ratings.rulesets.pfo import RULESET
from ratings.rulesets.pfo.edition_2009 import tables
from ratings.rulesets.pfo.standing import PfoStanding
from ratings.tests.pfo_by_hand import by_hand
from ratings.tests.pfo_record import DAY
from ratings.tests.strategies import record, seeds


def folded(facts: list[Fact]) -> State[PfoStanding]:
    state: State[PfoStanding] = State()
    for _step in RULESET.fold(facts, state):
        pass
    return state


@given(seed=seeds)
@settings(max_examples=100)
def test_two_implementations_agree_on_any_record(seed: int) -> None:
    facts = record(RULESET, seed, sections=14)
    ranking, seasons = by_hand(facts)
    state = folded(facts)
    found = {
        name: {"rating": int(standing.rating), "games": standing.games}
        for (name, _track), standing in state.standings.items()
    }
    assert found == ranking
    table = tables(state, DAY)[0]
    assert [dict(zip(table.columns, row, strict=True)) for row in table.rows] == [
        {**row, "best": tuple(row["best"])} for row in seasons
    ]


@given(seed=seeds)
@settings(max_examples=30)
def test_points_from_the_first_rating_on_add_up_to_the_rating(seed: int) -> None:
    sums: dict[StandingKey, Decimal] = {}
    for _fact, changes, _state in RULESET.fold(record(RULESET, seed, sections=14)):
        for change in changes:
            key = change.player, change.track
            sums[key] = change.after.rating if change.points is None else sums[key] + change.points
            assert sums[key] == change.after.rating
            assert change.after.rating == change.after.rating.to_integral_value()
