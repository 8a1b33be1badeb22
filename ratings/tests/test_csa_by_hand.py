"""Chess South Africa: the ruleset against a second one, written from the text alone."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from hypothesis import given, settings

from ratings.rulesets.csa import RULESET
from ratings.rulesets.csa.standing import CsaStanding
from ratings.rulesets.facts import Fact, StandingKey, State
from ratings.tests.csa_by_hand import by_hand
from ratings.tests.strategies import record, seeds


def folded(facts: list[Fact]) -> State[CsaStanding]:
    state: State[CsaStanding] = State()
    for _fact, _changes, after in RULESET.fold(facts):
        state = after
    return state


@given(seed=seeds)
@settings(max_examples=60)
def test_two_implementations_agree_on_any_record_to_the_last_digit(seed: int) -> None:
    facts = record(RULESET, seed, sections=14)
    standings, rows = folded(facts).standings, by_hand(facts)
    assert standings.keys() == rows.keys()
    for key, standing in standings.items():
        row = rows[key]
        assert (standing.games, standing.activity) == (row["games"], row["activity"])
        assert (standing.rating is None) == (row["rating"] is None)
        assert standing.rating is None or Fraction(standing.rating) == row["rating"]
        assert Fraction(standing.pending) == row["pending"]


@given(seed=seeds)
@settings(max_examples=30)
def test_points_from_the_first_rating_on_add_up_to_the_rating_and_what_is_pending(seed: int) -> None:
    sums: dict[StandingKey, Decimal] = {}
    for _fact, changes, _state in RULESET.fold(record(RULESET, seed, sections=14)):
        for change in changes:
            key, after = (change.player, change.track), change.after
            if change.points is None:
                sums[key] = after.rating or Decimal(0)
            else:
                sums[key] += change.points
            assert sums[key] == (after.rating or 0) + after.pending
