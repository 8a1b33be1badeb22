"""Whatever is done to a journal, it is read or refused with words; nothing else happens."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings, strategies as st

from ratings.rulesets.facts import ListClosing, Revised
from ratings.rulesets.journal import list_of_line, read_journal, resolve
from ratings.rulesets.journal_lines import JournalError, parse_line, write_line
from ratings.tests.journal_lines import (
    a_and_b,
    game,
    invented_federations,
    line,
    merged,
    opening,
    parted,
    player,
    rated,
    revised,
    section,
    unrated,
)

LINES = [
    *a_and_b(),
    player("c", nation="RSA", region="GJHB", resident=False),
    opening("a"),
    section(
        country="BWA",
        team=True,
        time_control=[{"minutes": [90, 30], "increment": 2.5}, {"minutes": [60]}],
        entries=[
            {"player": "a", "place": 1, "rating": 1900, "pre": 1200, "team": "X"},
            {"player": "b", "left": {"round": 2, "notified": True}},
        ],
        games=[game("a", "b"), game("b", "a", "+:-", 2, excused="second")],
        byes=[],
    ),
    rated(),
    unrated(),
    section(),
    rated(on="2024-03-13"),
    line("list", on="2024-04-01"),
    revised(),
    merged("c", "a"),
    parted("c"),
    line("taken_over", on="2024-08-01", source="an archive"),
]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["a", "E/A", "2024-03-01"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def read_or_refused(lines: list[Any]) -> None:
    """Read, it folds and writes what reads the same again; refused, each problem has words."""
    try:
        journal = read_journal(lines)
    except JournalError as error:
        told = error.problems
    else:
        resolve(journal)
        for number, fact in journal.lines:
            if isinstance(fact, ListClosing | Revised):
                list_of_line(journal, number)
        for number, fact in journal.lines[1:]:
            assert parse_line(write_line(fact, journal.ruleset), journal.ruleset, number) == fact
        return
    assert 1 <= len(told) <= 100
    assert all(problem.message and problem.line >= 1 for problem in told)
    str(JournalError(told)).encode(errors="backslashreplace")


@st.composite
def mutated(draw: st.DrawFn) -> list[str]:
    """The journal with some values, anywhere in it, put in place of others, taken out or put in anew."""
    lines = [json.loads(each) for each in LINES]
    for _ in range(draw(st.integers(1, 3))):
        at: Any = lines
        while True:
            keys = list(range(len(at))) if isinstance(at, list) else list(at)
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if not isinstance(at[key], list | dict) or draw(st.integers(0, 3)) == 0:
                _change(draw, at, key)
                break
            at = at[key]
    return [json.dumps(each, ensure_ascii=draw(st.booleans())) for each in lines]


def _change(draw: st.DrawFn, at: Any, key: Any) -> None:
    how = draw(st.sampled_from(["replace", "remove", "add"]))
    if how == "replace":
        at[key] = draw(VALUES)
    elif how == "remove":
        del at[key]
    elif isinstance(at, list):
        at.insert(key, draw(VALUES))
    else:
        at[draw(st.text(max_size=5) | st.just("place"))] = draw(VALUES)


def test_the_journal_that_is_mutated_is_well_formed() -> None:
    read_or_refused(LINES)
    assert len(read_journal(LINES).lines) == len(LINES)


@settings(max_examples=300)
@given(mutated())
def test_a_journal_with_other_values_is_read_or_refused(lines: list[str]) -> None:
    read_or_refused(lines)


@settings(max_examples=200)
@given(st.data())
def test_a_journal_with_other_bytes_is_read_or_refused(data: st.DataObject) -> None:
    written = "\n".join(LINES).encode()
    at = data.draw(st.integers(0, len(written)))
    until = data.draw(st.integers(at, min(len(written), at + 20)))
    read_or_refused((written[:at] + data.draw(st.binary(max_size=5)) + written[until:]).split(b"\n"))


@settings(max_examples=100)
@given(st.permutations(LINES[1:]))
def test_a_journal_in_another_order_is_read_or_refused(lines: list[str]) -> None:
    read_or_refused([LINES[0], *lines])


@settings(max_examples=100)
@given(st.lists(st.text(max_size=20) | st.binary(max_size=20) | VALUES.map(json.dumps), max_size=5))
def test_what_was_never_a_journal_is_refused(lines: list[Any]) -> None:
    read_or_refused(lines)
    with invented_federations():
        read_or_refused([a_and_b("tiles")[0], *lines])
