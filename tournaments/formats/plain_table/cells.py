"""Cells with their places, and the blocks into which header rows divide them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import Unused
from tournaments.formats.plain_table.column_definitions import COLUMNS, NEEDED, Kind, heading, kind_of

LONGEST_SHOWN = 40  # characters of a cell that a message quotes
LONGEST_LINE = 200  # characters of a row that is kept unused


class CellPlace(TypedDict):
    line: int
    column: int
    where: str


@dataclass(frozen=True, slots=True)
class FileCell:
    text: str
    line: int
    column: int
    """The character of the line; in a workbook the column of the worksheet."""
    where: str = ""
    """`Games!D7`, in a workbook."""

    @property
    def place(self) -> CellPlace:
        return {"line": self.line, "column": self.column, "where": self.where}

    @property
    def shown(self) -> str:
        return self.text[:LONGEST_SHOWN]


EMPTY = FileCell("", 0, 0)
Cells = tuple[FileCell, ...]
Record = Mapping[str, FileCell]
"""A row by the columns' names; cells that the row lacks are empty, placed at its end."""


@dataclass(slots=True)
class Block:
    kind: Kind
    head: FileCell
    """The first cell of the header row."""
    columns: dict[int, str]
    """The places of the columns that are read."""
    width: int
    """Cells of the header row, named or not."""
    records: list[Record] = field(default_factory=list)


@dataclass(slots=True)
class Blocks:
    players: Block | None = None
    games: list[Block] = field(default_factory=list)
    unused: list[Unused] = field(default_factory=list)
    """Rows above the first header row of their sheet."""


def part(sheets: Iterable[Iterable[Cells]], notes: Notes) -> Blocks:
    """Divide rows into blocks: each begins with a header row and ends at the next, or with its sheet."""
    found = Blocks()
    for sheet in sheets:
        block: Block | None = None
        for row in sheet:
            if not any(cell.text for cell in row):
                continue
            kind = kind_of(heading(cell.text) for cell in row)
            if kind:
                block = _begin(kind, row, found, notes)
            elif block is None:
                found.unused.append(unused_of(row))
            else:
                block.records.append(_record(row, block, notes))
    return found


def unused_of(row: Cells) -> Unused:
    return Unused(" ".join(cell.text for cell in row if cell.text)[:LONGEST_LINE], row[0].line)


def tell_other_sheets(rows: Sequence[Cells], notes: Notes) -> None:
    """Note that a workbook has rows on worksheets beside that of the table; they are not read."""
    if rows:
        notes.notice("table-other-sheets", **rows[0][0].place, count=len(rows))


def _begin(kind: Kind, row: Cells, found: Blocks, notes: Notes) -> Block:
    block = Block(kind, row[0], _columns(kind, row, notes), len(row))
    missing = [name for name in NEEDED[kind] if name not in block.columns.values()]
    if missing:
        notes.blocks("table-column-missing", **row[0].place, columns=", ".join(missing))
    if kind == "games":
        found.games.append(block)
    elif found.players is None:
        found.players = block
    else:
        notes.blocks("table-players-twice", **row[0].place, first=found.players.head.line)
    return block


def _columns(kind: Kind, row: Cells, notes: Notes) -> dict[int, str]:
    named = {name: name for name in COLUMNS[kind]}
    if any(heading(cell.text) == "surname" for cell in row):
        named.pop("name", None)  # the surname stands by itself
    return columns_of(row, named, notes)


def columns_of(row: Cells, named: Mapping[str, str], notes: Notes) -> dict[int, str]:
    """Find the columns of a header row: name by place. `named`: name by heading, empty if passed over."""
    columns: dict[int, str] = {}
    for at, cell in enumerate(row):
        name = named.get(heading(cell.text))
        if name and name in columns.values():
            notes.blocks("table-column-twice", **cell.place, named=cell.shown)
        elif name:
            columns[at] = name
        elif cell.text and name is None:
            notes.notice("table-column-unknown", **cell.place, named=cell.shown)
    return columns


def _record(row: Cells, block: Block, notes: Notes) -> Record:
    most = {name: column.most for name, column in COLUMNS[block.kind].items()}
    return record_of(row, block.columns, block.width, most, notes)


def record_of(
    row: Cells, columns: Mapping[int, str], width: int, most: Mapping[str, int], notes: Notes
) -> Record:
    """The cells of a row by column. `width`: of the header row; `most`: characters of a cell, by column."""
    last = row[-1]
    record = dict.fromkeys(columns.values(), FileCell("", last.line, last.column, last.where))
    for at, cell in enumerate(row):
        name = columns.get(at)
        if cell.text and at >= width:
            notes.blocks("table-row-too-long", **cell.place)
            break
        if name is None:
            continue
        longest = most.get(name, LONGEST_SHOWN)
        if len(cell.text) > longest:
            notes.blocks("table-cell-too-long", **cell.place, named=name, most=longest)
            cell = FileCell(cell.text[:longest], **cell.place)
        record[name] = cell
    return record
