"""Swiss-Manager's `Spielerauslosung` → games, and the byes that the pairing gave."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import Result, SheetBye, SheetGame
from tournaments.formats.plain_table.cell_values import read_whole, round_of
from tournaments.formats.plain_table.cells import EMPTY, FileCell, Record
from tournaments.formats.plain_table.games import WORTH
from tournaments.formats.swiss_manager.players import ID_COLUMNS, SwissManagerPlayers, id_in

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
    seats: dict[tuple[int, int], FileCell] = field(default_factory=dict)
    """Round and start number → its cell; in an archive, lines of two files may have the same number."""
    unread: set[int] = field(default_factory=set)
    """Start numbers of players with an unreadable line: their points are not compared."""

    @property
    def last_round(self) -> int:
        return max((round_ for round_, _ in self.seats), default=0)


@dataclass(slots=True)
class _OpenLines:
    """Lines for findings that are made once for many of them, collected while the pairings are read."""

    not_played: dict[int, list[FileCell]] = field(default_factory=lambda: defaultdict(list))
    other_ids: list[FileCell] = field(default_factory=list)


def read_play(records: Iterable[Record], players: SwissManagerPlayers, notes: Notes) -> SwissManagerGames:
    play, left = SwissManagerGames(), _OpenLines()
    for record in records:
        _read_record(record, players, play, left, notes)
    for round_, cells in left.not_played.items():
        notes.blocks("round-unfinished", **cells[0].place, round=round_, games=len(cells))
    if left.other_ids:
        cell = left.other_ids[0]
        notes.asks("sm-other-ids", **cell.place, id=cell.shown, count=len(left.other_ids))
    _check_rounds(play, notes)
    return play


def _read_record(
    record: Record, players: SwissManagerPlayers, play: SwissManagerGames, left: _OpenLines, notes: Notes
) -> None:
    round_ = round_of(record.get("round", EMPTY), notes)
    first = _player(record.get("first", EMPTY), players, notes)
    second_cell = record.get("second", EMPTY)
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
        _read_bye(record, round_, first, play)
        return
    told = _result_of(record, notes)
    if told is None or told == NOT_PLAYED:
        play.unread |= {first, second}
    if told == NOT_PLAYED:
        left.not_played[round_].append(record["result"])
    elif told:
        _read_game(SheetGame(round_, first, second, RESULTS[told], line=record["round"].line), play)


def _player(cell: FileCell, players: SwissManagerPlayers, notes: Notes) -> int | None:
    number = read_whole(cell.text)
    if number in players.rows:
        return number
    notes.blocks("sm-player-not-listed" if number else "sm-player-not-read", **cell.place, text=cell.shown)
    return None


def _seat(round_: int, numbers: list[int], record: Record, play: SwissManagerGames, notes: Notes) -> bool:
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


def _check_ids(record: Record, players: SwissManagerPlayers, left: _OpenLines) -> None:
    """Collect, for one finding, ids in a pairing that are not those of its players."""
    for side in ("first", "second"):
        cell, number = record.get(f"{side} id", EMPTY), read_whole(record[side].text)
        of_player = players.cells.get(number or 0, {})
        known = {id_in(of_player.get(column, EMPTY)) for column in ID_COLUMNS} - {""}
        if number and known and id_in(cell) and id_in(cell) not in known:
            left.other_ids.append(cell)


def _read_bye(record: Record, round_: int, player: int, play: SwissManagerGames) -> None:
    """Read a line without opponent as a bye of the pairing, with the points that the line may give."""
    play.byes.append(SheetBye(round_, player, "pairing", record["round"].line))
    worth = _points(record.get("first points", EMPTY).text)
    play.counted[player] += Decimal(worth) if worth in ("1", "0.5") else _ONE


def _read_game(game: SheetGame, play: SwissManagerGames) -> None:
    play.games.append(game)
    first, second = WORTH.get(game.result, (Decimal(0), Decimal(0)))
    play.counted[game.first] += first
    play.counted[game.second] += second


def _result_of(record: Record, notes: Notes) -> Told | None:
    """Read the result, which a line has twice, as `1;0;K` and as `1:0K`. None with a note if they differ or
    cannot be read.
    """
    cell, beside = record.get("result", EMPTY), _result_columns(record)
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


def _result_columns(record: Record) -> Told | None:
    """The result in the columns `ErgW`, `ErgS` and `Kontumaz`; None if the file has not all three."""
    if not {"first points", "second points", "forfeit"} <= record.keys():
        return None
    first, second = (_points(record[name].text) for name in ("first points", "second points"))
    return first, second, record["forfeit"].text.upper()


def _points(text: str) -> str:
    """Bring a cell's points into one spelling: `0,5` and `½` are `0.5`."""
    return text.replace("½", "0.5").replace(",", ".").removesuffix(".0")


def _check_rounds(play: SwissManagerGames, notes: Notes) -> None:
    """Check that all rounds from the first are there: the export asks for a range of rounds."""
    there = {round_ for round_, _ in play.seats}
    missing = [str(number) for number in range(1, play.last_round) if number not in there]
    if not there:
        notes.blocks("sm-no-pairings")
    elif missing:
        notes.blocks("sm-rounds-missing", rounds=", ".join(missing))
