"""Reads and writes the plain table that anybody can fill in, as CSV or as a workbook.

Header rows divide the cells into blocks; a block of players and blocks of games make a sheet.
"""

import io
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from itertools import islice
from typing import Any, Literal, TypedDict

from ratings.rulesets.downloads import csv_bytes, disarm_cell, rearm_cell
from ratings.rulesets.facts import gettext_noop as _
from tournaments.formats.dates import read_birth
from tournaments.formats.sheet import (
    ByeKind,
    FileKind,
    Notes,
    Reading,
    Result,
    Sex,
    Sheet,
    SheetBye,
    SheetGame,
    SheetPlayer,
    Team,
    Unused,
)
from tournaments.formats.trf import SEXES
from tournaments.formats.trf_layout import MOST_ROUNDS

# ---- Columns, for the reader, the writers, the template that people download and the help beside it
Kind = Literal["players", "games"]


@dataclass(frozen=True, slots=True)
class TableColumn:
    name: str
    """The heading, as `normalize_column_heading` gives it."""
    help: str
    """Its content in a sentence; `%(first)s` and `%(second)s` are the two sides' names."""
    width: int = 10
    """The width of a worksheet's column, in characters."""
    most: int = 40
    """The most characters of a cell."""


PLAYER_TABLE_COLUMNS = (
    TableColumn(
        "number",
        _("Start number, from 1; without this column, players are numbered in the order of the rows."),
        8,
    ),
    TableColumn("id", _("The player's number in the register, or another id that it knows."), 12, 30),
    TableColumn("surname", _("Surname; required."), 22, 100),
    TableColumn("first name", _("First name."), 18, 100),
    TableColumn("sex", _("m or f."), 6),
    TableColumn("birth", _("Date of birth as 2010-05-03, or the year only."), 12),
    TableColumn("nation", _("Three letters, such as POL."), 8),
    TableColumn("place", _("Final place; players who share it have the same number: 3, 3, 5."), 8),
    TableColumn("points", _("Points of the event."), 8),
    TableColumn("discs", _("Discs, where they break ties."), 8),
    TableColumn("team", _("Name of the team, in a team event."), 18, 60),
)
NAME_COLUMN = TableColumn(
    "name", _("Surname and first name, separated by a comma; instead of the two columns."), 30, 100
)
GAME_TABLE_COLUMNS = (
    TableColumn("round", _("Round, from 1."), 8),
    TableColumn("first", _("Start number of the player who moved first (%(first)s)."), 8),
    TableColumn("second", _("Start number of the other player (%(second)s); empty for a bye."), 8),
    TableColumn(
        "result",
        _(
            "1-0, 0-1, 1/2 or =, 0-0; by forfeit +:-, -:+, -:-; annulled. For a bye: pairing, full, half or"
            " zero."
        ),
        12,
    ),
)
COLUMNS: dict[Kind, dict[str, TableColumn]] = {
    "players": {column.name: column for column in (*PLAYER_TABLE_COLUMNS, NAME_COLUMN)},
    "games": {column.name: column for column in GAME_TABLE_COLUMNS},
}
NEEDED_COLUMNS: dict[Kind, tuple[str, ...]] = {
    "players": (),
    "games": tuple(column.name for column in GAME_TABLE_COLUMNS),
}


def normalize_column_heading(text: str) -> str:
    """A heading in the spelling of `COLUMNS`: `First_Name` → `first name`."""
    return " ".join(text.replace("_", " ").split()).lower()


def find_table_kind(headings: Iterable[str]) -> Kind | None:
    """The kind of table whose header row these headings are, if any."""
    there = set(headings)
    if {"first", "second"} <= there and there & {"round", "result"}:
        return "games"
    named = there & {"surname", "name"}
    return "players" if named and len(there & set(COLUMNS["players"])) > 1 else None


# ---- Cells with their places, and blocks
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
"""A row's cells by column; missing ones are empty, with the place of the last."""


@dataclass(slots=True)
class Block:
    kind: Kind
    head: FileCell
    """The first cell of the header row."""
    columns: dict[int, str]
    """Columns that are read, by index."""
    width: int
    """The number of cells of the header row."""
    records: list[Record] = field(default_factory=list)


@dataclass(slots=True)
class Blocks:
    players: Block | None = None
    games: list[Block] = field(default_factory=list)
    unused: list[Unused] = field(default_factory=list)
    """Rows above the first header row of their sheet."""


def split_blocks(sheets: Iterable[Iterable[Cells]], notes: Notes) -> Blocks:
    """Divide rows into blocks, each from a header row to the next or to the end of its sheet."""
    found = Blocks()
    for sheet in sheets:
        block: Block | None = None
        for row in sheet:
            if not any(cell.text for cell in row):
                continue
            kind = find_table_kind(normalize_column_heading(cell.text) for cell in row)
            if kind:
                block = _begin_block(kind, row, found, notes)
            elif block is None:
                found.unused.append(make_unused(row))
            else:
                most = {name: column.most for name, column in COLUMNS[block.kind].items()}
                block.records.append(make_record(row, block.columns, block.width, most, notes))
    return found


def make_unused(row: Cells) -> Unused:
    return Unused(" ".join(cell.text for cell in row if cell.text)[:LONGEST_LINE], row[0].line)


def note_other_sheets(rows: Sequence[Cells], notes: Notes) -> None:
    """Note that rows on other worksheets than the table's are not read."""
    if rows:
        notes.notice("table-other-sheets", **rows[0][0].place, count=len(rows))


def _begin_block(kind: Kind, row: Cells, found: Blocks, notes: Notes) -> Block:
    named = {name: name for name in COLUMNS[kind]}
    if any(normalize_column_heading(cell.text) == "surname" for cell in row):
        named.pop("name", None)
    block = Block(kind, row[0], find_columns(row, named, notes), len(row))
    missing = [name for name in NEEDED_COLUMNS[kind] if name not in block.columns.values()]
    if missing:
        notes.blocks("table-column-missing", **row[0].place, columns=", ".join(missing))
    if kind == "games":
        found.games.append(block)
    elif found.players is None:
        found.players = block
    else:
        notes.blocks("table-players-twice", **row[0].place, first=found.players.head.line)
    return block


def find_columns(row: Cells, named: Mapping[str, str], notes: Notes) -> dict[int, str]:
    """The columns of a header row by index. `named`: columns by heading, empty for ignored ones."""
    columns: dict[int, str] = {}
    for at, cell in enumerate(row):
        name = named.get(normalize_column_heading(cell.text))
        if name and name in columns.values():
            notes.blocks("table-column-twice", **cell.place, named=cell.shown)
        elif name:
            columns[at] = name
        elif cell.text and name is None:
            notes.notice("table-column-unknown", **cell.place, named=cell.shown)
    return columns


def make_record(
    row: Cells, columns: Mapping[int, str], width: int, most_characters: Mapping[str, int], notes: Notes
) -> Record:
    """The cells of a row by column. `width`: of the header row; `most_characters`: of a cell, by column."""
    last = row[-1]
    record = dict.fromkeys(columns.values(), FileCell("", last.line, last.column, last.where))
    for at, cell in enumerate(row):
        name = columns.get(at)
        if cell.text and at >= width:
            notes.blocks("table-row-too-long", **cell.place)
            break
        if name is None:
            continue
        longest = most_characters.get(name, LONGEST_SHOWN)
        if len(cell.text) > longest:
            notes.blocks("table-cell-too-long", **cell.place, named=name, most=longest)
            cell = FileCell(cell.text[:longest], **cell.place)
        record[name] = cell
    return record


# ---- Values of single cells; one that cannot be read is noted and left out
_NUMBER = re.compile(r"[0-9]{1,4}")
_POINTS = re.compile(r"(-?[0-9]{0,6})(?:[.,]([0-9]{1,2})|(½))?")
_NATION = re.compile(r"[A-Z]{3}")


def read_short_whole(text: str) -> int | None:
    """Read a whole number of up to four digits; workbooks write `3.0`, and places may end in a full stop."""
    digits = re.sub(r"\.0?$", "", text)
    return int(digits) if _NUMBER.fullmatch(digits) else None


def join_name(surname: str, first_name: str) -> str:
    """A player's name in a sheet: `Nowak, Anna`, or the only one that is not empty."""
    return ", ".join(filter(None, (surname, first_name)))


def parse_start_number(cell: FileCell, taken_numbers: Mapping[int, Record], notes: Notes) -> int | None:
    """A start number that is not among the known records; None with a note otherwise."""
    number = read_short_whole(cell.text)
    if not number:
        key = "start-number-zero" if number == 0 else "table-number-not-read"
        notes.blocks(key, **cell.place, **({} if number == 0 else {"text": cell.shown}))
        return None
    if number in taken_numbers:
        first = next(iter(taken_numbers[number].values())).line
        notes.blocks("start-number-twice", **cell.place, number=number, first=first)
        return None
    return number


def parse_round(cell: FileCell, notes: Notes) -> int | None:
    number = read_short_whole(cell.text)
    if number and number <= MOST_ROUNDS:
        return number
    notes.blocks("table-round-not-read", **cell.place, text=cell.shown, most=MOST_ROUNDS)
    return None


def parse_sex(cell: FileCell, notes: Notes) -> Sex | None:
    sex = SEXES.get(cell.text.lower())
    if cell.text and not sex:
        notes.adjusts("sex-not-read", cell.line, cell.shown, "")
    return sex


def parse_birth(cell: FileCell, notes: Notes) -> tuple[int | None, date | None]:
    read = read_birth(cell.text)
    if read is None:
        notes.notice("birth-not-read", **cell.place, text=cell.shown)
        notes.adjusts("birth-not-read", cell.line, cell.shown, "")
    return read or (None, None)


def parse_nation(cell: FileCell, notes: Notes) -> str:
    nation = cell.text.upper()
    if nation and not _NATION.fullmatch(nation):
        note_left_out(cell, "nation", notes)
        return ""
    return nation


def parse_place(cell: FileCell, notes: Notes) -> int | None:
    place = read_short_whole(cell.text)
    if cell.text and not place:
        notes.blocks("table-place-not-read", **cell.place, text=cell.shown)
    return place or None


def parse_score(cell: FileCell, notes: Notes) -> Decimal:
    found = _POINTS.fullmatch(cell.text.replace("−", "-"))
    if not cell.text:
        return Decimal(0)
    if not found or found[0] in ("", "-"):
        note_left_out(cell, "points", notes)
        return Decimal(0)
    return Decimal(f"{found[1] or 0}.{'5' if found[3] else found[2] or 0}")


def parse_discs(cell: FileCell, notes: Notes) -> int | None:
    discs = read_short_whole(cell.text)
    if cell.text and discs is None:
        note_left_out(cell, "discs", notes)
    return discs


def note_left_out(cell: FileCell, column: str, notes: Notes) -> None:
    notes.notice("table-cell-not-read", **cell.place, named=column, text=cell.shown)
    notes.adjusts("table-cell-not-read", cell.line, cell.shown, "")


# ---- Games: each row is a game, or a bye if `second` is empty
RESULTS: dict[str, Result] = {
    **dict.fromkeys(("1-0", "1:0"), "1-0"),
    **dict.fromkeys(("0-1", "0:1"), "0-1"),
    **dict.fromkeys(("1/2", "1/2-1/2", "½", "½-½", "½:½", "0.5", "0.5-0.5", "0.5:0.5", "=", "=-="), "1/2"),
    **dict.fromkeys(("0-0", "0:0"), "0-0"),
    **dict.fromkeys(("+:-", "+-", "+--", "+/-"), "+:-"),
    **dict.fromkeys(("-:+", "-+", "--+", "-/+"), "-:+"),
    **dict.fromkeys(("-:-", "--", "---", "-/-"), "-:-"),
    "annulled": "annulled",
}
"""Results as people write them, without blanks and with points for decimal commas."""
BYES: dict[str, ByeKind] = {
    **{"pairing": "pairing", "bye": "pairing"},
    **{"full": "full", "half": "half", "zero": "zero"},
}
RESULT_POINTS: Mapping[Result, tuple[Decimal, Decimal]] = {
    "1-0": (Decimal(1), Decimal(0)),
    "0-1": (Decimal(0), Decimal(1)),
    "1/2": (Decimal("0.5"), Decimal("0.5")),
    "+:-": (Decimal(1), Decimal(0)),
    "-:+": (Decimal(0), Decimal(1)),
}
BYE_POINTS: Mapping[ByeKind, Decimal] = {"pairing": Decimal(1), "full": Decimal(1), "half": Decimal("0.5")}
_DASHES = str.maketrans({"–": "-", "—": "-", "−": "-", "‑": "-", ",": "."})
_DATED_HALF = re.compile(r"[0-9]{4}-(?:01-02|02-01)")
"""`1/2` changed into a date by a spreadsheet."""


@dataclass(slots=True)
class SheetGames:
    games: list[SheetGame] = field(default_factory=list)
    byes: list[SheetBye] = field(default_factory=list)

    @property
    def replaying_players(self) -> frozenset[int]:
        """The start numbers of those who played twice in a round; equal rows count as one, since a row may be
        a copy, which the points then show.
        """
        rows = {(game.round, game.first, game.second, game.result) for game in self.games}
        seats = Counter((round_, player) for round_, *pair, _result in rows for player in pair)
        return frozenset(player for (_round, player), games in seats.items() if games > 1)


def sum_points(play: SheetGames) -> Mapping[int, Decimal]:
    """The sums of points of games and byes, by start number."""
    counted: dict[int, Decimal] = defaultdict(Decimal)
    for game in play.games:
        first, second = RESULT_POINTS.get(game.result, (Decimal(0), Decimal(0)))
        counted[game.first] += first
        counted[game.second] += second
    for bye in play.byes:
        counted[bye.player] += BYE_POINTS.get(bye.kind, Decimal(0))
    return counted


def read_play(blocks: Iterable[Block], players: Mapping[int, SheetPlayer], notes: Notes) -> SheetGames:
    play = SheetGames()
    for block in blocks:
        if set(block.columns.values()) < {"round", "first", "second", "result"}:
            continue  # the header row is noted already
        for record in block.records:
            _read_record(record, players, play, notes)
    byes: dict[tuple[int, int], SheetBye] = {}
    for bye in play.byes:
        first = byes.setdefault((bye.round, bye.player), bye)
        if first is not bye:
            notes.blocks("table-bye-twice", bye.line, number=bye.player, round=bye.round, first=first.line)
    play.byes = list(byes.values())
    return sort_by_round(play, notes)


def sort_by_round(play: SheetGames, notes: Notes) -> SheetGames:
    """Put games and byes in the order of play: by round, then by row. Notes changes and missing rounds."""
    ordered = sorted(play.games, key=lambda game: game.round)
    if ordered != play.games:
        early = next(b for a, b in zip(play.games, play.games[1:], strict=False) if b.round < a.round)
        notes.notice("table-rounds-mixed", early.line, round=early.round)
        notes.adjusts("table-rounds-mixed", early.line, "", "")
        play.games = ordered
    play.byes.sort(key=lambda bye: bye.round)
    there = {game.round for game in play.games} | {bye.round for bye in play.byes}
    missing = [str(number) for number in range(1, max(there, default=0)) if number not in there]
    if missing:
        notes.notice("table-rounds-missing", rounds=", ".join(missing))
    return play


def _read_record(record: Record, players: Mapping[int, SheetPlayer], play: SheetGames, notes: Notes) -> None:
    round_ = parse_round(record["round"], notes)
    first = _parse_player(record["first"], players, notes)
    if not record["second"].text:
        kind = _parse_bye(record["result"], notes)
        if round_ and first and kind:
            play.byes.append(SheetBye(round_, first, kind, record["round"].line))
        return
    second = _parse_player(record["second"], players, notes)
    result = _parse_result(record["result"], notes)
    if not (round_ and first and second and result):
        return
    if first == second:
        notes.blocks("plays-self", **record["second"].place, number=first, round=round_)
        return
    play.games.append(SheetGame(round_, first, second, result, line=record["round"].line))
    if result == "0-0":
        names = {"number": first, "opponent": second, "round": round_}
        notes.notice("both-lost", **record["result"].place, **names)


def _parse_player(cell: FileCell, players: Mapping[int, SheetPlayer], notes: Notes) -> int | None:
    number = read_short_whole(cell.text)
    if number in players:
        return number
    key = "table-player-not-listed" if number else "table-player-not-read"
    notes.blocks(key, **cell.place, text=cell.shown)
    return None


def _parse_result(cell: FileCell, notes: Notes) -> Result | None:
    bare = cell.text.replace(" ", "").translate(_DASHES).lower()
    if _DATED_HALF.fullmatch(bare):
        notes.adjusts("table-half-as-date", cell.line, cell.shown, "1/2")
        return "1/2"
    result = RESULTS.get(bare)
    if result is None:
        known = bare in BYES
        key = "table-bye-with-second" if known else "table-result-not-read" if bare else "table-no-result"
        notes.blocks(key, **cell.place, **({"text": cell.shown} if bare else {}))
    return result


def _parse_bye(cell: FileCell, notes: Notes) -> ByeKind | None:
    kind = BYES.get(cell.text.lower())
    if kind is None:
        notes.blocks("table-bye-not-read", **cell.place, text=cell.shown)
    return kind


# ---- Lines of CSV
DELIMITERS = (",", ";", "\t")
MOST_COLUMNS = 200
MOST_CELLS = 200_000
_QUOTED = re.compile(r' *"((?:[^"]|"")*)" *')


def cleaned(text: str) -> str:
    """A cell's text in NFC with single blanks, and without the apostrophes that disarm formulas."""
    return rearm_cell(" ".join(unicodedata.normalize("NFC", text).split()))


def is_delimiter_line(line: str) -> bool:
    """Whether the line is `sep=;`, the first of some spreadsheets' CSV."""
    return re.fullmatch(r"sep=.?", line.strip(" "), re.IGNORECASE) is not None


class Splitter:
    """Splits the lines of one file into cells, up to `MOST_CELLS`."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._room = MOST_CELLS

    def split(self, line: str, number: int, delimiter: str) -> Cells | None:
        """The cells of a line, with the columns where they begin; None with a note if there are too many."""
        cells = tuple(islice(_cells(line, number, delimiter, self._notes), MOST_COLUMNS + 1))
        self._room -= len(cells)
        if len(cells) > MOST_COLUMNS:
            self._notes.blocks("table-too-wide", **cells[MOST_COLUMNS].place, most=MOST_COLUMNS)
            return None
        if self._room < 0:
            self._notes.blocks("table-too-many-cells", number, most=MOST_CELLS)
            return None
        return cells


def _cells(line: str, number: int, delimiter: str, notes: Notes) -> Iterator[FileCell]:
    at = 0
    while at <= len(line):
        quoted = _QUOTED.match(line, at)
        if quoted and line[quoted.end() : quoted.end() + 1] in ("", delimiter):
            text, end = quoted[1].replace('""', '"'), quoted.end()
        else:
            end = line.find(delimiter, at)
            end = end if end >= 0 else len(line)
            text = line[at:end]
            if text.lstrip(" ").startswith('"'):
                notes.blocks("table-quote-open", number, at + 1)
        yield FileCell(cleaned(text), number, at + 1)
        at = end + 1


# ---- The table as a sheet
TABLE = "table"
"""The family of its sheets. It is no `FileKind` that offices name, because every federation reads it."""
KINDS: tuple[FileKind, ...] = ()
DIALECT = "Table"
_KNOWN = frozenset(name for columns in COLUMNS.values() for name in columns)


@dataclass(slots=True)
class PlainTablePlayers:
    rows: list[SheetPlayer] = field(default_factory=list)
    cells: dict[int, Record] = field(default_factory=dict)
    """By start number."""
    teams: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    has_points: bool = False


def knows(headings: Sequence[str]) -> int:
    return len(_KNOWN.intersection(headings)) if find_table_kind(headings) else 0


def read_sheets(sheets: Iterable[Iterable[Cells]], notes: Notes, encoding: str = "utf-8") -> Reading:
    """Read a plain table from rows of cells, sheet by sheet (a CSV is one sheet)."""
    blocks = split_blocks(sheets, notes)
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
        rows=tuple(_add_points(players, play, notes)),
        games=tuple(play.games),
        byes=tuple(play.byes),
        teams=tuple(
            Team(name, tuple(members), players.cells[members[0]]["team"].line)
            for name, members in players.teams.items()
        ),
        unused=tuple(blocks.unused),
        encoding=encoding,
    )


def _add_points(players: PlainTablePlayers, play: SheetGames, notes: Notes) -> Iterable[SheetPlayer]:
    """Yield the rows with points: the file's, else the sum of the results. A difference is noted, but not of
    those who played twice in a round, because the federation says what a replay is worth.
    """
    counted, replayed = sum_points(play), play.replaying_players
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


def _read_players(block: Block, notes: Notes) -> PlainTablePlayers:
    players = PlainTablePlayers(has_points="points" in block.columns.values())
    for at, record in enumerate(block.records, 1):
        number = parse_start_number(record["number"], players.cells, notes) if "number" in record else at
        if number is None:
            continue
        surname, first_name = _split_name(record, number, notes)
        born, birth = parse_birth(record.get("birth", EMPTY), notes)
        row = SheetPlayer(
            start_number=number,
            name=join_name(surname, first_name),
            surname=surname,
            first_name=first_name,
            sex=parse_sex(record.get("sex", EMPTY), notes),
            federation=parse_nation(record.get("nation", EMPTY), notes),
            identifier=record.get("id", EMPTY).text or None,
            born=born,
            birth=birth,
            points=parse_score(record.get("points", EMPTY), notes),
            place=parse_place(record.get("place", EMPTY), notes),
            discs=parse_discs(record.get("discs", EMPTY), notes),
            line=next(iter(record.values())).line,
        )
        players.rows.append(row)
        players.cells[number] = record
        if team := record.get("team", EMPTY).text:
            players.teams[team].append(number)
    _check_twins(players, notes)
    whole = [row for row in players.rows if not row.first_name and row.surname]
    if whole and "name" in block.columns.values():
        sample = whole[0]
        notes.notice("names-not-parted", sample.line, count=len(whole), sample=sample.name)
    return players


def _split_name(record: Record, number: int, notes: Notes) -> tuple[str, str]:
    cell, first_name = record.get("surname"), record.get("first name", EMPTY).text
    if cell is not None:
        surname = cell.text
    else:
        cell = record["name"]
        surname, _, rest = (part.strip() for part in cell.text.partition(","))
        first_name = rest or first_name
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


# ---- Writers, for sheets and for empty tables that people fill in. `read(write(sheet)).sheet == sheet` for
# every sheet that was read from such a table.
Value = int | Decimal | str | None
UTF8_MARK = "\ufeff".encode()
"""The mark by which spreadsheet programs recognise UTF-8."""
TEXT_FORMAT = "@"
TEXT_COLUMNS = frozenset({"id", "birth", "result"})
"""Columns that a spreadsheet must not take for numbers or dates: `1/2` is a draw and no day."""
ALWAYS_WRITTEN_COLUMNS = ("number", "surname", "first name")


@dataclass(frozen=True, slots=True)
class OutputTable:
    """A table to be written, as CSV or as a worksheet."""

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
    return render_csv(make_sheet_tables(sheet), delimiter)


def write_xlsx(sheet: Sheet) -> bytes:
    return render_xlsx(make_sheet_tables(sheet))


def render_csv(tables: Iterable[OutputTable], delimiter: str = ",") -> bytes:
    """The tables as CSV, with an empty line between them; cells of text are disarmed."""
    parts = (csv_bytes([c.name for c in t.columns], map(_texts, t.rows), delimiter) for t in tables)
    return UTF8_MARK + b"\r\n".join(parts)


def render_xlsx(tables: Iterable[OutputTable]) -> bytes:
    """A workbook with a worksheet for each table. Text is stored as text, so that it is no formula."""
    # Here, as it takes a tenth of a second, and each command and each box would wait for it.
    from openpyxl import Workbook
    from openpyxl.comments import Comment
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    book = Workbook()
    book.remove(book.worksheets[0])
    for table in tables:
        page = book.create_sheet(table.title)
        page.freeze_panes = "A2"
        for at, column in enumerate(table.columns, 1):
            dimension = page.column_dimensions[get_column_letter(at)]
            dimension.width = column.width
            if column.name in TEXT_COLUMNS:
                dimension.number_format = TEXT_FORMAT
            head = page.cell(1, at, column.name)
            head.font = Font(bold=True)
            if at <= len(table.help):
                head.comment = Comment(table.help[at - 1], "", height=90, width=260)
        for line, row in enumerate(table.rows, 2):
            for at, value in enumerate(row, 1):
                if value not in (None, ""):
                    _set_value(page.cell(line, at), value)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def make_sheet_tables(sheet: Sheet) -> list[OutputTable]:
    """The tables of a sheet: players, with the columns that hold anything; games and byes, if any."""
    teams = {member: team.name for team in sheet.teams for member in team.members}
    records = [{name: value(row, teams) for name, value in _VALUES.items()} for row in sheet.rows]
    columns = tuple(
        c
        for c in PLAYER_TABLE_COLUMNS
        if c.name in ALWAYS_WRITTEN_COLUMNS or any(record[c.name] for record in records)
    )
    players = tuple(tuple(record[column.name] for column in columns) for record in records)
    tables = [OutputTable("Players", columns, players)]
    if games := tuple(_play(sheet)):
        tables.append(OutputTable("Games", GAME_TABLE_COLUMNS, games))
    return tables


_VALUES: dict[str, Callable[[SheetPlayer, dict[int, str]], Value]] = {
    "number": lambda row, teams: row.start_number,
    "id": lambda row, teams: row.identifier or _get_other_id(row),
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


def _get_other_id(row: SheetPlayer) -> str | None:
    return next((other.value for other in row.other_ids if not other.is_provisional), None)


def _play(sheet: Sheet) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of the table of games by round, in each its games, then its byes."""
    rows: list[tuple[int, tuple[Value, ...]]] = []
    rows += [(game.round, (game.round, game.first, game.second, game.result)) for game in sheet.games]
    rows += [(bye.round, (bye.round, bye.player, None, bye.kind)) for bye in sheet.byes]
    yield from (row for _round, row in sorted(rows, key=lambda row: row[0]))


def _texts(row: Sequence[Value]) -> list[str]:
    return [
        disarm_cell(value) if isinstance(value, str) and not _is_forfeit(value) else _text(value)
        for value in row
    ]


def _is_forfeit(value: str) -> bool:
    """Whether a value is the result of a forfeit, which begins like a formula but is no user's text."""
    return value in ("+:-", "-:+", "-:-")


def _text(value: Value) -> str:
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return "" if value is None else str(value)


def _set_value(cell: Any, value: Value) -> None:
    if isinstance(value, str):
        cell.value = disarm_cell(value) if not _is_forfeit(value) else value
        cell.data_type, cell.number_format = "s", TEXT_FORMAT
    else:
        cell.value = value
