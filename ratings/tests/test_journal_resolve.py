"""From lines to what is folded: un-rated, merged, cut at a day, with particulars as they stood."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from ratings.rulesets import facts, rulesets
from ratings.rulesets.facts import Fact, Opening, Placed, Player, RatedSection, seal_player
from ratings.rulesets.journal import (
    fingerprint,
    merge_player_ids,
    place_fact,
    rated_section,
    read_journal,
    resolve,
)
from ratings.rulesets.journal_lines import parse_line
from ratings.tests.journal_lines import (
    a_and_b,
    game,
    head,
    invented_federations,
    line,
    merged,
    opening,
    parted,
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
    assert {id: person.name for id, person in fact.players.items()} == {"a": "Player a", "b": "Player b"}


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


def test_d2_a_section_rated_anew_stands_where_and_when_it_was_first_rated() -> None:
    lines = [section(), rated(), section("E/B"), rated("E/B"), unrated(), section(name="C")]
    assert numbers(resolved(*lines)) == [7], "between the two lines it is not there"
    again, other = resolved(*lines, rated(on="2024-03-13"))
    assert isinstance(again, RatedSection)
    assert (again.section.name, again.number, again.place, again.on) == ("C", 10, 5, date(2024, 3, 9))
    assert (other.number, other.place) == (7, 7)
    lines += [rated(on="2024-03-13"), unrated(on="2024-03-14"), rated(on="2024-03-15")]
    third, _other = resolved(*lines)
    assert (third.number, third.place) == (12, 5)


def test_d2_unrated_and_rated_anew_as_it_was_a_section_is_the_same_to_the_rules() -> None:
    lines = [section(**stated(a=500, b=None)), rated()]
    once, again = only(resolved(*lines)), only(resolved(*lines, unrated(), rated(on="2024-03-13")))
    assert again == replace(once, number=7, first=5)
    assert fingerprint(again, CSA) == fingerprint(once, CSA)


def test_d6_rated_anew_a_section_has_the_particulars_above_its_new_rated_line() -> None:
    lines = [section(), rated(), player("a", nation="BWA"), unrated(), player("a", nation="ZIM")]
    fact = only(resolved(*lines, rated(on="2024-03-13"), player("a", nation="RSA")))
    assert (fact.players["a"].nation, fact.on) == ("ZIM", date(2024, 3, 9))


def test_d6_particulars_are_those_above_the_rated_line() -> None:
    lines = [section(), player("a", nation="BWA"), rated(), player("a", nation="RSA")]
    assert only(resolved(*lines)).players["a"].nation == "BWA"


def test_the_journal_is_read_up_to_the_first_line_of_a_later_day() -> None:
    lines = [section(), rated(), player("a", nation="RSA"), line("list", on="2024-04-01"), section("E/B")]
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
        section("E/B", entries=[{"player": "a"}], byes=[{"round": 1, "player": "a", "kind": "half"}]),
        rated("E/B"),
        merged("a", "b", on="2024-06-01"),
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


def test_merged_the_particulars_are_those_of_intos_own_lines() -> None:
    lines = [player("b", nation="RSA"), section(players="a"), player("a", nation="BWA"), rated()]
    told = merged("a", "b", on="2024-06-01")
    assert only(resolved(*lines, told)).players["b"].nation == "RSA"
    assert only(resolved(*lines, player("b", nation="ZIM"), told)).players["b"].nation == "RSA"
    assert only(resolved(*lines[:3], player("b", nation="ZIM"), lines[3], told)).players["b"].nation == "ZIM"


def test_merged_a_section_above_all_lines_of_into_has_its_first() -> None:
    lines = [section(players="a"), rated(), player("c", nation="BWA"), player("c", nation="RSA")]
    assert only(resolved(*lines, merged("a", "c"))).players["c"].nation == "BWA"


def test_merged_twice_the_particulars_are_those_of_the_last_in_the_chain() -> None:
    lines = [player("c", nation="ZIM"), section(players="a"), player("b", nation="BWA"), rated()]
    chain = [merged("a", "b"), merged("b", "c")]
    assert only(resolved(*lines, *chain)).players["c"].nation == "ZIM"


def test_before_the_day_of_a_merge_the_two_are_two() -> None:
    lines = [section(players="a"), rated(), merged("a", "b", on="2024-06-01")]
    assert set(only(resolved(*lines, as_of=date(2024, 5, 31))).players) == {"a"}
    assert set(only(resolved(*lines, as_of=date(2024, 6, 1))).players) == {"b"}


def test_a_chain_of_merges_ends_with_the_last() -> None:
    lines = [player("c"), section(players="a"), rated(), merged("a", "b"), merged("b", "c")]
    assert set(only(resolved(*lines)).players) == {"c"}


def openings(found: list[Fact]) -> dict[str, str]:
    placed = [fact.fact for fact in found if isinstance(fact, Placed)]
    return {each.player: str(each.rating) for each in placed if isinstance(each, Opening)}


def test_of_two_openings_in_one_track_intos_own_holds_and_no_games_are_added() -> None:
    lines = [opening("a", rating="1700", games=9), opening("b", rating="1500", games=7)]
    (held,) = resolved(*lines, merged("a", "b"))
    assert isinstance(held, Placed)
    assert isinstance(held.fact, Opening)
    assert (held.fact.player, held.fact.rating, held.fact.games) == ("b", Decimal(1500), 7)
    assert openings(resolved(lines[0], merged("a", "b"))) == {"b": "1700"}
    rapid = opening("b", track="otb-rapid")
    found = [fact.fact for fact in resolved(lines[0], rapid, merged("a", "b")) if isinstance(fact, Placed)]
    assert [each.track for each in found if isinstance(each, Opening)] == ["otb-main", "otb-rapid"]


def test_of_two_merged_into_one_without_an_opening_the_earlier_merged_lines_holds() -> None:
    lines = [player("c"), opening("a", rating="1700"), opening("b", rating="1500")]
    assert openings(resolved(*lines, merged("a", "c"), merged("b", "c"))) == {"c": "1700"}
    assert openings(resolved(*lines, merged("b", "c"), merged("a", "c"))) == {"c": "1500"}


def test_what_somebody_has_by_an_earlier_merge_is_their_own() -> None:
    lines = [player("c"), player("d"), opening("a", rating="1700"), opening("c", rating="1500")]
    assert openings(resolved(*lines, merged("a", "b"), merged("c", "b"))) == {"b": "1700"}
    assert openings(resolved(*lines, merged("c", "d"), merged("a", "b"), merged("d", "b"))) == {"b": "1700"}
    assert openings(resolved(*lines, merged("a", "b"), merged("c", "d"), merged("b", "d"))) == {"d": "1500"}


def test_merged_anew_somebody_comes_after_whoever_was_merged_meanwhile() -> None:
    lines = [player("c"), opening("a", rating="1700"), opening("b", rating="1500")]
    later = "2024-08-01"
    meanwhile = [merged("a", "c"), merged("b", "c"), parted("a"), merged("a", "c", on=later)]
    assert openings(resolved(*lines, *meanwhile)) == {"c": "1500"}


def test_parted_the_journal_is_read_as_if_the_merge_were_not_there() -> None:
    lines = [opening("a"), player("b", nation="RSA"), section(players="a"), rated(), merged("a", "b")]
    _start, fact = resolved(*lines, parted("a"))
    assert isinstance(fact, RatedSection)
    assert set(fact.players) == {"a"}
    assert fact.players["a"].nation is None
    assert openings(resolved(*lines, parted("a"))) == {"a": "1500"}
    before = resolved(*lines, parted("a"), as_of=date(2024, 7, 14))
    assert set(before[1].players) == {"b"}  # type: ignore[union-attr]


def test_parted_sections_written_in_between_still_name_into() -> None:
    between = [section(players="b"), rated(on="2024-06-02")]
    assert set(only(resolved(merged("a", "b"), *between, parted("a"))).players) == {"b"}


def test_parted_one_merge_of_a_chain_the_others_stand() -> None:
    lines = [player("c"), section(players="a"), rated(), merged("a", "b"), merged("b", "c")]
    assert set(only(resolved(*lines, parted("b"))).players) == {"b"}
    assert set(only(resolved(*lines, parted("a"))).players) == {"a"}


def stated(**pres: int | None) -> dict[str, Any]:
    """Entries with the pre-ratings that they state."""
    return {"entries": [{"player": name} | ({"pre": pre} if pre else {}) for name, pre in pres.items()]}


def test_58_for_want_of_a_pre_rating_the_last_stated_above_the_sections_own_line_holds() -> None:
    first, other = section("E/B", **stated(a=500)), section("E/C", **stated(a=600))
    own = section(**stated(a=None, b=700))
    assert only(resolved(own, rated())).pres == {}
    assert only(resolved(first, other, own, rated())).pres == {"a": 600}
    assert only(resolved(first, own, other, rated())).pres == {"a": 500}


def test_58_an_older_version_counts_though_it_was_never_rated() -> None:
    assert only(resolved(section(**stated(a=500)), section(**stated(a=None)), rated())).pres == {"a": 500}


def test_58_a_section_rated_anew_without_a_new_line_keeps_its_pre_ratings() -> None:
    lines = [section("E/B", **stated(a=500)), section(**stated(a=None)), rated(), unrated()]
    lines += [section("E/C", **stated(a=600)), rated(on="2024-03-13")]
    assert only(resolved(*lines)).pres == {"a": 500}


def test_58_merged_the_last_stated_of_either_holds() -> None:
    lines = [
        section("E/B", **stated(a=500)),
        section("E/C", **stated(b=600)),
        section("E/D", **stated(a=700)),
    ]
    own = [section(**stated(b=None)), rated()]
    assert only(resolved(*lines, *own)).pres == {"b": 600}
    assert only(resolved(*lines, *own, merged("a", "b"))).pres == {"b": 700}
    assert only(resolved(*lines, *own, merged("a", "b"), parted("a"))).pres == {"b": 600}


def test_58_only_where_pre_ratings_are_known_are_they_looked_for() -> None:
    lines = [*a_and_b("dots"), section(ruleset="dots"), rated()]
    assert only(resolve(read_journal(lines))).pres == {}


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
    people = {each: Player(each, f"Player {each}") for each in "bc"}
    stepwise = rated_section(5, (5, date(2024, 3, 9)), spoken, people, {"a": "c"})
    assert stepwise == replace(whole, players=stepwise.players)
    assert set(stepwise.players) == set(whole.players)
    assert merge_player_ids(spoken, {"x": "y"}) is spoken
    start = Opening("a", "otb-main", Decimal(1500), 20, date(2020, 6, 30), "June")
    assert place_fact(4, start, {"a": "c"}) == Placed(4, replace(start, player="c"))


def test_a_line_that_is_not_folded_by_itself_has_no_place() -> None:
    with pytest.raises(TypeError, match="a merged is not folded by itself"):
        place_fact(4, facts.Merged("a", "b", date(2024, 1, 1)), {})


def test_a_fingerprint_is_of_all_that_rules_read() -> None:
    fact = only(resolved(section(), rated()))
    stood = {**fact.players, "a": replace(fact.players["a"], nation="ZIM")}
    others = [
        replace(fact, number=6),
        replace(fact, on=date(2024, 3, 10)),
        replace(fact, notes=("last of the season",)),
        replace(fact, players=stood),
        replace(fact, section=replace(fact.section, rounds=3)),
        replace(fact, pres={"a": 900}),
        replace(fact, pres={"a": 1000}),
    ]
    assert len({fingerprint(each, CSA) for each in [fact, *others]}) == 8


def test_a_fingerprint_survives_the_withdrawal_of_a_name() -> None:
    fact = only(resolved(section(), rated()))
    withheld = {id: seal_player(person) for id, person in fact.players.items()}
    assert withheld != fact.players
    assert fingerprint(replace(fact, players=withheld), CSA) == fingerprint(fact, CSA)
    person = Placed(2, Player("a", "Player a"))
    assert fingerprint(Placed(2, Player("a", seal="0f" * 32)), CSA) == fingerprint(person, CSA)
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
