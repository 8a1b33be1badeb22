"""The cross table of Chess-Results and Swiss-Manager, as a workbook or as CSV: a row for each player, a
column for each round. Some lines about the tournament stand above it, a few of the program's below.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from ratings.law.translation_marks import gettext_noop as _
from tournaments.formats.common.format_description import FileKind, FileSource
from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import Reading, Sheet, SheetPlayer
from tournaments.formats.cross_table import columns as cross_columns
from tournaments.formats.cross_table.columns import COLUMNS, MOST, NUMBER, RANK, round_of
from tournaments.formats.cross_table.games import Cells as Rounds
from tournaments.formats.cross_table.games import CrossTableGames, numbers_of, play_of, points_of, read_cells
from tournaments.formats.cross_table.head import CrossTableHead, read_head
from tournaments.formats.plain_table.cell_values import read_whole
from tournaments.formats.plain_table.cells import (
    EMPTY,
    Cells,
    FileCell,
    Record,
    columns_of,
    record_of,
    tell_other_sheets,
    unused_of,
)
from tournaments.formats.plain_table.column_definitions import heading
from tournaments.formats.swiss_manager.players import check_rows, row_of
from tournaments.formats.trf.rows import SEXES, TITLES
from tournaments.formats.trf_layout.columns import MOST_ROUNDS

CROSS_TABLE = FileKind(
    "cross-table",
    _("cross table"),
    (
        FileSource(
            "Chess-Results, Swiss-Manager",
            _("the cross table with the rounds, as XLSX or CSV"),
            by_description=True,
        ),
    ),
)
KINDS: tuple[FileKind, ...] = (CROSS_TABLE,)
DIALECT = "Cross table"
_SEXES = frozenset(SEXES)
_TITLES = frozenset(TITLES.values()) | {"ACM", "AFM", "AIM", "AGM", "NM", "WNM"}

knows = cross_columns.knows


@dataclass(slots=True)
class FiledCrossTable:
    above: list[Cells]
    head: Cells
    columns: dict[int, str] = field(default_factory=dict)
    rounds: dict[str, int] = field(default_factory=dict)
    """Column's name → round."""
    records: list[Record] = field(default_factory=list)
    below: list[Cells] = field(default_factory=list)
    elsewhere: list[Cells] = field(default_factory=list)
    """Rows of other worksheets."""


def read_sheets(sheets: Sequence[Sequence[Cells]], notes: Notes, encoding: str = "utf-8") -> Reading:
    table = _table_in(sheets, notes)
    rounds = read_cells(_rounds_of(table), notes) if table else None
    numbers = numbers_of(rounds, _numberings(table), notes) if table and rounds else ()
    if not table or not rounds or not numbers:
        return notes.reading(None)
    own = _start_numbers(table, numbers)
    rows = _rows(table, own, rounds, notes)
    play = play_of(rounds, own.__getitem__, numbers, notes)
    return notes.reading(_sheet(read_head(table.above, notes), table, rows, play, notes, encoding))


def _rounds_of(table: FiledCrossTable) -> list[Mapping[int, FileCell]]:
    return [{number: row[name] for name, number in table.rounds.items()} for row in table.records]


def _numberings(table: FiledCrossTable) -> Mapping[str, list[int | None]]:
    """The numbers in the columns of ranks and of start numbers, by row, as far as the table has them."""
    there = [name for name in (RANK, NUMBER) if name in table.columns.values()]
    return {name: [read_whole(row[name].text) for row in table.records] for name in there}


def _start_numbers(table: FiledCrossTable, numbers: Sequence[int]) -> Sequence[int]:
    """The table's own start numbers if every row has one; else the numbers that the cells name."""
    own = [number for number in _numberings(table).get(NUMBER, ()) if number]
    return own if len(set(own)) == len(numbers) else numbers


def _sheet(
    head: CrossTableHead,
    table: FiledCrossTable,
    rows: Sequence[SheetPlayer],
    play: CrossTableGames,
    notes: Notes,
    encoding: str,
) -> Sheet:
    played = max((game.round for game in play.games), default=0)
    if head.rounds and played < head.rounds:
        notes.notice("fewer-rounds-than-scheduled", scheduled=head.rounds, played=played)
    return Sheet(
        dialect=DIALECT,
        family=CROSS_TABLE.code,
        name=head.name,
        city=head.texts.get("city", ""),
        federation=head.texts.get("federation", ""),
        starts=head.starts,
        ends=head.ends,
        kind=head.texts.get("kind", ""),
        arbiters=tuple(head.officials),
        time_text=head.texts.get("time_text", ""),
        rounds=head.rounds,
        rounds_played=played,
        rows=tuple(rows),
        games=tuple(play.games),
        byes=tuple(sorted(play.byes, key=lambda bye: bye.round)),
        unused=tuple(unused_of(row) for row in (*table.below, *table.elsewhere)),
        encoding=encoding,
    )


# ---------------------------------------------------------------- the table among its sheets


def _table_in(sheets: Sequence[Sequence[Cells]], notes: Notes) -> FiledCrossTable | None:
    """The one cross table; None with a note that says why there is none."""
    table: FiledCrossTable | None = None
    elsewhere: list[Cells] = []
    for sheet in sheets:
        inside = False
        for at, row in enumerate(sheet):
            if _is_head(row):
                if table:
                    notes.blocks("cross-twice", **row[0].place, first=table.head[0].line)
                    return None
                table, inside = FiledCrossTable(list(sheet[:at]), row), True
                if not _begin(table, sheet[at + 1 :], notes):
                    return None
            elif table and inside:
                _add(row, table, notes)
        elsewhere += [] if inside else [row for row in sheet if any(cell.text for cell in row)]
    if table is None or not table.records:
        notes.blocks("cross-no-players", **(table.head[0] if table else EMPTY).place)
        return None
    _tell_below(table, notes)
    table.elsewhere = elsewhere
    tell_other_sheets(elsewhere, notes)
    return table


def _is_head(row: Cells) -> bool:
    """Whether this is the header row. Looks for the name first: there may be twenty thousand rows."""
    return any(cell.text.lower() == "name" for cell in row) and bool(knows([heading(c.text) for c in row]))


def _begin(table: FiledCrossTable, rows: Sequence[Cells], notes: Notes) -> bool:
    """Name the table's columns by its header row; False, with a note, if its games cannot be read."""
    headings = [heading(cell.text) for cell in table.head]
    if not any(map(round_of, headings)):
        notes.blocks("cross-round-robin", **table.head[0].place)
        return False
    named = dict(COLUMNS)
    for name in headings:
        if number := round_of(name):
            named[name] = f"round {number}"
            table.rounds[named[name]] = number
    table.columns = columns_of(table.head, named, notes) | _unnamed(headings, rows, named)
    if "international rating" in table.columns.values():
        table.columns = {
            at: "rating" if name == "international rating" else name
            for at, name in table.columns.items()
            if name != "rating"
        }
    late = [number for number in table.rounds.values() if number > MOST_ROUNDS]
    if late:
        notes.blocks("too-many-rounds", **table.head[0].place, most=MOST_ROUNDS)
    return not late


def _unnamed(headings: Sequence[str], rows: Sequence[Cells], named: Mapping[str, str]) -> dict[int, str]:
    """Name the columns without a heading: title or sex, as their cells show."""
    found: dict[int, str] = {}
    there = {named.get(name) for name in headings}
    for at, name in enumerate(headings):
        values = {row[at].text for row in rows if at < len(row)} - {""}
        if name or not values:
            continue
        if values <= _TITLES and "title" not in there:
            found.setdefault(at, "title")
        elif {value.lower() for value in values} <= _SEXES and "sex" not in there:
            found.setdefault(at, "sex")
    return {at: name for at, name in found.items() if list(found.values()).count(name) == 1}


def _add(row: Cells, table: FiledCrossTable, notes: Notes) -> None:
    """Add a row below the header to a table: to its players, if it has a name, and a number or something in a
    round; else to the lines that the program wrote below.
    """
    names = [at for at, name in table.columns.items() if name == "name"]
    rounds = [at for at, name in table.columns.items() if name in table.rounds]
    numbers = [at for at, name in table.columns.items() if name in (RANK, NUMBER)]
    named = any(at < len(row) and row[at].text for at in names)
    numbered = any(at < len(row) and read_whole(row[at].text) for at in numbers)
    if named and (numbered or any(at < len(row) and row[at].text for at in rounds)):
        table.records.append(record_of(row, table.columns, len(table.head), MOST, notes))
    elif any(cell.text for cell in row):
        table.below.append(row)


def _tell_below(table: FiledCrossTable, notes: Notes) -> None:
    """Note rows of several cells, which could be players; single cells are the program's findings."""
    rows = [row for row in table.below if sum(bool(cell.text) for cell in row) > 1]
    if rows:
        notes.notice("cross-below", **rows[0][0].place, count=len(rows))


# ---------------------------------------------------------------- players


def _rows(table: FiledCrossTable, numbers: Sequence[int], rounds: Rounds, notes: Notes) -> list[SheetPlayer]:
    counted = points_of(rounds)
    cells = dict(zip(numbers, table.records, strict=True))
    rows = []
    for at, (number, record) in enumerate(cells.items()):
        row = row_of(record, number, notes, place=RANK)
        rows.append(row if at in rounds.unread else _with_points(row, record, counted[at], notes))
    check_rows(rows, cells, notes)
    return rows


def _with_points(row: SheetPlayer, record: Record, counted: Decimal, notes: Notes) -> SheetPlayer:
    filed: FileCell = record.get("points", EMPTY)
    if not filed.text:
        notes.adjusts("points-missing", row.line, "", f"{counted:f}")
        return replace(row, points=counted)
    if row.points != counted:
        sums = {"filed": f"{row.points:f}", "counted": f"{counted:f}"}
        notes.notice("points-differ", **filed.place, number=row.start_number, **sums)
    return row
