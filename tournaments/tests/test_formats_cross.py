"""The cross table of Chess-Results and Swiss-Manager: whose numbers its cells have, and what they say."""

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tournaments.formats import read_any
from tournaments.formats.plain_table import write_csv
from tournaments.formats.sheet import Official, OtherId, Reading, Sheet, SheetBye, SheetGame, SheetPlayer
from tournaments.formats.trf_writer import write
from tournaments.tests.cross_files import ABOVE, BELOW, BY_RANK, BY_START, CROSS, FIRST, HEAD, WINTD
from tournaments.tests.event_files import adjustments, keys
from tournaments.tests.table_files import found, read, workbook

ROUND_ROBIN = """\
Soweto Club Final
Rk.;;Name;Rtg;FED;1;2;3;Pts.
1;FM;Dlamini, Thabo;1874;RSA;*;1;1;2
2;;Naidoo, Priya;1792;RSA;0;*;1;1
3;;Botha, Pieter;1650;RSA;0;0;*;0
"""


def changed(before: str, after: str, text: str = CROSS) -> Reading:
    assert before in text
    return read(text.replace(before, after, 1))


def sheet_of(reading: Reading) -> Sheet:
    assert reading.sheet
    assert not reading.blocked, reading.findings
    return reading.sheet


def blocks(reading: Reading) -> list[str]:
    return [key for key, *_ in found(reading, "blocks")]


def without_column(name: str, text: str) -> str:
    """The table without one of its columns."""
    at = HEAD.split(";").index(name)
    lines = [line.split(";") for line in text.splitlines()]
    return "".join(";".join(cells[:at] + cells[at + 1 :]) + "\n" for cells in lines)


def in_cells(text: str) -> list[list[str | float]]:
    """The rows as a workbook has them: numbers as numbers, 0 for `-0` and a number for `-1`."""
    return [[_value(cell) for cell in line.split(";")] for line in text.splitlines()]


def _value(text: str) -> str | float:
    plain = text.replace(",", ".").strip()
    return float(plain) if plain.lstrip("-").replace(".", "", 1).isdigit() else text


def test_what_stands_above_is_the_sections_own() -> None:
    sheet = sheet_of(read(CROSS))
    assert (sheet.dialect, sheet.family) == ("Cross table", "cross-table")
    assert (sheet.name, sheet.city, sheet.federation) == ("Soweto Open A", "Johannesburg", "RSA")
    assert (sheet.starts, sheet.ends) == (date(2026, 3, 6), date(2026, 3, 8))
    assert (sheet.kind, sheet.time_text, sheet.rounds) == ("Swiss-System", "90 min + 30 sec", 3)
    assert sheet.arbiters == (
        Official("Zulu Nomsa", "IA", "14399001"),
        Official("Venter Pieter", role="deputy"),
        Official("Ndlovu Amahle", role="deputy"),
    )


def test_players_games_and_byes_are_read() -> None:
    sheet = sheet_of(read(CROSS))
    assert sheet.rows[0] == SheetPlayer(
        start_number=3,
        name="Dlamini, Thabo",
        surname="Dlamini",
        first_name="Thabo",
        title="FM",
        rating=1874,
        federation="RSA",
        identifier="101000001",
        born=1991,
        birth=date(1991, 4, 2),
        points=Decimal("2.5"),
        place=1,
        other_ids=(OtherId("fide", "14300001"),),
    )
    assert [(r.start_number, r.place, r.sex, r.born) for r in sheet.rows[1:]] == [
        (1, 2, "f", 2008),
        (5, 3, "f", None),
        (2, 4, None, 2010),
        (4, 5, None, None),
    ]
    assert set(sheet.games) == {
        SheetGame(1, 3, 2, "1-0"),
        SheetGame(1, 5, 1, "1/2"),
        SheetGame(2, 1, 3, "1/2"),
        SheetGame(2, 2, 4, "+:-"),
        SheetGame(3, 3, 5, "1-0"),
        SheetGame(3, 4, 1, "0-1"),
    }
    assert sheet.byes == (SheetBye(1, 4, "pairing"), SheetBye(2, 5, "pairing"), SheetBye(3, 2, "half"))
    assert read(CROSS).findings == ()


# ---------------------------------------------------------------- ranks or start numbers


def test_numbers_in_cells_are_ranks_or_start_numbers_as_both_sides_of_the_games_fit() -> None:
    assert read(ABOVE + HEAD + BY_START + BELOW).sheet == sheet_of(read(CROSS))


@pytest.mark.parametrize(("column", "rows", "text"), [("SNo", BY_RANK, "1-5"), ("Rk.", BY_START, "3-2")])
def test_with_one_column_of_numbers_it_is_that_one(column: str, rows: str, text: str) -> None:
    sheet = sheet_of(read(ABOVE + without_column(column, HEAD + rows)))
    assert len(sheet.games) == 6
    assert [row.place for row in sheet.rows] == ([1, 2, 3, 4, 5] if column == "SNo" else [None] * 5)
    assert f"{sheet.rows[0].start_number}-{sheet.rows[-1 if column == 'SNo' else 3].start_number}" == text


def test_where_rank_and_start_number_are_the_same_there_is_no_question() -> None:
    same = BY_RANK
    for rank, start in enumerate("31524", 1):
        same = same.replace(f"\n{rank};{start};", f"\n{rank};{rank};").replace("1;3;FM", "1;1;FM")
    assert [row.start_number for row in sheet_of(read(ABOVE + HEAD + same)).rows] == [1, 2, 3, 4, 5]


def test_where_every_game_fits_both_ways_it_is_refused() -> None:
    """Two pairs that are numbered crosswise and drew alike."""
    table = (
        "Rk.;SNo;Name;FED;1.Rd;Pts.\n1;2;Dlamini, Thabo;RSA;2w½;0,5\n2;1;Naidoo, Priya;RSA;1b½;0,5\n"
        "3;4;Botha, Pieter;RSA;4w½;0,5\n4;3;Mokoena, Lerato;RSA;3b½;0,5\n"
    )
    assert "plays-self" not in keys(read(table))
    assert not read(table).blocked  # as start numbers they would play against themselves
    crossed = table.replace("1;2;D", "1;3;D").replace("2;1;N", "2;4;N").replace("3;4;B", "3;1;B")
    assert blocks(read(crossed.replace("4;3;M", "4;2;M"))) == ["cross-both-fit"]


def test_where_no_reading_fits_both_are_refused_with_how_far_they_are_off() -> None:
    reading = changed("4w1; 2b½", "4w½; 2b½")
    first, *others = [finding for finding in reading.findings if finding.level == "blocks"]
    assert (first.key, first.params) == ("cross-neither-fits", {"ranks": 1, "numbers": 11, "cells": 12})
    assert [(finding.key, finding.line) for finding in others] == [("results-disagree", FIRST)]
    assert (others[0].params["result"], others[0].params["other_line"]) == ("½", FIRST + 3)


def test_a_table_that_is_cut_off_fits_neither() -> None:
    cut = ABOVE + HEAD + "".join(BY_RANK.splitlines(keepends=True)[:-1])
    assert blocks(read(cut))[0] == "cross-neither-fits"
    assert "cross-opponent-missing" in blocks(read(cut))
    alone = ABOVE + without_column("SNo", HEAD + "".join(BY_RANK.splitlines(keepends=True)[:-1]))
    assert blocks(read(alone)) == ["cross-opponent-missing"] * 2


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        ("4w1; 2b½", "4b1; 2b½", "same-colour"),
        ("4w1; 2b½", "2w1; 2b½", "opponent-elsewhere"),
        ("4w1; 2b½", "5w1; 2b½", "opponent-free"),
        ("4w1; 2b½", "1w1; 2b½", "plays-self"),
        ("4w1; 2b½", "4w½; 2b½", "results-disagree"),
        ("4w1; 2b½", "4w; 2b½", "results-disagree"),
    ],
)
def test_a_game_that_its_sides_tell_otherwise_is_refused_where_it_stands(
    before: str, after: str, key: str
) -> None:
    reading = read(ABOVE + without_column("SNo", HEAD + BY_RANK).replace(before, after))
    assert (key, FIRST, 61) in found(reading, "blocks")


# ---------------------------------------------------------------- other hands


@pytest.mark.parametrize(
    ("white", "black", "result"),
    [("1K", "0K", "+:-"), ("0K", "1K", "-:+"), ("0K", "0K", "-:-"), ("+K", "-K", "+:-"), ("0", "0", "0-0")],
)
def test_a_k_behind_a_result_makes_it_a_forfeit(white: str, black: str, result: str) -> None:
    text = CROSS.replace("; 4w1;", f"; 4w{white};", 1).replace("; 1b0; 5w+;", f"; 1b{black}; 5w+;", 1)
    sheet = sheet_of(read(text))
    assert [game.result for game in sheet.games if (game.round, game.first) == (1, 3)] == [result]


def test_a_draw_is_no_forfeit() -> None:
    assert "cross-cell-not-read" in blocks(changed("; 2b½;", "; 2b½K;"))


def test_wintd_s_table_has_games_and_byes_without_colours() -> None:
    reading = read(WINTD)
    sheet = sheet_of(reading)
    assert [(row.name, row.rating, str(row.points)) for row in sheet.rows] == [
        ("DLAMINI, THABO", 1874, "3.5"),
        ("NAIDOO, PRIYA", 1792, "2.0"),
        ("BOTHA, PIETER", 1650, "1.0"),
    ]
    assert sheet.games == (
        SheetGame(1, 1, 2, "1-0"),
        SheetGame(2, 1, 3, "1/2"),
        SheetGame(3, 2, 3, "1-0"),
        SheetGame(4, 1, 2, "+:-"),
    )
    assert sheet.byes == (
        SheetBye(1, 3, "half"), SheetBye(2, 2, "pairing"), SheetBye(3, 1, "pairing"), SheetBye(4, 3, "zero"),
    )  # fmt: skip
    assert keys(reading) == ["cross-no-colours"]


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        ("W   2,D", "D   2,D", "results-disagree"),
        ("W   2,D", "W   3,D", "opponent-free"),
        ("W   2,D", "W   9,D", "cross-opponent-missing"),
        ("W   2,D", "2w1,D", "cross-colours-unknown"),
        ("W   2,D", "Q   2,D", "cross-cell-not-read"),
    ],
)
def test_both_cells_of_a_game_must_fit_without_colours_too(before: str, after: str, key: str) -> None:
    assert key in blocks(changed(before, after, WINTD))


IN_RUSSIAN = """\
Мес.;Ст.ном;Имя;Рейт.;Страна;1.Тур;2.Тур;Очки
1;2;Альфин, Антон;1800;RUS;2w1;2b1;2
2;1;Бетин, Борис;1700;RUS;1b0;1w0;0
"""
IN_CZECH = """\
Poř.;Č.;Jméno;Elo;Země;1.kolo;2.kolo;Body
1;2;Novák, Jan;1800;CZE;2w1;2b1;2
2;1;Dvořák, Karel;1700;CZE;1b0;1w0;0
"""
IN_POLISH = """\
M-ce;Lp.;Nazwisko;Imię;Ranking;Kraj;Runda 1;1.runda;2.runda;Punkty
1;2;Nowak;Anna;1800;POL;;2w1;2b1;2
2;1;Lis;Ola;1700;POL;;1b0;1w0;0
"""


@pytest.mark.parametrize(
    ("text", "name"),
    [(IN_RUSSIAN, "Альфин, Антон"), (IN_CZECH, "Novák, Jan"), (IN_POLISH, "Nowak, Anna")],
)
def test_a_cross_table_may_have_its_headings_in_an_office_s_language(text: str, name: str) -> None:
    sheet = sheet_of(read(text))
    assert sheet.family == "cross-table"
    assert (sheet.rows[0].name, sheet.rows[0].rating, sheet.rows[0].place) == (name, 1800, 1)
    assert [(game.round, game.result) for game in sheet.games] == [(1, "1-0"), (2, "0-1")]


@pytest.mark.parametrize(
    ("words", "days"),
    [
        ("2026/03/06 to 2026/03/08", ("2026-03-06", "2026-03-08")),
        ("06.03.2026 - 08.03.2026", ("2026-03-06", "2026-03-08")),
        ("03/12/2026 - 03/14/2026", ("2026-03-12", "2026-03-14")),
        ("06/03/2026 - 08/03/2026", ("None", "None")),
    ],
)
def test_the_days_above_the_table_settle_each_other_or_are_asked(words: str, days: tuple[str, str]) -> None:
    reading = changed("2026/03/06 to 2026/03/08", words)
    assert reading.sheet
    assert (str(reading.sheet.starts), str(reading.sheet.ends)) == days
    assert ("date-unclear" in keys(reading, "asks")) == (days == ("None", "None"))


@pytest.mark.parametrize("rounds", ["1;2;3", "round 1;round 2;round 3", "тур 1;тур 2;тур 3"])
def test_a_table_of_places_with_columns_of_rounds_is_no_cross_table(rounds: str) -> None:
    sheet = sheet_of(read(f"place;name;{rounds}\n1;Nowak, Anna;30;20;10\n2;Lis, Ola;10;20;30\n"))
    assert sheet.family == "table"
    assert [row.place for row in sheet.rows] == [1, 2]


# ---------------------------------------------------------------- cells


def test_cells_that_are_nothing_and_letters_that_nobody_knows_are_refused() -> None:
    assert ("cross-cell-not-read", FIRST + 3, 52) in found(changed(";-½;", ";*;"), "blocks")
    spanish = BY_RANK.translate(str.maketrans("wb", "bn"))
    assert blocks(read(ABOVE + HEAD + spanish)) == ["cross-colours-unknown"]
    german = re.sub("([0-9])b", r"\1s", CROSS)
    assert read(german).sheet == sheet_of(read(CROSS))


def test_a_game_without_a_result_stops_the_filing() -> None:
    open_ = CROSS.replace(" 4w1; 2b½", " 4w; 2b½").replace(" 1b0; 5w+", " 1b; 5w+")
    assert blocks(read(open_)) == ["round-unfinished"]
    assert "round-unfinished" not in keys(read(CROSS))


def test_a_blank_cell_is_an_absence_and_is_listed() -> None:
    reading = changed(";-½;1,5", ";;1")
    assert sheet_of(reading).byes[-1] == SheetBye(3, 2, "zero")
    assert ("cross-blank", FIRST + 3, "3: ", "3: -0") in adjustments(reading)
    assert sheet_of(changed(";-½;1,5", ";-0;1")).byes[-1].kind == "zero"


def test_a_round_of_blank_cells_was_not_played_yet() -> None:
    later = ABOVE.replace("rounds : 3", "rounds : 4") + HEAD.replace("3.Rd;", "3.Rd;4.Rd;")
    rows = BY_RANK.replace(";2,5;", ";;2,5;").replace(";1;4;0", ";;1;4;0").replace(";2;4;0", ";;2;4;0")
    reading = read(later + rows.replace(";1,5;", ";;1,5;"))
    assert sheet_of(reading).byes == sheet_of(read(CROSS)).byes
    assert keys(reading) == ["fewer-rounds-than-scheduled"]


def test_several_points_against_nobody_in_a_round_are_asked_about() -> None:
    reading = read(CROSS.replace(" 4w1; 2b½", "-1; 2b½").replace(" 1b0; 5w+", "-0; 5w+"))
    [asked] = [finding for finding in reading.findings if finding.level == "asks"]
    assert (asked.key, asked.params) == ("cross-several-byes", {"round": 1, "count": 2})
    assert "cross-several-byes" not in keys(read(CROSS))


def test_points_are_compared_and_added_up_where_there_are_none() -> None:
    assert ("points-differ", FIRST, 78) in found(changed(";2,5;", ";3,0;"), "notice")
    reading = read(ABOVE + without_column("Pts.", HEAD + BY_RANK))
    assert [row.points for row in sheet_of(reading).rows] == [
        row.points for row in sheet_of(read(CROSS)).rows
    ]
    assert ("points-missing", FIRST, "", "2.5") in adjustments(reading)


# ---------------------------------------------------------------- the table as a whole


def test_columns_without_a_heading_are_the_title_and_the_sex() -> None:
    reading = read(CROSS.replace(";fs;", ";;"))
    assert reading.sheet == sheet_of(read(CROSS))
    assert sheet_of(read(CROSS.replace(";FM;", ";Captain;"))).rows[1].title == ""


def test_the_international_rating_goes_before_another() -> None:
    both = (HEAD + BY_RANK).replace("Rtg;", "Rtg;IRtg;").replace(";1874;", ";1802;1874;")
    both = both.replace(";1792;", ";1700;1792;").replace(";0;RSA", ";0;0;RSA").replace(";0;BOT", ";0;0;BOT")
    assert read(ABOVE + both).sheet == replace(sheet_of(read(CROSS)), unused=())


def test_a_round_robins_table_is_refused_for_it_has_neither_rounds_nor_colours() -> None:
    assert found(read(ROUND_ROBIN), "blocks") == [("cross-round-robin", 2, 1)]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (ABOVE + HEAD, "cross-no-players"),
        (CROSS + HEAD + BY_RANK, "cross-twice"),
        (CROSS.replace("3.Rd", "99.Rd"), "too-many-rounds"),
        (CROSS.replace("3.Rd", "2.Rd"), "table-column-twice"),
        (CROSS.replace("\n2;1;WCM", "\n1;3;WCM"), "cross-no-numbers"),
        (CROSS.replace("101000004", "101000001"), "identifier-twice"),
        ("Rk.;Name;1.Rd\n1;Dlamini, Thabo;-1\n", "no-games"),
    ],
)
def test_a_table_that_is_none_is_refused(text: str, key: str) -> None:
    assert key in blocks(read(text))


def test_whoever_has_a_number_and_a_name_is_a_player_and_was_never_there() -> None:
    head = "Rk.;SNo;Name;1.Rd;Pts.\n1;1;Nkosi, Ayanda;2w1;1\n2;2;Smit, Jan;1b0;0\n"
    reading = read(head + "3;3;Adams, Zoe;;0\n")
    assert [(row.name, row.place) for row in sheet_of(reading).rows][2] == ("Adams, Zoe", 3)
    assert ("cross-blank", 4, "1: ", "1: -0") in adjustments(reading)


def test_rows_of_several_cells_below_the_table_are_told() -> None:
    reading = read(CROSS + "\n;;;Somebody, Else;1500\n")
    assert [finding.key for finding in reading.findings] == ["cross-below"]
    assert "cross-below" not in keys(read(CROSS))


def test_a_workbook_says_the_same_as_the_text_and_messages_name_the_cell() -> None:
    rows = in_cells(CROSS)
    assert read_any(workbook(Table=rows)).sheet == sheet_of(read(CROSS))
    rows[FIRST][10] = "7w1"
    reading = read_any(workbook(Table=rows))
    assert "Table!K19" in [finding.where for finding in reading.findings]


@pytest.mark.parametrize("order", [("Table", "Notes"), ("Notes", "Table")])
def test_rows_of_another_worksheet_are_told(order: tuple[str, str]) -> None:
    sheets: dict[str, Any] = {"Table": in_cells(CROSS), "Notes": [["Prizes"], ["1", "Somebody, Else", "2w1"]]}
    reading = read_any(workbook(**{name: sheets[name] for name in order}))
    assert [(r.key, r.where, r.params) for r in reading.findings] == [
        ("table-other-sheets", "Notes!A1", {"count": 2})
    ]
    assert reading.sheet
    assert reading.sheet.rows == sheet_of(read(CROSS)).rows


# ---------------------------------------------------------------- round trip


@pytest.mark.parametrize("style", ["TRF16", "TRF26"])
def test_written_as_trf_it_comes_back_the_same(style: str) -> None:
    sheet = sheet_of(read(CROSS))
    again = sheet_of(read_any(write(sheet, style)))
    assert replace(again, dialect="", unused=(), round_dates=(), games=(), kind_code="") == replace(
        sheet, dialect="", unused=(), games=()
    )
    assert set(again.games) == set(sheet.games)


def test_written_as_a_plain_table_it_comes_back_with_all_that_has_a_column() -> None:
    sheet = sheet_of(read(CROSS))
    again = sheet_of(read_any(write_csv(sheet)))
    rows = tuple(replace(row, title="", rating=None, other_ids=()) for row in sheet.rows)
    assert (again.rows, again.games, again.byes) == (rows, sheet.games, sheet.byes)
