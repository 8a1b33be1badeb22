"""Russian mahjong: the pairs in `examples/`, a journal and what it answers on some days."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest

from ratings.replay import replay
from ratings.rulesets import mahjong
from ratings.rulesets.journal import read_journal, resolve
from ratings.rulesets.journal_lines import write_line
from ratings.rulesets.mahjong import RULESET
from ratings.tests.mahjong_by_hand import by_hand

JOURNALS = sorted(Path(mahjong.__path__[0], "examples").glob("*.ndjson"))
each_example = pytest.mark.parametrize("journal", JOURNALS, ids=lambda path: path.stem)


def expected(journal: Path) -> list[list[str]]:
    lines = journal.with_suffix(".expected").read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if not line.startswith("#")]


def days(journal: Path) -> list[date]:
    return sorted({date.fromisoformat(row[0]) for row in expected(journal)})


@each_example
def test_an_example_comes_out_as_expected_to_the_last_digit(journal: Path) -> None:
    found = [
        [
            day.isoformat(),
            row["player"],
            row["rating"] or "none",
            str(row["games"]),
            "yes" if row["listed"] else "no",
        ]
        for day in days(journal)
        for row in replay(journal, day)["ratings"]
    ]
    assert found == expected(journal)


@each_example
def test_an_example_comes_out_alike_by_hand(journal: Path) -> None:
    record = read_journal(journal.read_bytes().splitlines())
    for day in days(journal):
        rows = by_hand(resolve(record, day), day)
        answers = {row["player"]: row["rating"] for row in replay(journal, day)["ratings"]}
        assert answers.keys() == rows.keys()
        for player, rating in answers.items():
            value = rows[player]["rating"]
            assert (rating is None) == (value is None)
            assert rating is None or Fraction(rating) == value


@each_example
def test_an_example_is_a_journal_in_its_one_form(journal: Path) -> None:
    text = journal.read_text(encoding="utf-8")
    record = read_journal(text.encode().splitlines())
    assert "".join(write_line(line.fact, RULESET) + "\n" for line in record.lines) == text


def test_each_example_has_its_other_half() -> None:
    names = {path.stem for path in JOURNALS}
    assert names == {path.stem for path in JOURNALS[0].parent.glob("*.expected")}
    assert len(names) == 3
