"""Chess South Africa: the pairs in `examples/`, a journal and what comes of it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from ratings.rulesets import csa
from ratings.rulesets.csa import RULESET
from ratings.rulesets.csa.standing import CsaStanding
from ratings.rulesets.facts import Fact, ListClosing, RatedSection, State
from ratings.rulesets.journal import read_journal, resolve
from ratings.rulesets.journal_lines import write_line
from ratings.tests.csa_by_hand import by_hand

JOURNALS = sorted(Path(csa.__path__[0], "examples").glob("*.ndjson"))
each_example = pytest.mark.parametrize("journal", JOURNALS, ids=lambda path: path.stem)


def facts_of(journal: Path) -> list[Fact]:
    return resolve(read_journal(journal.read_bytes().splitlines(keepends=True)))


def label(fact: Fact) -> str:
    if isinstance(fact, RatedSection):
        return fact.section.id
    return f"list-{fact.fact.on}" if isinstance(fact.fact, ListClosing) else ""


def expected_rows(journal: Path) -> list[list[str]]:
    lines = journal.with_suffix(".expected").read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if not line.startswith("#")]


def row(standing: CsaStanding | None) -> list[str | Decimal | int]:
    if standing is None:
        return ["none", "-", "-"]
    return ["unrated" if standing.rating is None else standing.rating, standing.pending, standing.games]


def read(words: list[str]) -> Iterator[str | Decimal | int]:
    for word in words:
        yield word if word in ("none", "unrated", "-") else Decimal(word)


@each_example
def test_an_example_comes_out_as_expected_to_the_last_digit(journal: Path) -> None:
    rows = expected_rows(journal)
    seen = 0
    for fact, _changes, state in RULESET.fold(facts_of(journal)):
        for after, player, track, *words in rows:
            if after == label(fact):
                assert row(state.get(player, track)) == list(read(words)), (after, player, track)
                seen += 1
    assert seen == len(rows) > 0


@each_example
def test_an_example_comes_out_alike_by_hand(journal: Path) -> None:
    facts = facts_of(journal)
    state: State[CsaStanding] = State()
    for _fact, _changes, after in RULESET.fold(facts):
        state = after
    for key, other in by_hand(facts).items():
        for ours, theirs in (
            (state.standings[key].rating, other["rating"]),
            (state.standings[key].pending, other["pending"]),
        ):
            assert (ours is None) == (theirs is None)
            assert ours is None or Fraction(ours) == theirs


@each_example
def test_an_example_is_a_journal_in_its_one_form(journal: Path) -> None:
    text = journal.read_text(encoding="utf-8")
    record = read_journal(text.encode().splitlines(keepends=True))
    assert "".join(write_line(line.fact, RULESET) + "\n" for line in record.lines) == text


def test_each_example_has_its_other_half() -> None:
    names = {path.stem for path in JOURNALS}
    assert names == {path.stem for path in JOURNALS[0].parent.glob("*.expected")}
    assert len(names) >= 7
