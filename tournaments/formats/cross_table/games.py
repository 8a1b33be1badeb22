"""The cells of a cross table → games and byes.

A cell names an opponent by a number that may be the rank or the start number; the table does not say which.
Each game stands in two cells, and only the right reading makes them fit: opposite colours, results that
belong together.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import ByeKind, Param, SheetBye, SheetGame
from tournaments.formats.cross_table.columns import NUMBER, RANK
from tournaments.formats.plain_table.cells import FileCell
from tournaments.formats.plain_table.games import BYE_WORTH
from tournaments.formats.trf.games import RESULTS

BYES: Mapping[str, ByeKind] = {"-1": "pairing", "-½": "half", "-0": "zero", "0": "zero", "-": "zero"}
"""The cells that are byes, and the kind of each; of `-0` a workbook makes the number 0."""
_WORTH = {"1": Decimal(1), "+": Decimal(1), "=": Decimal("0.5")}
LISTED = 10
"""The most contradictions listed one by one, if neither reading fits."""
_COLOURS = ({"w", "b"}, {"w", "s"})
"""White and black in English, and in German."""
_CELL = re.compile(r"([0-9]{1,4})([a-z])([01½+-]?)")
_CODES = {"½": "="}


@dataclass(frozen=True, slots=True)
class CrossTableSeat:
    """One round of one player against an opponent, as the player's row gives it."""

    round: int
    player: int
    """The row, from 0."""
    opponent: int
    """The opponent's number as the cell gives it: the rank or the start number."""
    white: bool
    result: str
    cell: FileCell


@dataclass(slots=True)
class Cells:
    """The cells of a cross table's rounds: games as each player's row has them, byes, and unreadable ones."""

    seats: dict[tuple[int, int], CrossTableSeat] = field(default_factory=dict)
    """By round and row."""
    byes: list[tuple[int, int, FileCell]] = field(default_factory=list)
    """Round, row and cell, which is blank if the table says nothing."""
    unread: set[int] = field(default_factory=set)
    """Rows in which a cell could not be read."""


@dataclass(slots=True)
class CrossTableGames:
    games: list[SheetGame] = field(default_factory=list)
    byes: list[SheetBye] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Contradiction:
    key: str
    seat: CrossTableSeat
    params: Mapping[str, Param]


def read_cells(rows: Sequence[Mapping[int, FileCell]], notes: Notes) -> Cells | None:
    """Read a cross table's rounds. `rows`: cells by round; None, with a note, if they hold no games."""
    cells, letters = Cells(), dict[str, FileCell]()
    for player, row in enumerate(rows):
        for round_, cell in row.items():
            _read_cell(round_, player, cell, cells, letters, notes)
    if not any(set(letters) <= pair for pair in _COLOURS):
        odd = next(cell for letter, cell in letters.items() if letter != "w")
        notes.blocks("cross-colours-unknown", **odd.place, letters=", ".join(sorted(letters)))
        return None
    if not cells.seats:
        notes.blocks("no-games")
        return None
    played = {seat.round for seat in cells.seats.values()}
    cells.byes = [bye for bye in cells.byes if bye[0] in played]  # other rounds are still to come
    return cells


def _read_cell(
    round_: int, player: int, cell: FileCell, cells: Cells, letters: dict[str, FileCell], notes: Notes
) -> None:
    bare = cell.text.replace(" ", "").lower()
    found = _CELL.fullmatch(bare)
    if found:
        letters.setdefault(found[2], cell)
        result = _CODES.get(found[3], found[3])
        cells.seats[round_, player] = CrossTableSeat(
            round_, player, int(found[1]), found[2] == "w", result, cell
        )
    elif bare in BYES or not bare:
        cells.byes.append((round_, player, cell))
    else:
        notes.blocks("cross-cell-not-read", **cell.place, text=cell.shown, round=round_)
        cells.unread.add(player)


# ---------------------------------------------------------------- ranks or start numbers


def numbers_of(cells: Cells, numberings: Mapping[str, Sequence[int | None]], notes: Notes) -> Sequence[int]:
    """Find the numbers by which cells name opponents: those, by row, under which both sides of every game
    fit; none, with a note that says why, if neither numbering does.

    `numberings`: the columns of ranks and of start numbers, as far as the table has them.
    """
    usable = {name: numbers for name, values in numberings.items() if (numbers := _distinct(values))}
    wrong = {name: _contradictions(cells, numbers) for name, numbers in usable.items()}
    fit = [name for name in usable if not wrong[name]]
    if not usable:
        notes.blocks("cross-no-numbers")
    elif len(set(map(tuple, usable.values()))) == 1:
        only = next(iter(usable))
        _note_contradictions(wrong[only], notes)
        return usable[only]
    elif len(fit) == 1:
        return usable[fit[0]]
    elif fit:
        notes.blocks("cross-both-fit")
    else:
        counts = {name: len(wrong[name]) for name in (RANK, NUMBER)}
        best = min(wrong.values(), key=len)
        notes.blocks("cross-neither-fits", ranks=counts[RANK], numbers=counts[NUMBER], cells=len(cells.seats))
        _note_contradictions(best[:LISTED], notes)
    return ()


def _distinct(values: Sequence[int | None]) -> Sequence[int]:
    """The values of a column as numbers, if every row has one and no two the same; else none."""
    numbers = [value for value in values if value]
    return numbers if len(set(numbers)) == len(values) else ()


def _contradictions(cells: Cells, numbers: Sequence[int]) -> list[_Contradiction]:
    rows = {number: row for row, number in enumerate(numbers)}
    found = (_contradiction(seat, cells, numbers, rows) for seat in cells.seats.values())
    return [one for one in found if one]


def _contradiction(
    seat: CrossTableSeat, cells: Cells, numbers: Sequence[int], rows: Mapping[int, int]
) -> _Contradiction | None:
    """The contradiction between this cell and its opponent's, if any; the first row of a pair reports it."""
    names: dict[str, Param] = {"number": numbers[seat.player], "opponent": seat.opponent, "round": seat.round}
    row = rows.get(seat.opponent)
    if row is None:
        return _Contradiction("cross-opponent-missing", seat, names)
    if row == seat.player:
        return _Contradiction("plays-self", seat, {"number": seat.opponent, "round": seat.round})
    other = cells.seats.get((seat.round, row))
    if other is None:
        return None if row in cells.unread else _Contradiction("opponent-free", seat, names)
    names["says"] = other.opponent
    if other.opponent != numbers[seat.player]:
        return _Contradiction("opponent-elsewhere", seat, names)
    if row < seat.player:
        return None
    if seat.white == other.white:
        return _Contradiction("same-colour", seat, names | {"other_line": other.cell.line})
    first, second = (seat, other) if seat.white else (other, seat)
    if (first.result, second.result) in RESULTS or not first.result + second.result:
        return None
    names |= {"result": _result_text(seat), "other": _result_text(other), "other_line": other.cell.line}
    return _Contradiction("results-disagree", seat, names)


def _result_text(seat: CrossTableSeat) -> str:
    return seat.result.replace("=", "½") or "–"


def _note_contradictions(contradictions: Iterable[_Contradiction], notes: Notes) -> None:
    for one in contradictions:
        notes.blocks(one.key, **one.seat.cell.place, **one.params)


# ---------------------------------------------------------------- games and byes


def play_of(
    cells: Cells, start_number: Callable[[int], int], numbers: Sequence[int], notes: Notes
) -> CrossTableGames:
    """Make the games and byes of a cross table, by start numbers.

    `start_number`: gives that of a row; `numbers`: from `numbers_of`, which noted contradictions.
    """
    rows = {number: row for row, number in enumerate(numbers)}
    play, open_ = CrossTableGames(), defaultdict[int, list[FileCell]](list)
    for (round_, player), seat in sorted(cells.seats.items()):
        other = cells.seats.get((round_, rows.get(seat.opponent, -1)))
        if other is None or not seat.white or other.white:
            continue
        result = RESULTS.get((seat.result, other.result))
        first, second = start_number(player), start_number(other.player)
        if result:
            play.games.append(SheetGame(round_, first, second, result, line=seat.cell.line))
        elif not seat.result + other.result:
            open_[round_].append(seat.cell)
        if result == "0-0":
            names = {"number": first, "opponent": second, "round": round_}
            notes.notice("both-lost", **seat.cell.place, **names)
    for round_, unfinished in open_.items():
        notes.blocks("round-unfinished", **unfinished[0].place, round=round_, games=len(unfinished))
    _read_byes(cells, start_number, play, notes)
    return play


def _read_byes(cells: Cells, start_number: Callable[[int], int], play: CrossTableGames, notes: Notes) -> None:
    """Read the byes: a point against nobody is the pairing's bye, one a round; ask if there are several."""
    given = defaultdict[int, list[FileCell]](list)
    for round_, player, cell in cells.byes:
        bare = cell.text.replace(" ", "")
        kind = BYES.get(bare, "zero")
        play.byes.append(SheetBye(round_, start_number(player), kind, cell.line))
        if kind == "pairing":
            given[round_].append(cell)
        elif not bare:
            notes.adjusts("cross-blank", cell.line, f"{round_}: ", f"{round_}: -0")
    for round_, points in given.items():
        if len(points) > 1:
            notes.asks("cross-several-byes", **points[1].place, round=round_, count=len(points))
            for cell in points:
                notes.adjusts("cross-several-byes", cell.line, f"{round_}: {cell.shown}", f"{round_}: U")


def points_of(cells: Cells) -> Mapping[int, Decimal]:
    """The points that the cells of a player's row add up to, by row."""
    sums: dict[int, Decimal] = defaultdict(Decimal)
    for seat in cells.seats.values():
        sums[seat.player] += _WORTH.get(seat.result, Decimal(0))
    for _round, player, cell in cells.byes:
        sums[player] += BYE_WORTH.get(BYES.get(cell.text.replace(" ", ""), "zero"), Decimal(0))
    return sums
