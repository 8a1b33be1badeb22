"""Sports Dots: the ruleset against a second one, written from the text alone."""

from __future__ import annotations

from datetime import date
from random import Random

from hypothesis import given, settings, strategies as st

from ratings.rulesets.facts import State
from ratings.rulesets.ssdc import RULESET
from ratings.rulesets.ssdc.edition_2017 import answers, tables
from ratings.rulesets.ssdc.standing import SsdcStanding
from ratings.tests.ssdc_by_hand import by_hand, listed
from ratings.tests.strategies import record, seeds


@given(seed=seeds, year=st.integers(min_value=2019, max_value=2032))
@settings(max_examples=60)
def test_two_implementations_agree_on_any_record_however_it_was_approved(seed: int, year: int) -> None:
    facts = record(RULESET, seed, sections=14)
    state: State[SsdcStanding] = State()
    for _step in RULESET.fold(facts, state):
        pass
    Random(seed).shuffle(facts)
    office, ranks = by_hand(facts)
    day = date(year, 6, 30)
    found = {(answer.player, answer.track): answer for answer in answers(state, day)}
    assert found.keys() == office.keys()
    for key, answer in found.items():
        row = office[key]
        assert (answer.rating, answer.games) == (row["rating"], row["games"])
        assert answer.status == ("new" if row["games"] < 30 else "rated")
        assert answer.listed == listed(row, day)
    assert list(tables(state, day)[0].rows) == [(player, *ranks[player]) for player in sorted(ranks)]
