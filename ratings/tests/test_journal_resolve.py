"""From lines to what is folded: un-rated, merged, cut at a day, with particulars as they stood."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from ratings.rulesets import facts, rulesets
from ratings.rulesets.facts import Fact, Opening, Placed, Player, RatedSection
from ratings.rulesets.journal import (
    fingerprint,
    parse_line,
    placed,
    rated_section,
    read_journal,
    rename,
    resolve,
)
from ratings.tests.journal_lines import (
    a_and_b,
    game,
    head,
    invented_federations,
    line,
    merged,
    opening,
    player,
    rated,
    section,
    unrated,
)

CSA = rulesets()["csa"]


@pytest.fixture(autouse=True)
def _invented_federations() -> Iterator[None]:
    with invented_federations():
        yield


def resolved(*after: str, as_of: date | None = None) -> list[Fact]:
    """What is folded of csa's journal of two players and these lines, the first of them being line 4."""
    return resolve(read_journal([*a_and_b(), *after]), as_of)


def only(found: list[Fact]) -> RatedSection:
    (fact,) = found
    assert isinstance(fact, RatedSection)
    return fact


def numbers(found: list[Fact]) -> list[int]:
    return [fact.number for fact in found]


def test_a_rated_section_has_its_number_its_day_and_its_players() -> None:
    fact = only(resolved(section(), rated()))
    assert (fact.number, fact.on) == (5, date(2024, 3, 9))
    assert fact.section.id == "E/A"
    assert fact.players == {"a": Player("a", "Player a"), "b": Player("b", "Player b")}


def test_a_section_that_is_not_rated_is_not_folded() -> None:
    assert resolved(section()) == []


def test_a_rated_line_takes_the_version_above_it() -> None:
    lines = [section(name="B"), section(), rated(), unrated(), section(name="C")]
    assert only(resolved(*lines[:3])).section.name == "A"
    assert only(resolved(*lines, rated(on="2024-03-13"))).section.name == "C"


def test_d2_unrating_is_as_if_never_rated() -> None:
    other = [section("E/B"), rated("E/B", on="2024-03-20")]
    with_it = resolved(section(), rated(), *other, unrated(on="2024-03-21"))
    assert [replace(only(with_it), number=0)] == [replace(only(resolved(*other)), number=0)]


def test_d2_a_section_rated_anew_stands_in_its_new_place() -> None:
    lines = [section(), rated(), section("E/B"), rated("E/B"), unrated(), rated(on="2024-03-13")]
    assert numbers(resolved(*lines)) == [7, 9]


def test_d6_particulars_are_those_above_the_rated_line() -> None:
    lines = [section(), player("a", born=2008), rated(), player("a", born=2009)]
    assert only(resolved(*lines)).players["a"].born == 2008


def test_the_journal_is_read_up_to_the_first_line_of_a_later_day() -> None:
    lines = [section(), rated(), player("a", born=2008), line("list", on="2024-04-01"), section("E/B")]
    lines += [rated("E/B", on="2024-04-01")]
    assert numbers(resolved(*lines, as_of=date(2024, 3, 8))) == []
    assert numbers(resolved(*lines, as_of=date(2024, 3, 9))) == [5]
    assert numbers(resolved(*lines, as_of=date(2024, 3, 31))) == [5]
    assert numbers(resolved(*lines, as_of=date(2024, 4, 1))) == numbers(resolved(*lines)) == [5, 7, 9]


def test_before_the_day_of_an_unrating_the_section_is_rated() -> None:
    lines = [section(), rated(), unrated(on="2024-03-12")]
    assert numbers(resolved(*lines, as_of=date(2024, 3, 11))) == [5]
    assert numbers(resolved(*lines, as_of=date(2024, 3, 12))) == []


def test_merged_the_whole_journal_is_read_as_if_every_line_had_named_the_other() -> None:
    lines = [
        opening("a"),
        section(
            players="a",
            entries=[{"player": "a"}, {"player": "c"}],
            games=[game("a", "c"), game("c", "a", round=2)],
        ),
        rated(),
        merged("a", "b", on="2024-06-01"),
        section("E/B", entries=[{"player": "a"}], byes=[{"round": 1, "player": "a", "kind": "half"}]),
        rated("E/B", on="2024-06-02"),
    ]
    start, first, second = resolved(player("c"), *lines)
    assert isinstance(start, Placed)
    assert isinstance(start.fact, Opening)
    assert start.fact.player == "b"
    assert isinstance(first, RatedSection)
    assert isinstance(second, RatedSection)
    assert [entry.player for entry in first.section.entries] == ["b", "c"]
    assert [each[1:3] for each in first.section.games] == [("b", "c"), ("c", "b")]
    assert [bye.player for bye in second.section.byes] == ["b"]
    assert {person.id for person in first.players.values()} == {"b", "c"} == set(first.players)


def test_merged_the_particulars_are_the_last_line_of_either() -> None:
    lines = [player("b", born=1990), section(players="a"), player("a", born=1991), rated()]
    told = merged("a", "b", on="2024-06-01")
    assert only(resolved(*lines, told)).players["b"].born == 1991
    assert only(resolved(*lines[1:3], lines[0], lines[3], told)).players["b"].born == 1990


def test_before_the_day_of_a_merge_the_two_are_two() -> None:
    lines = [section(players="a"), rated(), merged("a", "b", on="2024-06-01")]
    assert set(only(resolved(*lines, as_of=date(2024, 5, 31))).players) == {"a"}
    assert set(only(resolved(*lines, as_of=date(2024, 6, 1))).players) == {"b"}


def test_a_chain_of_merges_ends_with_the_last() -> None:
    lines = [player("c"), section(players="a"), rated(), merged("a", "b"), merged("b", "c")]
    assert set(only(resolved(*lines)).players) == {"c"}


def test_only_the_kinds_that_the_ruleset_folds_are_folded() -> None:
    tiles = [*a_and_b("tiles"), section(ruleset="tiles"), rated(), line("list", on="2024-04-01")]
    assert numbers(resolve(read_journal(tiles))) == [2, 3, 5]
    dots = [*a_and_b("dots"), opening("a", track="points"), line("list", on="2024-04-01")]
    assert numbers(resolve(read_journal(dots))) == [4]


def test_d1_facts_stand_in_the_rulesets_own_order() -> None:
    late = section("E/L", ruleset="dots", ends="2024-03-05")
    lines = [head("dots"), player("a"), player("b"), late, rated("E/L"), section(ruleset="dots"), rated()]
    assert numbers(resolve(read_journal(lines))) == [7, 5]


def test_the_steps_taken_one_by_one_come_to_the_same() -> None:
    lines = [section(games=[game("a", "b")]), rated(), player("c"), merged("a", "c")]
    whole = only(resolved(*lines))
    spoken = parse_line(lines[0], CSA)
    assert isinstance(spoken, facts.Section)
    people = {each: Player(each, f"Player {each}") for each in "ab"}
    stepwise = rated_section(5, date(2024, 3, 9), spoken, people, {"a": "c"})
    assert stepwise == replace(whole, players=stepwise.players)
    assert set(stepwise.players) == set(whole.players)
    assert rename(spoken, {"x": "y"}) is spoken
    start = Opening("a", "otb-main", Decimal(1500), 20, date(2020, 6, 30), "June")
    assert placed(4, start, {"a": "c"}) == Placed(4, replace(start, player="c"))


def test_a_line_that_is_not_folded_by_itself_has_no_place() -> None:
    with pytest.raises(TypeError, match="a merged is not folded by itself"):
        placed(4, facts.Merged("a", "b", date(2024, 1, 1)), {})


def test_a_fingerprint_is_of_all_that_rules_read() -> None:
    fact = only(resolved(section(), rated()))
    stood = {**fact.players, "a": replace(fact.players["a"], born=2008)}
    others = [
        replace(fact, number=6),
        replace(fact, on=date(2024, 3, 10)),
        replace(fact, notes=("last of the season",)),
        replace(fact, players=stood),
        replace(fact, section=replace(fact.section, rounds=3)),
    ]
    assert len({fingerprint(each, CSA) for each in [fact, *others]}) == 6


def test_a_fingerprint_survives_the_withdrawal_of_a_name() -> None:
    fact = only(resolved(section(), rated()))
    withheld = {id: replace(person, name="withheld") for id, person in fact.players.items()}
    assert fingerprint(replace(fact, players=withheld), CSA) == fingerprint(fact, CSA)
    person = Placed(2, Player("a", "Player a"))
    assert fingerprint(Placed(2, Player("a", "withheld")), CSA) == fingerprint(person, CSA)
    assert fingerprint(Placed(2, Player("a", "Player a", nation="RSA")), CSA) != fingerprint(person, CSA)


def test_a_fingerprint_is_the_same_in_every_process() -> None:
    program = (
        "from ratings.rulesets.journal import *\n"
        f"journal = read_journal({[*a_and_b(), section(), rated()]!r})\n"
        "print(fingerprint(*resolve(journal), journal.ruleset))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert found == {fingerprint(only(resolved(section(), rated())), CSA)}
