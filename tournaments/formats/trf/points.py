"""The points of results in an event, where TRF26 (162, 299), JaVaFo (XXS) or bbpPairings (BBW …) give them;
and the players' points (columns 81–84) compared with that.

All are read as JaVaFo's codes, which are the finest: won, drawn and lost with white and with black (WW … BL),
forfeits (FW, FL), byes (ZPB, HPB, FPB, PAB).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import PointValue, SheetPlayer, Unused
from tournaments.formats.trf.rows import TrfPlayers, TrfSeat
from tournaments.formats.trf_layout.columns import MOST_ROUNDS
from tournaments.formats.trf_layout.trf_record import TrfRecord

ONE, HALF, NOUGHT = Decimal("1.0"), Decimal("0.5"), Decimal("0.0")
USUAL = {"WW": ONE, "BW": ONE, "WD": HALF, "BD": HALF, "WL": NOUGHT, "BL": NOUGHT, "FW": ONE, "FL": NOUGHT}
USUAL |= {"ZPB": NOUGHT, "HPB": HALF, "FPB": ONE, "PAB": ONE}
_WON, _DRAWN, _LOST = ("WW", "BW", "FW", "FPB"), ("WD", "BD", "HPB"), ("WL", "BL")

# The symbols of each record → the codes that they stand for.
OF_162: dict[str, tuple[str, ...]] = {"W": (*_WON, "PAB"), "D": _DRAWN, "L": _LOST, "A": ("ZPB", "FL")}
OF_162 |= {"Z": ("ZPB", "FL"), "P": ("PAB",), "X": ()}  # Z: as older programs write A; X: not yet known
_OF_XXS = {code: (code,) for code in USUAL} | {"W": _WON, "D": _DRAWN, "L": (*_LOST, "ZPB", "FL")}
_OF_BBP = {"BBW": _WON, "BBD": _DRAWN, "BBL": _LOST, "BBZ": ("ZPB",), "BBF": ("FL",), "BBU": ("PAB",)}
_OF_299 = {"W": ("WW", "BW"), "D": ("WD", "BD"), "L": _LOST, "F": ("FPB",), "H": ("HPB",), "Z": ("ZPB",)}
_OF_299 |= {"+": ("FW",), "-": ("FL",)}
RECORDS = {"162": OF_162, "XXS": _OF_XXS, **{symbol: {symbol: codes} for symbol, codes in _OF_BBP.items()}}
ABNORMAL = "299"

# A player's result → the code, with an opponent and with none.
_PLAYED = {"+": "FW", "-": "FL"}
_FREE = {"U": "PAB", "F": "FPB", "1": "FPB", "W": "FPB", "H": "HPB", "=": "HPB", "D": "HPB", "+": "FW"}
_BY_COLOUR = {"1": "W", "W": "W", "=": "D", "D": "D", "0": "L", "L": "L"}

_VALUE = re.compile(r"([A-Z]{1,3})[ =]{1,4}([0-9]{1,2}(?:\.[0-9])?)(?= |$)")
_NUMBER = re.compile(r"-?[0-9]{1,2}(?:\.[0-9])?")
_IN_COLUMNS = re.compile(
    r"299 (?P<kind>[WDLFHZ+ -])  (?P<match>[ 0-9.-]{4})  (?P<game>[ 0-9.-]{4})  (?P<round>[ 0-9]{3})"
    r"(?P<players>(?: [ 0-9]{4})*)"
)
# Where the columns are not kept: points have a decimal, the round and start numbers have none.
_BY_BLANKS = re.compile(
    r"299 +(?:(?P<kind>[WDLFHZ+-]) +)?(?:(?P<match>-?[0-9]{1,2}\.[0-9]) +)?(?P<game>-?[0-9]{1,2}\.[0-9])"
    r" +(?P<round>[0-9]{1,3})(?P<players>(?: +[0-9]{1,4})+)"
)


@dataclass(slots=True)
class Worth:
    """The points that an event gives for each kind of result (JaVaFo's codes), and for single results."""

    values: dict[str, Decimal] = field(default_factory=lambda: dict(USUAL))
    added: dict[int, Decimal] = field(default_factory=lambda: defaultdict(Decimal))
    """By start number, points given or taken apart from the results."""
    instead: dict[tuple[int, int], Decimal] = field(default_factory=dict)
    """Round and start number → the points of that one result."""
    unused: list[Unused] = field(default_factory=list)

    def of(self, seat: TrfSeat) -> Decimal:
        code = _code(seat)
        return self.values[code] if code else Decimal(0)

    @property
    def own_values(self) -> tuple[PointValue, ...]:
        """The points of those kinds of results for which the event gives unusual ones."""
        return tuple(PointValue(code, v) for code, v in self.values.items() if v != USUAL[code])


def read_worth(records: Iterable[TrfRecord], notes: Notes, *, in_teams: bool) -> Worth:
    """Read the points of results. `in_teams`: 299 is about the teams, whose points no sheet holds."""
    worth, told, first = Worth(), list[tuple[tuple[str, ...], Decimal]](), None
    for record in records:
        if record.code == ABNORMAL:
            if not in_teams and not _read_abnormal(record, worth, told):
                worth.unused.append(Unused(record.text, record.line))
        elif values := _values(record):
            told += values
        else:
            worth.unused.append(Unused(record.text, record.line))
        first = first or record.line
    for codes, value in sorted(told, key=lambda each: -len(each[0])):  # what says more of one code stands
        worth.values |= dict.fromkeys(codes, value)
    if in_teams and worth.values["PAB"] > worth.values["WW"]:
        worth.values["PAB"] = NOUGHT  # the whole team's points for its bye, as 320 gives them: no player's
    if worth.own_values:
        notes.notice("points-by-own-values", first)
    return worth


def _values(record: TrfRecord) -> list[tuple[tuple[str, ...], Decimal]]:
    """The points that a record gives: for each symbol the JaVaFo codes it stands for, and their points.

    Empty if anything in the record cannot be read.
    """
    symbols = RECORDS[record.code]
    text = f"{record.code} {record.value}" if record.code in _OF_BBP else record.value
    found = _VALUE.findall(text)
    whole = not _VALUE.sub("", text).strip() and all(symbol in symbols for symbol, _ in found)
    return [(symbols[symbol], Decimal(value)) for symbol, value in found] if whole else []


def _read_abnormal(record: TrfRecord, worth: Worth, told: list[tuple[tuple[str, ...], Decimal]]) -> bool:
    """Read 299: a value for a kind of result or for one result of some players, or points apart from results.

    False if it is none of these.
    """
    text = record.text.rstrip()
    found = _IN_COLUMNS.fullmatch(f"{text:<22}") or _BY_BLANKS.fullmatch(text)
    points = _points(found) if found else None
    if not found or points is None:
        return False
    kind, round_ = (found["kind"] or "").strip(), int(found["round"].strip() or 0)
    players = [number for number in map(int, found["players"].split()) if number]
    if not kind and players:
        for player in players:
            worth.added[player] += points
    elif kind and not players and not round_:
        told.append((_OF_299[kind], points))
    elif kind and players and 0 < round_ <= MOST_ROUNDS:
        worth.instead |= {(round_, player): points for player in players}
    else:
        return False
    return True


def _points(found: re.Match[str]) -> Decimal | None:
    """An individual's points, from the columns of the game points; in some files from those before."""
    text = found["game"].strip() or (found["match"] or "").strip()
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def _code(seat: TrfSeat) -> str:
    """JaVaFo's code for the result of a player's round (`WW`, `ZPB` …); empty for a game without a result."""
    if not seat.opponent:
        return _FREE.get(seat.result, "ZPB")
    if seat.result in _BY_COLOUR:
        return ("B" if seat.colour == "b" else "W") + _BY_COLOUR[seat.result]
    return _PLAYED.get(seat.result, "")


def with_points(field_: TrfPlayers, rounds_played: int, worth: Worth, notes: Notes) -> list[SheetPlayer]:
    """The players' rows with points: of those without, the sum of the results. If the file's points differ,
    the results decide, and a notice says by how much (columns 81–84).
    """
    sums, adjusted = _sums(field_, rounds_played, worth), _adjusted(field_, worth)
    for number, points in adjusted.items():
        notes.notice("points-adjusted", field_.lines[number], 81, number=number, points=f"{points:+f}")
    rows = [replace(row, adjusted=adjusted.get(row.start_number, Decimal(0))) for row in field_.rows]
    return [_with_points(row, sums[row.start_number] + row.adjusted, field_, notes) for row in rows]


def _sums(field_: TrfPlayers, rounds_played: int, worth: Worth) -> dict[int, Decimal]:
    sums: dict[int, Decimal] = defaultdict(Decimal)
    told = {(seat.round, seat.player) for seat in field_.seats}
    for seat in field_.seats:
        sums[seat.player] += worth.of(seat)
    for row in field_.rows:
        absent = sum((number, row.start_number) not in told for number in range(1, rounds_played + 1))
        sums[row.start_number] += absent * worth.values["ZPB"]
    return sums


def _adjusted(field_: TrfPlayers, worth: Worth) -> dict[int, Decimal]:
    """The points that record 299 gives or takes beside the results, by start number; none that is zero."""
    adjusted: dict[int, Decimal] = defaultdict(Decimal)
    seats = {(seat.round, seat.player): seat for seat in field_.seats}
    for player, points in worth.added.items():
        adjusted[player] += points
    for (round_, player), points in worth.instead.items():
        seat = seats.get((round_, player))
        adjusted[player] += points - (worth.of(seat) if seat else worth.values["ZPB"])
    known = {row.start_number for row in field_.rows}
    return {player: points for player, points in adjusted.items() if points and player in known}


def _with_points(row: SheetPlayer, total: Decimal, field_: TrfPlayers, notes: Notes) -> SheetPlayer:
    if row.start_number in field_.without_points:
        notes.adjusts("points-missing", row.line, "", f"{total:f}")
        return replace(row, points=total)
    if row.points != total and row.start_number not in field_.unread:
        sums = {"filed": f"{row.points:f}", "counted": f"{total:f}"}
        notes.notice("points-differ", row.line, 81, number=row.start_number, **sums)
    return row


# ---------------------------------------------------------------- write


def value_records(values: Iterable[PointValue]) -> Iterator[str]:
    """Yield the records that tell an event's points: 162 if it can, XXS always; none if all are the usual."""
    own = {value.code: value.points for value in values}
    if not own:
        return
    all_values = USUAL | own
    symbols = {symbol: OF_162[symbol] for symbol in "WDLAP"}
    symbols["W"] = _WON
    if all(len({all_values[code] for code in codes}) == 1 for codes in symbols.values()):
        cells = (f"{symbol}{all_values[codes[0]]:>4.1f}" for symbol, codes in symbols.items())
        yield "162  " + "    ".join(cells)
    yield "XXS " + " ".join(f"{code}={value:.1f}" for code, value in all_values.items())


def adjustment_records(rows: Iterable[SheetPlayer]) -> Iterator[str]:
    for row in rows:
        left = row.adjusted
        while left:
            part = min(max(left, Decimal("-9.9")), Decimal("99.9"))  # as much as four columns hold
            yield f"{ABNORMAL} {'':9}{part:>4.1f}  000 {row.start_number:>4}"
            left -= part
