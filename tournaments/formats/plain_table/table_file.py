"""The blocks of a plain table → a sheet: its players here, its games in `games`."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from tournaments.formats.common.format_description import FileKind
from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import Reading, Sheet, SheetPlayer, Team
from tournaments.formats.plain_table.cell_values import (
    birth_of,
    discs_of,
    nation_of,
    place_of,
    read_whole,
    score_of,
    sex_of,
    whole_name,
)
from tournaments.formats.plain_table.cells import EMPTY, Block, Blocks, Cells, FileCell, Record, part
from tournaments.formats.plain_table.column_definitions import COLUMNS, kind_of
from tournaments.formats.plain_table.games import SheetGames, points_of, read_play

TABLE = "table"
"""The family of its sheets. Every federation reads it, so that no office names it and it is no kind."""
KINDS: tuple[FileKind, ...] = ()
DIALECT = "Table"
_KNOWN = frozenset(name for columns in COLUMNS.values() for name in columns)


@dataclass(slots=True)
class PlainTablePlayers:
    rows: list[SheetPlayer] = field(default_factory=list)
    cells: dict[int, Record] = field(default_factory=dict)
    """By start number, for later findings about them."""
    teams: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    has_points: bool = False


def knows(headings: Sequence[str]) -> int:
    return len(_KNOWN.intersection(headings)) if kind_of(headings) else 0


def read_sheets(sheets: Iterable[Iterable[Cells]], notes: Notes, encoding: str = "utf-8") -> Reading:
    """Read a plain table from rows of cells, sheet by sheet (a CSV is one sheet)."""
    blocks = part(sheets, notes)
    if blocks.unused and (blocks.players or blocks.games):
        notes.notice("table-above-header", blocks.unused[0].line, count=len(blocks.unused))
    if blocks.players is None or not blocks.players.records:
        place = blocks.games[0].head if blocks.games else blocks.players.head if blocks.players else EMPTY
        notes.blocks("table-no-players", place.line or None, place.column or None, where=place.where)
        return notes.reading(None)
    players = _read_players(blocks.players, notes)
    if not players.rows:
        return notes.reading(None)
    play = read_play(blocks.games, {row.start_number: row for row in players.rows}, notes)
    return notes.reading(_sheet(blocks, players, play, notes, encoding))


def _sheet(
    blocks: Blocks, players: PlainTablePlayers, play: SheetGames, notes: Notes, encoding: str
) -> Sheet:
    return Sheet(
        dialect=DIALECT,
        family=TABLE,
        rounds_played=max((game.round for game in play.games), default=0),
        rows=tuple(_with_points(players, play, notes)),
        games=tuple(play.games),
        byes=tuple(play.byes),
        teams=tuple(
            Team(name, tuple(members), players.cells[members[0]]["team"].line)
            for name, members in players.teams.items()
        ),
        unused=tuple(blocks.unused),
        encoding=encoding,
    )


def _with_points(players: PlainTablePlayers, play: SheetGames, notes: Notes) -> Iterable[SheetPlayer]:
    """Yield the rows with points: the file's, else the sum of the results; if both are there, compare them.

    Not of those who played twice in a round: the federation says what a replay is worth.
    """
    counted, replayed = points_of(play), play.played_again
    for row in players.rows:
        total = counted.get(row.start_number, Decimal(0))
        filed = players.cells[row.start_number].get("points", EMPTY)
        if not players.has_points or not filed.text:
            yield replace(row, points=total)
            continue
        if play.games and row.start_number not in replayed and row.points != total:
            sums = {"filed": f"{row.points:f}", "counted": f"{total:f}"}
            notes.notice("points-differ", **filed.place, number=row.start_number, **sums)
        yield row


# ---------------------------------------------------------------- players


def _read_players(block: Block, notes: Notes) -> PlainTablePlayers:
    players = PlainTablePlayers(has_points="points" in block.columns.values())
    for at, record in enumerate(block.records, 1):
        number = _start_number(record, at, players, notes)
        if number is None:
            continue
        row = _row(record, number, notes)
        players.rows.append(row)
        players.cells[number] = record
        if team := record.get("team", EMPTY).text:
            players.teams[team].append(number)
    _check_twins(players, notes)
    _check_parted(block, players.rows, notes)
    return players


def _start_number(record: Record, at: int, players: PlainTablePlayers, notes: Notes) -> int | None:
    """The start number in a row's column for it, or `at`, the row's place, if the table has no such column;
    None with a note if it is none or another row's.
    """
    cell = record.get("number")
    if cell is None:
        return at
    number = read_whole(cell.text)
    if not number:
        key = "start-number-zero" if number == 0 else "table-number-not-read"
        notes.blocks(key, **cell.place, **({} if number == 0 else {"text": cell.shown}))
        return None
    if number in players.cells:
        first = players.cells[number]["number"].line
        notes.blocks("start-number-twice", **cell.place, number=number, first=first)
        return None
    return number


def _row(record: Record, number: int, notes: Notes) -> SheetPlayer:
    surname, first_name = _names(record, number, notes)
    born, birth = birth_of(record.get("birth", EMPTY), notes)
    return SheetPlayer(
        start_number=number,
        name=whole_name(surname, first_name),
        surname=surname,
        first_name=first_name,
        sex=sex_of(record.get("sex", EMPTY), notes),
        federation=nation_of(record.get("nation", EMPTY), notes),
        identifier=record.get("id", EMPTY).text or None,
        born=born,
        birth=birth,
        points=score_of(record.get("points", EMPTY), notes),
        place=place_of(record.get("place", EMPTY), notes),
        discs=discs_of(record.get("discs", EMPTY), notes),
        line=_first(record).line,
    )


def _first(record: Record) -> FileCell:
    return next(iter(record.values()))


def _names(record: Record, number: int, notes: Notes) -> tuple[str, str]:
    if "surname" in record:
        surname, first_name = record["surname"].text, record.get("first name", EMPTY).text
        cell = record["surname"]
    else:
        cell = record["name"]
        surname, _, first_name = (part.strip() for part in cell.text.partition(","))
        first_name = first_name or record.get("first name", EMPTY).text
    if not surname:
        notes.blocks("table-no-surname", **cell.place, number=number)
    return surname, first_name


def _check_twins(players: PlainTablePlayers, notes: Notes) -> None:
    first: dict[str, SheetPlayer] = {}
    for row in players.rows:
        if row.identifier and first.setdefault(row.identifier, row) is not row:
            cell = players.cells[row.start_number]["id"]
            twin = first[row.identifier].line
            notes.blocks("identifier-twice", **cell.place, id=row.identifier, first=twin)


def _check_parted(block: Block, rows: Sequence[SheetPlayer], notes: Notes) -> None:
    """Note once that names in one column are not divided by commas; they are matched as they stand."""
    whole = [row for row in rows if not row.first_name and row.surname]
    if whole and "name" in block.columns.values():
        sample = whole[0]
        notes.notice("names-not-parted", sample.line, count=len(whole), sample=sample.name)
