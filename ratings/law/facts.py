"""The values that the core works with: facts of a journal, facts as they are folded, and the state they move.

Everything here is frozen, of dates, whole numbers, decimals and text; nothing knows Django or the clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

PlayerId = str
"""The federation's own number of a player, as the journal writes it."""

FORM = 3
"""The form of the journal that this program reads and writes."""
FORMER_FORMS = {2: "Federation Ratings 0.1.0rc1"}
"""Forms whose lines can be read as this form's, for a new office, each with the program that reads it."""
LIST_FORM = 2
"""The form of a published list's file."""

# ---------------------------------------------------------------- facts of the journal


@dataclass(frozen=True, slots=True)
class Federation:
    """The fact of a journal's first line: whose journal it is, and under which ruleset."""

    form: int
    code: str
    ruleset: str
    name: str


@dataclass(frozen=True, slots=True)
class Player:
    """A player's particulars as they stand from this line on (D-6): name and salt, or the seal alone."""

    id: PlayerId
    name: str | None = None
    salt: str | None = None
    """The salt of the name's seal: 16 random bytes in lower-case hex, of this name alone."""
    seal: str | None = None
    """The digest (`name_seal`) that stands in place of a name that is withheld."""
    nation: str | None = None
    region: str | None = None
    resident: bool = True
    included_by: str | None = None


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Base minutes of each period, and the increment in seconds a move (that of the last period)."""

    minutes: tuple[Decimal, ...]
    increment: Decimal = Decimal(0)


class Left(NamedTuple):
    """A player's departure from the event: the first round missed, and whether notice was given."""

    round: int
    notified: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """One player's participation in a section."""

    player: PlayerId
    place: int | None = None
    rating: int | None = None
    """The rating that the event's file gives the entrant (0: none)."""
    pre: int | None = None
    """The pre-rating that the office states; read while the entrant has no official rating."""
    women: bool = False
    """Whether the entrant plays for the women's title."""
    team: str | None = None
    left: Left | None = None


class Game(NamedTuple):
    """Two players, one result. `first` moved first: white in chess, black in othello."""

    round: int
    first: PlayerId
    second: PlayerId
    result: str
    excused: str | None = None
    """The side whose forfeit was excused: `first`, `second`, `both`, or None."""

    @property
    def played(self) -> bool:
        return self.result in PLAYED

    def opponent_of(self, player: PlayerId) -> PlayerId:
        return self.second if self.first == player else self.first


PLAYED: Mapping[str, tuple[Decimal, Decimal]] = {
    "1-0": (Decimal(1), Decimal(0)),
    "0-1": (Decimal(0), Decimal(1)),
    "1/2": (Decimal("0.5"), Decimal("0.5")),
    "0-0": (Decimal(0), Decimal(0)),  # D-7: both lost; it still counts as a game
}
"""The results that are games (D-3), with the score of each side."""
HALVES: Mapping[str, tuple[int, int]] = {"1-0": (2, 0), "0-1": (0, 2), "1/2": (1, 1), "0-0": (0, 0)}
"""The scores of `PLAYED` in half points, to be counted quickly."""
FORFEITS: Mapping[str, tuple[bool, bool]] = {
    "+:-": (True, False),
    "-:+": (False, True),
    "-:-": (False, False),
}
"""The results decided without play: whether the first mover won, and the second."""
ANNULLED = "annulled"
RESULTS = frozenset({*PLAYED, *FORFEITS, ANNULLED})


class Bye(NamedTuple):
    """A round without an opponent. `kind`: pairing (allocated), full, half, zero."""

    round: int
    player: PlayerId
    kind: str


BYES = ("pairing", "full", "half", "zero")
FORMATS = (
    "swiss",
    "round-robin",
    "double-round-robin",
    "scheveningen",
    "knockout",
    "match",
    "placement",
)


@dataclass(frozen=True, slots=True)
class Section:
    """A section of an event as it was filed, whole: particulars, entries, games, byes."""

    id: str
    """The section's id, `EVENT/SECTION`."""
    event: str
    name: str
    starts: date
    ends: date
    format: str
    rounds: int
    """The number of scheduled rounds; games behind them are of finals."""
    entries: tuple[Entry, ...]
    games: tuple[Game, ...] = ()
    byes: tuple[Bye, ...] = ()
    country: str | None = None
    """The country in which it was held; None: the federation's own."""
    team: bool = False
    time_controls: tuple[TimeControl, ...] = ()
    time_class: str | None = None
    platform: str | None = None
    disabled: bool = False
    category: str | None = None
    status: str | None = None
    season: str | None = None
    coefficient: int | None = None


@dataclass(frozen=True, slots=True)
class Rated:
    """The rating of a section by the office: of its newest version above this line."""

    section: str
    on: date


REASONS = ("result", "player", "particulars", "duplicate", "breach", "appeal", "withdrawn", "other")
"""Reasons for taking a rating back."""


@dataclass(frozen=True, slots=True)
class Unrated:
    """The taking back of a section's rating (D-2)."""

    section: str
    on: date
    reason: str
    """The reason, one of `REASONS`."""


@dataclass(frozen=True, slots=True)
class ListClosing:
    """The closing of a list, published on that day."""

    on: date


@dataclass(frozen=True, slots=True)
class Revised:
    """A revision: the list of a day is published anew, beside the first. It moves no rating."""

    list: date
    """The day of the list."""
    on: date


@dataclass(frozen=True, slots=True)
class TakenOver:
    """A history taken in on that day: the lines above it since the last such line. It moves no rating."""

    on: date
    source: str


@dataclass(frozen=True, slots=True)
class Rank:
    """The confirmation of a player's sports rank by an official."""

    player: PlayerId
    rank: str
    on: date
    ground: str


@dataclass(frozen=True, slots=True)
class Playoff:
    """The outcome of a play-off between players tied for first place in a season."""

    season: str
    winner: PlayerId
    on: date


@dataclass(frozen=True, slots=True)
class Opening:
    """A player's rating in a track when the record starts, taken over from the list of the day before."""

    player: PlayerId
    track: str
    rating: Decimal
    games: int
    on: date
    source: str


@dataclass(frozen=True, slots=True)
class Merged:
    """A merge: two register entries were one person; the journal is read as if all lines had named `into`."""

    player: PlayerId
    into: PlayerId
    on: date


@dataclass(frozen=True, slots=True)
class Parted:
    """The undoing of a merge: the journal is read as if the `merged` line in force were not there."""

    player: PlayerId
    on: date


JournalFact = (
    Federation
    | Player
    | Section
    | Rated
    | Unrated
    | ListClosing
    | Revised
    | TakenOver
    | Rank
    | Playoff
    | Opening
    | Merged
    | Parted
)

# ---------------------------------------------------------------- facts as they are folded


NO_PRES: Mapping[PlayerId, int] = {}


@dataclass(frozen=True, slots=True)
class RatedSection:
    """A rated section as rules see it: with its players as they stood, and the day it was first rated."""

    number: int
    """The number of its `rated` line in the journal."""
    on: date
    """The day of rating: that of its first `rated` line (D-2)."""
    section: Section
    players: Mapping[PlayerId, Player]
    """The particulars of every entrant as they stood when the section was rated (D-6)."""
    notes: tuple[str, ...] = ()
    """Notes that the ruleset takes from the order of the journal, in its own words."""
    pres: Mapping[PlayerId, int] = field(default_factory=dict)
    """Pre-ratings of entrants whose entry states none: the last one stated in a section's line above this
    section's own; left out: none was ever stated.
    """
    first: int = 0
    """The number of its first `rated` line, where it was un-rated and rated again; else 0."""

    @property
    def place(self) -> int:
        """The number of its first `rated` line: the order in which the office rated (D-1, D-2)."""
        return self.first or self.number


@dataclass(frozen=True, slots=True)
class Placed:
    """Any fact that is folded, other than a rated section, with the number of its journal line."""

    number: int
    fact: Player | ListClosing | Rank | Playoff | Opening

    @property
    def place(self) -> int:
        """The number of its line: the order in which the office took it in."""
        return self.number


Fact = RatedSection | Placed


class Needs(Enum):
    """The answer of `Rules.needs` where it names a kind of player instead of ids."""

    EVERYONE = "everyone"
    DUE = "due"
    """Everyone whose standing is `due`: a list would move it."""


# ---------------------------------------------------------------- state and change


class Standing(Protocol):
    """One player's state in one track. Each ruleset has its own class; the office may ask this much of it."""

    @property
    def rating(self) -> Decimal | None:
        """The rating in force, or None."""

    @property
    def games(self) -> int:
        """The number of counted games, as `docs/journal.md` defines it for the ruleset."""

    @property
    def due(self) -> bool:
        """Whether the closing of a list would move the standing."""


Key = tuple[PlayerId, str]
"""The key of a standing in a state: player and track."""


S = TypeVar("S", bound=Standing)


@dataclass(slots=True)
class State(Generic[S]):
    """The state of a fold: the standings by player and track, and what belongs to no single player.

    A fold owns its state and advances it with `absorb`; `apply` only reads it. The office may hand `apply` a
    state that holds no more than the players whom the fact `needs`.
    """

    standings: dict[Key, S] = field(default_factory=dict)
    wide: Any = None
    """The part that belongs to the federation as a whole: a frozen value of the ruleset's own, or None."""
    due: set[Key] = field(default_factory=set)
    """The keys of the standings that are `due`."""

    def get(self, player: PlayerId, track: str) -> S | None:
        return self.standings.get((player, track))

    def put(self, key: Key, standing: S) -> None:
        self.standings[key] = standing
        if standing.due:
            self.due.add(key)
        else:
            self.due.discard(key)

    def absorb(self, outcome: Outcome[S]) -> None:
        """Take in a fact's outcome: the standings that it changed, and the federation-wide part."""
        standings, due = self.standings, self.due
        for player, track, _before, after, _points in outcome.changes:
            key = player, track
            standings[key] = after
            if after.due:
                due.add(key)
            else:
                due.discard(key)
        self.wide = outcome.wide


class Change(NamedTuple, Generic[S]):
    """One change: a player's standing in a track before and after a fact."""

    player: PlayerId
    track: str
    before: S | None
    """The standing before; None: the player had none in this track."""
    after: S
    points: Decimal | None
    """Rating points gained or lost by this fact, at once or at the next list; None where unrated before."""


class Outcome(NamedTuple, Generic[S]):
    """The effect of one fact on the state: the changes, and the federation-wide part after it."""

    changes: list[Change[S]]
    wide: Any = None
    """The federation-wide part of the state after the fact."""
