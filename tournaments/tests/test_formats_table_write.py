"""Tables written and read again are the same, and nothing in them is a formula."""

import csv
import io
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, strategies as st
from openpyxl import load_workbook

from tournaments.formats import read_any
from tournaments.formats.plain_table import (
    GAME_TABLE_COLUMNS,
    PLAYER_TABLE_COLUMNS,
    TEXT_FORMAT,
    OutputTable,
    make_sheet_tables,
    render_csv,
    render_xlsx,
    write_csv,
)
from tournaments.formats.sheet import Sheet, SheetBye, SheetGame, SheetPlayer
from tournaments.tests.table_files import BOTH, GAMES as PLAY, PLAYERS as PEOPLE, read, write_xlsx

TEAMS = "surname,team,place\nNowak,North,1\nKowalski,=South,2\nWójcik,North,2\n"


@pytest.mark.parametrize("text", [BOTH, PEOPLE, TEAMS, f"{PLAY}\n{PEOPLE}", "name,place\nLis,\n'=cmd,\n"])
def test_what_was_read_is_written_and_read_the_same(text: str) -> None:
    sheet = read(text).sheet
    assert sheet
    for data in (write_csv(sheet), render_csv(make_sheet_tables(sheet), ";"), write_xlsx(sheet)):
        again = read_any(data)
        assert again.sheet == sheet
        assert not again.blocked


NAMES = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12)
RESULTS = st.sampled_from(["1-0", "0-1", "1/2", "0-0", "+:-", "-:+", "-:-", "annulled"])
PAIRS = st.tuples(st.integers(1, 60), st.sampled_from([(1, 2), (2, 3), (3, 1)]), RESULTS)


@given(
    names=st.lists(NAMES, min_size=3, max_size=3), play=st.lists(PAIRS, max_size=6), bye=st.integers(1, 60)
)
def test_any_names_and_results_come_back_from_both_forms(names: list[str], play: list[Any], bye: int) -> None:
    rows = tuple(SheetPlayer(number, name, name, place=number) for number, name in enumerate(names, 1))
    games = tuple(SheetGame(round_, a, b, result) for round_, (a, b), result in play)
    first = read_any(write_csv(Sheet(rows=rows, games=games, byes=(SheetBye(bye, 1, "pairing"),)))).sheet
    assert first
    assert read_any(write_csv(first)).sheet == first == read_any(write_xlsx(first)).sheet
    assert [(g.round, g.first, g.result) for g in first.games] == [
        (g.round, g.first, g.result) for g in sorted(games, key=lambda game: game.round)
    ]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", '=HYPERLINK("http://x")'])
def test_a_name_that_is_a_formula_is_disarmed_in_both_forms(name: str) -> None:
    sheet = Sheet(rows=(SheetPlayer(1, name, name, place=1),))
    cells = next(iter(list(csv.reader(io.StringIO(write_csv(sheet).decode("utf-8-sig"))))[1:]))
    assert cells[1] == f"'{name}"
    cell = load_workbook(io.BytesIO(write_xlsx(sheet))).worksheets[0]["B2"]
    assert (cell.data_type, cell.value) == ("s", f"'{name}")
    again = read_any(write_xlsx(sheet)).sheet
    assert again
    assert again.rows[0].surname == name


def test_only_columns_with_something_in_them_are_written() -> None:
    sheet = Sheet(
        rows=(SheetPlayer(1, "Nowak", "Nowak", place=1), SheetPlayer(2, "Lis", "Lis", points=Decimal("0.5")))
    )
    head = write_csv(sheet).decode("utf-8-sig").splitlines()[0]
    assert head == "number,surname,first name,place,points"


def test_an_empty_table_has_its_headings_notes_and_text_where_a_draw_would_become_a_day() -> None:
    tables = [
        OutputTable(
            "Players", PLAYER_TABLE_COLUMNS, help=tuple(column.help for column in PLAYER_TABLE_COLUMNS)
        ),
        OutputTable("Games", GAME_TABLE_COLUMNS, help=tuple(column.help for column in GAME_TABLE_COLUMNS)),
    ]
    book = load_workbook(io.BytesIO(render_xlsx(tables)))
    assert book.sheetnames == ["Players", "Games"]
    assert [cell.value for cell in book["Games"][1]] == ["round", "first", "second", "result"]
    assert "annulled" in book["Games"]["D1"].comment.text
    assert book["Games"].column_dimensions["D"].number_format == TEXT_FORMAT
    assert book["Games"].column_dimensions["A"].number_format != TEXT_FORMAT
    lines = render_csv(tables, ";").decode("utf-8-sig").splitlines()
    assert lines == [";".join(c.name for c in PLAYER_TABLE_COLUMNS), "", "round;first;second;result"]
