"""FlipTheDisc's JSON: rounds and finals, discs, byes; and what is refused."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from tournaments.formats import read_any
from tournaments.formats.sheet import OtherId, SheetBye, SheetGame
from tournaments.tests.elo_files import ELO
from tournaments.tests.event_files import describe_in_english, keys
from tournaments.tests.ftd_files import INFO, PLAYERS, ROUNDS, ftd, pair


def test_an_event_is_read_with_finals_behind_all_scheduled_rounds() -> None:
    reading = read_any(ftd())
    sheet = reading.sheet
    assert sheet
    assert not reading.blocked
    assert (sheet.name, sheet.city, sheet.federation) == ("Wiosna Open", "Łódź", "POL")
    assert (sheet.starts, sheet.rounds, sheet.rounds_played) == (date(2026, 3, 7), None, 2)
    assert sheet.finals == ("3-4", "F")
    assert sheet.games == (
        SheetGame(1, 1, 2, "1-0"),
        SheetGame(1, 3, 4, "1/2"),
        SheetGame(2, 1, 4, "1-0"),
        SheetGame(2, 2, 3, "1-0"),
        SheetGame(3, 3, 4, "1-0"),
        SheetGame(4, 1, 2, "0-1"),
    )
    anna, jan, ewa, ola = sheet.rows
    assert (anna.name, anna.identifier, anna.federation) == ("Nowak, Anna", "700", "POL")
    assert anna.other_ids == (OtherId("flipthedisc", "5"),)
    assert (ewa.identifier, ewa.federation, ola.federation) == (None, "POL", "")
    assert [row.discs for row in (anna, jan, ewa, ola)] == [80, 68, 52, 56]  # finals count for none
    assert {"ftd-colours", "ftd-without-number"} <= set(keys(reading, "notice"))


def test_it_says_the_same_as_the_elo_file_of_the_same_rounds() -> None:
    elo = read_any(ELO.encode()).sheet
    ours = read_any(ftd(rounds=ROUNDS[:2])).sheet
    assert elo
    assert ours
    assert {row.identifier: row.discs for row in ours.rows if row.identifier} == {
        row.identifier: row.discs for row in elo.rows if row.identifier
    }


def test_the_other_side_s_discs_follow_from_a_full_board_and_the_result_counts() -> None:
    sheet = read_any(ftd(rounds=[{"currentRound": 1, "pairing": [pair(5, 6, 0, 40)]}]))
    assert sheet.sheet
    assert sheet.sheet.games[0].result == "0-1"
    assert [row.discs for row in sheet.sheet.rows[:2]] == [40, 24]
    assert "ftd-discs-contradict" in keys(sheet, "notice")
    without = read_any(ftd(rounds=[{"currentRound": 1, "pairing": [pair(5, 6, 0)]}])).sheet
    assert without
    assert [row.discs for row in without.rows[:2]] == [None, None]


def test_whoever_has_no_opponent_has_a_bye() -> None:
    alone = [{"currentRound": 1, "pairing": [pair(5, 6, 2, 40), [{"id": 7}, None]]}]
    reading = read_any(ftd(rounds=alone))
    assert reading.sheet
    assert reading.sheet.byes == (SheetBye(1, 3, "pairing"),)
    assert "ftd-alone" in [each.key for each in reading.adjustments]


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"rounds": []}, "no-games"),
        ({"rounds": [{"currentRound": 1, "pairing": [pair(5, 6, None)]}]}, "round-unfinished"),
        ({"rounds": [{"currentRound": 1, "pairing": [pair(5, 9, 2)]}]}, "ftd-pair-not-read"),
        ({"rounds": [{"currentRound": 1, "pairing": [pair(5, 5, 2)]}]}, "ftd-pair-not-read"),
        ({"rounds": [{"currentRound": 1, "pairing": [pair(5, 6, 3)]}]}, "ftd-pair-not-read"),
        ({"rounds": [{"currentRound": 1, "pairing": [[]]}]}, "ftd-pair-not-read"),
        ({"rounds": [{"currentRound": 1, "pairing": [pair(5, 6, 2)] * 2}]}, "ftd-twice-in-a-round"),
        ({"rounds": [*ROUNDS, ROUNDS[0]]}, "ftd-round-not-read"),
        ({"rounds": [{"currentRound": 99, "pairing": []}]}, "ftd-round-not-read"),
        ({"rounds": [{"currentRound": True, "pairing": []}, 7]}, "ftd-round-not-read"),
        ({"players_list": [*PLAYERS, PLAYERS[0]]}, "ftd-player-not-read"),
        ({"players_list": [*PLAYERS, PLAYERS[0] | {"id": 9}]}, "identifier-twice"),
        ({"players_list": []}, "ftd-pair-not-read"),
        ({"rounds": {}}, "ftd-not-read"),
    ],
)
def test_what_cannot_be_read_blocks_with_what_to_do(changes: dict[str, Any], key: str) -> None:
    reading = read_any(ftd(**changes))
    assert reading.blocked
    assert key in keys(reading, "blocks")
    assert all(describe_in_english(finding) for finding in reading.findings)


@pytest.mark.parametrize("info", [None, 7, {}, {"name": 7, "city": None, "expected_start": 5}])
def test_an_event_that_says_nothing_of_itself_is_read_for_its_games(info: object) -> None:
    reading = read_any(ftd(info=info))
    assert reading.sheet
    assert not reading.blocked
    assert reading.sheet.name == ""


def test_a_file_cut_off_is_refused_by_its_name() -> None:
    assert keys(read_any(ftd()[:-30])) == ["ftd-not-read"]
    assert keys(read_any(b'{"rounds": ' + b"[" * 90_000 + b'"players_list"')) == ["ftd-not-read"]
    assert json.loads(ftd())["info"] == INFO
