"""SwissPerfect's three files in a ZIP, and its text with tabs: who played whom, forfeits, byes, bonuses."""

import random
from datetime import date
from decimal import Decimal

import pytest

from tournaments.formats import read_any
from tournaments.formats.archive import group_parts
from tournaments.formats.sheet import OtherId, Reading, SheetBye, SheetGame, SheetPlayer
from tournaments.formats.text import ZipMember
from tournaments.tests.event_files import keys
from tournaments.tests.sp_files import PLAYERS, SCORES, TEXT, packed, three_files

GAMES = (SheetGame(1, 1, 2, "1-0"), SheetGame(2, 2, 3, "1/2"), SheetGame(3, 3, 1, "-:+"))
BYES = (SheetBye(1, 3, "pairing"), SheetBye(2, 1, "half"), SheetBye(3, 2, "zero"))


def read(**changed: object) -> Reading:
    return read_any(packed(three_files(**changed)))  # type: ignore[arg-type]


def test_the_three_files_are_one_section() -> None:
    reading = read()
    sheet = reading.sheet
    assert sheet
    assert (sheet.name, sheet.rounds, sheet.rounds_played) == ("Soweto Club Cup", 3, 3)
    assert [official.name for official in sheet.arbiters] == ["Nomsa Zulu"]
    assert sheet.rows[0] == SheetPlayer(
        1,
        "Dlamini, Thabo",
        "Dlamini",
        "Thabo",
        sex="m",
        rating=1874,
        federation="RSA",
        identifier="12345",
        born=1991,
        birth=date(1991, 4, 2),
        points=Decimal("2.5"),
        place=1,
        other_ids=(OtherId("fide", "14300001"),),
    )
    assert [(row.name, row.sex, row.title, row.points) for row in sheet.rows[1:]] == [
        ("Naidoo, Priya", "f", "WFM", Decimal("0.5")),
        ("Botha, Piët", "m", "", Decimal("1.5")),
    ]
    assert (sheet.games, sheet.byes) == (GAMES, BYES)
    assert keys(reading, "blocks") == []
    assert {"sp-bonus", "win-without-opponent"} <= set(keys(reading, "notice"))


@pytest.mark.parametrize(
    ("score", "game"),
    [
        ((1, 11, 12, 0, 2, 1, 1), "0-1"),
        ((1, 11, 12, 0, 0, 1, 1), "0-0"),
        ((1, 11, 12, 0, 0, 2, 2), "-:-"),
        ((1, 11, 12, 2, 0, 2, 2), "+:-"),
    ],
)
def test_a_result_is_played_over_the_board_or_a_forfeit(score: tuple[int, ...], game: str) -> None:
    sheet = read(scores=(score, *SCORES[1:])).sheet
    assert sheet
    assert sheet.games[0].result == game


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"scores": ((1, 11, 99, 2, 0, 1, 1), *SCORES[1:])}, "sp-stranger"),
        ({"scores": ((1, 11, 12, 7, 0, 1, 1), *SCORES[1:])}, "sp-score-odd"),
        ({"scores": (*SCORES, (1, 11, 13, 2, 0, 1, 1))}, "sp-twice-in-a-round"),
        ({"scores": ((61, 11, 12, 2, 0, 1, 1), *SCORES[1:])}, "too-many-rounds"),
        ({"players": (*PLAYERS, PLAYERS[0])}, "sp-id-twice"),
        ({"players": ()}, "sp-no-players"),
        ({"scores": ()}, "no-games"),
    ],
)
def test_what_contradicts_itself_blocks_by_its_name(changed: dict[str, object], key: str) -> None:
    reading = read(**changed)
    assert reading.blocked
    assert key in keys(reading)


def test_a_table_that_is_cut_off_is_refused() -> None:
    files = three_files()
    assert keys(read_any(packed(files | {"club.sco": files["club.sco"][:-40]}))) == ["sp-table-broken"]
    assert keys(read_any(packed(files | {"club.trn": b""}))) == ["sp-table-broken"]


def test_one_of_the_three_alone_is_named_with_the_way_out() -> None:
    for data in three_files().values():
        assert keys(read_any(data)) == ["is-swiss-perfect"]


def test_of_a_folder_each_three_that_are_named_alike_are_one_file() -> None:
    parts = [ZipMember(f"{name}{suffix}", b"x") for name in "ab" for suffix in (".ini", ".trn", ".sco")]
    groups = group_parts([*parts, ZipMember("c.trn", b"x")])
    assert [[part.name for part in group] for group in groups] == [
        ["a.ini", "a.trn", "a.sco"],
        ["b.ini", "b.trn", "b.sco"],
        ["c.trn"],
    ]


# ---------------------------------------------------------------- the text with tabs


def text(before: str = "", after: str = "") -> Reading:
    assert not before or TEXT.count(before) == 1
    return read_any(TEXT.replace(before, after).encode() if before else TEXT.encode())


def test_the_text_with_tabs_has_games_without_colours() -> None:
    reading = text()
    sheet = reading.sheet
    assert sheet
    assert [(row.name, row.identifier, row.points) for row in sheet.rows] == [
        ("Dlamini, Thabo", "12345", Decimal("2.5")),
        ("Naidoo, Priya", "12346", Decimal("0.5")),
        ("Botha, Pieter", None, Decimal("1.5")),
    ]
    assert sheet.games == (SheetGame(1, 1, 2, "1-0"), SheetGame(2, 2, 3, "1/2"), SheetGame(3, 1, 3, "+:-"))
    assert sheet.byes == BYES
    assert "cross-no-colours" in keys(reading, "notice")


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        (" 2:W", " 2:X", "cross-cell-not-read"),
        (" 2:W", " 9:W", "cross-opponent-missing"),
        (" 2:W", " 2:D", "results-disagree"),
        (" 2:W", " 3:W", "opponent-free"),
    ],
)
def test_sides_that_do_not_fit_block(before: str, after: str, key: str) -> None:
    assert key in keys(text(before, after), "blocks")


def test_a_table_by_hand_that_ends_with_totals_is_not_swissperfects() -> None:
    reading = read_any(b"No;Name;Place;1;2;3;Total\n1;Dlamini, Thabo;1;30;20;10;60\n2;Lis, Ola;2;1;2;3;6\n")
    assert reading.sheet
    assert reading.sheet.family == "table"


# ---------------------------------------------------------------- files that somebody spoilt


def spoilt(data: bytes, chance: random.Random) -> bytes:
    spoil = bytearray(data)
    for _n in range(chance.randint(1, 6)):
        match chance.choice(("set", "cut", "double")):
            case "set":
                spoil[chance.randrange(len(spoil))] = chance.randrange(256)
            case "cut":
                del spoil[chance.randrange(len(spoil)) :][:40]
            case "double":
                at = chance.randrange(len(spoil))
                spoil[at:at] = spoil[at : at + 20]
        spoil = spoil or bytearray(b"x")
    return bytes(spoil)


@pytest.mark.parametrize("seed", range(60))
def test_a_spoilt_file_is_read_or_refused_and_never_fails(seed: int) -> None:
    chance = random.Random(seed)
    files = three_files()
    name = chance.choice([*files])
    reading = read_any(packed(files | {name: spoilt(files[name], chance)}))
    assert reading.sheet or reading.findings
    again = read_any(spoilt(TEXT.encode(), chance))
    for each in (reading, again):
        if each.sheet and not each.blocked:
            numbers = {row.start_number for row in each.sheet.rows}
            assert all({game.first, game.second} <= numbers for game in each.sheet.games)
            assert all(bye.player in numbers for bye in each.sheet.byes)
            assert len(numbers) == len(each.sheet.rows)
