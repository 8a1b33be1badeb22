"""A sheet → the plain table, as CSV or as a workbook; and empty tables for people to fill in.

`read(write(sheet)).sheet == sheet` for every sheet that was read from such a table.
"""

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from openpyxl import Workbook
from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.comments import Comment
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from ratings.equipment.downloads import csv_bytes, disarmed
from tournaments.formats.common.reading_result import Sheet, SheetPlayer
from tournaments.formats.plain_table.column_definitions import GAMES, PLAYERS, TableColumn

Value = int | Decimal | str | None
MARK = "\ufeff".encode()
"""The mark by which spreadsheet programs recognise UTF-8."""
AS_TEXT = "@"
TEXTS = frozenset({"id", "birth", "result"})
"""Columns that a spreadsheet must not take for numbers or dates: `1/2` is a draw and no day."""
ALWAYS = ("number", "surname", "first name")


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """A table to be written, as CSV or as a worksheet: its columns and the rows below their names."""

    title: str
    """The worksheet's name."""
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Value, ...], ...] = ()
    help: tuple[str, ...] = ()
    """The purpose of each column, as a note on its heading."""

    @property
    def about(self) -> list[tuple[str, str]]:
        return [(column.name, words) for column, words in zip(self.columns, self.help, strict=True)]


def write_csv(sheet: Sheet, delimiter: str = ",") -> bytes:
    return csv_of(tables_of(sheet), delimiter)


def write_xlsx(sheet: Sheet) -> bytes:
    return xlsx_of(tables_of(sheet))


def csv_of(tables: Iterable[WrittenTable], delimiter: str = ",") -> bytes:
    """The tables as CSV, one below the other with an empty line between; cells of text are disarmed."""
    parts = (csv_bytes([c.name for c in t.columns], map(_texts, t.rows), delimiter) for t in tables)
    return MARK + b"\r\n".join(parts)


def xlsx_of(tables: Iterable[WrittenTable]) -> bytes:
    """A workbook with a worksheet for each table. Text is stored as text, so that none of it is a formula."""
    book = Workbook()
    book.remove(book.worksheets[0])
    for table in tables:
        _fill(book.create_sheet(table.title), table)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def tables_of(sheet: Sheet) -> list[WrittenTable]:
    """Turn a sheet into tables: players, with the columns that hold anything; games and byes, if any."""
    teams = {member: team.name for team in sheet.teams for member in team.members}
    records = [{name: value(row, teams) for name, value in _VALUES.items()} for row in sheet.rows]
    columns = tuple(c for c in PLAYERS if c.name in ALWAYS or any(record[c.name] for record in records))
    players = tuple(tuple(record[column.name] for column in columns) for record in records)
    tables = [WrittenTable("Players", columns, players)]
    if games := tuple(_play(sheet)):
        tables.append(WrittenTable("Games", GAMES, games))
    return tables


_VALUES: dict[str, Callable[[SheetPlayer, dict[int, str]], Value]] = {
    "number": lambda row, teams: row.start_number,
    "id": lambda row, teams: row.identifier or _other_id(row),
    "surname": lambda row, teams: row.surname or row.name,
    "first name": lambda row, teams: row.first_name,
    "sex": lambda row, teams: row.sex,
    "birth": lambda row, teams: row.birth.isoformat() if row.birth else str(row.born or ""),
    "nation": lambda row, teams: row.federation,
    "place": lambda row, teams: row.place,
    "points": lambda row, teams: row.points,
    "discs": lambda row, teams: row.discs,
    "team": lambda row, teams: teams.get(row.start_number),
}


def _other_id(row: SheetPlayer) -> str | None:
    return next((other.value for other in row.other_ids if not other.is_provisional), None)


def _play(sheet: Sheet) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of the table of games, by round: its games in the order of play, then its byes."""
    rows: list[tuple[int, tuple[Value, ...]]] = []
    rows += [(game.round, (game.round, game.first, game.second, game.result)) for game in sheet.games]
    rows += [(bye.round, (bye.round, bye.player, None, bye.kind)) for bye in sheet.byes]
    yield from (row for _round, row in sorted(rows, key=lambda row: row[0]))


def _texts(row: Sequence[Value]) -> list[str]:
    return [
        disarmed(value) if isinstance(value, str) and not _is_forfeit(value) else _text(value)
        for value in row
    ]


def _is_forfeit(value: str) -> bool:
    """Whether a value is a forfeit's result, which begins like a formula but is no stranger's text."""
    return value in ("+:-", "-:+", "-:-")


def _text(value: Value) -> str:
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return "" if value is None else str(value)


def _fill(page: Worksheet, table: WrittenTable) -> None:
    page.freeze_panes = "A2"
    for at, column in enumerate(table.columns, 1):
        dimension = page.column_dimensions[get_column_letter(at)]
        dimension.width = column.width
        if column.name in TEXTS:
            dimension.number_format = AS_TEXT
        head = page.cell(1, at, column.name)
        head.font = Font(bold=True)
        if at <= len(table.help):
            head.comment = Comment(table.help[at - 1], "", height=90, width=260)
    for line, row in enumerate(table.rows, 2):
        for at, value in enumerate(row, 1):
            if value not in (None, ""):
                _put(page.cell(line, at), value)


def _put(cell: Cell | MergedCell, value: Value) -> None:
    if isinstance(value, str):
        cell.value = disarmed(value) if not _is_forfeit(value) else value
        cell.data_type, cell.number_format = "s", AS_TEXT
    else:
        cell.value = value
