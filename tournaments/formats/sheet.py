"""The content of an event file, before its players are matched with the register.

Every reader returns a `Reading`; nothing else crosses from the formats to the office. All of it is frozen,
compares by content (not by lines), and survives `dump` and `load`.
"""

from __future__ import annotations

import dataclasses
import json
import types
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cache, partial
from typing import Any, Literal, TypedDict, TypeVar, Union, get_args, get_origin, get_type_hints

from ratings.rulesets.particulars import is_provisional

Sex = Literal["m", "f"]
Role = Literal["chief", "deputy"]
Result = Literal["1-0", "0-1", "1/2", "+:-", "-:+", "-:-", "0-0", "annulled"]
ByeKind = Literal["pairing", "full", "half", "zero"]
Level = Literal["blocks", "asks", "notice"]
Param = str | int


@dataclass(frozen=True, slots=True)
class Official:
    """An arbiter. Title and id are taken from free text, and a person confirms them."""

    name: str
    title: str = ""
    fide_id: str = ""
    role: Role = "chief"
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class National:
    """A player's data from the line of a national federation (TRF26, `RSA    1 …`)."""

    federation: str
    identifier: str | None = None
    rating: int | None = None
    region: str = ""
    title: str = ""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class OtherId:
    """A player's number or name elsewhere; `kind`: `USCF`, or an online platform."""

    kind: str
    value: str

    @property
    def is_provisional(self) -> bool:
        """Whether a pairing program gave it instead of the register of that kind."""
        return is_provisional(self.kind)


@dataclass(frozen=True, slots=True)
class SheetPlayer:
    """A player as filed. `surname` is the whole `name` if the file does not divide it."""

    start_number: int
    name: str
    surname: str = ""
    first_name: str = ""
    sex: Sex | None = None
    title: str = ""
    rating: int | None = None
    federation: str = ""
    identifier: str | None = None
    born: int | None = None
    """Year of birth."""
    birth: date | None = None
    """The whole day, if the file gives it."""
    points: Decimal = Decimal(0)
    place: int | None = None
    """Final place; players who share it have the same."""
    discs: int | None = None
    """Discs of the whole event, if they break ties."""
    adjusted: Decimal = Decimal(0)
    """The part of the points that was given or taken independently of results."""
    national: tuple[National, ...] = ()
    other_ids: tuple[OtherId, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class SheetGame:
    """A game by start numbers, with its result in the journal's code; `first` moves first (white)."""

    round: int
    first: int
    second: int
    result: Result
    short: bool = False
    """Whether it was decided before both sides had moved (TRF `W`, `L`): the loser's forfeit is excused."""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class SheetBye:
    round: int
    player: int
    kind: ByeKind
    line: int = field(default=0, compare=False)
    blank: bool = field(default=False, compare=False)
    """Whether the file leaves the round blank."""


@dataclass(frozen=True, slots=True)
class Team:
    name: str
    members: tuple[int, ...]
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class PointValue:
    """An event's unusual points for a kind of result, by JaVaFo's codes: `WW`, `ZPB`."""

    code: str
    points: Decimal


@dataclass(frozen=True, slots=True)
class TrfStyle:
    """A program's way to fill the columns of a TRF that may vary."""

    male: str = "m"
    female: str = "w"
    no_sex: str = ""
    no_rating: str = ""
    no_id: str = ""
    ids_left: bool = False
    titles_left: bool = False
    zero_filled: bool = False
    """Whether opponents have leading zeros: `0002`."""
    free: str = "0000 -"
    """Text before the code of a bye."""


@dataclass(frozen=True, slots=True)
class Unused:
    """A line that was not understood; it is kept and shown."""

    text: str
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Sheet:
    """One section as filed. Rows and byes are in the file's order, games by round and order of play."""

    dialect: str = ""
    """The program that wrote it, such as `Swiss-Manager`, or the name of the format."""
    family: str = field(default="trf", compare=False)
    """The kind of file: a `FileKind.code`, or `plain_table.TABLE`."""
    name: str = ""
    city: str = ""
    federation: str = ""
    starts: date | None = None
    ends: date | None = None
    players_declared: int | None = field(default=None, compare=False)
    """The file's own number of players, to check that it is complete."""
    kind: str = ""
    """The format of play in the file's own words (TRF 092)."""
    kind_code: str = ""
    """The same in TRF26's code (192): `FIDE_DUTCH`."""
    arbiters: tuple[Official, ...] = ()
    time_text: str = ""
    """The time control in the file's own words (TRF 122)."""
    time_code: str = ""
    """The same in TRF26's code (222), in seconds: `40/6000+30:900+30`."""
    rounds: int | None = None
    """Scheduled rounds; None if unknown."""
    rounds_played: int = 0
    """The last round with a game, without finals."""
    finals: tuple[str, ...] = ()
    """The names of rounds outside the scheduled ones, such as finals; their numbers follow those."""
    round_dates: tuple[date | None, ...] = ()
    """A day for each scheduled round (for each played one if the schedule is unknown)."""
    rows: tuple[SheetPlayer, ...] = ()
    games: tuple[SheetGame, ...] = ()
    byes: tuple[SheetBye, ...] = ()
    teams: tuple[Team, ...] = ()
    point_values: tuple[PointValue, ...] = ()
    unused: tuple[Unused, ...] = ()
    encoding: str = field(default="ascii", compare=False)
    hand: TrfStyle | None = field(default=None, compare=False)

    def summarize(self) -> dict[str, Any]:
        """The sheet in short: players by starting number, games, byes, particulars, each as plain text."""
        return {
            "players": {
                str(row.start_number): {
                    "name": row.name,
                    "id": row.identifier or "",
                    "birth": row.birth.isoformat() if row.birth else str(row.born or ""),
                    "title": row.title,
                    "points": f"{row.points.normalize():f}",
                    "place": "" if row.place is None else str(row.place),
                }
                for row in self.rows
            },
            "games": [[one.round, one.first, one.second, one.result] for one in self.games],
            "byes": [[one.round, one.player, one.kind] for one in self.byes],
            "particulars": {
                "starts": self.starts.isoformat() if self.starts else "",
                "ends": self.ends.isoformat() if self.ends else "",
                "rounds": str(self.rounds or ""),
                "place": self.city,
                "time": "; ".join(filter(None, (self.time_text, self.time_code))),
                "arbiters": "; ".join(each.name for each in self.arbiters),
            },
        }


@dataclass(frozen=True, slots=True)
class FileFinding:
    """A finding about a file. Its words are `messages.MESSAGES[key]`."""

    level: Level
    """`blocks`: the file must be corrected; `asks`: a person must decide; `notice`: to be checked."""
    key: str
    line: int | None = None
    column: int | None = None
    params: Mapping[str, Param] = field(default_factory=dict)
    where: str = ""
    """The cell, in a workbook: `Games!D7`."""


@dataclass(frozen=True, slots=True)
class FileAdjustment:
    """Something changed, assumed or left out between the file and the sheet; `before` is as filed."""

    key: str
    line: int | None
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Reading:
    sheet: Sheet | None
    findings: tuple[FileFinding, ...] = ()
    adjustments: tuple[FileAdjustment, ...] = ()
    quotes: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The lines of a text with findings, players and games, by number, for pages to quote."""

    @property
    def blocked(self) -> bool:
        return self.sheet is None or any(finding.level == "blocks" for finding in self.findings)


# ---- What the readers of several formats collect
@dataclass(slots=True)
class SheetGames:
    games: list[SheetGame] = field(default_factory=list)
    byes: list[SheetBye] = field(default_factory=list)

    @property
    def last_round(self) -> int:
        """The last round with a game; 0 if there is none."""
        return max((game.round for game in self.games), default=0)

    def until(self, last: int) -> SheetGames:
        """The games and byes of the rounds until the last that counts."""
        return SheetGames(
            [game for game in self.games if game.round <= last],
            [bye for bye in self.byes if bye.round <= last],
        )

    @property
    def replaying_players(self) -> frozenset[int]:
        """The start numbers of those who played twice in a round; equal rows count as one, since a row may be
        a copy, which the points then show.
        """
        rows = {(game.round, game.first, game.second, game.result) for game in self.games}
        seats = Counter((round_, player) for round_, *pair, _result in rows for player in pair)
        return frozenset(player for (_round, player), games in seats.items() if games > 1)


class CellPlace(TypedDict):
    line: int
    column: int
    where: str


@dataclass(frozen=True, slots=True)
class Seat:
    """One round in one player's own row: a game has two seats, which must agree."""

    round: int
    player: int
    opponent: int
    """The opponent's number in the cell; 0 if there is none."""
    result: str
    """The result in the format's own code, from this player's side."""
    line: int
    column: int
    colour: str = ""
    """`w` or `b`, where the file says it."""
    where: str = ""
    """`Games!D7`, in a workbook."""

    @property
    def place(self) -> CellPlace:
        return {"line": self.line, "column": self.column, "where": self.where}


MOST_NOTES = 1000  # findings, and adjustments, of one reading, since a person reads them


class NoSheet(Exception):
    """Raised for a file that has no sheet, after a note that says why."""


class Notes:
    def __init__(self) -> None:
        self._findings: list[FileFinding] = []
        self._adjustments: list[FileAdjustment] = []
        self.file = ""
        """The name of the file that is being read, if there are several; it is shown with the line."""

    def blocks(self, key: str, line: int | None = None, column: int | None = None, **params: Param) -> None:
        self._add("blocks", key, line, column, params)

    def refusal(
        self, key: str, line: int | None = None, column: int | None = None, **params: Param
    ) -> NoSheet:
        """Note why there is no sheet; the caller raises what is returned."""
        self._add("blocks", key, line, column, params)
        return NoSheet()

    def asks(self, key: str, line: int | None = None, column: int | None = None, **params: Param) -> None:
        self._add("asks", key, line, column, params)

    def notice(self, key: str, line: int | None = None, column: int | None = None, **params: Param) -> None:
        self._add("notice", key, line, column, params)

    def adjusts(self, key: str, line: int | None, before: str, after: str) -> None:
        self._adjustments.append(FileAdjustment(key, line, before, after))

    def reading(self, sheet: Sheet | None) -> Reading:
        """The sheet with these notes by line, up to `MOST_NOTES`."""
        findings = sorted(self._findings, key=lambda finding: finding.line or 0)
        adjustments = sorted(self._adjustments, key=lambda adjustment: adjustment.line or 0)
        beyond = max(len(findings), len(adjustments)) - MOST_NOTES
        if beyond > 0:
            # Cutting the list must not turn a blocked file into a clean one.
            findings = [
                *findings[:MOST_NOTES],
                FileFinding("blocks", "too-much-to-list", params={"more": beyond}),
            ]
        return Reading(sheet, tuple(findings), tuple(adjustments[:MOST_NOTES]))

    def _add(
        self, level: Level, key: str, line: int | None, column: int | None, params: dict[str, Param]
    ) -> None:
        where = str(params.pop("where", ""))  # shown beside the words, like line and column
        if self.file and line and not where:
            where = f"{self.file}:{line}"
        self._findings.append(FileFinding(level, key, line, column, params, where))


# ---- Kinds of event files; pages offer those that an office names
@dataclass(frozen=True, slots=True)
class FileSource:
    """A program or form that makes event files of a kind."""

    name: str
    """The program's name, or the form's author."""
    help: str
    """What to choose in the program, or which form to take."""
    by_description: bool = False
    """Whether the reader was written from a description, without a real file."""


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of event files; pages translate its words."""

    code: str
    """The code in `Office.files`, and the `family` of its sheets."""
    name: str
    """The short name on pages where files are dropped: `TRF16, TRF26`."""
    sources: tuple[FileSource, ...] = ()
    instead: str = ""
    """The other file of the same event to take if a federation does not read this kind."""


# ---- A `Reading` as JSON, in which it leaves the box; the dataclasses are the schema
Record = TypeVar("Record")


def dump(record: Any) -> str:
    """A `Reading`, or any frozen dataclass of its types, as JSON."""
    return json.dumps(dataclasses.asdict(record), default=str, separators=(",", ":"))


def load(text: str) -> Reading:
    return load_as(Reading, text)


def load_as(kind: type[Record], text: str) -> Record:
    """Read back what `dump` wrote; other text raises ValueError, TypeError or KeyError."""
    whole: Any = kind
    record: Record = _loader(whole)(json.loads(text))
    return record


@cache
def _loader(kind: Any) -> Callable[[Any], Any]:
    """A function that reads a value of a type, made once for each type."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _record_loader(kind)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple:
        load_item = _loader(arguments[0])
        return lambda value: tuple(map(load_item, value))
    if origin in (Union, types.UnionType):
        kinds = [kind for kind in arguments if kind is not type(None)]
        if len(kinds) > 1:
            return lambda value: value
        load_known = _loader(kinds[0])
        return lambda value: None if value is None else load_known(value)
    if origin is Literal:
        return partial(_one_of, arguments)
    if kind is date:
        return date.fromisoformat
    return Decimal if kind is Decimal else partial(_plain, kind if origin is None else origin)


def _record_loader(kind: type) -> Callable[[Any], Any]:
    loaders = [(name, _loader(hint)) for name, hint in get_type_hints(kind).items()]

    def load(value: Any) -> Any:
        # Values stored before a field existed lack it: a field without a default raises TypeError.
        return kind(**{name: load_field(value[name]) for name, load_field in loaders if name in value})

    return load


def _one_of(allowed: tuple[Any, ...], value: Any) -> Any:
    if value not in allowed:
        raise ValueError(f"{value!r} is none of {allowed}")
    return allowed[allowed.index(value)]  # the same object for the results of all games


def _plain(kind: type, value: Any) -> Any:
    if not isinstance(value, kind) or not isinstance(value, (str, int, bool, Mapping)):
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value


# ---- Players who left before the end, as byes suggest; a person confirms it
def find_departure_rounds(absences: Iterable[tuple[int, int]], rounds: int) -> dict[int, int]:
    """The first round of each player's zero-point byes that last until the end, by player.

    `absences`: round and player of each such bye. Missing only the last round is no departure.
    """
    missed: dict[int, set[int]] = {}
    for round_, player in absences:
        missed.setdefault(player, set()).add(round_)
    left = {}
    for player, absent in missed.items():
        if rounds not in absent or max(absent) > rounds:
            continue
        first = rounds
        while first - 1 in absent:
            first -= 1
        if 1 < first < rounds:
            left[player] = first
    return left
