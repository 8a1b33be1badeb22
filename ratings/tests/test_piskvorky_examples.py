"""Piškvorky: the pairs in `examples/`, a journal and what comes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratings.replay import replay
from ratings.rulesets import piskvorky
from ratings.rulesets.facts import State
from ratings.rulesets.piskvorky import RULESET
from ratings.rulesets.piskvorky.standing import PiskvorkyStanding
from ratings.tests.examples import expected, facts_of, journals_of, label
from ratings.tests.piskvorky_by_hand import by_hand

JOURNALS = journals_of(piskvorky)
each_example = pytest.mark.parametrize("journal", JOURNALS, ids=lambda path: path.stem)


def row_of(state: State[PiskvorkyStanding], player: str) -> list[str]:
    standing = state.standings[player, "rating"]
    rating = "-" if standing.rating is None else f"{standing.rating:f}"
    return [player, standing.status, rating, str(standing.games)]


@each_example
def test_an_example_comes_out_as_expected(journal: Path) -> None:
    rows = list(expected(journal))
    seen = 0
    for fact, _changes, state in RULESET.fold(facts_of(journal)):
        for after, *words in rows:
            if after == label(fact):
                assert row_of(state, words[0]) == words, after
                seen += 1
    assert seen == len(rows) > 0


@each_example
def test_a_replay_answers_what_comes_out_by_hand(journal: Path) -> None:
    answered = replay(journal)
    assert list(answered) == ["federation", "as_of", "journal_sha256", "ratings"]
    assert answered["ratings"] == [
        {
            "player": player,
            "track": "rating",
            "status": row["status"],
            "rating": None if row["rating"] is None else str(row["rating"]),
            "games": row["games"],
            "listed": row["status"] == "established",
        }
        for player, row in sorted(by_hand(facts_of(journal)).items())
    ]


def test_each_example_has_its_other_half() -> None:
    names = {path.stem for path in JOURNALS}
    assert names == {path.stem for path in JOURNALS[0].parent.glob("*.expected")}
    assert len(names) >= 3
