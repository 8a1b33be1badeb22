"""Mahjong's tables of places: known by their header rows, places as filed, substitutes never guessed."""

import csv
import io
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal

import pytest

from tournaments.formats import read_any
from tournaments.formats.plain_table import make_sheet_tables, render_csv, write_csv
from tournaments.formats.sheet import OtherId, Sheet, SheetPlayer
from tournaments.tests.event_files import describe_in_english
from tournaments.tests.placement_files import EMA, PORTAL, adjustments, changed, found, read, sheet_of
from tournaments.tests.table_files import workbook, write_xlsx

QUIET = ("surnames-in-capitals", 2, "ORLOV", "Orlov")
PARTED = ("placement-names-parted", 2, "Орлов Иван", "Орлов, Иван")


def cells_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


# ---------------------------------------------------------------- the portal's


def test_the_portals_table_is_read_with_nothing_to_finding() -> None:
    reading = read(PORTAL)
    assert (reading.findings, adjustments(reading)) == ((), [PARTED])
    sheet = reading.sheet
    assert sheet
    assert (sheet.family, sheet.dialect, sheet.games) == ("portal", "Mahjong portal", ())
    assert sheet.rows[0] == SheetPlayer(
        1,
        "Орлов, Иван",
        "Орлов",
        "Иван",
        points=Decimal("120.5"),
        place=1,
        other_ids=(OtherId("ema", "04180001"),),
    )
    assert [(row.name, row.place) for row in sheet.rows[1:]] == [
        ("Белова, Ольга", 2),
        ("Зайцев, Пётр", 2),
        ("Лисина, Вера", 4),
    ]


@pytest.mark.parametrize("mark", [";", "\t"])
def test_cells_may_be_parted_by_semicolons_or_tabs(mark: str) -> None:
    file = io.StringIO()
    csv.writer(file, delimiter=mark).writerows(cells_of(PORTAL))
    assert sheet_of(file.getvalue()) == sheet_of(PORTAL)


def test_cyrillic_letters_of_a_spreadsheet_are_told() -> None:
    reading = read(PORTAL, "cp1251")
    assert reading.sheet == sheet_of(PORTAL)
    assert found(reading) == [("encoding-guessed", 2, None)]


def test_a_workbook_with_the_same_headings_says_the_same() -> None:
    reading = read_any(workbook(Results=cells_of(PORTAL)))
    assert reading.sheet == sheet_of(PORTAL)
    spoilt = read_any(workbook(Results=cells_of(PORTAL.replace("04180002", "n/a"))))
    assert [(r.key, r.where) for r in spoilt.findings] == [("placement-ema-number", "Results!E3")]


def test_rows_of_another_worksheet_are_no_players_and_told() -> None:
    notes = [["1", "Somebody Else"], ["findings"]]
    reading = read_any(workbook(Results=cells_of(PORTAL), Notes=notes))
    assert [(r.key, r.where, r.params) for r in reading.findings] == [
        ("table-other-sheets", "Notes!A1", {"count": 2})
    ]
    assert reading.sheet
    assert reading.sheet.rows == sheet_of(PORTAL).rows


def test_nobody_has_the_number_of_another_be_its_zero_lost_or_not() -> None:
    reading = changed("99,8,,true", "99,8,4180001,true")
    assert found(reading) == [("identifier-twice", 4, 20)]
    assert reading.blocked


def test_a_second_table_is_another_section() -> None:
    reading = read_any(workbook(A=cells_of(PORTAL), B=cells_of(PORTAL)))
    [finding] = [finding for finding in reading.findings if finding.level == "blocks"]
    assert (finding.key, finding.where, finding.params) == ("placement-twice", "B!A1", {"first": "A!A1"})


def test_a_second_table_below_the_first_is_another_section_and_its_header_row_is_nobody() -> None:
    reading = read(f"{PORTAL}{PORTAL}")
    assert found(reading, "blocks") == [("placement-twice", 6, 1)]
    assert reading.sheet
    assert reading.sheet.rows == sheet_of(PORTAL).rows


def test_the_site_names_some_columns_otherwise() -> None:
    head = "Place,Player ID,Player name,Rating points,Games played\n"
    sheet = sheet_of(f"{head}1,7,Орлов Иван,12,8\n2,9,Белова Ольга,10,8\n")
    assert sheet.family == "portal"
    assert sheet.rows[0].other_ids == (OtherId("pantheon", "7"),)


def test_names_in_two_columns_are_taken_as_they_are() -> None:
    sheet = sheet_of("place,first_name,last_name,scores,games,ema\n1,Иван,Орлов,12,8,\n")
    assert (sheet.rows[0].surname, sheet.rows[0].first_name) == ("Орлов", "Иван")


@pytest.mark.parametrize(
    "head", ["place,name,points", "place,surname,first name,points", "name,place,nation", "place;name;ema"]
)
def test_other_tables_of_places_are_plain_ones(head: str) -> None:
    mark = ";" if ";" in head else ","
    assert sheet_of(f"{head}\n" + mark.join(("1", "Orlov", "1")) + "\n").family == "table"


@pytest.mark.parametrize("name", ["Орлов Иван Петрович", "Орлов"])
def test_a_name_that_could_be_parted_in_several_ways_stays_whole(name: str) -> None:
    reading = changed("Белова Ольга", name)
    assert reading.sheet
    assert (reading.sheet.rows[1].surname, reading.sheet.rows[1].first_name) == (name, "")
    assert found(reading) == [("names-not-parted", 3, None)]


@pytest.mark.parametrize("name", ["Замены", "Замены Замены", "Москва замены", "Substitutes 2", "замена2"])
def test_substitutes_are_reported_and_nobody_is_made_of_them(name: str) -> None:
    reading = changed("Зайцев Пётр,99,8,,true", f"{name},99,8,,false")
    assert found(reading, "blocks") == [("placement-substitutes", 4, 3)]


def test_whom_the_portal_does_not_know_the_register_may_know() -> None:
    reading = changed("Зайцев Пётр,99,8,,true", "Зайцев Пётр,99,8,,FALSE")
    assert found(reading) == [("placement-not-listed", 4, 3)]
    assert reading.sheet == sheet_of(PORTAL)
    spoilt = changed("Зайцев Пётр,99,8,,true", "Зайцев Пётр,99,8,,perhaps")
    assert found(spoilt) == [("placement-load-player", 4, 21)]
    assert ("placement-load-player", 4, "perhaps", "true") in adjustments(spoilt)


# ---------------------------------------------------------------- places


def test_places_are_taken_as_filed_even_where_fewer_games_stand_above() -> None:
    reading = changed("1,Орлов Иван,120.5,8", "1,Орлов Иван,120.5,7")
    assert found(reading) == [("placement-fewer-games-above", 2, 1)]
    assert reading.sheet == sheet_of(PORTAL)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("2,Зайцев Пётр,99,8", []),
        ("3,Зайцев Пётр,99,8", [("placement-tie-parted", 4, 1)]),
        ("2,Зайцев Пётр,98,8", [("placement-tie-unlike", 4, 1)]),
        ("3,Зайцев Пётр,98,8", []),
    ],
)
def test_those_who_tie_share_the_place(row: str, told: list[tuple[str, int, int]]) -> None:
    assert found(changed("2,Зайцев Пётр,99,8", row)) == told


def test_a_place_that_is_none_stops_the_filing_and_an_empty_one_is_asked_later() -> None:
    assert found(changed('4,"Лисина', 'last,"Лисина'), "blocks") == [("table-place-not-read", 5, 1)]
    reading = changed('4,"Лисина', ',"Лисина')
    assert reading.sheet
    assert (reading.sheet.rows[3].place, reading.findings) == (None, ())


def test_games_that_are_no_number_are_left_out() -> None:
    reading = changed("130,7,", "130,seven,")
    assert found(reading) == [("placement-games-not-read", 5, 22)]
    assert ("placement-games-not-read", 5, "seven", "") in adjustments(reading)


# ---------------------------------------------------------------- the EMA's


def test_the_sheet_of_the_ema_is_read_with_nothing_to_finding() -> None:
    reading = read(EMA)
    assert (reading.findings, adjustments(reading)) == ((), [QUIET])
    sheet = reading.sheet
    assert sheet
    assert (sheet.family, sheet.dialect, sheet.name, sheet.city) == ("ema", "EMA", "Spring Cup", "Moscow")
    assert (sheet.starts, sheet.ends) == (date(2026, 3, 7), date(2026, 3, 7))
    assert sheet.rows[2] == SheetPlayer(
        3, "Zaitsev, Petr", "Zaitsev", "Petr", federation="RUS", points=Decimal(-300), place=3
    )


def test_a_workbook_of_the_ema_may_hold_days_and_numbers() -> None:
    rows = [[int(c) if c.isdecimal() and len(c) < 8 else c for c in row] for row in cells_of(EMA)]
    for row in rows[1:]:
        row[10] = datetime(2026, 3, 7)  # type: ignore[call-overload]
        row[5] = int(row[5]) if row[5] else ""
    reading = read_any(workbook(Sheet1=rows))
    assert reading.sheet == sheet_of(EMA)
    assert adjustments(reading) == [
        ("placement-ema-zero", 2, "4180001", "04180001"),
        QUIET,
        ("placement-ema-zero", 3, "4180002", "04180002"),
    ]


@pytest.mark.parametrize(("digits", "kept"), [("04180001", True), ("4180001", True), ("418001", False)])
def test_an_ema_number_has_eight_digits_or_lost_its_zero(digits: str, kept: bool) -> None:
    reading = changed("04180001", digits, EMA)
    assert reading.sheet
    assert reading.sheet.rows[0].other_ids == ((OtherId("ema", "04180001"),) if kept else ())
    assert (found(reading) == [("placement-ema-number", 2, 27)]) != kept


@pytest.mark.parametrize(("declared", "level"), [("2", "notice"), ("3", None), ("4", "blocks")])
def test_the_number_of_participants_is_compared_with_the_rows(declared: str, level: str | None) -> None:
    reading = changed("Spring Cup,3,1", f"Spring Cup,{declared},1", EMA)
    assert [finding.level for finding in reading.findings] == ([level] if level else [])


def test_a_second_tournament_in_the_sheet_is_refused() -> None:
    reading = changed("Spring Cup,3,3", "Autumn Cup,3,3", EMA)
    assert found(reading, "blocks") == [("placement-several-tournaments", 4, 1)]
    assert "“Autumn Cup”" in describe_in_english(reading.findings[0])


def test_the_day_of_a_longer_tournament_is_not_used() -> None:
    reading = changed("MCR,,1,\nSpring Cup,3,2", "MCR,,2,\nSpring Cup,3,2", EMA)
    assert reading.sheet
    assert reading.sheet.starts is None
    assert [key for key, *_ in found(reading)] == ["placement-date-not-used"]


def test_a_header_row_alone_has_no_players() -> None:
    assert found(read(EMA.splitlines()[0]), "blocks") == [("placement-no-players", 1, 1)]


# ---------------------------------------------------------------- and back


def as_a_table_holds_it(sheet: Sheet) -> tuple[SheetPlayer, ...]:
    """A plain table has one column of ids, and does not say whose they are."""
    return tuple(
        replace(row, other_ids=(), identifier=next((o.value for o in row.other_ids), None))
        for row in sheet.rows
    )


@pytest.mark.parametrize("text", [PORTAL, EMA])
def test_as_a_plain_table_it_comes_back_the_same_event(text: str) -> None:
    sheet = sheet_of(text)
    for data in (write_csv(sheet), render_csv(make_sheet_tables(sheet), ";"), write_xlsx(sheet)):
        again = read_any(data)
        assert again.findings == ()
        assert again.sheet
        assert again.sheet.rows == as_a_table_holds_it(sheet)
