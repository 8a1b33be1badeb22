"""Polish Othello: the pairs in `examples/`, a journal and what comes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ratings.replay import replay
from ratings.rulesets import pfo
from ratings.rulesets.facts import Fact, RatedSection
from ratings.rulesets.journal import read_journal, resolve
from ratings.rulesets.journal_lines import write_line
from ratings.rulesets.pfo import RULESET
from ratings.tests.pfo_by_hand import by_hand

JOURNALS = sorted(Path(pfo.__path__[0], "examples").glob("*.ndjson"))
each_example = pytest.mark.parametrize("journal", JOURNALS, ids=lambda path: path.stem)


def facts_of(journal: Path) -> list[Fact]:
    return resolve(read_journal(journal.read_bytes().splitlines()))


def expected(journal: Path) -> tuple[list[list[str]], list[list[str]]]:
    """The rows after each section, and the seasons' rows in their standing."""
    lines = journal.with_suffix(".expected").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    return [row for row in rows if row[0] != "season"], [row[1:] for row in rows if row[0] == "season"]


@each_example
def test_an_example_comes_out_as_expected(journal: Path) -> None:
    found: list[list[str]] = []
    for fact, changes, _state in RULESET.fold(facts_of(journal)):
        if isinstance(fact, RatedSection):
            for change in sorted(changes, key=lambda change: change.player):
                after = change.after
                found.append([fact.section.id, change.player, str(after.rating), str(after.games)])
    seasons: list[dict[str, Any]] = replay(journal)["seasons"]
    assert found == expected(journal)[0]
    assert expected(journal)[1] == [
        [row["player"], str(row["points"]), "+".join(map(str, row["best"])), row["season"]] for row in seasons
    ]


@each_example
def test_an_example_comes_out_alike_by_hand(journal: Path) -> None:
    ranking, seasons = by_hand(facts_of(journal))
    answer = replay(journal)
    assert {row["player"]: int(row["rating"]) for row in answer["ratings"]} == {
        player: row["rating"] for player, row in ranking.items()
    }
    assert answer["seasons"] == seasons


@each_example
def test_an_example_is_a_journal_in_its_one_form(journal: Path) -> None:
    text = journal.read_text(encoding="utf-8")
    record = read_journal(text.encode().splitlines())
    assert "".join(write_line(line.fact, RULESET) + "\n" for line in record.lines) == text


def test_each_example_has_its_other_half() -> None:
    names = {path.stem for path in JOURNALS}
    assert names == {path.stem for path in JOURNALS[0].parent.glob("*.expected")}
    assert len(names) == 5
