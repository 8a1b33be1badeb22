"""Reads and writes the plain table that anybody can fill in, as CSV or as a workbook.

Header rows divide the cells into blocks; a block of players and blocks of games make a sheet.
"""

import io
import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from ratings.rulesets.downloads import csv_bytes, heading_in
from ratings.rulesets.facts import gettext_noop as _
from tournaments.formats.sheet import (
    ByeKind,
    FileKind,
    NoSheet,
    Notes,
    Reading,
    Result,
    Sheet,
    SheetBye,
    SheetGame,
    SheetGames,
    SheetPlayer,
    Team,
    Unused,
)
from tournaments.formats.table_rows import (
    EMPTY,
    Block,
    Cells,
    FileCell,
    Layout,
    Record,
    block_equal_ids,
    find_layout,
    make_unused,
    note_names_not_parted,
    number_records,
    parse_round,
    read_player,
    read_short_whole,
    split_rows,
    sum_points,
    write_cells,
)

# ---- Columns, for the reader, the writers, the template that people download and the help beside it


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
_PLAYER_HEADINGS = frozenset(column.name for column in (*PLAYER_TABLE_COLUMNS, NAME_COLUMN))
GAMES = Layout(
    "games",
    {column.name: column.name for column in GAME_TABLE_COLUMNS},
    lambda headings: {"first", "second"} <= headings and bool(headings & {"round", "result"}),
)
PLAYERS = Layout(
    "players",
    {column.name: column.name for column in PLAYER_TABLE_COLUMNS},
    lambda headings: "surname" in headings and len(headings & _PLAYER_HEADINGS) > 1,
    {column.name: column.most for column in (*PLAYER_TABLE_COLUMNS, NAME_COLUMN)},
    parse_ids=lambda record, _notes: (record.get("id", EMPTY).text or None, ()),
    id_columns={"id": lambda cell: cell.text},
)
LAYOUTS = (
    GAMES,
    PLAYERS,
    replace(
        PLAYERS,
        columns={**PLAYERS.columns, NAME_COLUMN.name: NAME_COLUMN.name},
        fits=lambda headings: "name" in headings and len(headings & _PLAYER_HEADINGS) > 1,
    ),
)


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
_DASHES = str.maketrans({"–": "-", "—": "-", "−": "-", "‑": "-", ",": "."})
_DATED_HALF = re.compile(r"[0-9]{4}-(?:01-02|02-01)")
"""`1/2` changed into a date by a spreadsheet."""


def read_play(blocks: Iterable[Block], players: Container[int], notes: Notes) -> SheetGames:
    play = SheetGames()
    for block in blocks:
        if set(block.columns.values()) < GAMES.columns.keys():
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


def _read_record(record: Record, players: Container[int], play: SheetGames, notes: Notes) -> None:
    round_ = parse_round(record["round"], notes)
    first = _parse_player(record["first"], players, notes)
    if not record["second"].text:
        cell = record["result"]
        kind = BYES.get(cell.text.lower())
        if kind is None:
            notes.blocks("table-bye-not-read", **cell.place, text=cell.shown)
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


def _parse_player(cell: FileCell, players: Container[int], notes: Notes) -> int | None:
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


# ---- The table as a sheet
TABLE = "table"
"""The family of its sheets. It is no `FileKind` that offices name, because every federation reads it."""
KINDS: tuple[FileKind, ...] = ()
DIALECT = "Table"


def knows(headings: Sequence[str]) -> int:
    return (
        len({*GAMES.columns, *_PLAYER_HEADINGS}.intersection(headings))
        if find_layout(LAYOUTS, headings)
        else 0
    )


def read_sheets(sheets: Iterable[Iterable[Cells]], notes: Notes, encoding: str = "utf-8") -> Reading:
    """Read a plain table from rows of cells, sheet by sheet (a CSV is one sheet)."""
    unused, blocks = list[Unused](), list[Block]()
    for worksheet in sheets:
        above, found = split_rows(worksheet, LAYOUTS, notes)
        unused += map(make_unused, above)
        blocks += found
    listed = [block for block in blocks if block.layout.code == PLAYERS.code]
    games = [block for block in blocks if block.layout is GAMES]
    for second in listed[1:]:
        notes.blocks("table-players-twice", **second.head[0].place, first=listed[0].head[0].line)
    for block in games:
        if missing := [name for name in GAMES.columns if name not in block.columns.values()]:
            notes.blocks("table-column-missing", **block.head[0].place, columns=", ".join(missing))
    if unused and blocks:
        notes.notice("table-above-header", unused[0].line, count=len(unused))
    if not listed or not listed[0].records:
        place = games[0].head[0] if games else listed[0].head[0] if listed else EMPTY
        raise notes.refusal("table-no-players", place.line or None, place.column or None, where=place.where)
    records = number_records(listed[0], notes)
    rows = [read_player(number, record, PLAYERS, notes) for number, record in records.items()]
    block_equal_ids(rows, records, PLAYERS, notes)
    if "name" in listed[0].columns.values():
        note_names_not_parted((row for row in rows if row.surname), notes)
    if not rows:
        raise NoSheet
    teams = defaultdict[str, list[int]](list)
    for number, record in records.items():
        if team := record.get("team", EMPTY).text:
            teams[team].append(number)
    play = read_play(games, records, notes)
    sheet = Sheet(
        dialect=DIALECT,
        family=TABLE,
        rounds_played=play.last_round,
        rows=tuple(_add_points(rows, records, play, notes)),
        games=tuple(play.games),
        byes=tuple(play.byes),
        teams=tuple(
            Team(name, tuple(members), records[members[0]]["team"].line) for name, members in teams.items()
        ),
        unused=tuple(unused),
        encoding=encoding,
    )
    return notes.reading(sheet)


def _add_points(
    rows: Iterable[SheetPlayer], records: Mapping[int, Record], play: SheetGames, notes: Notes
) -> Iterator[SheetPlayer]:
    """Yield the rows with points: the file's, else the sum of the results. A difference is noted, but not of
    those who played twice in a round, because the federation says what a replay is worth.
    """
    counted, replayed = sum_points(play), play.replaying_players
    for row in rows:
        total = counted.get(row.start_number, Decimal(0))
        filed = records[row.start_number].get("points", EMPTY)
        if not filed.text:
            yield replace(row, points=total)
            continue
        if play.games and row.start_number not in replayed and row.points != total:
            sums = {"filed": f"{row.points:f}", "counted": f"{total:f}"}
            notes.notice("points-differ", **filed.place, number=row.start_number, **sums)
        yield row


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
    language: str = "en"
    """The language of the headings."""

    @property
    def headings(self) -> list[str]:
        return [heading_in(self.language, column.name) for column in self.columns]

    @property
    def about(self) -> list[tuple[str, str]]:
        return list(zip(self.headings, self.help, strict=True))


def write_csv(sheet: Sheet) -> bytes:
    return render_csv(make_sheet_tables(sheet))


def render_csv(tables: Iterable[OutputTable], delimiter: str = ",") -> bytes:
    """The tables as CSV, with an empty line between them; cells of text are disarmed."""
    parts = (csv_bytes(t.headings, map(write_cells, t.rows), delimiter) for t in tables)
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
        for at, (column, heading) in enumerate(zip(table.columns, table.headings, strict=True), 1):
            dimension = page.column_dimensions[get_column_letter(at)]
            dimension.width = column.width
            if column.name in TEXT_COLUMNS:
                dimension.number_format = TEXT_FORMAT
            head = page.cell(1, at, heading)
            head.font = Font(bold=True)
            if at <= len(table.help):
                head.comment = Comment(table.help[at - 1], "", height=90, width=260)
        for line, row in enumerate(table.rows, 2):
            for at, value in enumerate(row, 1):
                if value not in (None, ""):
                    cell = page.cell(line, at)
                    if isinstance(value, str):
                        [cell.value] = write_cells([value])
                        cell.data_type, cell.number_format = "s", TEXT_FORMAT
                    else:
                        cell.value = value
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
