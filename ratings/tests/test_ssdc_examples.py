"""Sports Dots: the pairs in `examples/`, a journal and what comes of it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from ratings.replay import replay
from ratings.rulesets import ssdc
from ratings.rulesets.facts import State
from ratings.rulesets.ssdc import RULESET
from ratings.rulesets.ssdc.edition_2017 import rating_list
from ratings.rulesets.ssdc.standing import SsdcStanding
from ratings.tests.examples import expected, facts_of, journals_of, label
from ratings.tests.ssdc_by_hand import by_hand

JOURNALS = journals_of(ssdc)
each_example = pytest.mark.parametrize("journal", JOURNALS, ids=lambda path: path.stem)


def row_of(state: State[SsdcStanding], after: str, words: list[str]) -> list[str]:
    """What a row of the expectation says, as it came out."""
    if after.startswith("list-"):
        rows = rating_list(state, words[0], date.fromisoformat(after.removeprefix("list-")))
        return [words[0], *(sorted(row.player for row in rows) or ["nobody"])]
    standing = state.standings[words[0], words[1]]
    assert standing.rating is not None
    return [words[0], words[1], f"{standing.rating.normalize():f}", str(standing.games)]


@each_example
def test_an_example_comes_out_as_expected_to_the_last_digit(journal: Path) -> None:
    rows = [row for row in expected(journal) if row[0] != "rank"]
    seen = 0
    for fact, _changes, state in RULESET.fold(facts_of(journal)):
        for after, *words in rows:
            if after == label(fact):
                assert row_of(state, after, words) == words, after
                seen += 1
    assert seen == len(rows) > 0


@each_example
def test_a_replay_answers_the_ranks_that_play_gives_a_ground_for(journal: Path) -> None:
    answered = replay(journal)
    assert list(answered) == ["federation", "as_of", "journal_sha256", "ratings", "ranks"]
    assert answered["ranks"] == [
        {"player": player, "rank": rank, "ground": f"SSDC {clause}"}
        for kind, player, rank, clause in (row for row in expected(journal) if row[0] == "rank")
        if kind == "rank"
    ]


@each_example
def test_an_example_comes_out_alike_by_hand(journal: Path) -> None:
    facts = facts_of(journal)
    office, ranks = by_hand(facts)
    answered = replay(journal)
    assert {(row["player"], row["track"]): Decimal(row["rating"]) for row in answered["ratings"]} == {
        key: row["rating"] for key, row in office.items()
    }
    assert {row["player"]: (row["rank"], row["ground"]) for row in answered["ranks"]} == ranks


def test_each_example_has_its_other_half() -> None:
    names = {path.stem for path in JOURNALS}
    assert names == {path.stem for path in JOURNALS[0].parent.glob("*.expected")}
    assert len(names) >= 4
