"""Reads Swiss-Manager's two text exports, which make a section together.

The players (`Spielerdaten`) and the pairings (`Spielerauslosung`) come in one file below each other, or in
one ZIP; the pairings in any number of parts. Rounds in which the pairings do not name a player are decided by
the points, or a person is asked.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from ratings.rulesets.facts import gettext_noop as _
from tournaments.formats.sheet import (
    ByeKind,
    FileKind,
    FileSource,
    NoSheet,
    Notes,
    OtherId,
    Param,
    Reading,
    Result,
    Sheet,
    SheetBye,
    SheetGame,
    SheetPlayer,
)
from tournaments.formats.table_rows import (
    DELIMITERS,
    EMPTY,
    RESULT_POINTS,
    Block,
    Cells,
    FileCell,
    Ids,
    Layout,
    Record,
    Splitter,
    block_equal_ids,
    find_layout,
    is_delimiter_line,
    make_unused,
    note_left_out,
    note_names_not_parted,
    number_records,
    parse_round,
    read_player,
    read_short_whole,
    split_rows,
)
from tournaments.formats.text import Text, ZipMember, printable_name, to_text

# ---- Players (`Spielerdaten`)
ID_COLUMNS = ("national id", "fide id")
_ID = re.compile(r"[0-9A-Za-z/._-]{1,30}")
_NO_ID = "0.-"


def parse_id(cell: FileCell) -> str:
    """The id in a cell; empty for `0` and `-`, which mean none, and for what cannot be an id."""
    text = cell.text.removesuffix(".0")
    return text if text.strip(_NO_ID) and _ID.fullmatch(text) else ""


def parse_ids(record: Record, notes: Notes) -> Ids:
    """The national id, and FIDE's as another id; or FIDE's alone."""
    for column in ID_COLUMNS:
        cell = record.get(column, EMPTY)
        if cell.text.strip(_NO_ID) and not parse_id(cell):
            note_left_out(cell, column, notes)
    national, fide = (parse_id(record.get(column, EMPTY)) for column in ID_COLUMNS)
    other_ids = (OtherId("fide", fide),) if national and fide and national != fide else ()
    return national or fide or None, other_ids


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


NOUGHT, HALF, ONE = Decimal(0), Decimal("0.5"), Decimal(1)
_ABSENCES: Mapping[ByeKind | None, str] = {
    "zero": "sm-absent-zero",
    "half": "sm-absent-half",
    "full": "sm-absent-full",
    None: "sm-absent-unclear",
}
_NOTICES: Mapping[ByeKind, str] = {"half": "sm-bye-half", "full": "sm-bye-full"}
MANY_MISFITS = Decimal("0.5")
"""The share of players whose points do not fit, above which all points are of another round."""


class Pairings:
    """Reads the pairings. Rounds that they do not name a player in are absences, or byes that were asked for:
    the points decide if they allow one answer; otherwise a person is asked.
    """

    def __init__(self, players: Mapping[int, Record], notes: Notes) -> None:
        self.players, self.notes = players, notes
        self.games: list[SheetGame] = []
        self.byes: list[SheetBye] = []
        self.counted: dict[int, Decimal] = defaultdict(Decimal)
        """The sums of points, by start number."""
        self.seats: dict[tuple[int, int], FileCell] = {}
        """The cells by round and start number; in an archive, lines of two files may have the same number."""
        self.unread: set[int] = set()
        """Start numbers of players with an unreadable line: their points are not compared."""
        self.not_played: dict[int, list[FileCell]] = defaultdict(list)
        """The results of 0:0 that are no forfeits, by round: one finding is made for a round."""
        self.other_ids: list[FileCell] = []
        """Ids in pairings that are not those of their players: one finding is made for all."""

    def read(self, records: Iterable[Record]) -> None:
        for record in records:
            self._read_record(record)
        for round_, cells in self.not_played.items():
            self.notes.blocks("round-unfinished", **cells[0].place, round=round_, games=len(cells))
        if self.other_ids:
            cell = self.other_ids[0]
            self.notes.asks("sm-other-ids", **cell.place, id=cell.shown, count=len(self.other_ids))
        # Rounds may be missing because the export asks for a range of rounds.
        there = {round_ for round_, _ in self.seats}
        missing = [str(number) for number in range(1, max(there, default=0)) if number not in there]
        if not there:
            self.notes.blocks("sm-no-pairings")
        elif missing:
            self.notes.blocks("sm-rounds-missing", rounds=", ".join(missing))

    def _read_record(self, record: Record) -> None:
        round_ = parse_round(record.get("round", EMPTY), self.notes)
        first = self._parse_player(record.get("first", EMPTY))
        second_cell = record.get("second", EMPTY)
        second = None if second_cell.text == BYE else self._parse_player(second_cell)
        if not round_ or not first or (second is None and second_cell.text != BYE):
            self.unread |= {number for number in (first, second) if number}
            return
        if first == second:
            self.notes.blocks("plays-self", **second_cell.place, number=first, round=round_)
            return
        # A player who has a seat in the round already: the file holds two tournaments or exports.
        cell = record["first"]
        for number in [first, second] if second else [first]:
            before = self.seats.setdefault((round_, number), cell)
            if before is not cell:
                params = {"number": number, "round": round_, "first": before.where or before.line}
                self.notes.blocks("sm-twice-in-round", **cell.place, **params)
                return
        self._check_ids(record)
        if second is None:
            self.byes.append(SheetBye(round_, first, "pairing", record["round"].line))
            worth = _normalize_points(record.get("first points", EMPTY).text)
            self.counted[first] += Decimal(worth) if worth in ("1", "0.5") else ONE
            return
        filed = _parse_result(record, self.notes)
        if filed is None or filed == NOT_PLAYED:
            self.unread |= {first, second}
        if filed == NOT_PLAYED:
            self.not_played[round_].append(record["result"])
        elif filed:
            result = RESULTS[filed]
            self.games.append(SheetGame(round_, first, second, result, line=record["round"].line))
            points = RESULT_POINTS.get(result, (NOUGHT, NOUGHT))
            self.counted[first] += points[0]
            self.counted[second] += points[1]

    def _parse_player(self, cell: FileCell) -> int | None:
        number = read_short_whole(cell.text)
        if number in self.players:
            return number
        key = "sm-player-not-listed" if number else "sm-player-not-read"
        self.notes.blocks(key, **cell.place, text=cell.shown)
        return None

    def _check_ids(self, record: Record) -> None:
        """Collect ids in a pairing that are not those of its players."""
        for side in ("first", "second"):
            number, filed = read_short_whole(record[side].text), record.get(f"{side} id", EMPTY)
            player = self.players.get(number or 0, {})
            known = {parse_id(player.get(column, EMPTY)) for column in ID_COLUMNS} - {""}
            if number and known and parse_id(filed) and parse_id(filed) not in known:
                self.other_ids.append(filed)

    def add_absence_byes(self, rows: Sequence[SheetPlayer], *, has_points: bool) -> Iterator[SheetPlayer]:
        """Yield the rows with their points; adds a bye for each round that does not name a player."""
        last = max((round_ for round_, _ in self.seats), default=0)
        absent = {
            row: [n for n in range(1, last + 1) if (n, row.start_number) not in self.seats]
            for row in rows
            if row.start_number not in self.unread
        }
        misfits = [row for row, rounds in absent.items() if self._misfits(row, rounds)]
        by_points = has_points and any(row.points for row in rows)
        if by_points and len(misfits) > MANY_MISFITS * len(absent):
            self.notes.asks("sm-points-of-another-round", misfits[0].line, count=len(misfits))
            by_points = False
        for row in rows:
            if row not in absent:
                yield row
            elif by_points:
                self._finish_by_points(row, absent[row])
                yield row
            else:
                yield self._finish_without_points(row, absent[row])

    def _misfits(self, row: SheetPlayer, absent: Sequence[int]) -> bool:
        """Whether the player's points beyond those of the results are less than none, or too many."""
        return not 0 <= row.points - self.counted[row.start_number] <= len(absent)

    def _finish_by_points(self, row: SheetPlayer, absent: Sequence[int]) -> None:
        place, counted = self.players[row.start_number]["points"].place, self.counted[row.start_number]
        sums = {"filed": f"{row.points:f}", "counted": f"{counted:f}"}
        if not absent:
            if self._misfits(row, absent):
                self.notes.notice("points-differ", **place, number=row.start_number, **sums)
            return
        # The kind of bye in all rounds of absence, if the points allow one answer.
        kinds: dict[Decimal, ByeKind] = {ONE * len(absent): "full", NOUGHT: "zero"}
        if len(absent) == 1:
            kinds[HALF] = "half"
        kind = kinds.get(row.points - counted)
        rounds = ", ".join(map(str, absent))
        params: dict[str, Param] = {"number": row.start_number, "rounds": rounds, **sums}
        if kind is None:
            self.notes.asks("sm-absences-unclear", **place, **params)
        elif kind in _NOTICES:
            self.notes.notice(_NOTICES[kind], **place, **params)
        self._add_byes(row, absent, kind)

    def _finish_without_points(self, row: SheetPlayer, absent: Sequence[int]) -> SheetPlayer:
        """Give a player the points of the results, and ask a person for the kind of absences."""
        counted = self.counted[row.start_number]
        if row.points != counted:
            before = f"{row.points:f}" if row.points else ""
            self.notes.adjusts("points-missing", row.line, before, f"{counted:f}")
        if absent:
            rounds = ", ".join(map(str, absent))
            self.notes.asks("sm-absences-open", row.line, number=row.start_number, rounds=rounds)
            self._add_byes(row, absent, None)
        return replace(row, points=counted)

    def _add_byes(self, row: SheetPlayer, absent: Sequence[int], kind: ByeKind | None) -> None:
        """Add a bye for each round of absence; without points if the kind is not known."""
        read_as, rounds = kind or "zero", ", ".join(map(str, absent))
        self.byes += [SheetBye(round_, row.start_number, read_as, row.line) for round_ in absent]
        self.notes.adjusts(_ABSENCES[kind], row.line, f"{rounds}: –", f"{rounds}: {read_as}")


def _parse_result(record: Record, notes: Notes) -> FiledResult | None:
    """The result, which a line has twice, as `1:0K` and in the columns `ErgW`, `ErgS` and `Kontumaz`. None
    with a note if they differ or cannot be read.
    """
    cell = record.get("result", EMPTY)
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


# ---- The two kinds of tables
MOST_TIE_BREAKS = 12
_PLAYERS_MARKS = (frozenset({"nr", "nachname"}), frozenset({"nr", "name", "eloint"}))
PAIRINGS, PLAYERS = LAYOUTS = (
    Layout(
        "pairings",
        {
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
        lambda headings: {"runde", "nrw", "nrs"} <= headings,
    ),
    Layout(
        "players",
        {
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
        lambda headings: any(mark <= headings for mark in _PLAYERS_MARKS),
        {"name": 100, "surname": 100, "first name": 100, "national id": 30, "fide id": 30},
        parse_ids=parse_ids,
        id_columns=dict.fromkeys(ID_COLUMNS, parse_id),
    ),
)
NEEDED_COLUMNS: Mapping[str, tuple[str, ...]] = {
    PLAYERS.code: ("Nr", "Nachname"),
    PAIRINGS.code: ("Runde", "NrW", "NrS", "Erg"),
}


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


def recognises(text: Text) -> bool:
    return any(_parse_header(line)[0] for line in text.lines)


def belong_together(parts: Sequence[ZipMember]) -> bool:
    """Whether these files of an archive are one section: one table of players, and pairings."""
    kinds = [kind for kind in map(find_part_kind, parts) if kind]
    return len(kinds) == len(parts) > 1 and kinds.count("players") == 1


def read_text(text: Text, notes: Notes) -> Reading:
    above, tables = split_rows(_split_lines(text, "", notes), LAYOUTS, notes)
    return _read(above, tables, text.encoding, notes)


def read_parts(parts: Iterable[ZipMember], notes: Notes) -> Reading:
    above, tables, encodings = list[Cells](), list[Block](), list[str]()
    for part in parts:
        notes.file = printable_name(part.name, LONGEST_NAME)
        text = to_text(part.data, part.name, notes)
        rows_above, found = split_rows(_split_lines(text, notes.file, notes), LAYOUTS, notes)
        above, tables = above + rows_above, tables + found
        encodings.append(text.encoding)
        notes.adjusts("unpacked-together", None, "ZIP", printable_name(part.name))
    notes.file = ""
    return _read(above, tables, max(encodings, key=lambda encoding: encoding != "ascii"), notes)


def find_part_kind(part: ZipMember) -> str:
    """The code of the layout whose header row is a file's first line, if any."""
    head = part.data[:_HEAD_BYTES].decode("utf-8-sig", "replace").lstrip()
    layout, _delimiter = _parse_header(head.splitlines()[0]) if head else (None, "")
    return layout.code if layout else ""


def _parse_header(line: str) -> tuple[Layout | None, str]:
    """The kind of table whose header row a line is, and its delimiter, if any."""
    found = ((find_layout(LAYOUTS, (cell.strip(' "') for cell in line.split(m))), m) for m in DELIMITERS)
    return next((each for each in found if each[0]), (None, ""))


def _split_lines(text: Text, name: str, notes: Notes) -> Iterator[Cells]:
    """Yield the lines as rows, split as the header row above them is. `name`: of a file in an archive."""
    splitter, delimiter = Splitter(notes), ""
    for number, line in enumerate(text.lines, 1):
        if not line.strip(" \t" + "".join(DELIMITERS)):
            continue
        delimiter = _parse_header(line)[1] or delimiter
        if delimiter:
            row = splitter.split(line, number, delimiter)
            yield tuple(replace(cell, where=f"{name}:{cell.line}") for cell in row) if name else row
        elif not is_delimiter_line(line):
            yield (FileCell(line, number, 1),)


def _read(above: Sequence[Cells], tables: Sequence[Block], encoding: str, notes: Notes) -> Reading:
    for table in tables:
        layout, read = table.layout, set(table.columns.values())
        missing = [head for head in NEEDED_COLUMNS[layout.code] if layout.columns[head.lower()] not in read]
        if missing and "name" not in read:  # both names may be in one column
            notes.blocks("sm-column-missing", **table.head[0].place, columns=", ".join(missing))
    if above:
        notes.notice("table-above-header", above[0][0].line, count=len(above))
    players = [table for table in tables if table.layout is PLAYERS]
    pairings = [table for table in tables if table.layout is PAIRINGS]
    if not pairings:
        notes.blocks("sm-pairings-missing", **players[0].head[0].place)
    elif not players:
        notes.blocks("sm-players-missing", **pairings[0].head[0].place)
    for table in players[1:]:
        notes.blocks("sm-players-twice", **table.head[0].place, first=players[0].head[0].line)
    if len(players) != 1 or not pairings:
        raise NoSheet
    records = number_records(players[0], notes)
    entrants = [read_player(number, record, PLAYERS, notes) for number, record in records.items()]
    block_equal_ids(entrants, records, PLAYERS, notes)
    note_names_not_parted(entrants, notes)
    if not entrants:
        raise notes.refusal("sm-no-players", **players[0].head[0].place)
    play = Pairings(records, notes)
    play.read(record for table in pairings for record in table.records)
    has_points = "points" in players[0].columns.values()
    sheet = Sheet(
        dialect=DIALECT,
        family=SWISS_MANAGER.code,
        rows=tuple(play.add_absence_byes(entrants, has_points=has_points)),
        rounds_played=max((game.round for game in play.games), default=0),
        games=tuple(sorted(play.games, key=lambda game: game.round)),
        byes=tuple(sorted(play.byes, key=lambda bye: (bye.round, bye.player))),
        unused=tuple(map(make_unused, above)),
        encoding=encoding,
    )
    return notes.reading(sheet)
