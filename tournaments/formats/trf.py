"""Read the TRF family into sheets: TRF06 (Krause), TRF16, TRF(x) and TRF26, as programs write them."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import pairwise

from ratings.rulesets.downloads import FIDE_SHORT_TITLES
from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.particulars import SEXES
from tournaments.formats import trf_layout
from tournaments.formats.dates import (
    FIRST_PLACEHOLDER_YEAR,
    DaysByText,
    can_be_ambiguous_date,
    read_birth,
    read_date,
    read_round_date,
    resolve_dates,
)
from tournaments.formats.sheet import (
    ByeKind,
    FileKind,
    FileSource,
    National,
    Notes,
    Official,
    OtherId,
    PointValue,
    Reading,
    Result,
    Role,
    Seat,
    Sheet,
    SheetBye,
    SheetGame,
    SheetGames,
    SheetPlayer,
    Team,
    Unused,
)
from tournaments.formats.text import Text

# ---- Players' lines (`001`)
TITLES = {
    **{letters.upper(): title for letters, title in FIDE_SHORT_TITLES.items()},
    **{"GF": "WGM", "MF": "WIM", "FF": "WFM", "CF": "WCM"},
}
"""Titles by TRF06's letters, and by Papi's of women."""
RESULT_CODES = set("1=0WDL+-HFUZ")
OPEN_RESULT = "*"  # of a round that is still to come

_COLUMN = {column.name: column.start for column in trf_layout.PLAYER_COLUMNS}


class TrfPlayers:
    """Reads the players' lines (`001`) of a TRF."""

    def __init__(
        self, records: Iterable[trf_layout.TrfRecord], notes: Notes, *, try_bytes_first: bool
    ) -> None:
        self.rows: list[SheetPlayer] = []
        self.seats: list[Seat] = []
        self.unread: set[int] = set()
        """Start numbers of lines that are refused or cut, which have a note already."""
        self.without_points: set[int] = set()
        self.lines: dict[int, int] = {}
        """The line's number by start number."""
        for record in records:
            cut = trf_layout.split_line_or_find_misfit(record.text, try_bytes_first=try_bytes_first)
            self._read_line(record, cut, notes)
        first: dict[str, SheetPlayer] = {}
        for row in self.rows:
            if row.identifier and (twin := first.setdefault(row.identifier, row)) is not row:
                column = _COLUMN["identifier"]
                notes.blocks("identifier-twice", row.line, column, id=row.identifier, first=twin.line)

    @property
    def rounds_played(self) -> int:
        return max((seat.round for seat in self.seats if seat.opponent), default=0)

    @property
    def last_round(self) -> int:
        """The last round that is not blank."""
        return max((seat.round for seat in self.seats), default=0)

    def _read_line(
        self, record: trf_layout.TrfRecord, cut: trf_layout.TrfPlayerLine | int, notes: Notes
    ) -> None:
        if isinstance(cut, int):
            number = record.text[4:8].strip()
            if number.isascii() and number.isdigit():
                self.unread.add(int(number))
            end = len(record.text.rstrip())
            if "\t" in record.text:
                notes.blocks("tab", record.line, record.text.index("\t") + 1)
            elif end < trf_layout.POINTS_END and "  " not in record.text.strip():
                notes.blocks("columns-not-kept", record.line, cut)
            elif end < trf_layout.POINTS_END:
                notes.blocks("line-cut", record.line, end)
            else:
                notes.blocks("columns-shifted", record.line, cut)
            return
        row = _row(cut, record.line, notes)
        first = self.lines.setdefault(row.start_number, row.line)
        if first != row.line:
            notes.blocks("start-number-twice", record.line, 5, number=row.start_number, first=first)
            return
        if cut.cut_at is not None:
            notes.blocks("line-cut", record.line, cut.cut_at)
            self.unread.add(row.start_number)
        elif not cut.fields["points"]:
            self.without_points.add(row.start_number)
        self.rows.append(row)
        self.seats += _seats(cut, row, notes)


def _row(cut: trf_layout.TrfPlayerLine, line: int, notes: Notes) -> SheetPlayer:
    values = cut.fields
    number = int(values["start_number"])
    if not number:
        notes.blocks("start-number-zero", line, 5)
    name = unicodedata.normalize("NFC", values["name"]).strip()
    surname, _, first_name = (part.strip() for part in name.partition(","))
    if not name.strip(", "):
        notes.blocks("player-without-name", line, _COLUMN["name"], number=number)
    born, birth = _birth(values["birth"], line, notes)
    text = values["sex"]
    sex = SEXES.get(text.lower())
    if text and not sex:
        notes.adjusts("sex-not-read", line, text, "")
    return SheetPlayer(
        start_number=number,
        name=name,
        surname=surname,
        first_name=first_name,
        sex=sex,
        title=TITLES.get(values["title"].upper(), values["title"].upper()),
        rating=int(values["rating"] or 0) or None,
        federation=values["federation"],
        identifier=values["identifier"] if values["identifier"].strip("0") else None,
        born=born,
        birth=birth,
        points=Decimal(values["points"].replace(",", ".") or 0),
        place=int(values["place"] or 0) or None,
        line=line,
    )


def _birth(text: str, line: int, notes: Notes) -> tuple[int | None, date | None]:
    read = read_birth(text)
    if read is None:
        notes.notice("birth-not-read", line, _COLUMN["birth"], text=text)
        notes.adjusts("birth-not-read", line, text, "")
    return read or (None, None)


def _seats(cut: trf_layout.TrfPlayerLine, row: SheetPlayer, notes: Notes) -> Iterable[Seat]:
    for round_, cell in cut.cells.items():
        column = trf_layout.cell_start(round_)
        if round_ > trf_layout.MOST_ROUNDS:
            notes.blocks("too-many-rounds", row.line, column, most=trf_layout.MOST_ROUNDS)
            return
        parts = (trf_layout.OPPONENT, trf_layout.COLOUR, trf_layout.RESULT)
        opponent, colour, code = (part.extract(cell) for part in parts)
        result = code.upper()
        if result == OPEN_RESULT:
            notes.adjusts("open-result", row.line, f"{round_}: {opponent} {colour} *", "")
            result = ""
            if not int(opponent or 0):
                continue
        if result and result not in RESULT_CODES:
            notes.blocks("unknown-result", row.line, column + 7, result=code, round=round_)
            result = "?"
        colour = colour.lower().replace("-", "")
        yield Seat(round_, row.start_number, int(opponent or 0), result, row.line, column, colour)


# ---- The program that wrote a TRF
LICHESS = "Lichess"
DAY_FIRST = frozenset({"Vega"})
"""The programs that write dates with slashes with the day first."""
OLDER_DIALECT = "TRF06"  # Krause's; SwissPerfect writes it
MAYBE_OLDER_DIALECTS = ("TRF16", "Swiss-Manager")
"""Dialects whose marks above the players may also be in a file of the older form."""

_HEAD_LINES = 60  # marks are above the players; the limit keeps the search short
_HEAD_WIDTH = 200

# The first mark that is found decides.
_MARKS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("Swiss-Manager", re.compile(r"^182 .*swiss-?manager", re.MULTILINE | re.IGNORECASE)),
    ("Vega", re.compile(r"^182 .*\bvega\b", re.MULTILINE | re.IGNORECASE)),
    ("Sharly-Chess", re.compile(r"^182 .*sharly", re.MULTILINE | re.IGNORECASE)),
    ("Tornelo", re.compile(r"^(?:182 .*tornelo|DAT +[0-9]+ ID:TORNELO )", re.MULTILINE | re.IGNORECASE)),
    ("bbpPairings", re.compile(r"^182 .*bbppairings", re.MULTILINE | re.IGNORECASE)),
    (LICHESS, re.compile(r"^(?:022|102)[ \t]+https://lichess\.org/", re.MULTILINE)),
    ("Swiss-Manager", re.compile(r"^DDD SSSS sTTT", re.MULTILINE)),
    ("Swiss-Manager", re.compile(r"^062 +[0-9]+ \([0-9]+\)", re.MULTILINE)),
    ("Vega", re.compile(r"^0[45]2 2126[-/]", re.MULTILINE)),
    ("Vega", re.compile(r"^142 [^\n]*\n(?:[^\n]*\n)*?092 ", re.MULTILINE)),
    ("Vega", re.compile(r"\A(?=(?:[^\n]*\n)*?0[45]2 [0-9]{2}/[0-9]{2}/[0-9]{4})(?=(?:[^\n]*\n)*?XXR )")),
    ("TRF26", re.compile(r"^(?:162|172|192|202|212|222|240|250|260|299|310|352|362) ", re.MULTILINE)),
    (OLDER_DIALECT, re.compile(r"^0[45]2 [0-9]{1,2}\. ?[0-9]{1,2}\. ?[0-9]{4}", re.MULTILINE)),
)


_NAMED = {column.name: column for column in trf_layout.PLAYER_COLUMNS}
TITLE_COLUMN, BIRTH_COLUMN, ID_COLUMN = _NAMED["title"], _NAMED["birth"], _NAMED["identifier"]
_OLD_TITLE = re.compile("g|m|f|c|wg|wm|wf|wc")
_OLD_BIRTH = re.compile(r"[0-9]{4}\.")
_NEWER_BYE = re.compile(r"[0 ]{4} - [HFUZ]")
_BLANK_ROUND = re.compile(
    rf".{{{trf_layout.FIRST_CELL - 1}}}(?:.{{{trf_layout.CELL_WIDTH}}}){{0,60}}?"
    rf" {{{trf_layout.CELL_WIDTH}}}.*[0-9]"
)
SHORTEST_FIDE_ID = 6
"""The number of digits of FIDE's shortest ids; shorter ones are a national federation's or a club's."""


def detect_dialect(lines: Sequence[str]) -> str:
    """The name of the program that wrote a TRF, by marks above the players; `TRF16` if there is no mark."""
    head: list[str] = []
    for line in lines:
        if not line.startswith(("001", "013")):
            head.append(line[:_HEAD_WIDTH])
        if len(head) == _HEAD_LINES:
            break
    text = "\n".join(head)
    return next((name for name, mark in _MARKS if mark.search(text)), "TRF16")


def is_trf06(player_lines: Iterable[str]) -> bool:
    """Whether players' lines are of the older form (TRF06): one-letter titles or dots in dates of birth; or
    rounds that are blank between others, short ids, and no bye of the newer form.
    """
    player_lines = list(player_lines)
    if any(
        _OLD_TITLE.fullmatch(TITLE_COLUMN.extract(line)) or _OLD_BIRTH.match(BIRTH_COLUMN.extract(line))
        for line in player_lines
    ):
        return True
    ids = [ID_COLUMN.extract(line) for line in player_lines if ID_COLUMN.extract(line).strip("0")]
    local = bool(ids) and all(len(id_) < SHORTEST_FIDE_ID for id_ in ids)
    return (
        local and not any(map(_NEWER_BYE.search, player_lines)) and any(map(_BLANK_ROUND.match, player_lines))
    )


def _apply_lichess(row: SheetPlayer, notes: Notes) -> SheetPlayer:
    if row.rating:
        notes.adjusts("rating-of-platform", row.line, str(row.rating), "")
    return replace(row, rating=None, other_ids=(OtherId("lichess", row.name[:30].strip()),))


# ---- Games and byes: both sides of a game must agree
# The codes in the first mover's line and in the second's → the result.
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
NO_RESULT_CODES = {"", "Z"}  # Lichess marks an unfinished game with Z


_BYE_CODES: dict[ByeKind, str] = {"pairing": "U", "full": "F", "half": "H", "zero": "Z"}
"""The codes of TRF16 as which results without an opponent are read."""
BYES: dict[str, tuple[ByeKind, str]] = {
    **{code: (kind, "") for kind, code in _BYE_CODES.items()},
    "": ("zero", ""),
    "-": ("zero", "absent"),
    "+": ("pairing", "win-without-opponent"),
    **dict.fromkeys(("1", "W"), ("full", "result-without-opponent")),
    **dict.fromkeys(("=", "D"), ("half", "result-without-opponent")),
    **dict.fromkeys(("0", "L"), ("zero", "result-without-opponent")),
}
"""The bye as which a result without an opponent is read, and the key of the note about it; none if the format
defines it so.
"""


def read_play(players: TrfPlayers, notes: Notes, *, in_teams: bool) -> SheetGames:
    seats = sorted(players.seats, key=lambda seat: seat.round)  # stable: within a round as the lines stand
    play = SheetGames()
    _read_byes(players, seats, play, notes, in_teams=in_teams)
    _read_games(players, seats, play, notes)
    play.byes.sort(key=lambda bye: (bye.round, bye.line))
    return play


def _read_games(players: TrfPlayers, seats: Iterable[Seat], play: SheetGames, notes: Notes) -> None:
    known = {row.start_number for row in players.rows}
    seat_by_player = {(seat.round, seat.player): seat for seat in seats}
    done = set[tuple[int, int]]()
    # One finding is made for many seats.
    seats_by_stranger, unfinished_seats = (
        defaultdict[int, list[Seat]](list),
        defaultdict[int, list[Seat]](list),
    )
    for seat in seat_by_player.values():
        if not seat.opponent or (seat.round, seat.player) in done:
            continue
        if seat.opponent not in known:
            if seat.opponent not in players.unread:
                seats_by_stranger[seat.opponent].append(seat)
        elif other := _other_side(seat, seat_by_player, players.unread, notes):
            done.add((other.round, other.player))
            if seat.result in NO_RESULT_CODES and other.result in NO_RESULT_CODES:
                unfinished_seats[seat.round].append(seat)
            else:
                _read_game(seat, other, play, notes)
    for opponent, missing in seats_by_stranger.items():
        rounds = ", ".join(str(number) for number in sorted({seat.round for seat in missing}))
        first = missing[0]
        notes.blocks("opponent-missing", first.line, first.column, opponent=opponent, rounds=rounds)
    for round_, unfinished in unfinished_seats.items():
        first = unfinished[0]
        notes.blocks("round-unfinished", first.line, first.column + 7, round=round_, games=len(unfinished))


def _other_side(
    seat: Seat, seat_by_player: dict[tuple[int, int], Seat], unread: set[int], notes: Notes
) -> Seat | None:
    """The opponent's seat in the same game; None, with a note, if there is none."""
    other = seat_by_player.get((seat.round, seat.opponent))
    if seat.opponent == seat.player:
        notes.blocks("plays-self", seat.line, seat.column, number=seat.player, round=seat.round)
    elif other and other.opponent == seat.player:
        return other
    elif seat.opponent not in unread:
        says = other.opponent if other else 0
        key = "opponent-elsewhere" if says else "opponent-free"
        params = {"number": seat.player, "opponent": seat.opponent, "round": seat.round}
        notes.blocks(key, seat.line, seat.column, **params, **({"says": says} if says else {}))
    return None


def _read_game(seat: Seat, other: Seat, play: SheetGames, notes: Notes) -> None:
    if "?" in (seat.result, other.result):
        return
    order = _order_by_colour(seat, other, notes)
    if not order:
        return
    first, second = order
    codes = (first.result, second.result)
    if codes == SHORT_DRAW:
        notes.adjusts("short-draw", first.line, _both(first, second), "H / H")
        play.byes += [SheetBye(seat.round, seat.player, "half", seat.line) for seat in (first, second)]
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


def _order_by_colour(seat: Seat, other: Seat, notes: Notes) -> tuple[Seat, Seat] | None:
    """The two seats, white first; one colour implies the other. None, with a note, if they clash."""
    colours = (seat.colour, other.colour)
    if colours in {("w", "w"), ("b", "b")}:
        params = {"number": seat.player, "opponent": other.player, "round": seat.round}
        notes.blocks("same-colour", seat.line, seat.column + 5, **params, other_line=other.line)
        return None
    if colours == ("", ""):
        if {seat.result, other.result} <= {"+", "-"}:  # nobody moved, so that the order does not matter
            return seat, other
        notes.blocks("colour-missing", seat.line, seat.column + 5, round=seat.round, number=seat.player)
        return None
    if "" in colours:
        blank, colour = other if seat.colour else seat, "b" if "w" in colours else "w"
        before, after = f"{blank.round}: {blank.opponent:04} -", f"{blank.round}: {colour}"
        notes.adjusts("colour-from-opponent", blank.line, before, after)
    return (seat, other) if seat.colour == "w" or other.colour == "b" else (other, seat)


def _game(first: Seat, second: Seat, line: int, notes: Notes) -> SheetGame:
    codes = (first.result, second.result)
    result, short = RESULTS[codes], "W" in codes
    if short:
        notes.adjusts("short-game", line, _both(first, second), result)
    if result == "0-0":
        names = {"number": first.player, "opponent": second.player, "round": first.round}
        notes.notice("both-lost", line, first.column + 7, **names)
    return SheetGame(first.round, first.player, second.player, result, short, line)


def _both(first: Seat, second: Seat) -> str:
    return f"{first.round}: {first.player}–{second.player} {first.result}/{second.result}"


def _read_byes(
    players: TrfPlayers, seats: Iterable[Seat], play: SheetGames, notes: Notes, *, in_teams: bool
) -> None:
    seat_by_round = {(seat.player, seat.round): seat for seat in seats}
    last_round, rounds_played = players.last_round, players.rounds_played
    for row in players.rows:
        if row.start_number in players.unread:
            continue
        changed: dict[str, list[Seat]] = defaultdict(list)
        for round_ in range(1, last_round + 1):
            seat = seat_by_round.get((row.start_number, round_))
            if seat is None and round_ > rounds_played:
                continue
            if seat is None or (not seat.opponent and seat.result in BYES):
                kind, key = BYES[seat.result if seat else ""]
                play.byes.append(SheetBye(round_, row.start_number, kind, row.line, blank=seat is None))
                if seat and key:
                    changed[key].append(seat)
        for key, group in changed.items():
            first = group[0]
            before = ", ".join(f"{seat.round}: 0000 - {seat.result}" for seat in group)
            after = ", ".join(f"{seat.round}: 0000 - {_BYE_CODES[BYES[seat.result][0]]}" for seat in group)
            notes.adjusts(key, first.line, before, after)
            # In a team's file a win is a board where the other team fielded nobody: there is no question.
            if key != "absent" and not (in_teams and first.result == "+"):
                rounds = ", ".join(str(seat.round) for seat in group)
                notes.asks(key, first.line, first.column, number=first.player, rounds=rounds)


# ---- Arbiters in TRF 102 and 112: `IA Nomsa Khumalo (12345678)`, `Nomsa Khumalo - FA 12345678`
ARBITER_TITLES = {"IA", "FA", "NA", "CA", "RA", "AN"}
LONGEST_OFFICIAL = 100

_WORD = re.compile(r"[^\s()\[\]]+")
_ID = re.compile(r"[0-9]{4,11}")
_AROUND = " -–,;:."


def parse_officials(text: str, role: Role, line: int, dialect: str, notes: Notes) -> list[Official]:
    """Read the officials of a record. Deputies are separated by commas (Swiss-Manager) or semicolons."""
    parts = [part for part in text.split(";") if part.strip()]
    if role == "deputy" and len(parts) == 1:
        parts = _split_at_commas(text, line, notes) if dialect == "Swiss-Manager" else parts
    found = [_official(part, role, line) for part in parts]
    return [official for official in found if official.name]


def _split_at_commas(text: str, line: int, notes: Notes) -> list[str]:
    """Split `Khumalo Nomsa, Botha Pieter`, but not `Khumalo, Nomsa`, because a name has two words."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) < 2 or any(len(_official(part, "deputy", line).name.split()) < 2 for part in parts):
        return [text]
    notes.adjusts("deputies-parted", line, text[:200], "; ".join(parts)[:200])
    return parts


def _official(text: str, role: Role, line: int) -> Official:
    words = _WORD.findall(text)
    fide_id = words.pop() if words and _ID.fullmatch(words[-1].strip(_AROUND)) else ""
    title = ""
    for place in (0, -1):
        if not title and words and words[place].strip(_AROUND) in ARBITER_TITLES:
            title = words.pop(place).strip(_AROUND)
    name = " ".join(words).strip(_AROUND)
    return Official(name[:LONGEST_OFFICIAL], title, fide_id.strip(_AROUND), role, line)


# ---- The points of results, from TRF26 (162, 299), JaVaFo (XXS) or bbpPairings (BBW …), and the players'
# points (columns 81–84)
#
# All are read as JaVaFo's codes, which distinguish the most: won, drawn and lost with white and with black
# (WW … BL), forfeits (FW, FL), byes (ZPB, HPB, FPB, PAB).
ONE, HALF, NOUGHT = Decimal("1.0"), Decimal("0.5"), Decimal("0.0")
USUAL_POINTS = {
    "WW": ONE,
    "BW": ONE,
    "WD": HALF,
    "BD": HALF,
    "WL": NOUGHT,
    "BL": NOUGHT,
    "FW": ONE,
    "FL": NOUGHT,
}
USUAL_POINTS |= {"ZPB": NOUGHT, "HPB": HALF, "FPB": ONE, "PAB": ONE}
_WON, _DRAWN, _LOST = ("WW", "BW", "FW", "FPB"), ("WD", "BD", "HPB"), ("WL", "BL")

# The symbols of each record → the codes that they stand for.
SYMBOLS_162: dict[str, tuple[str, ...]] = {"W": (*_WON, "PAB"), "D": _DRAWN, "L": _LOST, "A": ("ZPB", "FL")}
SYMBOLS_162 |= {"Z": ("ZPB", "FL"), "P": ("PAB",), "X": ()}  # Z: as older programs write A; X: not yet known
_SYMBOLS_XXS = {code: (code,) for code in USUAL_POINTS} | {"W": _WON, "D": _DRAWN, "L": (*_LOST, "ZPB", "FL")}
_SYMBOLS_BBP = {"BBW": _WON, "BBD": _DRAWN, "BBL": _LOST, "BBZ": ("ZPB",), "BBF": ("FL",), "BBU": ("PAB",)}
_SYMBOLS_299 = {"W": ("WW", "BW"), "D": ("WD", "BD"), "L": _LOST, "F": ("FPB",), "H": ("HPB",), "Z": ("ZPB",)}
_SYMBOLS_299 |= {"+": ("FW",), "-": ("FL",)}
POINT_RECORD_SYMBOLS = {
    "162": SYMBOLS_162,
    "XXS": _SYMBOLS_XXS,
    **{symbol: {symbol: codes} for symbol, codes in _SYMBOLS_BBP.items()},
}
ABNORMAL_POINTS_RECORD = "299"

# A player's result → the code, with an opponent and with none.
_PLAYED = {"+": "FW", "-": "FL"}
_FREE = {"U": "PAB", "F": "FPB", "1": "FPB", "W": "FPB", "H": "HPB", "=": "HPB", "D": "HPB", "+": "FW"}
_COLOUR_CODES = {"1": "W", "W": "W", "=": "D", "D": "D", "0": "L", "L": "L"}

_VALUE = re.compile(r"([A-Z]{1,3})[ =]{1,4}([0-9]{1,2}(?:\.[0-9])?)(?= |$)")
_NUMBER = re.compile(r"-?[0-9]{1,2}(?:\.[0-9])?")
_ABNORMAL_IN_COLUMNS = re.compile(
    r"299 (?P<kind>[WDLFHZ+ -])  (?P<match>[ 0-9.-]{4})  (?P<game>[ 0-9.-]{4})  (?P<round>[ 0-9]{3})"
    r"(?P<players>(?: [ 0-9]{4})*)"
)
# If the columns are not kept: points have a decimal, the round and start numbers have none.
_ABNORMAL_BY_BLANKS = re.compile(
    r"299 +(?:(?P<kind>[WDLFHZ+-]) +)?(?:(?P<match>-?[0-9]{1,2}\.[0-9]) +)?(?P<game>-?[0-9]{1,2}\.[0-9])"
    r" +(?P<round>[0-9]{1,3})(?P<players>(?: +[0-9]{1,4})+)"
)


class Scoring:
    """The points that an event gives for each kind of result (JaVaFo's codes), and for single results.
    `in_teams`: record 299 is about the teams, whose points no sheet holds.
    """

    def __init__(self, records: Iterable[trf_layout.TrfRecord], notes: Notes, *, in_teams: bool) -> None:
        self.values = dict(USUAL_POINTS)
        self.adjustments: dict[int, Decimal] = defaultdict(Decimal)
        """By start number, points given or taken independently of results."""
        self.overrides: dict[tuple[int, int], Decimal] = {}
        """The points of single results, by round and start number."""
        self.unused: list[Unused] = []
        values, first = list[tuple[tuple[str, ...], Decimal]](), None
        for record in records:
            if record.code == ABNORMAL_POINTS_RECORD:
                if not in_teams and not self._read_abnormal(record, values):
                    self.unused.append(Unused(record.text, record.line))
            elif parsed := _values(record):
                values += parsed
            else:
                self.unused.append(Unused(record.text, record.line))
            first = first or record.line
        for codes, value in sorted(values, key=lambda each: -len(each[0])):  # the more specific come last
            self.values |= dict.fromkeys(codes, value)
        if in_teams and self.values["PAB"] > self.values["WW"]:
            self.values["PAB"] = NOUGHT  # the points of the whole team for its bye, not a player's
        if self.own_values:
            notes.notice("points-by-own-values", first)

    def _read_abnormal(
        self, record: trf_layout.TrfRecord, values: list[tuple[tuple[str, ...], Decimal]]
    ) -> bool:
        """Read 299: points of a kind of result, of single results or of none; False for another record."""
        text = record.text.rstrip()
        found = _ABNORMAL_IN_COLUMNS.fullmatch(f"{text:<22}") or _ABNORMAL_BY_BLANKS.fullmatch(text)
        if not found:
            return False
        written = (
            found["game"].strip() or (found["match"] or "").strip()
        )  # some files have match points alone
        if not _NUMBER.fullmatch(written):
            return False
        points = Decimal(written)
        kind, round_ = (found["kind"] or "").strip(), int(found["round"].strip() or 0)
        players = [number for number in map(int, found["players"].split()) if number]
        if not kind and players:
            for player in players:
                self.adjustments[player] += points
        elif kind and not players and not round_:
            values.append((_SYMBOLS_299[kind], points))
        elif kind and players and 0 < round_ <= trf_layout.MOST_ROUNDS:
            self.overrides |= {(round_, player): points for player in players}
        else:
            return False
        return True

    def points_for(self, seat: Seat) -> Decimal:
        code = _code(seat)
        return self.values[code] if code else Decimal(0)

    @property
    def own_values(self) -> tuple[PointValue, ...]:
        """The points of the kinds of results for which they are not the usual ones."""
        return tuple(PointValue(code, v) for code, v in self.values.items() if v != USUAL_POINTS[code])


def _values(record: trf_layout.TrfRecord) -> list[tuple[tuple[str, ...], Decimal]]:
    """The codes and points of each symbol in a record; empty if anything in it cannot be read."""
    symbols = POINT_RECORD_SYMBOLS[record.code]
    text = f"{record.code} {record.value}" if record.code in _SYMBOLS_BBP else record.value
    found = _VALUE.findall(text)
    whole = not _VALUE.sub("", text).strip() and all(symbol in symbols for symbol, _ in found)
    return [(symbols[symbol], Decimal(value)) for symbol, value in found] if whole else []


def _code(seat: Seat) -> str:
    """JaVaFo's code for the result of a player's round (`WW`, `ZPB` …); empty for a game without a result."""
    if not seat.opponent:
        return _FREE.get(seat.result, "ZPB")
    if seat.result in _COLOUR_CODES:
        return ("B" if seat.colour == "b" else "W") + _COLOUR_CODES[seat.result]
    return _PLAYED.get(seat.result, "")


def fill_and_check_points(players: TrfPlayers, scoring: Scoring, notes: Notes) -> list[SheetPlayer]:
    """Complete missing points (columns 81–84) from the results, and note points that differ from them."""
    sums, adjusted = _sums(players, scoring), _adjustments(players, scoring)
    for number, points in adjusted.items():
        notes.notice("points-adjusted", players.lines[number], 81, number=number, points=f"{points:+f}")
    rows = [replace(row, adjusted=adjusted.get(row.start_number, Decimal(0))) for row in players.rows]
    return [_check_points(row, sums[row.start_number] + row.adjusted, players, notes) for row in rows]


def _sums(players: TrfPlayers, scoring: Scoring) -> dict[int, Decimal]:
    sums: dict[int, Decimal] = defaultdict(Decimal)
    rounds_played = players.rounds_played
    present = {(seat.round, seat.player) for seat in players.seats}
    for seat in players.seats:
        sums[seat.player] += scoring.points_for(seat)
    for row in players.rows:
        absent = sum((number, row.start_number) not in present for number in range(1, rounds_played + 1))
        sums[row.start_number] += absent * scoring.values["ZPB"]
    return sums


def _adjustments(players: TrfPlayers, scoring: Scoring) -> dict[int, Decimal]:
    """The points that record 299 gives or takes besides the results, by start number, without zeros."""
    adjusted: dict[int, Decimal] = defaultdict(Decimal, scoring.adjustments)
    seats = {(seat.round, seat.player): seat for seat in players.seats}
    for (round_, player), points in scoring.overrides.items():
        seat = seats.get((round_, player))
        adjusted[player] += points - (scoring.points_for(seat) if seat else scoring.values["ZPB"])
    known = {row.start_number for row in players.rows}
    return {player: points for player, points in adjusted.items() if points and player in known}


def _check_points(row: SheetPlayer, total: Decimal, players: TrfPlayers, notes: Notes) -> SheetPlayer:
    if row.start_number in players.without_points:
        notes.adjusts("points-missing", row.line, "", f"{total:f}")
        return replace(row, points=total)
    if row.points != total and row.start_number not in players.unread:
        sums = {"filed": f"{row.points:f}", "counted": f"{total:f}"}
        notes.notice("points-differ", row.line, 81, number=row.start_number, **sums)
    return row


# ---- Writing points
def format_point_value_lines(values: Iterable[PointValue]) -> Iterator[str]:
    """Yield the records of unusual points: XXS, and 162 if that can express them."""
    own = {value.code: value.points for value in values}
    if not own:
        return
    all_values = USUAL_POINTS | own
    symbols = {symbol: SYMBOLS_162[symbol] for symbol in "WDLAP"}
    symbols["W"] = _WON
    if all(len({all_values[code] for code in codes}) == 1 for codes in symbols.values()):
        cells = (f"{symbol}{all_values[codes[0]]:>4.1f}" for symbol, codes in symbols.items())
        yield "162  " + "    ".join(cells)
    yield "XXS " + " ".join(f"{code}={value:.1f}" for code, value in all_values.items())


def format_adjustment_lines(rows: Iterable[SheetPlayer]) -> Iterator[str]:
    for row in rows:
        rest = row.adjusted
        while rest:
            part = min(max(rest, Decimal("-9.9")), Decimal("99.9"))  # as much as four columns hold
            yield f"{ABNORMAL_POINTS_RECORD} {'':9}{part:>4.1f}  000 {row.start_number:>4}"
            rest -= part


# ---- The dates of the rounds (TRF 132): ten columns for each round; some programs write a line for each
def read_round_dates(
    records: Sequence[trf_layout.TrfRecord], rounds: int | None, settled: DaysByText, notes: Notes
) -> tuple[dict[int, date], list[Unused]]:
    """Read records 132: dates by round, and unread lines. `settled`: the days of ambiguous texts."""
    found: dict[int, date] = {}
    shifted = [record for record in records if record.text[3 : trf_layout.FIRST_CELL - 1].strip()]
    if not shifted:
        for record in records:
            _read_cells(record, found, settled, notes)
        return found, []
    if in_order := _dates_in_order(records, rounds):
        notes.notice("round-dates-in-order", records[0].line)
        for number, (record, text, day) in enumerate(in_order, 1):
            notes.adjusts("round-dates-in-order", record.line, text, f"{number}: {day.isoformat()}")
            found[number] = day
        return found, []
    notes.notice("round-dates-shifted", shifted[0].line, trf_layout.FIRST_CELL)
    return found, [Unused(record.text, record.line) for record in records]


def round_date_texts(records: Sequence[trf_layout.TrfRecord]) -> list[str]:
    """The texts in the cells of records 132, in the order of the rounds."""
    cells = (cell for record in records for _round, _start, cell in _cells(record))
    return [cell for cell in cells if cell]


def _cells(record: trf_layout.TrfRecord) -> Iterator[tuple[int, int, str]]:
    """Yield each round of a record with its column and its text."""
    for round_ in range(1, trf_layout.MOST_ROUNDS + 1):
        start = trf_layout.cell_start(round_)
        yield round_, start, record.text[start - 1 : start - 1 + trf_layout.CELL_WIDTH].strip()


def _read_cells(
    record: trf_layout.TrfRecord, found: dict[int, date], settled: DaysByText, notes: Notes
) -> None:
    for round_, start, cell in _cells(record):
        day = read_round_date(cell)
        if day is None and cell in settled:
            day = settled[cell]
            notes.adjusts("date-settled", record.line, cell, day.isoformat())
        if day and day.year < FIRST_PLACEHOLDER_YEAR:
            found[round_] = day
        elif cell:
            notes.notice("round-date-not-read", record.line, start, round=round_, text=cell)
            notes.adjusts("round-date-not-read", record.line, cell, "")


def _dates_in_order(
    records: Sequence[trf_layout.TrfRecord], rounds: int | None
) -> list[tuple[trf_layout.TrfRecord, str, date]]:
    """The rounds' dates in a row, as record, text and day, if they are complete and in order; else []."""
    texts = [(record, text) for record in records for text in record.value.split()]
    days = [(record, text, day) for record, text in texts if (day := read_round_date(text))]
    whole = len(days) == len(texts) and all(day.year < FIRST_PLACEHOLDER_YEAR for _, _, day in days)
    forward = all(a[2] <= b[2] for a, b in pairwise(days))
    a_line_each = len(records) == len(days) > 1 and len(days) <= (rounds or trf_layout.MOST_ROUNDS)
    return days if whole and forward and (len(days) == rounds or a_line_each) else []


# ---- Teams: `013`, and TRF26's `310` that replaces it
_ANY, _POINTS = re.compile(r".*"), re.compile(r"[0-9]*(?:\.[0-9])?")
TEAM_NAME = trf_layout.TrfColumn("name", 9, 40, re.compile(r".+"))
TEAM_COLUMNS = (
    trf_layout.TrfColumn("number", 5, 7, re.compile(r"[0-9]+")),
    TEAM_NAME,
    trf_layout.TrfColumn("short name", 42, 46, _ANY),
    trf_layout.TrfColumn("strength", 48, 53, _POINTS),
    trf_layout.TrfColumn("match points", 55, 60, _POINTS),
    trf_layout.TrfColumn("game points", 62, 67, _POINTS),
    trf_layout.TrfColumn("rank", 69, 71, re.compile(r"[0-9]*")),
)
LONGEST_TEAM_NAME = 32
FIRST_MEMBER, MEMBER_STEP = 74, 5
TEAM_BLANKS = (4, 8, 41, 47, 54, 61, 68, 72, 73)

# If the columns are not kept: number, name, short name, strength, match and game points, rank, members.
_TEAM_BY_BLANKS = re.compile(
    r"310 +[0-9]+ +(?P<name>[^ ].*?) {2,}[A-Za-z][^ ]* +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9]+"
    r"(?P<members>(?: +[0-9]{1,4})+)"
)


def parse_team_013(text: str, line: int) -> Team | None:
    return _team(text[4:36].strip(), text[36:].split(), line)


def parse_team_310(text: str, line: int, notes: Notes) -> Team | None:
    """Read a team by columns if they fit; else by blanks, with an adjustment; else None."""
    if by_columns := _team_by_columns(text, line):
        return by_columns
    found = _TEAM_BY_BLANKS.fullmatch(text.rstrip())
    by_blanks = _team(found["name"], found["members"].split(), line) if found else None
    if by_blanks:
        members = ", ".join(str(member) for member in by_blanks.members)
        notes.adjusts("team-by-blanks", line, text.strip()[:200], f"{by_blanks.name}: {members}"[:200])
    return by_blanks


def _team_by_columns(text: str, line: int) -> Team | None:
    starts = range(FIRST_MEMBER, len(text) + 1, MEMBER_STEP)
    between = [*TEAM_BLANKS, *(start + MEMBER_STEP - 1 for start in starts)]
    if any(text[place - 1 : place].strip(" ") for place in between):
        return None
    if not all(column.shape.fullmatch(column.extract(text)) for column in TEAM_COLUMNS):
        return None
    cells = [text[start - 1 : start + MEMBER_STEP - 2].strip() for start in starts]
    members = [cell for cell in cells if cell.strip("0")]
    return _team(TEAM_NAME.extract(text), members, line) if members else None


def _team(name: str, members: Iterable[str], line: int) -> Team | None:
    numbers = [int(m) if m.isascii() and m.isdigit() and len(m) <= 4 else -1 for m in members]
    whole = 0 < len(name) <= LONGEST_TEAM_NAME and numbers and -1 not in numbers
    return Team(name, tuple(numbers), line) if whole else None


# ---- The records about the section as a whole
LONGEST_TEXT = 200  # characters of a free text that are kept

TEXT_RECORDS = {"012": "name", "022": "city", "032": "federation", "092": "kind", "122": "time_text"}
TEXT_RECORDS |= {"192": "kind_code", "222": "time_code"}
NO_KIND = "192 OTHER"
DATE_RECORDS = {"042": "starts", "052": "ends"}
NUMBER_RECORDS = {
    "062": "players_declared",
    "082": "teams_declared",
    "142": "rounds_142",
    "XXR": "rounds_xxr",
}
OFFICIAL_RECORDS: dict[str, Role] = {"102": "chief", "112": "deputy"}
UNIQUE_RECORDS = {*TEXT_RECORDS, *DATE_RECORDS, *NUMBER_RECORDS}
# Records for pairing, or that repeat the players' lines: of no use to a rating.
IGNORED_RECORDS = {"072", "152", "182", "XXC", "XXZ", "XXA", "XXP"}
# TRF26: rankings and tie-breaks, acceleration and forbidden pairs, the scores and boards of teams.
IGNORED_RECORDS |= {"172", "202", "212", "250", "260", "300", "320", "330", "352", "362", "801", "802"}

# By blanks, because the official example does not keep its own columns here.
_BYES = re.compile(r"240 ([FHZ]) +([0-9]{1,3})((?: +[0-9]{1,4})+)")
_UNEQUAL = re.compile(r"[WB][0-9]")  # 222: W300-B240
_HEADER_NUMBER = re.compile(r"[0-9]{1,6}(?=$|[ (])")
_POINT_RECORDS = {*POINT_RECORD_SYMBOLS, ABNORMAL_POINTS_RECORD}


class TrfHeader:
    """Reads the records about the section as a whole."""

    def __init__(self, records: Iterable[trf_layout.TrfRecord], dialect: str, notes: Notes) -> None:
        self.texts: dict[str, str] = {}
        self.numbers: dict[str, int] = {}
        self.officials: list[Official] = []
        self.teams_013: list[Team] = []
        self.teams_310: list[Team] = []
        self.byes: list[Seat] = []
        """TRF26 240: each player who asked for a bye in a round, with its code as the result."""
        self.unused: list[Unused] = []
        dates: dict[str, trf_layout.TrfRecord] = {}
        round_dates, points = list[trf_layout.TrfRecord](), list[trf_layout.TrfRecord]()
        seen: dict[str, int] = {}
        for record in records:
            if record.code in UNIQUE_RECORDS and seen.setdefault(record.code, record.line) != record.line:
                notes.notice("repeated-record", record.line, code=record.code, first=seen[record.code])
                self.unused.append(Unused(record.text, record.line))
            elif record.code in DATE_RECORDS:
                dates[DATE_RECORDS[record.code]] = record
            elif record.code == "132":
                round_dates.append(record)
            elif record.code in _POINT_RECORDS:
                points.append(record)
            else:
                self._read_record(record, dialect, notes)
        # The texts of the first and the last day, in that order, if they are given.
        days = [dates[key].value for key in DATE_RECORDS.values() if key in dates and dates[key].value]
        settled, settled_rounds = resolve_dates(days, round_date_texts(round_dates))
        self.dates: dict[str, date | None] = {}
        for key, record in dates.items():
            self.dates[key] = _read_day(record, settled, dialect, notes)
        self.round_dates, unread = read_round_dates(round_dates, self.rounds, settled_rounds, notes)
        self.scoring = Scoring(points, notes, in_teams=self.in_teams)
        self.unused += [*unread, *self.scoring.unused]
        if self.unused:
            codes = sorted({unused.text[:3] for unused in self.unused})
            listed = ", ".join(codes[:20]) + (" …" if len(codes) > 20 else "")
            notes.notice("not-used", self.unused[0].line, codes=listed, count=len(self.unused))

    @property
    def rounds(self) -> int | None:
        """The number of scheduled rounds: the greater of records 142 and XXR; None with neither."""
        found = [self.numbers[key] for key in ("rounds_142", "rounds_xxr") if key in self.numbers]
        return max(found, default=None)

    @property
    def teams(self) -> list[Team]:
        """The teams; if a file holds both kinds of record, those of the newer one."""
        return self.teams_310 or self.teams_013

    @property
    def in_teams(self) -> bool:
        return bool(self.teams or self.numbers.get("teams_declared"))

    def _read_record(self, record: trf_layout.TrfRecord, dialect: str, notes: Notes) -> None:
        code = record.code
        if code in TEXT_RECORDS:
            if code == "222" and _UNEQUAL.match(record.value):
                notes.notice("unequal-times", record.line, 5, text=record.value[:40])
            if len(record.value) > LONGEST_TEXT and record.text.rstrip() != NO_KIND:
                notes.adjusts("text-cut", record.line, record.value, record.value[:LONGEST_TEXT].strip())
            text = "" if record.text.rstrip() == NO_KIND else record.value[:LONGEST_TEXT].strip()
            self.texts[TEXT_RECORDS[code]] = text
        elif code in NUMBER_RECORDS:
            found = _HEADER_NUMBER.match(record.value)
            key = NUMBER_RECORDS[record.code]
            if found and not (key.startswith("rounds") and int(found[0]) > trf_layout.MOST_ROUNDS):
                self.numbers[key] = int(found[0])
            elif record.value:
                notes.notice("number-not-read", record.line, 5, code=record.code, text=record.value[:40])
                notes.adjusts("number-not-read", record.line, record.value[:40], "")
        elif code in OFFICIAL_RECORDS:
            self.officials += parse_officials(
                record.value, OFFICIAL_RECORDS[code], record.line, dialect, notes
            )
        elif code in ("013", "310"):
            self._read_team(record, notes)
        elif code == "240":
            self._read_byes(record)
        elif code not in IGNORED_RECORDS:
            self.unused.append(Unused(record.text, record.line))

    def _read_team(self, record: trf_layout.TrfRecord, notes: Notes) -> None:
        newer = record.code == "310"
        read = (
            parse_team_310(record.text, record.line, notes)
            if newer
            else parse_team_013(record.text, record.line)
        )
        if read:
            (self.teams_310 if newer else self.teams_013).append(read)
        else:
            name = record.text[8:40] if newer else record.text[4:36]
            notes.notice("team-not-read", record.line, 74 if newer else 37, team=name.strip())
            self.unused.append(Unused(record.text, record.line))

    def _read_byes(self, record: trf_layout.TrfRecord) -> None:
        found = _BYES.fullmatch(record.text.rstrip())
        if found and 0 < int(found[2]) <= trf_layout.MOST_ROUNDS:
            players = map(int, found[3].split())
            self.byes += [Seat(int(found[2]), player, 0, found[1], record.line, 1) for player in players]
        else:
            self.unused.append(Unused(record.text, record.line))


def _read_day(record: trf_layout.TrfRecord, settled: DaysByText, dialect: str, notes: Notes) -> date | None:
    """Read the first or last day. The program decides between two readings only if no other date of the file
    does, and then a person is asked.
    """
    value = record.value
    day = read_date(value)
    if day is None and value in settled:
        day = settled[value]
        notes.adjusts("date-settled", record.line, value, day.isoformat())
    elif day is None and dialect in DAY_FIRST and (day := read_date(value, day_first=True)):
        notes.adjusts("day-before-month", record.line, value, day.isoformat())
        guess = {"text": value[:40], "day": day.isoformat(), "program": dialect}
        notes.asks("date-by-program", record.line, 5, **guess)
    if day and day.year >= FIRST_PLACEHOLDER_YEAR:
        notes.adjusts("placeholder-date", record.line, value, "")
        return None
    if value and not day:
        key = "date-unclear" if can_be_ambiguous_date(value) else "date-not-read"
        notes.asks(key, record.line, 5, text=value[:40])
    return day


# ---- Announced byes (TRF26's 240): a player's own line takes precedence
NO_BYE_CODE = {"", "-", "Z"}


def _announce(bye: Seat, seats: dict[tuple[int, int], Seat], players: TrfPlayers, notes: Notes) -> None:
    line, code, key = players.lines[bye.player], bye.result, (bye.round, bye.player)
    seat = seats.get(key) or Seat(*key, 0, "", line, trf_layout.cell_start(bye.round))
    if seat.opponent or seat.result not in NO_BYE_CODE | {code}:
        where = {"number": bye.player, "round": bye.round, "other_line": line}
        notes.notice("bye-differs", bye.line, code=code, **where)
    elif seat.result != code and not (code == "Z" and seat.result == ""):
        before = f"{bye.round}: 0000 - {seat.result}".rstrip()
        notes.adjusts("bye-announced", line, before, f"{bye.round}: 0000 - {code}")
        seats[key] = replace(seat, result=code)


# ---- Extra lines on players: a national federation's (TRF26: `RSA 1 …`), and Tornelo's `DAT`
LONGEST_ID = 30

_NATIONAL = re.compile(r"(?!XX|BB|DAT|DDD)[A-Z]{3} [ 0-9]{3}[0-9](?: |$)")
_DAT = re.compile(r"DAT +([0-9]{1,4}) +([^ ]+)(?: +(.*))?")
_ID_KIND = re.compile(r"ID:([A-Za-z0-9_-]{1,20})")


def is_extra_line(record: trf_layout.TrfRecord) -> bool:
    return record.code == "DAT" or _NATIONAL.match(record.text) is not None


def add_extra_data(
    rows: Sequence[SheetPlayer],
    records: Iterable[trf_layout.TrfRecord],
    notes: Notes,
    *,
    try_bytes_first: bool,
) -> tuple[list[SheetPlayer], list[Unused]]:
    """Return the rows with their national lines and other ids, and the lines of no known player."""
    known, unused, left_out = {row.start_number: row for row in rows}, list[Unused](), dict[str, int]()
    lines_by_player = defaultdict[int, list[National]](list)
    ids_by_player = defaultdict[int, list[OtherId]](list)
    for record in records:
        if record.code == "DAT":
            found = _DAT.fullmatch(record.text.rstrip())
            if not found or int(found[1]) not in known:
                # The rest of the line may be somebody's address.
                unused.append(Unused(record.text[:12], record.line))
            elif not (kind := _ID_KIND.fullmatch(found[2])):
                left_out.setdefault(found[2][:20], record.line)
            elif found[3]:
                other = OtherId(kind[1], found[3].strip()[:LONGEST_ID].strip())
                if other not in ids_by_player[int(found[1])]:
                    ids_by_player[int(found[1])].append(other)
        elif not _read_national(record, known, lines_by_player, notes, bytes_first=try_bytes_first):
            unused.append(Unused(record.text, record.line))
    if left_out:
        notes.notice("extra-data-left-out", min(left_out.values()), kinds=", ".join(sorted(left_out))[:100])
    if unused:
        notes.notice("beside-nobody", unused[0].line, count=len(unused))
    extended = [
        replace(
            row,
            national=tuple(lines_by_player.get(row.start_number, ())),
            other_ids=tuple(dict.fromkeys([*row.other_ids, *ids_by_player.get(row.start_number, ())])),
        )
        for row in rows
    ]
    return extended, unused


def _read_national(
    record: trf_layout.TrfRecord,
    known: dict[int, SheetPlayer],
    lines_by_player: dict[int, list[National]],
    notes: Notes,
    *,
    bytes_first: bool,
) -> bool:
    """Add a national line to its player's; False if it cannot be read, or is no known player's."""
    cut = trf_layout.split_line_or_find_misfit(record.text, try_bytes_first=bytes_first)
    if isinstance(cut, int):
        notes.notice("national-not-read", record.line, cut, code=record.code)
        return False
    fields = cut.fields
    number = int(fields["start_number"])
    if number not in known or record.code in [line.federation for line in lines_by_player[number]]:
        return False
    lines_by_player[number].append(
        National(
            federation=record.code,
            identifier=fields["identifier"] if fields["identifier"].strip("0") else None,
            rating=int(fields["rating"] or 0) or None,
            region=fields["federation"],
            title=fields["title"],
            line=record.line,
        )
    )
    birth, filed = known[number].birth, fields["birth"]
    if birth and filed and filed.replace("-", "/").replace(".", "/") != f"{birth:%Y/%m/%d}":
        notes.notice("national-birth-differs", record.line, 70, number=number, code=record.code)
        notes.adjusts("national-birth-differs", record.line, filed, birth.isoformat())
    return True


# ---- A whole file
TRF = FileKind(
    "trf",
    "TRF16, TRF26",
    (
        FileSource("Swiss-Manager", _("Extras, then FIDE data export TRF16")),
        FileSource("Vega", _("the report for FIDE in TRF16")),
        FileSource("Sharly-Chess, Tornelo", _("the report in TRF26"), by_description=True),
        FileSource("Lichess", _("a Swiss tournament’s TRF"), by_description=True),
    ),
)
KINDS: tuple[FileKind, ...] = (TRF,)
_CODE = re.compile(r"([0-9]{3}|[A-Z]{3})(?: |\t|$)")
_RULER = re.compile(r"[0-9 ]{10,}")
_SILENT = ("#", "DDD ")  # comments; the legend above Swiss-Manager's players


def recognises(text: Text) -> bool:
    """Whether the text has a player's line of TRF, or a line of its header."""
    return any(line.startswith("001") or re.match(r"[01][0-9]2 ", line) for line in text.lines)


def read_text(text: Text, notes: Notes) -> Reading:
    records, unused = _records(text)
    if unused:
        notes.notice("lines-not-understood", unused[0].line, count=len(unused))
    player_records = [record for record in records if record.code == "001"]
    if not player_records:
        raise notes.refusal("no-players" if records else "not-recognised")
    others = [record for record in records if record.code != "001"]
    dialect = detect_dialect(text.lines)
    if dialect != LICHESS and any(trf_layout.is_byte_aligned(record.text) for record in player_records):
        dialect = "Vega"
    if dialect in MAYBE_OLDER_DIALECTS and is_trf06(record.text for record in player_records):
        dialect = OLDER_DIALECT
    players = TrfPlayers(player_records, notes, try_bytes_first=dialect == "Vega")
    header = TrfHeader([r for r in others if not is_extra_line(r)], dialect, notes)
    seats, played = {(seat.round, seat.player): seat for seat in players.seats}, players.rounds_played
    for bye in header.byes:
        if bye.player in players.unread:
            continue
        if bye.player not in players.lines:
            notes.notice("bye-of-nobody", bye.line, number=bye.player, round=bye.round)
        elif bye.round <= played:
            _announce(bye, seats, players, notes)
    players.seats = list(_without_superfluous_rounds(seats.values(), header.rounds, played, notes))
    play = read_play(players, notes, in_teams=header.in_teams)
    rows = fill_and_check_points(players, header.scoring, notes)
    if dialect == LICHESS:
        notes.notice("online-platform", platform=LICHESS)
        rows = [_apply_lichess(row, notes) for row in rows]
    elif dialect == OLDER_DIALECT:
        notes.notice("older-dialect")
    extra = [record for record in others if is_extra_line(record)]
    rows, of_nobody = add_extra_data(rows, extra, notes, try_bytes_first=dialect == "Vega")
    unused += of_nobody
    sheet = replace(
        _sheet(header, play, tuple(rows), dialect, text.encoding, played),
        hand=trf_layout.detect_trf_style(record.text for record in player_records),
    )
    _check_whole(sheet, header, players.last_round, len(player_records), notes)
    return notes.reading(
        replace(sheet, unused=tuple(sorted([*header.unused, *unused], key=lambda u: u.line)))
    )


def _without_superfluous_rounds(
    seats: Collection[Seat], scheduled: int | None, played: int, notes: Notes
) -> Iterator[Seat]:
    """Yield the seats without those of rounds beyond the schedule in which nobody plays or has points."""
    beyond = max(scheduled or trf_layout.MOST_ROUNDS, played)
    used = {seat.round for seat in seats if seat.opponent or seat.result not in NO_BYE_CODE}
    for seat in seats:
        if seat.round <= beyond or seat.round in used:
            yield seat
        else:
            notes.adjusts("round-superfluous", seat.line, f"{seat.round}: 0000 - {seat.result}", "")


def _records(text: Text) -> tuple[list[trf_layout.TrfRecord], list[Unused]]:
    records: list[trf_layout.TrfRecord] = []
    unused: list[Unused] = []
    for number, line in enumerate(text.lines, 1):
        code = _CODE.match(line)
        if line.startswith("001") or (code and not line.startswith(_SILENT)):
            records.append(trf_layout.TrfRecord(line[:3], line, number))
        elif line.strip() and not line.startswith(_SILENT) and not _RULER.fullmatch(line.rstrip()):
            unused.append(Unused(line.rstrip(), number))
    return records, unused


def _sheet(
    header: TrfHeader,
    play: SheetGames,
    rows: tuple[SheetPlayer, ...],
    dialect: str,
    encoding: str,
    rounds_played: int,
) -> Sheet:
    texts = header.texts
    return Sheet(
        dialect=dialect,
        family=TRF.code,
        name=texts.get("name", ""),
        city=texts.get("city", ""),
        federation=texts.get("federation", ""),
        starts=header.dates.get("starts"),
        ends=header.dates.get("ends"),
        players_declared=header.numbers.get("players_declared"),
        kind=texts.get("kind", ""),
        kind_code=texts.get("kind_code", ""),
        arbiters=tuple(sorted(header.officials, key=lambda official: official.role != "chief")),
        time_text=texts.get("time_text", ""),
        time_code=texts.get("time_code", ""),
        rounds=header.rounds,
        rounds_played=rounds_played,
        round_dates=tuple(header.round_dates.get(n) for n in range(1, (header.rounds or rounds_played) + 1)),
        rows=rows,
        games=tuple(play.games),
        byes=tuple(play.byes),
        teams=tuple(header.teams),
        point_values=header.scoring.own_values,
        encoding=encoding,
    )


def _check_whole(sheet: Sheet, header: TrfHeader, last_round: int, lines: int, notes: Notes) -> None:
    played = sheet.rounds_played
    if not sheet.name:
        notes.asks("name-missing")
    for key in ("starts", "ends"):
        if key not in header.dates:
            notes.asks(f"{key}-missing")
    if sheet.starts and sheet.ends and sheet.ends < sheet.starts:
        notes.asks("ends-before-start", starts=sheet.starts.isoformat(), ends=sheet.ends.isoformat())
    if sheet.rows and not played:
        notes.blocks("no-games")
    if sheet.rounds is None:
        notes.asks("rounds-missing", played=played)
    elif last_round > sheet.rounds:
        notes.asks("more-rounds-than-scheduled", scheduled=sheet.rounds, played=last_round)
    elif played < sheet.rounds:
        notes.notice("fewer-rounds-than-scheduled", scheduled=sheet.rounds, played=played)
    declared = {header.numbers.get("rounds_142"), header.numbers.get("rounds_xxr")} - {None}
    if len(declared) == 2:
        notes.notice("rounds-disagree", rounds=header.rounds or trf_layout.MOST_ROUNDS)
    undated = [str(number) for number, day in enumerate(sheet.round_dates, 1) if not day]
    if undated:
        notes.asks("round-dates-missing", rounds=", ".join(undated))
    _check_number_of_players(sheet, lines, notes)
    known = {row.start_number for row in sheet.rows}
    for team in sheet.teams:
        strangers: Sequence[int] = [member for member in team.members if member not in known]
        if strangers:
            notes.notice("team-member-missing", team.line, 37, team=team.name, number=strangers[0])


def _check_number_of_players(sheet: Sheet, lines: int, notes: Notes) -> None:
    declared = sheet.players_declared
    if declared is not None and lines < declared:
        notes.blocks("players-missing", declared=declared, found=lines)
    elif declared is not None and lines > declared:
        notes.notice("players-more", declared=declared, found=lines)
    parted = [row for row in sheet.rows if not row.first_name]
    if parted:
        notes.notice("names-not-parted", parted[0].line, 15, count=len(parted), sample=parted[0].name)
