"""Piškvorky: the ruleset against a second one, written from the text alone."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings

from ratings.rulesets.facts import State
from ratings.rulesets.piskvorky import RULESET
from ratings.rulesets.piskvorky.standing import PiskvorkyStanding
from ratings.tests.piskvorky_by_hand import by_hand
from ratings.tests.strategies import record, seeds


@given(seed=seeds)
@settings(max_examples=150)
def test_two_implementations_agree_on_any_record_however_it_was_approved(seed: int) -> None:
    facts = record(RULESET, seed, sections=12)
    state: State[PiskvorkyStanding] = State()
    for _step in RULESET.fold(facts, state):
        pass
    Random(seed).shuffle(facts)
    people = by_hand(facts)
    assert {player for player, _track in state.standings} == people.keys()
    for player, row in people.items():
        standing = state.standings[player, "rating"]
        assert (standing.rating, standing.status, standing.games) == (
            row["rating"],
            row["status"],
            row["games"],
        )
