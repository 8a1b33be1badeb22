"""Reads Swiss-Manager's two text exports, which only together are a section.

The players (`Spielerdaten`) and the pairings (`Spielerauslosung`) come in one file below each other, or in
one ZIP; the pairings in any number of parts. Rounds in which the pairings do not name a player are settled by
the points, or a person is asked.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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
from tournaments.formats.text import Text, ZipMember, plain, to_text

# ---- Swiss-Manager's `Spielerdaten` → rows.
ID_COLUMNS = ("national id", "fide id")
_TITLE = re.compile(r"[A-Z]{1,3}")
_ID = re.compile(r"[0-9A-Za-z/._-]{1,30}")

_NONE = "0.-"


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
        number = start_number(record.get("number", plain_table.EMPTY), players.cells, notes)
        if number:
            players.cells[number] = record
            players.rows[number] = row_of(record, number, notes)
    check_rows(players.rows.values(), players.cells, notes)
    return players


def start_number(
    cell: plain_table.FileCell, known: Mapping[int, plain_table.Record], notes: Notes
) -> int | None:
    """Read a start number; None with a note that says what is wrong with it."""
    number = plain_table.read_whole(cell.text)
    if not number:
        key = "start-number-zero" if number == 0 else "table-number-not-read"
        notes.blocks(key, **cell.place, **({} if number == 0 else {"text": cell.shown}))
    elif number in known:
        first = next(iter(known[number].values())).line
        notes.blocks("start-number-twice", **cell.place, number=number, first=first)
    else:
        return number
    return None


def check_rows(rows: Collection[SheetPlayer], cells: Mapping[int, plain_table.Record], notes: Notes) -> None:
    """Block ids that two players have, and note once that names are not divided by commas."""
    # Block players who have the same id, national or FIDE's.
    for column in ID_COLUMNS:
        first: dict[str, SheetPlayer] = {}
        for row in rows:
            cell = cells[row.start_number].get(column, plain_table.EMPTY)
            id_ = id_in(cell)
            if id_ and first.setdefault(id_, row) is not row:
                notes.blocks("identifier-twice", **cell.place, id=id_, first=first[id_].line)
    whole = [row for row in rows if not row.first_name]
    if whole:
        notes.notice("names-not-parted", whole[0].line, count=len(whole), sample=whole[0].name)


def id_in(cell: plain_table.FileCell) -> str:
    """The id in a cell; empty for `0` and `-`, which stand for none, and for what cannot be an id."""
    text = cell.text.removesuffix(".0")
    return text if text.strip(_NONE) and _ID.fullmatch(text) else ""


def row_of(record: plain_table.Record, number: int, notes: Notes, place: str = "place") -> SheetPlayer:
    """Read a row of the export into a player. `place`: the name of the column with the final place."""
    surname, first_name = _names(record, number, notes)
    born, birth = plain_table.birth_of(record.get("birth", plain_table.EMPTY), notes)
    identifier, other_ids = ids_of(record, notes)
    cell = record.get("rating", plain_table.EMPTY)
    rating = plain_table.read_whole(cell.text)
    if cell.text and rating is None:
        plain_table.left_out(cell, "rating", notes)
    return SheetPlayer(
        start_number=number,
        name=plain_table.whole_name(surname, first_name),
        surname=surname,
        first_name=first_name,
        sex=plain_table.sex_of(record.get("sex", plain_table.EMPTY), notes),
        title=title_of(record.get("title", plain_table.EMPTY), notes),
        rating=rating or None,
        federation=plain_table.nation_of(record.get("nation", plain_table.EMPTY), notes),
        identifier=identifier,
        born=born,
        birth=birth,
        points=plain_table.score_of(record.get("points", plain_table.EMPTY), notes),
        place=plain_table.place_of(record.get(place, plain_table.EMPTY), notes),
        other_ids=other_ids,
        line=next(iter(record.values())).line,
    )


def _names(record: plain_table.Record, number: int, notes: Notes) -> tuple[str, str]:
    surname, first_name = (
        record.get("surname", plain_table.EMPTY),
        record.get("first name", plain_table.EMPTY),
    )
    if surname.text:
        return surname.text, first_name.text
    return name_of(record.get("name", surname), number, notes)


def name_of(cell: plain_table.FileCell, number: int, notes: Notes) -> tuple[str, str]:
    """The surname and the first name in a cell, divided by a comma; a note if there is no surname."""
    surname, _, first_name = (part.strip() for part in cell.text.partition(","))
    if not surname:
        notes.blocks("table-no-surname", **cell.place, number=number)
    return surname, first_name


def ids_of(record: plain_table.Record, notes: Notes) -> tuple[str | None, tuple[OtherId, ...]]:
    """The id of a row, and its other ids: the national one with FIDE's beside it, or FIDE's alone."""
    for column in ID_COLUMNS:
        cell = record.get(column, plain_table.EMPTY)
        if cell.text.strip(_NONE) and not id_in(cell):
            plain_table.left_out(cell, column, notes)
    national, fide = (id_in(record.get(column, plain_table.EMPTY)) for column in ID_COLUMNS)
    beside = (OtherId("fide", fide),) if national and fide and national != fide else ()
    return national or fide or None, beside


def title_of(cell: plain_table.FileCell, notes: Notes) -> str:
    title = cell.text.upper()
    if title and not _TITLE.fullmatch(title):
        plain_table.left_out(cell, "title", notes)
        return ""
    return title


# ---- Swiss-Manager's `Spielerauslosung` → games, and the byes that the pairing gave.
FORFEIT = "K"
Told = tuple[str, str, str]
"""A result as a line tells it: the points of both sides, and `K` if it was a forfeit."""
# 0:0 that is no forfeit has not been played yet.
RESULTS: Mapping[Told, Result] = {
    ("1", "0", ""): "1-0",
    ("0", "1", ""): "0-1",
    ("0.5", "0.5", ""): "1/2",
    ("1", "0", FORFEIT): "+:-",
    ("0", "1", FORFEIT): "-:+",
    ("0", "0", FORFEIT): "-:-",
}
NOT_PLAYED = ("0", "0", "")
BYE = "-1"
_AS_TIME = re.compile(r"0?([01]):0([01])(?::00)?")
"""`1:0` as a spreadsheet changes it: an hour past midnight."""
_ONE = Decimal(1)


@dataclass(slots=True)
class SwissManagerGames:
    games: list[SheetGame] = field(default_factory=list)
    byes: list[SheetBye] = field(default_factory=list)
    counted: dict[int, Decimal] = field(default_factory=lambda: defaultdict(Decimal))
    """The points that results add up to, by start number."""
    seats: dict[tuple[int, int], plain_table.FileCell] = field(default_factory=dict)
    """Round and start number → its cell; in an archive, lines of two files may have the same number."""
    unread: set[int] = field(default_factory=set)
    """Start numbers of players with an unreadable line: their points are not compared."""

    @property
    def last_round(self) -> int:
        return max((round_ for round_, _ in self.seats), default=0)


@dataclass(slots=True)
class _OpenLines:
    """Lines for findings that are made once for many of them, collected while the pairings are read."""

    not_played: dict[int, list[plain_table.FileCell]] = field(default_factory=lambda: defaultdict(list))
    other_ids: list[plain_table.FileCell] = field(default_factory=list)


def read_play(
    records: Iterable[plain_table.Record], players: SwissManagerPlayers, notes: Notes
) -> SwissManagerGames:
    play, left = SwissManagerGames(), _OpenLines()
    for record in records:
        _read_record(record, players, play, left, notes)
    for round_, cells in left.not_played.items():
        notes.blocks("round-unfinished", **cells[0].place, round=round_, games=len(cells))
    if left.other_ids:
        cell = left.other_ids[0]
        notes.asks("sm-other-ids", **cell.place, id=cell.shown, count=len(left.other_ids))
    # Check that all rounds from the first are there: the export asks for a range of rounds.
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
    left: _OpenLines,
    notes: Notes,
) -> None:
    round_ = plain_table.round_of(record.get("round", plain_table.EMPTY), notes)
    first = _player(record.get("first", plain_table.EMPTY), players, notes)
    second_cell = record.get("second", plain_table.EMPTY)
    second = None if second_cell.text == BYE else _player(second_cell, players, notes)
    if not round_ or not first or (second is None and second_cell.text != BYE):
        play.unread |= {number for number in (first, second) if number}
        return
    if first == second:
        notes.blocks("plays-self", **second_cell.place, number=first, round=round_)
        return
    if not _seat(round_, [first, second] if second else [first], record, play, notes):
        return
    _check_ids(record, players, left)
    if second is None:
        play.byes.append(SheetBye(round_, first, "pairing", record["round"].line))
        worth = _points(record.get("first points", plain_table.EMPTY).text)
        play.counted[first] += Decimal(worth) if worth in ("1", "0.5") else _ONE
        return
    told = _result_of(record, notes)
    if told is None or told == NOT_PLAYED:
        play.unread |= {first, second}
    if told == NOT_PLAYED:
        left.not_played[round_].append(record["result"])
    elif told:
        _read_game(SheetGame(round_, first, second, RESULTS[told], line=record["round"].line), play)


def _player(cell: plain_table.FileCell, players: SwissManagerPlayers, notes: Notes) -> int | None:
    number = plain_table.read_whole(cell.text)
    if number in players.rows:
        return number
    notes.blocks("sm-player-not-listed" if number else "sm-player-not-read", **cell.place, text=cell.shown)
    return None


def _seat(
    round_: int, numbers: list[int], record: plain_table.Record, play: SwissManagerGames, notes: Notes
) -> bool:
    """Seat the players of a line; block one seated twice in a round: the file holds two tournaments or
    exports.
    """
    cell = record["first"]
    for number in numbers:
        first = play.seats.setdefault((round_, number), cell)
        if first is not cell:
            told = {"number": number, "round": round_, "first": first.where or first.line}
            notes.blocks("sm-twice-in-round", **cell.place, **told)
            return False
    return True


def _check_ids(record: plain_table.Record, players: SwissManagerPlayers, left: _OpenLines) -> None:
    """Collect, for one finding, ids in a pairing that are not those of its players."""
    for side in ("first", "second"):
        cell, number = record.get(f"{side} id", plain_table.EMPTY), plain_table.read_whole(record[side].text)
        of_player = players.cells.get(number or 0, {})
        known = {id_in(of_player.get(column, plain_table.EMPTY)) for column in ID_COLUMNS} - {""}
        if number and known and id_in(cell) and id_in(cell) not in known:
            left.other_ids.append(cell)


def _read_game(game: SheetGame, play: SwissManagerGames) -> None:
    play.games.append(game)
    first, second = plain_table.WORTH.get(game.result, (Decimal(0), Decimal(0)))
    play.counted[game.first] += first
    play.counted[game.second] += second


def _result_of(record: plain_table.Record, notes: Notes) -> Told | None:
    """Read the result, which a line has twice, as `1;0;K` and as `1:0K`. None with a note if they differ or
    cannot be read.
    """
    cell, beside = record.get("result", plain_table.EMPTY), _result_columns(record)
    bare = cell.text.replace(" ", "").upper()
    first, _, second = bare.removesuffix(FORFEIT).partition(":")
    told = (_points(first), _points(second), FORFEIT if bare.endswith(FORFEIT) else "")
    if beside and (time := _AS_TIME.fullmatch(bare)) and (time[1], time[2], "") == beside != told:
        notes.adjusts("sm-result-as-time", cell.line, cell.shown, ":".join(beside[:2]))
        return beside
    if told not in RESULTS and told != NOT_PLAYED:
        notes.blocks("sm-result-not-read", **cell.place, text=cell.shown)
    elif beside and beside != told:
        notes.blocks("sm-results-differ", **cell.place, text=cell.shown, other="; ".join(beside))
    else:
        return told
    return None


def _result_columns(record: plain_table.Record) -> Told | None:
    """The result in the columns `ErgW`, `ErgS` and `Kontumaz`; None if the file has not all three."""
    if not {"first points", "second points", "forfeit"} <= record.keys():
        return None
    first, second = (_points(record[name].text) for name in ("first points", "second points"))
    return first, second, record["forfeit"].text.upper()


def _points(text: str) -> str:
    """Bring a cell's points into one spelling: `0,5` and `½` are `0.5`."""
    return text.replace("½", "0.5").replace(",", ".").removesuffix(".0")


# ---- Rounds in which Swiss-Manager's pairings do not name a player: absent, or a bye that was asked for.
#
# The file does not say which. The points decide if they leave one answer; otherwise a person is asked, and
# nothing is guessed.
NOUGHT, HALF, ONE = Decimal(0), Decimal("0.5"), Decimal(1)
_ADJUSTMENTS: Mapping[ByeKind | None, str] = {
    "zero": "sm-absent-zero",
    "half": "sm-absent-half",
    "full": "sm-absent-full",
    None: "sm-absent-unclear",
}
_NOTICES: Mapping[ByeKind, str] = {"half": "sm-bye-half", "full": "sm-bye-full"}
MANY = Decimal("0.5")
"""The share of players with points that do not fit, above which all points are of another round."""


@dataclass(frozen=True, slots=True)
class _Standing:
    row: SheetPlayer
    counted: Decimal
    absent: tuple[int, ...]
    """The rounds that do not name the player."""

    @property
    def over(self) -> Decimal:
        """The player's points in the file beyond those of the results."""
        return self.row.points - self.counted

    @property
    def misfits(self) -> bool:
        return self.over < 0 or self.over > len(self.absent)

    @property
    def kind(self) -> ByeKind | None:
        """The kind of bye in all rounds of the player's absence; None unless the points leave one answer."""
        each: dict[Decimal, ByeKind] = {ONE * len(self.absent): "full", NOUGHT: "zero"}
        if len(self.absent) == 1:
            each[HALF] = "half"
        return each.get(self.over)


def with_absences(
    players: SwissManagerPlayers, play: SwissManagerGames, notes: Notes
) -> Iterable[SheetPlayer]:
    """The rows with their points; adds a bye to `play` for each round that does not name a player."""
    standings = {n: _standing(row, play) for n, row in players.rows.items() if n not in play.unread}
    finish: Callable[[_Standing, SwissManagerGames, Notes], SheetPlayer] = partial(
        _with_points, players=players
    )
    strangers = [standing for standing in standings.values() if standing.misfits]
    if not players.has_points or not any(row.points for row in players.rows.values()):
        finish = _without_points
    elif len(strangers) > MANY * len(standings):
        notes.asks("sm-points-of-another-round", strangers[0].row.line, count=len(strangers))
        finish = _without_points
    return [finish(standings[n], play, notes) if n in standings else row for n, row in players.rows.items()]


def _standing(row: SheetPlayer, play: SwissManagerGames) -> _Standing:
    number = row.start_number
    rounds = range(1, play.last_round + 1)
    absent = tuple(round_ for round_ in rounds if (round_, number) not in play.seats)
    return _Standing(row, play.counted.get(number, NOUGHT), absent)


def _with_points(
    standing: _Standing, play: SwissManagerGames, notes: Notes, *, players: SwissManagerPlayers
) -> SheetPlayer:
    row, place = standing.row, players.cells[standing.row.start_number]["points"].place
    sums = {"filed": _points_text(row.points), "counted": _points_text(standing.counted)}
    if not standing.absent:
        if standing.misfits:
            notes.notice("points-differ", **place, number=row.start_number, **sums)
        return row
    kind = standing.kind
    told: dict[str, Param] = {"number": row.start_number, "rounds": _rounds(standing.absent), **sums}
    if kind is None:
        notes.asks("sm-absences-unclear", **place, **told)
    elif kind in _NOTICES:
        notes.notice(_NOTICES[kind], **place, **told)
    _add(standing, kind, play, notes)
    return row


def _without_points(standing: _Standing, play: SwissManagerGames, notes: Notes) -> SheetPlayer:
    """Give a player the points of the results, and ask a person for the kind of absences: the file has no
    points that would tell it.
    """
    row = standing.row
    if row.points != standing.counted:
        before = _points_text(row.points) if row.points else ""
        notes.adjusts("points-missing", row.line, before, _points_text(standing.counted))
    if standing.absent:
        notes.asks("sm-absences-open", row.line, number=row.start_number, rounds=_rounds(standing.absent))
        _add(standing, None, play, notes)
    return replace(row, points=standing.counted)


def _add(standing: _Standing, kind: ByeKind | None, play: SwissManagerGames, notes: Notes) -> None:
    """Add a bye for each round of absence; while the kind is open, one without points."""
    row, read_as, rounds = standing.row, kind or "zero", _rounds(standing.absent)
    play.byes += [SheetBye(round_, row.start_number, read_as, row.line) for round_ in standing.absent]
    notes.adjusts(_ADJUSTMENTS[kind], row.line, f"{rounds}: –", f"{rounds}: {read_as}")


def _rounds(rounds: Iterable[int]) -> str:
    return ", ".join(map(str, rounds))


def _points_text(points: Decimal) -> str:
    return f"{points:f}"


Kind = Literal["players", "pairings"]

MOST_TIE_BREAKS = 12

# Heading → column; empty for a heading that is known and passed over.
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
NEEDED: Mapping[Kind, tuple[str, ...]] = {
    "players": ("Nr", "Nachname"),
    "pairings": ("Runde", "NrW", "NrS", "Erg"),
}
MOST = {"name": 100, "surname": 100, "first name": 100, "national id": 30, "fide id": 30}
"""The most characters of a cell in these columns; in others it is the common number."""
_MARKS: Mapping[Kind, tuple[frozenset[str], ...]] = {
    "pairings": (frozenset({"runde", "nrw", "nrs"}),),
    "players": (frozenset({"nr", "nachname"}), frozenset({"nr", "name", "eloint"})),
}


def kind_of(cells: Iterable[str]) -> Kind | None:
    """The export (`players` or `pairings`) whose header row these cells are; None if they are none."""
    there = {plain_table.heading(cell) for cell in cells}
    return next((kind for kind, marks in _MARKS.items() if any(mark <= there for mark in marks)), None)


# ---- The two exports together.
SWISS_MANAGER = FileKind(
    "swiss-manager",
    _("Swiss-Manager’s text tables"),
    (
        FileSource(
            "Swiss-Manager",
            _("Extras, then data import/export: player data and pairings as text files, both in one ZIP"),
            by_description=True,
        ),
    ),
)
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
    return any(_head_of(line) for line in text.lines)


def belong_together(parts: Sequence[ZipMember]) -> bool:
    """Whether these files of an archive are the tables of one section: its players once, and its pairings."""
    kinds = [kind for kind in map(kind_in, parts) if kind]
    return len(kinds) == len(parts) > 1 and kinds.count("players") == 1


def read_text(text: Text, notes: Notes) -> Reading:
    tables, unused = list[SwissManagerTable](), list[Unused]()
    whole = _part(text, "", tables, unused, notes)
    return _read(tables, unused, text.encoding, notes) if whole else notes.reading(None)


def read_parts(parts: Iterable[ZipMember], notes: Notes) -> Reading:
    tables, unused, encodings = list[SwissManagerTable](), list[Unused](), list[str]()
    for part in parts:
        notes.file = plain(part.name, LONGEST_NAME)
        text = to_text(part.data, part.name, notes)
        if text is None or not _part(text, notes.file, tables, unused, notes):
            return notes.reading(None)
        encodings.append(text.encoding)
        notes.adjusts("unpacked-together", None, "ZIP", plain(part.name))
    notes.file = ""
    return _read(tables, unused, max(encodings, key=lambda encoding: encoding != "ascii"), notes)


def kind_in(part: ZipMember) -> Kind | None:
    """The export that a file is, by its first line; None if it is neither."""
    head = part.data[:_HEAD_BYTES].decode("utf-8-sig", "replace").lstrip()
    found = _head_of(head.splitlines()[0]) if head else None
    return found[0] if found else None


def _head_of(line: str) -> tuple[Kind, str] | None:
    """The kind of table whose header row a line is, and the delimiter of its cells; None if of none."""
    for delimiter in plain_table.DELIMITERS:
        kind = kind_of(cell.strip(' "') for cell in line.split(delimiter))
        if kind:
            return kind, delimiter
    return None


def _part(text: Text, name: str, tables: list[SwissManagerTable], unused: list[Unused], notes: Notes) -> bool:
    """Divide one file into tables, each from its header row to the next; lines above the first are unused.
    False with a note if they are too large.
    """
    table: SwissManagerTable | None = None
    splitter = plain_table.Splitter(notes)
    for number, line in enumerate(text.lines, 1):
        if not line.strip(" \t" + "".join(plain_table.DELIMITERS)):
            continue
        head = _head_of(line)
        delimiter = head[1] if head else table.delimiter if table else ""
        if not delimiter:
            unused += (
                []
                if plain_table.names_delimiter(line)
                else [Unused(line[: plain_table.LONGEST_LINE], number)]
            )
            continue
        cells = splitter.cells_of(line, number, delimiter)
        if cells is None:
            return False
        row = tuple(_placed(cells, name))
        if head:
            table = _begin(*head, row, notes)
            tables.append(table)
        elif table:
            table.records.append(plain_table.record_of(row, table.columns, table.width, MOST, notes))
    return True


def _placed(row: plain_table.Cells, name: str) -> Iterator[plain_table.FileCell]:
    """Yield the cells of a row; in an archive with the file's name in their place, beside the line."""
    for cell in row:
        yield plain_table.FileCell(cell.text, cell.line, cell.column, f"{name}:{cell.line}") if name else cell


def _begin(kind: Kind, delimiter: str, row: plain_table.Cells, notes: Notes) -> SwissManagerTable:
    columns = plain_table.columns_of(row, COLUMNS[kind], notes)
    read = set(columns.values())
    missing = [head for head in NEEDED[kind] if COLUMNS[kind][head.lower()] not in read]
    if kind == "players" and "name" in read:
        missing = []  # nothing divides the two names there; they are matched as they stand
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
    if not (len(players) == 1 and bool(pairings)):
        return notes.reading(None)
    field_ = read_players(players[0].records, "points" in players[0].columns.values(), notes)
    if not field_.rows:
        notes.blocks("sm-no-players", **players[0].head.place)
        return notes.reading(None)
    play = read_play((record for table in pairings for record in table.records), field_, notes)
    rows = with_absences(field_, play, notes)
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
