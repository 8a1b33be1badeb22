"""SwissPerfect's standings as a text with tabs: `27:W` is an opponent and a result, `0:-` nobody. It has no
colours.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from tournaments.formats.common.decode_text import Text
from tournaments.formats.common.format_description import FileKind
from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import (
    ByeKind,
    Reading,
    Result,
    Sheet,
    SheetBye,
    SheetGame,
    SheetPlayer,
    Unused,
)
from tournaments.formats.plain_table.games import SheetGames
from tournaments.formats.swiss_perfect.three_files import DIALECT, SWISS_PERFECT
from tournaments.formats.trf_layout.columns import MOST_ROUNDS

KINDS: tuple[FileKind, ...] = (SWISS_PERFECT,)
HEADER_WITHIN = 20  # lines
_CELL = re.compile(r"([0-9]{1,4}):([WDL+=-])")
_NUMBER = re.compile(r"[1-9][0-9]{0,3}")
_POINTS = re.compile(r"[0-9]{1,3}(?:[.,][05])?")
_FITTING: Mapping[str, tuple[str, Result]] = {
    "W": ("L", "1-0"),
    "L": ("W", "0-1"),
    "D": ("D", "1/2"),
    "+": ("-", "+:-"),
    "-": ("+", "-:+"),
}
"""A result → the opponent's that fits, and the game's."""
_ALONE: Mapping[str, ByeKind] = {
    "W": "full",
    "+": "pairing",
    "D": "half",
    "=": "half",
    "L": "zero",
    "-": "zero",
}


@dataclass(frozen=True, slots=True)
class _Columns:
    name: int
    total: int
    id: int | None
    rounds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Seat:
    opponent: int
    result: str
    line: int
    column: int


def recognises(text: Text) -> bool:
    return _header(text) is not None


def read_text(text: Text, notes: Notes) -> Reading:
    found = _header(text)
    assert found
    at, columns = found
    rows, seats, unused = list[SheetPlayer](), dict[tuple[int, int], _Seat](), list[Unused]()
    for line, whole in enumerate(text.lines[at + 1 :], at + 2):
        cells = [cell.strip() for cell in whole.split("\t")]
        if not any(cells):
            continue
        row = _row(cells, columns, line)
        if row is None or any(row.start_number == other.start_number for other in rows):
            unused.append(Unused(whole.rstrip(), line))
            continue
        rows.append(row)
        _seat(row, cells, columns, seats, notes)
    if unused:
        notes.notice("lines-not-understood", unused[0].line, count=len(unused))
    play = _play(rows, seats, len(columns.rounds), notes)
    notes.notice("sp-no-colours", at + 1)
    if not play.games:
        notes.blocks("no-games")
    for key in ("name-missing", "starts-missing"):
        notes.asks(key)
    rounds = max((game.round for game in play.games), default=0)
    sheet = Sheet(
        dialect=f"{DIALECT} text",
        family=SWISS_PERFECT.code,
        rounds=len(columns.rounds),
        rounds_played=rounds,
        round_dates=(None,) * len(columns.rounds),
        rows=tuple(rows),
        games=tuple(play.games),
        byes=tuple(play.byes),
        unused=tuple(unused),
        encoding=text.encoding,
    )
    return notes.reading(sheet)


def _header(text: Text) -> tuple[int, _Columns] | None:
    """The header row with its place: `No`, `Name`, `Total` and the numbers of the rounds."""
    for at, line in enumerate(text.lines[:HEADER_WITHIN]):
        heads = [cell.strip().lower().rstrip(".") for cell in line.split("\t")]
        rounds = [place for place, head in enumerate(heads) if head.isdecimal()]
        numbered = [heads[place] for place in rounds] == [str(n) for n in range(1, len(rounds) + 1)]
        if heads[0] == "no" and {"name", "total"} <= set(heads) and rounds and numbered:
            ids = [heads.index(head) for head in ("loc id", "intl id") if head in heads]
            id_ = next(iter(ids), None)
            known = _Columns(heads.index("name"), heads.index("total"), id_, tuple(rounds))
            return (at, known) if len(rounds) <= MOST_ROUNDS else None
    return None


def _row(cells: Sequence[str], columns: _Columns, line: int) -> SheetPlayer | None:
    if len(cells) <= max(columns.name, columns.total) or not _NUMBER.fullmatch(cells[0]):
        return None
    name, total = cells[columns.name][:100], cells[columns.total]
    if not name or not _POINTS.fullmatch(total):
        return None
    surname, _comma, first_name = (part.strip() for part in name.partition(","))
    id_ = cells[columns.id] if columns.id is not None and columns.id < len(cells) else ""
    return SheetPlayer(
        start_number=int(cells[0]),
        name=name,
        surname=surname,
        first_name=first_name,
        identifier=id_[:30] if id_.strip("0") else None,
        points=Decimal(total.replace(",", ".")),
        line=line,
    )


def _seat(
    row: SheetPlayer,
    cells: Sequence[str],
    columns: _Columns,
    seats: dict[tuple[int, int], _Seat],
    notes: Notes,
) -> None:
    for round_, place in enumerate(columns.rounds, 1):
        cell = cells[place] if place < len(cells) else ""
        if cell in ("", ":"):
            continue
        found = _CELL.fullmatch(cell)
        if found is None:
            notes.blocks("sp-cell-odd", row.line, place + 1, text=cell[:20])
            continue
        seats[round_, row.start_number] = _Seat(int(found[1]), found[2], row.line, place + 1)


def _play(
    rows: Sequence[SheetPlayer], seats: Mapping[tuple[int, int], _Seat], rounds: int, notes: Notes
) -> SheetGames:
    play = SheetGames()
    order = [row.start_number for row in rows]
    lines = {row.start_number: row.line for row in rows}
    for round_ in range(1, rounds + 1):
        for number in order:
            seat = seats.get((round_, number))
            if seat is None:
                play.byes.append(SheetBye(round_, number, "zero", lines[number], blank=True))
            elif not seat.opponent:
                play.byes.append(SheetBye(round_, number, _ALONE[seat.result], seat.line))
            elif game := _game(round_, number, seat, seats, order, notes):
                play.games.append(game)
    return _without_rounds_to_come(play, rounds)


def _without_rounds_to_come(play: SheetGames, rounds: int) -> SheetGames:
    """Leave out the absences of rounds that nobody played: they are still to come."""
    played = max((game.round for game in play.games), default=0)
    play.byes = [bye for bye in play.byes if bye.round <= played or rounds == played]
    return play


def _game(
    round_: int,
    number: int,
    seat: _Seat,
    seats: Mapping[tuple[int, int], _Seat],
    order: Sequence[int],
    notes: Notes,
) -> SheetGame | None:
    """The game of a seat, once for the player listed first; None with a note where both sides differ."""
    other = seats.get((round_, seat.opponent))
    if seat.opponent not in order or seat.opponent == number:
        notes.blocks("opponent-missing", seat.line, seat.column, opponent=seat.opponent, rounds=str(round_))
        return None
    if order.index(seat.opponent) < order.index(number) and other and other.opponent == number:
        return None
    told = {"round": round_, "number": number, "opponent": seat.opponent}
    if other is None or other.opponent != number:
        notes.blocks("opponent-free", seat.line, seat.column, **told)
        return None
    if seat.result == other.result == "-":
        return SheetGame(round_, number, seat.opponent, "-:-", line=seat.line)
    fitting, result = _FITTING.get(seat.result, ("", "1/2"))
    if fitting != other.result:
        both = {"result": seat.result, "other": other.result}
        notes.blocks("results-disagree", seat.line, seat.column, **told, **both, other_line=other.line)
        return None
    return SheetGame(round_, number, seat.opponent, result, line=seat.line)
