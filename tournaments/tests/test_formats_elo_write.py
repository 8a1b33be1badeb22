"""Sheets written as `.ELO` files and as mahjong's tables of places, and read again: the same sheet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from tournaments.formats import read_any
from tournaments.formats.mahjong_places import write_ema, write_portal
from tournaments.formats.othello_elo import can_write, keep_othello_numbers, write
from tournaments.formats.sheet import OtherId, Sheet, SheetGame, SheetPlayer
from tournaments.tests.elo_files import ELO, PLACES
from tournaments.tests.event_files import keys
from tournaments.tests.ftd_files import ftd
from tournaments.tests.placement_files import EMA, PORTAL


def sheet_of(data: bytes) -> Sheet:
    sheet = read_any(data).sheet
    assert sheet
    return sheet


def with_own_numbers(sheet: Sheet) -> Sheet:
    """As the office writes it: the world's numbers, and the file's own."""
    return keep_othello_numbers(replace(sheet, unused=()))


@pytest.mark.parametrize("data", [ELO.encode(), (ELO + PLACES).encode(), ftd()], ids=["elo", "places", "ftd"])
def test_an_elo_file_read_again_is_the_same_sheet(data: bytes) -> None:
    sheet = with_own_numbers(sheet_of(data))
    again = sheet_of(write(sheet))
    assert again.rows == sheet.rows
    assert again.games == sheet.games
    assert (again.name, again.finals, again.rounds_played) == (sheet.name, sheet.finals, sheet.rounds_played)
    assert again.starts == sheet.starts


def test_an_event_of_one_day_and_shared_places_come_back() -> None:
    day = date(2026, 3, 7)
    rows = (
        SheetPlayer(1, "van den Berg, Anna", "van den Berg", "Anna", federation="NED", identifier="12",
                    points=Decimal("1.5"), place=1),
        SheetPlayer(2, "Player 13", "Player 13", identifier="13", points=Decimal("0.5"), place=2),
    )  # fmt: skip
    sheet = Sheet(name="One day", federation="POL", starts=day, ends=day, rows=rows,
                  games=(SheetGame(1, 2, 1, "0-1"), SheetGame(2, 1, 2, "1/2")))  # fmt: skip
    again = sheet_of(write(sheet))
    assert [(row.surname, row.points) for row in again.rows] == [
        ("van den Berg", Decimal("1.5")),
        ("Player 13", Decimal("0.5")),
    ]
    assert again.games == sheet.games
    assert {row.place for row in again.rows} == {None}  # a name with figures could not be read as a place
    named = replace(sheet, rows=(rows[0], replace(rows[1], surname="Lis", name="Lis, Ola", first_name="Ola")))
    assert [row.place for row in sheet_of(write(named)).rows] == [1, 2]


def test_signs_that_would_begin_a_comment_or_a_field_are_no_part_of_names() -> None:
    row = SheetPlayer(1, "A", "Od%d, Odder", "%Bo,", identifier="12")
    sheet = Sheet(name="100 % Open\n", rows=(row, replace(row, start_number=2, identifier="13")),
                  games=(SheetGame(1, 1, 2, "1-0"),), finals=("Odd name",))  # fmt: skip
    reading = read_any(write(sheet))
    assert reading.sheet
    assert not reading.blocked
    assert (reading.sheet.name, reading.sheet.rows[0].surname) == ("100 Open", "Od d Odder")
    assert [game.result for game in reading.sheet.games] == ["1-0"]


@pytest.mark.parametrize(
    ("results", "room"),
    [(["1-0", "1/2", "0-1"], True), ([], False), (["1-0", "+:-"], False), (["annulled"], False)],
)
def test_it_has_room_for_games_that_were_played_alone(results: list[str], room: bool) -> None:
    assert can_write(results) == room


def test_who_has_no_number_of_the_world_gets_one_of_the_files_own() -> None:
    rows = [
        SheetPlayer(n, name, name, identifier=id_)
        for n, name, id_ in ((1, "A", "2"), (2, "B", None), (3, "C", "12345678"))
    ]
    games = (SheetGame(1, 1, 2, "1-0"), SheetGame(2, 1, 3, "1-0"))
    again = sheet_of(write(Sheet(name="Open", rows=tuple(rows), games=games)))
    assert again.games == games
    assert [(row.identifier, row.other_ids) for row in again.rows] == [
        ("2", ()),
        (None, (OtherId("wof-provisional", "9000002"),)),
        (None, (OtherId("wof-provisional", "9000003"),)),
    ]


@pytest.mark.parametrize("write_as", [write_ema, write_portal])
@pytest.mark.parametrize("text", [EMA, PORTAL], ids=["ema", "portal"])
def test_a_table_of_places_read_again_has_the_same_players_and_places(
    write_as: Callable[[Sheet], bytes], text: str
) -> None:
    sheet = sheet_of(text.encode())
    again = sheet_of(write_as(sheet))

    def told(row: SheetPlayer) -> tuple[object, ...]:
        return row.surname, row.first_name, row.points, row.place, row.other_ids

    assert list(map(told, again.rows)) == list(map(told, sheet.rows))
    if write_as is write_ema:
        assert [row.federation for row in again.rows] == [row.federation for row in sheet.rows]
        assert (again.name, again.city, again.starts) == (sheet.name, sheet.city, sheet.starts)


def test_a_table_of_several_days_and_of_odd_names_comes_back_without_a_day() -> None:
    row = SheetPlayer(
        1, "x", "=Odd(1)", "@Ivan", place=1, points=Decimal(-3), other_ids=(OtherId("ema", "04180001"),)
    )
    sheet = Sheet(name="+Cup", starts=date(2026, 3, 7), ends=date(2026, 3, 8), rows=(row,))
    reading = read_any(write_ema(sheet))
    assert reading.sheet
    assert (reading.sheet.rows[0].surname, reading.sheet.name) == ("=Odd(1)", "+Cup")
    assert reading.sheet.rows[0].points == -3
    assert reading.sheet.starts is None
    assert "placement-date-not-used" in keys(reading, "notice")
    assert b',"=' not in write_ema(sheet)
