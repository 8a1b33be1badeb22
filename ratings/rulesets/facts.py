"""The values that the core works with: facts of a journal, the state that they move, and reports to people.

Everything here is frozen, of dates, whole numbers, decimals and text; nothing knows Django or the clock.
Beside the facts and the state stand a federation's own fields, the orders in which facts are folded, the
particulars of a filing, the numbers of an edition, places, and the seal of a name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from enum import Enum, StrEnum
from hashlib import sha256
from typing import Any, Generic, NamedTuple, Protocol, TypeVar
from unicodedata import normalize

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


# ---- The fields of a section that a federation has beside the common ones, for forms and for the journal.
@dataclass(frozen=True, slots=True)
class Choice:
    """One value that a field may have, with the label that people see."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Field:
    """A field that this ruleset's sections and forms have beside the common ones."""

    name: str
    """The attribute of `Section` (`platform`, `time_controls`, `disabled`, `status` …)."""
    label: str
    kind: str
    """The kind of input: `choice`, `time_controls`, `flag`, `text`, `whole` or `day`."""
    clause: str = ""
    help: str = ""
    choices: tuple[Choice, ...] = ()
    required: bool = True
    default: str = ""
    only_with: tuple[str, str] | None = None
    """Name and value of another field, beside which alone this one is allowed (`("status", "special")`)."""


def flag(name: str, label: str, clause: str, help: str = "") -> Field:
    """A field that is a box to tick, and may stay empty."""
    return Field(name=name, label=label, kind="flag", clause=clause, help=help, required=False)


# ---- The two orders in which rulesets fold facts, each as a key to sort by (D-1).
MOST_DAYS_OF_A_SECTION = 4095
"""The most days from a section's first to its last for which the order of play has room: 12 bits."""
DAY_BITS = 43
"""The bits below the day of the end in the order of play: those of the length and of the line's number."""


def by_rating_order(fact: Fact) -> int:
    """The place of a fact in the fold where sections count in the order in which the office first rated them:
    its line's number, of a section that of its first `rated` line (D-1, D-2).
    """
    return fact.place


def first_place_of(day: date) -> int:
    """The first place in the order of play for what ended on a day: after everything that ended before it."""
    return day.toordinal() << DAY_BITS


def by_order_of_play(fact: Fact) -> int:
    """The place of a fact in the fold where sections count in the order of play: by their end, then their
    start, then the order in which the office first rated (D-1, D-2).

    One whole number of 63 bits, so that a database sorts it as the core does: the day of the end (20 bits),
    the length in days (12 bits, the longest first), the number (31 bits). Openings come before everything, as
    the record starts there; other facts are placed by their own day.
    """
    if isinstance(fact, RatedSection):
        ends, starts = fact.section.ends, fact.section.starts
    elif isinstance(fact.fact, Opening):
        return fact.place
    else:
        ends = starts = getattr(fact.fact, "on", date.min)
    length = (ends - starts).days
    return first_place_of(ends) | ((MOST_DAYS_OF_A_SECTION - length) << 31) | fact.place


def gettext_noop(text: str) -> str:
    """Mark a text for translation and leave it as it is; the pages translate it when they show it."""
    return text


# ---- The core's reports to people: workings, lists, answers, tables, findings.
#
# Values with clauses and message keys, never finished sentences, so that a page can say them in any
# language.
Value = Decimal | int | str | date | None


class WorkingStep(NamedTuple):
    """One step of a working: the clause, what was put in, and the result; words are found by `key`."""

    clause: str
    """The clause that the step follows, a number of the ruleset's `clauses.py`, or a decision: `31`,
    `D-CSA-9`.
    """
    key: str
    """The key of the step's words in the ruleset's `messages.py`."""
    inputs: Mapping[str, Value]
    result: Value = None


class GameLine(NamedTuple):
    """One game in a working, from the player's own side."""

    round: int
    opponent: PlayerId
    first: bool
    """Whether the player moved first."""
    result: str
    """The result as the journal writes it, first mover's side first."""
    opponent_rating: Decimal | None
    expected: Decimal | None
    score: Decimal | None
    """The score; None: no game (forfeit, bye, annulled)."""
    note: str = ""
    """A message key that explains the line: why it counts otherwise than it looks (`clamped`, `pre-rating`,
    `forfeit` …).
    """
    clauses: tuple[str, ...] = ()
    """The clauses on which the note rests."""


class Bar(NamedTuple):
    """A number of a working to draw beside others of the same scale: the score beside the expected score."""

    key: str
    """The key of its words in the ruleset's messages."""
    value: Decimal


class ListedPlayer(NamedTuple):
    """A row of a rating list."""

    rank: int
    """The rank, shared by players whose shown ratings are equal."""
    player: PlayerId
    rating: Decimal
    games: int
    status: str


class Answer(NamedTuple):
    """A player's rating in a track as a replay answers it (see `docs/journal.md`)."""

    player: PlayerId
    track: str
    status: str
    rating: Decimal | None
    games: int
    listed: bool
    """Whether the player stands on the track's list."""
    further: Mapping[str, Decimal] = {}


@dataclass(frozen=True, slots=True)
class RuleTable:
    """A further result of the rules for a day: ranks, season standings, coefficients.

    Pages read some columns specially: `player` holds ids, `section` ids of sections, `line` the journal's
    line of a section's rating, `clause` numbers of clauses. A text that is a message key is shown as that
    message.
    """

    name: str
    """A message key, and the name under which a replay answers it. The columns are such keys too."""
    columns: tuple[str, ...]
    rows: tuple[tuple[Value | tuple[Value, ...], ...], ...]
    answered: bool = True
    """Whether a replay answers it: only tables described in `docs/journal.md` are answered."""
    shown: bool = True
    """Whether pages show it; False where another table says the same to people."""
    part: str = ""
    """The label that tells several tables of one name apart: the season."""
    about: str = ""
    """A message key for a sentence on how to read the table."""
    confirms: bool = False
    """Whether each row (`player`, `rank`, `clause`) is a sports rank that an official has yet to confirm."""
    tied: tuple[PlayerId, ...] = ()
    """Players who share first place in the season `part` after all tie-breaks, so that a play-off decides."""


@dataclass(frozen=True, slots=True)
class Working:
    """The account of one change: the steps in order, and the games and tables that they rest on."""

    steps: tuple[WorkingStep, ...]
    games: tuple[GameLine, ...] = ()
    summary: tuple[WorkingStep, ...] = ()
    """The working in one sentence, in parts: expected and real score, then the effect of special clauses."""
    tables: tuple[RuleTable, ...] = ()
    """Further tables that explain what the steps rest on."""
    bars: tuple[Bar, ...] = ()
    """The numbers that a small picture compares; empty: there is nothing to compare."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The results that a player's rating on a day rests on, and how they make it."""

    table: RuleTable
    steps: tuple[WorkingStep, ...] = ()
    missed: RuleTable | None = None
    """The results that count because the player was absent."""


class ExtractRow(NamedTuple):
    """One rating of a player's certificate."""

    track: str
    rating: Decimal
    shown: int
    """The rating as a whole number."""
    games: int
    status: str
    """The player's status in the track, as a message key."""
    listed: bool


@dataclass(frozen=True, slots=True)
class Extract:
    """A certificate of a player's ratings and rank on a day."""

    player: PlayerId
    on: date
    rank: str
    """The confirmed rank, as a message key."""
    ratings: tuple[ExtractRow, ...]


class CalculatorAnswer(NamedTuple):
    """The answer of a calculator on a page: the outcome, and the steps that lead to it."""

    key: str
    """A message key that words the outcome."""
    steps: tuple[WorkingStep, ...]


class Level(StrEnum):
    """The weight of a finding: what it does to the filing of the section."""

    BLOCKS = "blocks"
    WAIVABLE = "waivable"
    """The office may waive it with a reason."""
    NOTICE = "notice"


class Deadline(NamedTuple):
    """A day by which something about a section must be done."""

    clause: str
    key: str
    """A key of the ruleset's `messages.py`: what is to be done."""
    last: date
    """The last day on which it is in time."""
    done: date | None
    """The day on which it was done; None: it was not yet."""
    by_office: bool = False
    """Whether the office itself is to do it, not the region."""
    binding: bool = True
    """Whether it must be done at all; False: only by whoever wants what the clause offers."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A complaint of the regulation about a section as filed."""

    clause: str
    level: Level
    key: str
    """A key of the ruleset's `messages.py`: what is wrong, and what to do about it."""
    params: Mapping[str, Value] = field(default_factory=dict)
    where: str = ""
    """The field, player or round concerned: `rounds`, `player 12`, `round 3`."""


# ---- The particulars of a filing that acceptance reads: who filed it and when, people, permissions,
# waivers.
@dataclass(frozen=True, slots=True)
class Arbiter:
    """An arbiter of the event, as its region names them."""

    name: str
    title: str = ""
    id: str = ""
    in_register: bool = False
    """Whether the id is a number of the federation's own register."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player of a filed section, as the event's file and the register together describe them."""

    player: PlayerId
    surname: str
    first_name: str = ""
    birth: str = ""
    """The date or year of birth, as precise as is known: `2010-05-03` or `2010`."""
    sex: str = ""
    nation: str = ""
    """The nation in three letters; empty where not known."""
    fide_id: str = ""
    handle: str = ""
    new: bool = False
    """Whether the player is not in the register yet."""
    region: str = ""
    """The code of the region that was stated for a new player; empty: none was."""
    decided: bool = True
    """Whether it is settled who of the register this is."""
    section: str = ""

    @property
    def name(self) -> str:
        return ", ".join(filter(None, (self.surname, self.first_name)))


@dataclass(frozen=True, slots=True)
class Filing:
    """All that a ruleset's acceptance may read beside the section itself: days, people,
    permissions, waivers.
    """

    registered: date | None = None
    filed: date | None = None
    handed_in: date | None = None
    """The day of the submission that holds: of the one that the office first rated, else of the newest;
    before any, of the file.
    """
    """The day of the first file that could be read."""
    event_starts: date | None = None
    event_ends: date | None = None
    round_dates: tuple[date | None, ...] = ()
    region: str = ""
    """The code of the host region."""
    by_region: bool | None = None
    """Whether an administrator of the host region sent the newest file; None: the sender is not known."""
    organizer: str = ""
    arbiters: tuple[Arbiter, ...] = ()
    """The arbiters in order of appointment, the chief arbiter first."""
    entrants: tuple[Entrant, ...] = ()
    elsewhere: tuple[Entrant, ...] = ()
    """The players of the event's other sections."""
    said: Mapping[str, Any] = field(default_factory=dict)
    """The region's answers to the ruleset's `filing_fields`, by the fields' names."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The office's settings, by name; a switch that is not there is on."""
    permissions: frozenset[str] = frozenset()
    """The clauses under which the office gave permission (csa: `18`)."""
    asked: Mapping[str, date] = field(default_factory=dict)
    """The days on which the region asked for permissions, by clause."""
    particulars: Mapping[PlayerId, Any] = field(default_factory=dict)
    """The register's particulars of those entrants who are in it already, by id."""
    declared: Section | None = None
    """The section as it was declared when it was first decided on; None: no such decision is recorded."""
    declared_on: date | None = None
    """The day of that first decision."""

    def late(self) -> Level:
        """The level of a finding that something came late: waivable, or a notice where nobody is held to
        deadlines.
        """
        return Level.WAIVABLE if self.settings.get("deadlines", True) else Level.NOTICE

    def incomplete(self, level: Level = Level.WAIVABLE) -> Level:
        """The level of a finding that something is missing, or was not said by the right person: `level`, or
        a notice where the office does not insist on full particulars.
        """
        return level if self.settings.get("particulars", True) else Level.NOTICE

    @property
    def membership(self) -> date | None:
        """The day from which rules on membership hold; None: not introduced."""
        day = self.settings.get("membership")
        return date.fromisoformat(day) if day else None

    def name_of(self, player: PlayerId) -> str:
        """The name of an entrant; the id where there is no such entrant."""
        return next((entrant.name for entrant in self.entrants if entrant.player == player), player)


# ---- The numbers of an edition by name and clause: what a reader needs to follow a sum with a pencil.
#
# Each is the very constant that the formulas use, so that the two cannot differ.
@dataclass(frozen=True, slots=True)
class Parameter:
    """One number of an edition: the clause that sets it, words for it, its value."""

    clause: str
    words: str
    value: Value


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of numbers in a regulation, as its text has it. A cell that is text is a message to
    translate.
    """

    clause: str
    words: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


Parameters = tuple[Parameter | Grid, ...]


NOTHING, HALF, ONE = Decimal(0), Decimal("0.5"), Decimal(1)
BYE_POINTS: Mapping[str, Decimal] = {"pairing": ONE, "full": ONE, "half": HALF, "zero": NOTHING}
"""The points of each kind of bye as pairing programs count them."""
GAMES: Mapping[str, tuple[Decimal, Decimal]] = {
    **PLAYED,
    **{result: (Decimal(first), Decimal(second)) for result, (first, second) in FORFEITS.items()},
}
"""The points of both sides, the first mover's first, as pairing programs count them."""

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Scoring:
    """The points of a section's score by result and kind of bye; those of pairing programs unless a ruleset
    says otherwise.
    """

    byes: Mapping[str, Decimal] = field(default_factory=lambda: BYE_POINTS)
    games: Mapping[str, tuple[Decimal, Decimal]] = field(default_factory=lambda: GAMES)
    """The points of both sides by result, the first mover's first; a result that is left out gives
    nothing.
    """

    def of_game(self, result: str) -> tuple[Decimal, Decimal]:
        """The points of both sides for a result, the first mover's first."""
        return self.games.get(result, (NOTHING, NOTHING))

    def of_bye(self, kind: str) -> Decimal:
        return self.byes.get(kind, NOTHING)

    def totals(self, games: Iterable[tuple[P, P, str]], byes: Iterable[tuple[P, str]]) -> dict[P, Decimal]:
        """The score of everyone in games `(first, second, result)` and byes `(player, kind)`; nobody else is
        in it.
        """
        scores: dict[P, Decimal] = defaultdict(Decimal)
        for first, second, result in games:
            points = self.of_game(result)
            scores[first] += points[0]
            scores[second] += points[1]
        for player, kind in byes:
            scores[player] += self.of_bye(kind)
        return scores


# ---- Places in an order: equals share one, and the next is one more than all before it (1, 2, 2, 4).
Listed = tuple[PlayerId, Decimal, int, str]
"""A player who is to stand on a list, not yet ranked: the id, the rating, the games and the status."""


def shared_places(ordered: Iterable[object]) -> Iterator[int]:
    """Yield the place of each value of an order, from 1 on; neighbours that are equal share it."""
    place, before = 0, object()
    for number, value in enumerate(ordered, start=1):
        if value != before:
            place, before = number, value
        yield place


def recount(places: Iterable[int]) -> dict[int, int]:
    """The place that each of these places becomes when they are counted among themselves alone: 1, 3, 3, 5
    become 1, 2, 2, 4.
    """
    ordered = sorted(places)
    return dict(zip(ordered, shared_places(ordered), strict=True))


def ranked(
    listed: Iterable[Listed], shown: Callable[[Decimal], object] = lambda rating: rating
) -> list[ListedPlayer]:
    """Make the rows of a rating list, best first, equal ratings by id; ratings shown alike share the rank.

    `shown` gives a rating as the regulation has people see it; without it the exact ratings are compared.
    """
    ordered = sorted(listed, key=lambda each: (-each[1], each[0]))
    ranks = shared_places(shown(rating) for _player, rating, _games, _status in ordered)
    return [ListedPlayer(rank, *each) for rank, each in zip(ranks, ordered, strict=True)]


def name_seal(name: str, salt: str) -> str:
    """The seal of a name, in hex: SHA-256 over the salt's 16 bytes and the name in UTF-8 (NFC)."""
    return sha256(bytes.fromhex(salt) + normalize("NFC", name).encode()).hexdigest()


def sealed(player: Player) -> Player:
    """The player's particulars with the seal in place of name and salt, for a journal that withholds the
    name; unchanged if they are sealed already.
    """
    if player.name is None or player.salt is None:
        return player
    return replace(player, name=None, salt=None, seal=name_seal(player.name, player.salt))
