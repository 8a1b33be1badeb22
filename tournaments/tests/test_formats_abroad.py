"""A player's games abroad as CSV (csa 10): the player, the opponents, and what is told or refused."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from tournaments.formats import read_any
from tournaments.formats.sheet import SheetBye, SheetGame
from tournaments.tests.abroad_files import ABROAD
from tournaments.tests.event_files import describe_in_english, keys


def test_the_event_the_player_and_the_opponents_are_read() -> None:
    reading = read_any(ABROAD.encode())
    sheet = reading.sheet
    assert sheet
    assert not reading.blocked
    assert (sheet.name, sheet.starts, sheet.ends) == ("Open of Maputo, A", date(2026, 3, 6), date(2026, 3, 8))
    assert (sheet.rounds, sheet.rounds_played) == (4, 4)
    assert [(row.name, row.rating, row.federation, row.identifier) for row in sheet.rows] == [
        ("Dlamini, Thabo", None, "", "101000001"),
        ("Taylor, Pat", 2209, "ENG", None),
        ("Novák, Jan", 1985, "CZE", None),
        ("Silva, Rui", None, "MOZ", None),
    ]
    assert sheet.games == (SheetGame(1, 1, 2, "1-0"), SheetGame(2, 3, 1, "1/2"), SheetGame(4, 4, 1, "1-0"))
    assert sheet.byes == (SheetBye(3, 1, "zero"),)
    assert [row.points for row in sheet.rows] == [Decimal("1.5"), 0, Decimal("0.5"), 1]
    assert "abroad-opponents" in keys(reading, "notice")


@pytest.mark.parametrize("delimiter", [";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1250"])
def test_it_is_read_in_the_delimiters_and_letters_of_spreadsheets(delimiter: str, encoding: str) -> None:
    text = ABROAD.replace('"Open of Maputo, A"', "Open of Maputo").replace(",", delimiter)
    reading = read_any(text.encode(encoding), country="CZE")
    assert reading.sheet
    assert reading.sheet.rows[2].surname == "Novák"


def test_two_players_of_one_event_meet_once_and_their_lines_must_fit() -> None:
    second = "Player,101000002,Naidoo,Priya\n1,0,B,Dlamini,Thabo,,,RSA\n"
    both = ABROAD.replace("1,1,W,Taylor,Pat,2209,FM,ENG", "1,1,W,Naidoo,Priya,1500,,RSA") + second
    sheet = read_any(both.encode()).sheet
    assert sheet
    assert [game for game in sheet.games if game.round == 1] == [SheetGame(1, 1, 2, "1-0")]
    assert (sheet.rows[1].identifier, sheet.rows[1].rating) == ("101000002", 1500)
    contrary = both.replace("1,0,B,Dlamini", "1,1,B,Dlamini")
    assert "abroad-games-differ" in keys(read_any(contrary.encode()), "blocks")


def test_a_point_without_an_opponent_is_the_pairings_bye_and_told() -> None:
    reading = read_any(ABROAD.replace("3,0,-", "3,1,-").encode())
    assert reading.sheet
    assert reading.sheet.byes == (SheetBye(3, 1, "pairing"),)
    assert {"win-without-opponent", "abroad-total-differs"} <= set(keys(reading, "notice"))


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("1,1,W,Taylor", "1,2,W,Taylor", "abroad-line-not-read"),
        ("1,1,W,Taylor", "1,1,X,Taylor", "abroad-line-not-read"),
        ("1,1,W,Taylor,Pat", "1,1,W,,", "abroad-line-not-read"),
        ("1,1,W,Taylor,Pat", "1,1,W,Dlamini,Thabo", "plays-self"),
        ("2,=,B", "1,=,B", "abroad-round-twice"),
        ("2,=,B", "99,=,B", "too-many-rounds"),
        ("Player,101000001,Dlamini,Thabo", "Player,101000001,,", "player-without-name"),
        ("Player,101000001", "1,1,W,Taylor,Pat\nPlayer,101000001", "abroad-before-player"),
        ("Total,1.5", "Sum of it,1.5", "abroad-line-not-read"),
    ],
)
def test_a_line_that_cannot_be_read_blocks_at_its_place(old: str, new: str, key: str) -> None:
    reading = read_any(ABROAD.replace(old, new).encode())
    [finding, *_more] = [finding for finding in reading.findings if finding.key == key]
    assert finding.level == "blocks"
    assert finding.line
    assert describe_in_english(finding)


def test_a_player_without_games_is_refused() -> None:
    assert "no-games" in keys(read_any(b"Event,Open\nPlayer,1,Dlamini,Thabo\nTotal,0\n"), "blocks")


@pytest.mark.parametrize("rounds", ["", "x", "2", "99999"])
def test_rounds_that_cannot_be_are_left_out(rounds: str) -> None:
    sheet = read_any(ABROAD.replace("Rounds,4", f"Rounds,{rounds}").encode()).sheet
    assert sheet
    assert sheet.rounds is None


@pytest.mark.parametrize(
    ("first", "starts", "asked"),
    [
        ("02/05/2026", date(2026, 2, 5), []),
        ("02/03/2026", None, ["date-unclear"]),
        ("in March", None, ["date-not-read"]),
        ("2026-03-06 09:00", date(2026, 3, 6), []),
    ],
)
def test_a_day_with_two_readings_is_settled_by_the_other_or_asked_for(
    first: str, starts: date | None, asked: list[str]
) -> None:
    reading = read_any(ABROAD.replace("2026-03-06", first).encode())
    assert reading.sheet
    assert reading.sheet.starts == starts
    assert keys(reading, "asks") == asked
