"""The seats of each round → games and byes. Both sides of a game must agree."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import ByeKind, Result, SheetBye, SheetGame
from tournaments.formats.trf.rows import TrfPlayers, TrfSeat

# What the first mover's line says and what the second's says → the result.
RESULTS: dict[tuple[str, str], Result] = {
    ("1", "0"): "1-0",
    ("=", "="): "1/2",
    ("0", "1"): "0-1",
    ("+", "-"): "+:-",
    ("-", "+"): "-:+",
    ("-", "-"): "-:-",
    ("0", "0"): "0-0",
    ("W", "L"): "+:-",
    ("L", "W"): "-:+",
}
SHORT_DRAW = ("D", "D")
NO_RESULT = {"", "Z"}  # Lichess marks a game that still runs with Z


@dataclass(frozen=True, slots=True)
class Free:
    """A reader's understanding of a result against nobody: the kind of bye, and what is noted about it."""

    kind: ByeKind
    code: str
    """The code of TRF16 as which it is read."""
    key: str = ""
    """The key of the adjustment; empty if the format itself says so."""
    asks: bool = False


FREE = {
    "U": Free("pairing", "U"),
    "F": Free("full", "F"),
    "H": Free("half", "H"),
    "Z": Free("zero", "Z"),
    "": Free("zero", "Z"),
    "-": Free("zero", "Z", "absent"),
    "+": Free("pairing", "U", "win-without-opponent", asks=True),
    "1": Free("full", "F", "result-without-opponent", asks=True),
    "=": Free("half", "H", "result-without-opponent", asks=True),
    "0": Free("zero", "Z", "result-without-opponent", asks=True),
    "W": Free("full", "F", "result-without-opponent", asks=True),
    "D": Free("half", "H", "result-without-opponent", asks=True),
    "L": Free("zero", "Z", "result-without-opponent", asks=True),
}
# In a team's file it is a board where the other team fielded nobody, and nothing is left to ask.
FREE_IN_TEAMS = FREE | {"+": Free("pairing", "U", "win-without-opponent")}


@dataclass(slots=True)
class TrfGames:
    games: list[SheetGame] = field(default_factory=list)
    byes: list[SheetBye] = field(default_factory=list)
    rounds_played: int = 0
    last_round: int = 0
    """The last round in which anything stands."""


@dataclass(slots=True)
class _OpenSeats:
    """Seats for findings that are made once for many of them, collected while the games are read."""

    missing: dict[int, list[TrfSeat]] = field(default_factory=lambda: defaultdict(list))
    unfinished: dict[int, list[TrfSeat]] = field(default_factory=lambda: defaultdict(list))


def read_play(field_: TrfPlayers, notes: Notes, *, in_teams: bool) -> TrfGames:
    seats = sorted(field_.seats, key=lambda seat: seat.round)  # stable: within a round as the lines stand
    play = TrfGames(last_round=max((seat.round for seat in seats), default=0))
    play.rounds_played = max((seat.round for seat in seats if seat.opponent), default=0)
    _read_byes(field_, seats, play, notes, FREE_IN_TEAMS if in_teams else FREE)
    _read_games(field_, seats, play, notes)
    play.byes.sort(key=lambda bye: (bye.round, bye.line))
    return play


def _read_games(field_: TrfPlayers, seats: Iterable[TrfSeat], play: TrfGames, notes: Notes) -> None:
    known = {row.start_number for row in field_.rows}
    told = {(seat.round, seat.player): seat for seat in seats}
    left, done = _OpenSeats(), set[tuple[int, int]]()
    for seat in told.values():
        if not seat.opponent or (seat.round, seat.player) in done:
            continue
        other = _other_side(seat, told, known, field_.unread, left, notes)
        if other:
            done.add((other.round, other.player))
            _read_game(seat, other, play, left, notes)
    _say_what_is_open(left, notes)


def _other_side(
    seat: TrfSeat,
    told: dict[tuple[int, int], TrfSeat],
    known: set[int],
    unread: set[int],
    left: _OpenSeats,
    notes: Notes,
) -> TrfSeat | None:
    """The opponent's seat in the same game; None with a note that says why there is none."""
    other = told.get((seat.round, seat.opponent))
    if seat.opponent == seat.player:
        notes.blocks("plays-self", seat.line, seat.column, number=seat.player, round=seat.round)
    elif seat.opponent not in known:
        if seat.opponent not in unread:
            left.missing[seat.opponent].append(seat)
    elif other and other.opponent == seat.player:
        return other
    elif seat.opponent not in unread:
        says = other.opponent if other else 0
        key = "opponent-elsewhere" if says else "opponent-free"
        params = {"number": seat.player, "opponent": seat.opponent, "round": seat.round}
        notes.blocks(key, seat.line, seat.column, **params, **({"says": says} if says else {}))
    return None


def _read_game(seat: TrfSeat, other: TrfSeat, play: TrfGames, left: _OpenSeats, notes: Notes) -> None:
    if "?" in (seat.result, other.result):
        return
    if seat.result in NO_RESULT and other.result in NO_RESULT:
        left.unfinished[seat.round].append(seat)
        return
    order = _in_order(seat, other, notes)
    if not order:
        return
    first, second = order
    codes = (first.result, second.result)
    if codes == SHORT_DRAW:
        _read_short_draw(first, second, play, notes)
    elif codes in RESULTS:
        play.games.append(_game(first, second, seat.line, notes))
    else:
        notes.blocks(
            "results-disagree",
            seat.line,
            seat.column + 7,
            number=seat.player,
            opponent=other.player,
            round=seat.round,
            result=seat.result or "–",
            other=other.result or "–",
            other_line=other.line,
        )


def _in_order(seat: TrfSeat, other: TrfSeat, notes: Notes) -> tuple[TrfSeat, TrfSeat] | None:
    """The two seats, white first; one side's colour tells the other's. None with a note if they clash."""
    colours = (seat.colour, other.colour)
    if colours in {("w", "w"), ("b", "b")}:
        name = {
            "number": seat.player,
            "opponent": other.player,
            "round": seat.round,
            "other_line": other.line,
        }
        notes.blocks("same-colour", seat.line, seat.column + 5, **name)
        return None
    if colours == ("", ""):
        if {seat.result, other.result} <= {"+", "-"}:  # nobody moved: the order says nothing
            return seat, other
        notes.blocks("colour-missing", seat.line, seat.column + 5, round=seat.round, number=seat.player)
        return None
    if "" in colours:
        _say_colour(seat if not seat.colour else other, "b" if "w" in colours else "w", notes)
    return (seat, other) if seat.colour == "w" or other.colour == "b" else (other, seat)


def _say_colour(seat: TrfSeat, colour: str, notes: Notes) -> None:
    notes.adjusts(
        "colour-from-opponent", seat.line, f"{seat.round}: {seat.opponent:04} -", f"{seat.round}: {colour}"
    )


def _game(first: TrfSeat, second: TrfSeat, line: int, notes: Notes) -> SheetGame:
    codes = (first.result, second.result)
    result, short = RESULTS[codes], "W" in codes
    if short:
        notes.adjusts("short-game", line, _both(first, second), result)
    if result == "0-0":
        names = {"number": first.player, "opponent": second.player, "round": first.round}
        notes.notice("both-lost", line, first.column + 7, **names)
    return SheetGame(first.round, first.player, second.player, result, short, line)


def _read_short_draw(first: TrfSeat, second: TrfSeat, play: TrfGames, notes: Notes) -> None:
    notes.adjusts("short-draw", first.line, _both(first, second), "H / H")
    play.byes += [SheetBye(seat.round, seat.player, "half", seat.line) for seat in (first, second)]


def _both(first: TrfSeat, second: TrfSeat) -> str:
    return f"{first.round}: {first.player}–{second.player} {first.result}/{second.result}"


def _say_what_is_open(left: _OpenSeats, notes: Notes) -> None:
    for opponent, seats in left.missing.items():
        rounds = ", ".join(str(number) for number in sorted({seat.round for seat in seats}))
        notes.blocks("opponent-missing", seats[0].line, seats[0].column, opponent=opponent, rounds=rounds)
    for round_, seats in left.unfinished.items():
        notes.blocks("round-unfinished", seats[0].line, seats[0].column + 7, round=round_, games=len(seats))


def _read_byes(
    field_: TrfPlayers, seats: Iterable[TrfSeat], play: TrfGames, notes: Notes, free: dict[str, Free]
) -> None:
    told = {(seat.player, seat.round): seat for seat in seats}
    for row in field_.rows:
        if row.start_number in field_.unread:
            continue
        changed: dict[str, list[TrfSeat]] = defaultdict(list)
        for round_ in range(1, play.last_round + 1):
            seat = told.get((row.start_number, round_))
            if seat is None and round_ > play.rounds_played:
                continue
            if seat is None or (not seat.opponent and seat.result in free):
                meaning = free[seat.result if seat else ""]
                bye = SheetBye(round_, row.start_number, meaning.kind, row.line, blank=seat is None)
                play.byes.append(bye)
                if seat and meaning.key:
                    changed[meaning.key].append(seat)
        for key, group in changed.items():
            _say_bye(key, group, free, notes)


def _say_bye(key: str, seats: list[TrfSeat], free: dict[str, Free], notes: Notes) -> None:
    first = seats[0]
    before = ", ".join(f"{seat.round}: 0000 - {seat.result}" for seat in seats)
    after = ", ".join(f"{seat.round}: 0000 - {free[seat.result].code}" for seat in seats)
    notes.adjusts(key, first.line, before, after)
    if free[first.result].asks:
        rounds = ", ".join(str(seat.round) for seat in seats)
        notes.asks(key, first.line, first.column, number=first.player, rounds=rounds)
