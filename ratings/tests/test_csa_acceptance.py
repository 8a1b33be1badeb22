"""Chess South Africa: may a section be rated, as it was played (CSA 17–24)?"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from ratings.rulesets.facts import Entry, Level, Section
from ratings.tests.csa_filing import check, findings, section, sound
from ratings.tests.csa_record import BLITZ, DAY, section_of


def permitted(filed: Section) -> list[tuple[str, str, Level]]:
    return findings(filed, sound(filed, permissions=frozenset({"18"})))


@pytest.mark.parametrize("format_", ["swiss", "round-robin"])
def test_17_1_six_players_and_five_rounds(format_: str) -> None:
    assert findings(section(6, 5, format=format_)) == []
    assert findings(section(5, 5, format=format_)) == [("17.1", "too-few-players", Level.WAIVABLE)]
    assert findings(section(6, 4, format=format_)) == [("17.1", "far-too-few-rounds", Level.BLOCKS)]


def test_17_1_holds_for_a_double_round_robin_of_teams_too() -> None:
    assert findings(section(6, 5, format="double-round-robin", team=True)) == []


def test_17_2_four_players_and_six_rounds() -> None:
    assert findings(section(4, 6, format="double-round-robin")) == []
    assert findings(section(3, 6, format="double-round-robin")) == [
        ("17.2", "too-few-players", Level.WAIVABLE)
    ]
    assert findings(section(4, 5, format="double-round-robin")) == [
        ("17.2", "too-few-rounds", Level.WAIVABLE)
    ]
    assert permitted(section(4, 5, format="double-round-robin")) == []
    assert permitted(section(4, 4, format="double-round-robin")) == [
        ("17.2", "far-too-few-rounds", Level.BLOCKS)
    ]


def scheveningen(first_team: int, second_team: int, rounds: int = 5) -> Section:
    teams = ["Cape"] * first_team + ["Natal"] * second_team
    entries = [Entry(f"P{number}", team=team) for number, team in enumerate(teams)]
    return section(len(teams), rounds, format="scheveningen", team=True, entries=entries)


def test_17_3_five_players_a_team_and_five_rounds() -> None:
    assert findings(scheveningen(5, 5)) == []
    found = check(scheveningen(5, 4))
    assert [(one.key, one.params) for one in found] == [
        ("too-few-in-team", {"team": "Natal", "players": 4, "needed": 5, "last": DAY + timedelta(1)})
    ]
    assert findings(scheveningen(5, 5, 4)) == [("17.3", "far-too-few-rounds", Level.BLOCKS)]


def test_17_3_teams_meet_and_everybody_plays_for_one() -> None:
    nowhere = [Entry(f"P{number}") for number in range(10)]
    for entries in (nowhere, [Entry(f"P{number}", team="Cape") for number in range(10)]):
        found = findings(section(10, 5, format="scheveningen", team=True, entries=entries))
        assert found == [("17.3", "no-teams", Level.BLOCKS)]


def test_17_4_disabled_six_players_and_four_rounds_whatever_the_format() -> None:
    assert findings(section(6, 4, format="knockout", disabled=True)) == []
    assert findings(section(5, 4, disabled=True)) == [("17.4", "too-few-players", Level.WAIVABLE)]
    assert permitted(section(5, 4, disabled=True)) == []
    assert permitted(section(6, 3, disabled=True)) == [("17.4", "far-too-few-rounds", Level.BLOCKS)]


def test_17_rounds_behind_the_scheduled_ones_are_finals_and_no_completed_rounds() -> None:
    assert findings(replace(section(6, 5), rounds=4)) == [("17.1", "far-too-few-rounds", Level.BLOCKS)]
    assert findings(replace(section(6, 6), rounds=5)) == []


def test_17_a_draft_without_scheduled_rounds_has_all_its_rounds_counted() -> None:
    assert findings(replace(section(6, 5), rounds=0)) == []


def test_17_a_format_that_the_text_does_not_name_is_not_rated() -> None:
    assert findings(section(6, 5, format="knockout")) == [("17", "format-not-rated", Level.BLOCKS)]


def test_17_a_round_is_completed_when_it_has_a_result_and_an_annulled_game_has_none() -> None:
    games = "\n".join(f"{number} P{number} 1-0 P0" for number in range(1, 5))
    more = "\n1 P5 1/2 P6\n5 P1 {} P2"
    assert findings(section_of(games + more.format("+:-"))) == []
    assert findings(section_of(games + more.format("annulled"))) == [
        ("17.1", "far-too-few-rounds", Level.BLOCKS)
    ]


def test_18_who_entered_but_never_played_does_not_participate() -> None:
    assert findings(section(5, 5, entries=[Entry("Absent")])) == [("17.1", "too-few-players", Level.WAIVABLE)]


def test_18_permission_mends_too_few_players_but_not_fewer_than_five_rounds() -> None:
    assert permitted(section(5, 5)) == []
    assert permitted(section(5, 4)) == [("17.1", "far-too-few-rounds", Level.BLOCKS)]


def test_19_23_24_time_and_platform_must_be_known_and_the_time_not_too_fast() -> None:
    found = findings(section(6, 5, time_controls=(), platform=None))
    assert found == [("19", "no-time-control", Level.BLOCKS), ("24", "no-platform", Level.BLOCKS)]
    assert findings(section(6, 5, time_controls=(BLITZ,))) == []


def test_every_finding_is_told_not_only_the_first() -> None:
    found = findings(section(5, 3, format="match", platform=None, time_controls=()))
    assert [key for _clause, key, _level in found] == [
        "no-time-control",
        "no-platform",
        "format-not-rated",
        "too-few-players",
        "far-too-few-rounds",
    ]
