"""Reads Swiss-Manager's two text exports, which make a section together.

The players (`Spielerdaten`) and the pairings (`Spielerauslosung`) come in one file below each other, or in
one ZIP; the pairings in any number of parts. Rounds in which the pairings do not name a player are decided by
the points, or a person is asked.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import Literal

from ratings.rulesets.facts import gettext_noop as _
from tournaments.formats import plain_table
from tournaments.formats.sheet import (
    ByeKind,
    FileKind,
    FileSource,
    Notes,
    OtherId,
    Param,
    Reading,
    Result,
    Sheet,
    SheetBye,
    SheetGame,
    SheetPlayer,
    Unused,
)
from tournaments.formats.text import Text, ZipMember, printable_name, to_text

# ---- Players (`Spielerdaten`)
ID_COLUMNS = ("national id", "fide id")
_TITLE = re.compile(r"[A-Z]{1,3}")
_ID = re.compile(r"[0-9A-Za-z/._-]{1,30}")
_NO_ID = "0.-"


@dataclass(slots=True)
class SwissManagerPlayers:
    rows: dict[int, SheetPlayer] = field(default_factory=dict)
    """By start number, in the file's order."""
    cells: dict[int, plain_table.Record] = field(default_factory=dict)
    has_points: bool = False


def read_players(
    records: Iterable[plain_table.Record], has_points: bool, notes: Notes
) -> SwissManagerPlayers:
    players = SwissManagerPlayers(has_points=has_points)
    for record in records:
        cell = record.get("number", plain_table.EMPTY)
        number = plain_table.parse_start_number(cell, players.cells, notes)
        if number:
            players.cells[number] = record
            players.rows[number] = make_row(record, number, notes)
    check_ids_and_names(players.rows.values(), players.cells, notes)
    return players


def check_ids_and_names(
    rows: Collection[SheetPlayer], cells: Mapping[int, plain_table.Record], notes: Notes
) -> None:
    """Block ids that two players have, and note once that names are not divided by commas."""
    for column in ID_COLUMNS:
        first: dict[str, SheetPlayer] = {}
        for row in rows:
            cell = cells[row.start_number].get(column, plain_table.EMPTY)
            id_ = parse_id(cell)
            if id_ and first.setdefault(id_, row) is not row:
                notes.blocks("identifier-twice", **cell.place, id=id_, first=first[id_].line)
    whole = [row for row in rows if not row.first_name]
    if whole:
        notes.notice("names-not-parted", whole[0].line, count=len(whole), sample=whole[0].name)


def parse_id(cell: plain_table.FileCell) -> str:
    """The id in a cell; empty for `0` and `-`, which mean none, and for what cannot be an id."""
    text = cell.text.removesuffix(".0")
    return text if text.strip(_NO_ID) and _ID.fullmatch(text) else ""


def make_row(
    record: plain_table.Record, number: int, notes: Notes, place_column: str = "place"
) -> SheetPlayer:
    """Read a record into a player. `place_column`: the name of the column with the final place."""
    surname, first_name = _split_name(record, number, notes)
    born, birth = plain_table.parse_birth(record.get("birth", plain_table.EMPTY), notes)
    identifier, other_ids = _parse_ids(record, notes)
    cell = record.get("rating", plain_table.EMPTY)
    rating = plain_table.read_short_whole(cell.text)
    if cell.text and rating is None:
        plain_table.note_left_out(cell, "rating", notes)
    return SheetPlayer(
        start_number=number,
        name=plain_table.join_name(surname, first_name),
        surname=surname,
        first_name=first_name,
        sex=plain_table.parse_sex(record.get("sex", plain_table.EMPTY), notes),
        title=_parse_title(record.get("title", plain_table.EMPTY), notes),
        rating=rating or None,
        federation=plain_table.parse_nation(record.get("nation", plain_table.EMPTY), notes),
        identifier=identifier,
        born=born,
        birth=birth,
        points=plain_table.parse_score(record.get("points", plain_table.EMPTY), notes),
        place=plain_table.parse_place(record.get(place_column, plain_table.EMPTY), notes),
        other_ids=other_ids,
        line=next(iter(record.values())).line,
    )


def _split_name(record: plain_table.Record, number: int, notes: Notes) -> tuple[str, str]:
    """Surname and first name, from two columns or from one with a comma; a note if there is no surname."""
    cell = record.get("surname", plain_table.EMPTY)
    if cell.text:
        return cell.text, record.get("first name", plain_table.EMPTY).text
    cell = record.get("name", cell)
    surname, _, first_name = (part.strip() for part in cell.text.partition(","))
    if not surname:
        notes.blocks("table-no-surname", **cell.place, number=number)
    return surname, first_name


def _parse_ids(record: plain_table.Record, notes: Notes) -> tuple[str | None, tuple[OtherId, ...]]:
    """The national id, and FIDE's as another id; or FIDE's alone."""
    for column in ID_COLUMNS:
        cell = record.get(column, plain_table.EMPTY)
        if cell.text.strip(_NO_ID) and not parse_id(cell):
            plain_table.note_left_out(cell, column, notes)
    national, fide = (parse_id(record.get(column, plain_table.EMPTY)) for column in ID_COLUMNS)
    other_ids = (OtherId("fide", fide),) if national and fide and national != fide else ()
    return national or fide or None, other_ids


def _parse_title(cell: plain_table.FileCell, notes: Notes) -> str:
    title = cell.text.upper()
    if title and not _TITLE.fullmatch(title):
        plain_table.note_left_out(cell, "title", notes)
        return ""
    return title


# ---- Games and the pairing's byes (`Spielerauslosung`)
FORFEIT = "K"
FiledResult = tuple[str, str, str]
"""The points of both sides, and `K` for a forfeit."""
RESULTS: Mapping[FiledResult, Result] = {
    ("1", "0", ""): "1-0",
    ("0", "1", ""): "0-1",
    ("0.5", "0.5", ""): "1/2",
    ("1", "0", FORFEIT): "+:-",
    ("0", "1", FORFEIT): "-:+",
    ("0", "0", FORFEIT): "-:-",
}
NOT_PLAYED = ("0", "0", "")  # 0:0 that is no forfeit
BYE = "-1"
_TIME = re.compile(r"0?([01]):0([01])(?::00)?")
"""`1:0` changed into a time by a spreadsheet."""


@dataclass(slots=True)
class SwissManagerGames:
    games: list[SheetGame] = field(default_factory=list)
    byes: list[SheetBye] = field(default_factory=list)
    counted: dict[int, Decimal] = field(default_factory=lambda: defaultdict(Decimal))
    """The sums of points, by start number."""
    seats: dict[tuple[int, int], plain_table.FileCell] = field(default_factory=dict)
    """The cells by round and start number; in an archive, lines of two files may have the same number."""
    unread: set[int] = field(default_factory=set)
    """Start numbers of players with an unreadable line: their points are not compared."""

    @property
    def last_round(self) -> int:
        return max((round_ for round_, _ in self.seats), default=0)


@dataclass(slots=True)
class _Collected:
    """Cells for findings that are made once for many lines."""

    not_played: dict[int, list[plain_table.FileCell]] = field(default_factory=lambda: defaultdict(list))
    other_ids: list[plain_table.FileCell] = field(default_factory=list)


def read_play(
    records: Iterable[plain_table.Record], players: SwissManagerPlayers, notes: Notes
) -> SwissManagerGames:
    play, collected = SwissManagerGames(), _Collected()
    for record in records:
        _read_record(record, players, play, collected, notes)
    for round_, cells in collected.not_played.items():
        notes.blocks("round-unfinished", **cells[0].place, round=round_, games=len(cells))
    if collected.other_ids:
        cell = collected.other_ids[0]
        notes.asks("sm-other-ids", **cell.place, id=cell.shown, count=len(collected.other_ids))
    # Rounds may be missing because the export asks for a range of rounds.
    there = {round_ for round_, _ in play.seats}
    missing = [str(number) for number in range(1, play.last_round) if number not in there]
    if not there:
        notes.blocks("sm-no-pairings")
    elif missing:
        notes.blocks("sm-rounds-missing", rounds=", ".join(missing))
    return play


def _read_record(
    record: plain_table.Record,
    players: SwissManagerPlayers,
    play: SwissManagerGames,
    collected: _Collected,
    notes: Notes,
) -> None:
    round_ = plain_table.parse_round(record.get("round", plain_table.EMPTY), notes)
    first = _parse_player(record.get("first", plain_table.EMPTY), players, notes)
    second_cell = record.get("second", plain_table.EMPTY)
    second = None if second_cell.text == BYE else _parse_player(second_cell, players, notes)
    if not round_ or not first or (second is None and second_cell.text != BYE):
        play.unread |= {number for number in (first, second) if number}
        return
    if first == second:
        notes.blocks("plays-self", **second_cell.place, number=first, round=round_)
        return
    if not _seat(round_, [first, second] if second else [first], record, play, notes):
        return
    _check_ids(record, players, collected)
    if second is None:
        play.byes.append(SheetBye(round_, first, "pairing", record["round"].line))
        worth = _normalize_points(record.get("first points", plain_table.EMPTY).text)
        play.counted[first] += Decimal(worth) if worth in ("1", "0.5") else ONE
        return
    filed = _parse_result(record, notes)
    if filed is None or filed == NOT_PLAYED:
        play.unread |= {first, second}
    if filed == NOT_PLAYED:
        collected.not_played[round_].append(record["result"])
    elif filed:
        result = RESULTS[filed]
        play.games.append(SheetGame(round_, first, second, result, line=record["round"].line))
        points = plain_table.RESULT_POINTS.get(result, (NOUGHT, NOUGHT))
        play.counted[first] += points[0]
        play.counted[second] += points[1]


def _parse_player(cell: plain_table.FileCell, players: SwissManagerPlayers, notes: Notes) -> int | None:
    number = plain_table.read_short_whole(cell.text)
    if number in players.rows:
        return number
    notes.blocks("sm-player-not-listed" if number else "sm-player-not-read", **cell.place, text=cell.shown)
    return None


def _seat(
    round_: int, numbers: list[int], record: plain_table.Record, play: SwissManagerGames, notes: Notes
) -> bool:
    """Seat the players of a line; False with a note if one has a seat in the round already, because the file
    holds two tournaments or exports.
    """
    cell = record["first"]
    for number in numbers:
        first = play.seats.setdefault((round_, number), cell)
        if first is not cell:
            params = {"number": number, "round": round_, "first": first.where or first.line}
            notes.blocks("sm-twice-in-round", **cell.place, **params)
            return False
    return True


def _check_ids(record: plain_table.Record, players: SwissManagerPlayers, collected: _Collected) -> None:
    """Collect ids in a pairing that are not those of its players."""
    for side in ("first", "second"):
        cell, number = (
            record.get(f"{side} id", plain_table.EMPTY),
            plain_table.read_short_whole(record[side].text),
        )
        player = players.cells.get(number or 0, {})
        known = {parse_id(player.get(column, plain_table.EMPTY)) for column in ID_COLUMNS} - {""}
        if number and known and parse_id(cell) and parse_id(cell) not in known:
            collected.other_ids.append(cell)


def _parse_result(record: plain_table.Record, notes: Notes) -> FiledResult | None:
    """The result, which a line has twice, as `1:0K` and in the columns `ErgW`, `ErgS` and `Kontumaz`. None
    with a note if they differ or cannot be read.
    """
    cell = record.get("result", plain_table.EMPTY)
    bare = cell.text.replace(" ", "").upper()
    first, _, second = bare.removesuffix(FORFEIT).partition(":")
    result = (_normalize_points(first), _normalize_points(second), FORFEIT if bare.endswith(FORFEIT) else "")
    columns: FiledResult | None = None
    if {"first points", "second points", "forfeit"} <= record.keys():
        first, second = (_normalize_points(record[name].text) for name in ("first points", "second points"))
        columns = (first, second, record["forfeit"].text.upper())
    if columns and (time := _TIME.fullmatch(bare)) and (time[1], time[2], "") == columns != result:
        notes.adjusts("sm-result-as-time", cell.line, cell.shown, ":".join(columns[:2]))
        return columns
    if result not in RESULTS and result != NOT_PLAYED:
        notes.blocks("sm-result-not-read", **cell.place, text=cell.shown)
    elif columns and columns != result:
        notes.blocks("sm-results-differ", **cell.place, text=cell.shown, other="; ".join(columns))
    else:
        return result
    return None


def _normalize_points(text: str) -> str:
    """Points in one spelling: `0,5` and `½` are `0.5`."""
    return text.replace("½", "0.5").replace(",", ".").removesuffix(".0")


# ---- Rounds in which the pairings do not name a player: an absence, or a bye that was asked for. The points
# decide if they allow one answer; otherwise a person is asked.
NOUGHT, HALF, ONE = Decimal(0), Decimal("0.5"), Decimal(1)
_ADJUSTMENTS: Mapping[ByeKind | None, str] = {
    "zero": "sm-absent-zero",
    "half": "sm-absent-half",
    "full": "sm-absent-full",
    None: "sm-absent-unclear",
}
_NOTICES: Mapping[ByeKind, str] = {"half": "sm-bye-half", "full": "sm-bye-full"}
MANY_MISFITS = Decimal("0.5")
"""The share of players whose points do not fit, above which all points are of another round."""


@dataclass(frozen=True, slots=True)
class _Standing:
    row: SheetPlayer
    counted: Decimal
    absent: tuple[int, ...]
    """The rounds that do not name the player."""

    @property
    def excess(self) -> Decimal:
        """The player's points in the file beyond those of the results."""
        return self.row.points - self.counted

    @property
    def misfits(self) -> bool:
        return self.excess < 0 or self.excess > len(self.absent)

    @property
    def kind(self) -> ByeKind | None:
        """The kind of bye in all rounds of absence; None unless the points allow one answer."""
        kinds: dict[Decimal, ByeKind] = {ONE * len(self.absent): "full", NOUGHT: "zero"}
        if len(self.absent) == 1:
            kinds[HALF] = "half"
        return kinds.get(self.excess)


def add_absence_byes(
    players: SwissManagerPlayers, play: SwissManagerGames, notes: Notes
) -> Iterable[SheetPlayer]:
    """The rows with their points; adds a bye to `play` for each round that does not name a player."""
    standings = {n: _get_standing(row, play) for n, row in players.rows.items() if n not in play.unread}
    finish: Callable[[_Standing, SwissManagerGames, Notes], SheetPlayer] = partial(
        _finish_by_points, players=players
    )
    misfits = [standing for standing in standings.values() if standing.misfits]
    if not players.has_points or not any(row.points for row in players.rows.values()):
        finish = _finish_without_points
    elif len(misfits) > MANY_MISFITS * len(standings):
        notes.asks("sm-points-of-another-round", misfits[0].row.line, count=len(misfits))
        finish = _finish_without_points
    return [finish(standings[n], play, notes) if n in standings else row for n, row in players.rows.items()]


def _get_standing(row: SheetPlayer, play: SwissManagerGames) -> _Standing:
    number = row.start_number
    rounds = range(1, play.last_round + 1)
    absent = tuple(round_ for round_ in rounds if (round_, number) not in play.seats)
    return _Standing(row, play.counted.get(number, NOUGHT), absent)


def _finish_by_points(
    standing: _Standing, play: SwissManagerGames, notes: Notes, *, players: SwissManagerPlayers
) -> SheetPlayer:
    row, place = standing.row, players.cells[standing.row.start_number]["points"].place
    sums = {"filed": f"{row.points:f}", "counted": f"{standing.counted:f}"}
    if not standing.absent:
        if standing.misfits:
            notes.notice("points-differ", **place, number=row.start_number, **sums)
        return row
    kind = standing.kind
    params: dict[str, Param] = {"number": row.start_number, "rounds": _list_rounds(standing.absent), **sums}
    if kind is None:
        notes.asks("sm-absences-unclear", **place, **params)
    elif kind in _NOTICES:
        notes.notice(_NOTICES[kind], **place, **params)
    _add_byes(standing, kind, play, notes)
    return row


def _finish_without_points(standing: _Standing, play: SwissManagerGames, notes: Notes) -> SheetPlayer:
    """Give a player the points of the results, and ask a person for the kind of absences."""
    row = standing.row
    if row.points != standing.counted:
        before = f"{row.points:f}" if row.points else ""
        notes.adjusts("points-missing", row.line, before, f"{standing.counted:f}")
    if standing.absent:
        rounds = _list_rounds(standing.absent)
        notes.asks("sm-absences-open", row.line, number=row.start_number, rounds=rounds)
        _add_byes(standing, None, play, notes)
    return replace(row, points=standing.counted)


def _add_byes(standing: _Standing, kind: ByeKind | None, play: SwissManagerGames, notes: Notes) -> None:
    """Add a bye for each round of absence; without points if the kind is not known."""
    row, read_as, rounds = standing.row, kind or "zero", _list_rounds(standing.absent)
    play.byes += [SheetBye(round_, row.start_number, read_as, row.line) for round_ in standing.absent]
    notes.adjusts(_ADJUSTMENTS[kind], row.line, f"{rounds}: –", f"{rounds}: {read_as}")


def _list_rounds(rounds: Iterable[int]) -> str:
    return ", ".join(map(str, rounds))


# ---- Columns
Kind = Literal["players", "pairings"]
MOST_TIE_BREAKS = 12
COLUMNS: Mapping[Kind, Mapping[str, str]] = {
    "players": {
        "nr": "number",
        "name": "name",
        "nachname": "surname",
        "vorname": "first name",
        "titel": "title",
        "identnr": "national id",
        "fideident": "fide id",
        "eloint": "rating",
        "geburt": "birth",
        "fed": "nation",
        "sex": "sex",
        "pkt": "points",
        "rang": "place",
        **dict.fromkeys(("elonat", "typ", "gr", "klubnr", "klub", "quelle", "atitel"), ""),
        **{f"wtg{number}": "" for number in range(1, MOST_TIE_BREAKS + 1)},
    },
    "pairings": {
        "runde": "round",
        "nrw": "first",
        "nrs": "second",
        "identw": "first id",
        "idents": "second id",
        "ergw": "first points",
        "ergs": "second points",
        "kontumaz": "forfeit",
        "erg": "result",
        **dict.fromkeys(("brett", "mnr", "ergelow", "ergelos"), ""),
    },
}
"""Columns by their headings; empty if the column is ignored."""
NEEDED_COLUMNS: Mapping[Kind, tuple[str, ...]] = {
    "players": ("Nr", "Nachname"),
    "pairings": ("Runde", "NrW", "NrS", "Erg"),
}
LONGEST_CELLS = {"name": 100, "surname": 100, "first name": 100, "national id": 30, "fide id": 30}
"""The most characters of a cell, where it is not the common number."""
_MARKS: Mapping[Kind, tuple[frozenset[str], ...]] = {
    "pairings": (frozenset({"runde", "nrw", "nrs"}),),
    "players": (frozenset({"nr", "nachname"}), frozenset({"nr", "name", "eloint"})),
}


def find_export_kind(cells: Iterable[str]) -> Kind | None:
    """The kind of export whose header row these cells are, if any."""
    there = {plain_table.normalize_column_heading(cell) for cell in cells}
    return next((kind for kind, marks in _MARKS.items() if any(mark <= there for mark in marks)), None)


# ---- The two exports together
_SOURCE = FileSource(
    "Swiss-Manager",
    _("Extras, then data import/export: player data and pairings as text files, both in one ZIP"),
    by_description=True,
)
SWISS_MANAGER = FileKind("swiss-manager", _("Swiss-Manager’s text tables"), (_SOURCE,))
KINDS: tuple[FileKind, ...] = (SWISS_MANAGER,)
DIALECT = "Swiss-Manager text"
LONGEST_NAME = 40  # characters of a file's name that a place gives
_HEAD_BYTES = 1000


@dataclass(slots=True)
class SwissManagerTable:
    kind: Kind
    head: plain_table.FileCell
    delimiter: str
    columns: dict[int, str]
    width: int
    records: list[plain_table.Record] = field(default_factory=list)


def recognises(text: Text) -> bool:
    return any(map(_parse_header, text.lines))


def belong_together(parts: Sequence[ZipMember]) -> bool:
    """Whether these files of an archive are one section: one table of players, and pairings."""
    kinds = [kind for kind in map(find_part_kind, parts) if kind]
    return len(kinds) == len(parts) > 1 and kinds.count("players") == 1


def read_text(text: Text, notes: Notes) -> Reading:
    tables, unused = list[SwissManagerTable](), list[Unused]()
    complete = _split_tables(text, "", tables, unused, notes)
    return _read(tables, unused, text.encoding, notes) if complete else notes.reading(None)


def read_parts(parts: Iterable[ZipMember], notes: Notes) -> Reading:
    tables, unused, encodings = list[SwissManagerTable](), list[Unused](), list[str]()
    for part in parts:
        notes.file = printable_name(part.name, LONGEST_NAME)
        text = to_text(part.data, part.name, notes)
        if text is None or not _split_tables(text, notes.file, tables, unused, notes):
            return notes.reading(None)
        encodings.append(text.encoding)
        notes.adjusts("unpacked-together", None, "ZIP", printable_name(part.name))
    notes.file = ""
    return _read(tables, unused, max(encodings, key=lambda encoding: encoding != "ascii"), notes)


def find_part_kind(part: ZipMember) -> Kind | None:
    """The kind of export that a file is, by its first line, if any."""
    head = part.data[:_HEAD_BYTES].decode("utf-8-sig", "replace").lstrip()
    header = _parse_header(head.splitlines()[0]) if head else None
    return header[0] if header else None


def _parse_header(line: str) -> tuple[Kind, str] | None:
    """The kind of table whose header row a line is, and its delimiter; None if it is no header row."""
    for delimiter in plain_table.DELIMITERS:
        kind = find_export_kind(cell.strip(' "') for cell in line.split(delimiter))
        if kind:
            return kind, delimiter
    return None


def _split_tables(
    text: Text, name: str, tables: list[SwissManagerTable], unused: list[Unused], notes: Notes
) -> bool:
    """Add the tables of a file, each from its header row to the next, and the unused lines above the first.
    False with a note if they are too large.
    """
    table: SwissManagerTable | None = None
    splitter = plain_table.Splitter(notes)
    for number, line in enumerate(text.lines, 1):
        if not line.strip(" \t" + "".join(plain_table.DELIMITERS)):
            continue
        header = _parse_header(line)
        delimiter = header[1] if header else table.delimiter if table else ""
        if not delimiter:
            if not plain_table.is_delimiter_line(line):
                unused.append(Unused(line[: plain_table.LONGEST_LINE], number))
            continue
        row = splitter.split(line, number, delimiter)
        if row is None:
            return False
        if name:  # of an archive: the place of a cell has the file's name
            row = tuple(replace(cell, where=f"{name}:{cell.line}") for cell in row)
        if header:
            table = _begin_table(*header, row, notes)
            tables.append(table)
        elif table:
            table.records.append(
                plain_table.make_record(row, table.columns, table.width, LONGEST_CELLS, notes)
            )
    return True


def _begin_table(kind: Kind, delimiter: str, row: plain_table.Cells, notes: Notes) -> SwissManagerTable:
    columns = plain_table.find_columns(row, COLUMNS[kind], notes)
    read = set(columns.values())
    missing = [head for head in NEEDED_COLUMNS[kind] if COLUMNS[kind][head.lower()] not in read]
    if kind == "players" and "name" in read:
        missing = []  # both names are in one column
    if missing:
        notes.blocks("sm-column-missing", **row[0].place, columns=", ".join(missing))
    return SwissManagerTable(kind, row[0], delimiter, columns, len(row))


def _read(tables: list[SwissManagerTable], unused: list[Unused], encoding: str, notes: Notes) -> Reading:
    if unused:
        notes.notice("table-above-header", unused[0].line, count=len(unused))
    players = [table for table in tables if table.kind == "players"]
    pairings = [table for table in tables if table.kind == "pairings"]
    if not pairings:
        notes.blocks("sm-pairings-missing", **players[0].head.place)
    elif not players:
        notes.blocks("sm-players-missing", **pairings[0].head.place)
    for table in players[1:]:
        notes.blocks("sm-players-twice", **table.head.place, first=players[0].head.line)
    if len(players) != 1 or not pairings:
        return notes.reading(None)
    entrants = read_players(players[0].records, "points" in players[0].columns.values(), notes)
    if not entrants.rows:
        notes.blocks("sm-no-players", **players[0].head.place)
        return notes.reading(None)
    play = read_play((record for table in pairings for record in table.records), entrants, notes)
    rows = add_absence_byes(entrants, play, notes)
    sheet = Sheet(
        dialect=DIALECT,
        family=SWISS_MANAGER.code,
        rounds_played=max((game.round for game in play.games), default=0),
        rows=tuple(rows),
        games=tuple(sorted(play.games, key=lambda game: game.round)),
        byes=tuple(sorted(play.byes, key=lambda bye: (bye.round, bye.player))),
        unused=tuple(unused),
        encoding=encoding,
    )
    return notes.reading(sheet)
