"""The values of the core: facts of a journal, the state that they change, and reports to people.

They consist of dates, whole numbers, decimals and text, are frozen, and know neither Django nor the clock.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from enum import Enum, StrEnum
from hashlib import sha256
from typing import Any, Generic, NamedTuple, Protocol, TypeVar
from unicodedata import normalize

PlayerId = str
"""The federation's own number of a player, as the journal writes it."""

JOURNAL_FORM = 3
"""The form of the journal that this program reads and writes."""
FORMER_FORMS = {2: "Federation Ratings 0.1.0rc1"}
"""Forms whose lines can be read as this form's, for a new office, each with the program that reads it."""
LIST_FORM = 2
"""The form of a published list's file."""


# ---- Facts of the journal
@dataclass(frozen=True, slots=True)
class Federation:
    """A journal's first line: whose journal it is, and under which ruleset."""

    form: int
    code: str
    ruleset: str
    name: str


@dataclass(frozen=True, slots=True)
class Player:
    """A player's particulars from this line on (D-6): name and salt, or the seal alone."""

    id: PlayerId
    name: str | None = None
    salt: str | None = None
    """The salt of the name's seal: 16 random bytes in lower-case hex, of this name alone."""
    seal: str | None = None
    """The digest (`name_seal`) in place of a withheld name."""
    nation: str | None = None
    region: str | None = None
    resident: bool = True
    included_by: str | None = None


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Base minutes of each period, and the increment in seconds a move (that of the last period)."""

    minutes: tuple[Decimal, ...]
    increment: Decimal = Decimal(0)


class Departure(NamedTuple):
    """A player's departure from the event: the first round missed, and whether notice was given."""

    round: int
    notified: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """One player's participation in a section."""

    player: PlayerId
    place: int | None = None
    rating: int | None = None
    """The rating in the event's file (0: none)."""
    pre: int | None = None
    """The pre-rating that the office states; read while the entrant has no official rating."""
    women: bool = False
    """Whether the entrant plays for the women's title."""
    team: str | None = None
    left: Departure | None = None


class Game(NamedTuple):
    """A game; `first` moved first: white in chess, black in othello."""

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
"""The scores of `PLAYED` in half points, to add up quickly."""
BOTH_LOST = "0-0"
"""The result of a game that both lost, of which no expected score speaks."""
FORFEITS: Mapping[str, tuple[bool, bool]] = {
    "+:-": (True, False),
    "-:+": (False, True),
    "-:-": (False, False),
}
"""The results without play: whether the first mover won, and the second."""
ANNULLED = "annulled"
RESULTS = frozenset({*PLAYED, *FORFEITS, ANNULLED})


class Bye(NamedTuple):
    """A round without an opponent. `kind`: pairing (allocated), full, half, zero."""

    round: int
    player: PlayerId
    kind: str


BYE_KINDS = ("pairing", "full", "half", "zero")
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
    """A section of an event as filed: particulars, entries, games, byes."""

    id: str
    """The section's id, `EVENT/SECTION`."""
    event: str
    name: str
    starts: date
    ends: date
    format: str
    rounds: int
    """The number of scheduled rounds; games of later rounds are of finals."""
    entries: tuple[Entry, ...]
    games: tuple[Game, ...] = ()
    byes: tuple[Bye, ...] = ()
    country: str | None = None
    """The country in which it was held; None for the federation's own."""
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
    """The office rated the newest version of a section above this line."""

    section: str
    on: date


UNRATING_REASONS = ("result", "player", "particulars", "duplicate", "breach", "appeal", "withdrawn", "other")
"""Reasons for taking a rating back."""


@dataclass(frozen=True, slots=True)
class Unrated:
    """A section's rating was taken back (D-2)."""

    section: str
    on: date
    reason: str
    """One of `UNRATING_REASONS`."""


@dataclass(frozen=True, slots=True)
class ListClosing:
    """A list was closed and published on that day."""

    on: date


@dataclass(frozen=True, slots=True)
class Revised:
    """The list of a day was published again, beside the first. It changes no rating."""

    list: date
    """The day of the list."""
    on: date


@dataclass(frozen=True, slots=True)
class TakenOver:
    """The lines above since the last such line were taken over as history. It changes no rating."""

    on: date
    source: str


@dataclass(frozen=True, slots=True)
class Rank:
    """An official confirmed a player's sports rank."""

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
    """A player's rating in a track, taken over from a list of before the record."""

    player: PlayerId
    track: str
    rating: Decimal
    games: int
    on: date
    source: str


@dataclass(frozen=True, slots=True)
class Merged:
    """Two register entries were one person; the journal is read as if all lines had named `into`."""

    player: PlayerId
    into: PlayerId
    on: date


@dataclass(frozen=True, slots=True)
class Parted:
    """A merge was undone; the journal is read as if the `merged` line in force were not there."""

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

# ---- Facts as they are folded
NO_PRE_RATINGS: Mapping[PlayerId, int] = {}


@dataclass(frozen=True, slots=True)
class RatedSection:
    """A rated section with its players' particulars and the day of its first rating."""

    number: int
    """The number of its `rated` line in the journal."""
    on: date
    """The day of rating: that of its first `rated` line (D-2)."""
    section: Section
    players: Mapping[PlayerId, Player]
    """The particulars of every entrant when the section was rated (D-6)."""
    notes: tuple[str, ...] = ()
    """Notes that the ruleset derives from the order of the journal."""
    pres: Mapping[PlayerId, int] = field(default_factory=dict)
    """The last pre-rating stated in lines of sections above, for entrants whose own entry states none."""
    first: int = 0
    """The number of its first `rated` line, where it was un-rated and rated again; else 0."""

    @property
    def place(self) -> int:
        """The number of its first `rated` line: the order in which the office rated (D-1, D-2)."""
        return self.first or self.number


@dataclass(frozen=True, slots=True)
class Placed:
    """Any other fact that is folded, with the number of its journal line."""

    number: int
    fact: Player | ListClosing | Rank | Playoff | Opening

    @property
    def place(self) -> int:
        return self.number


Fact = RatedSection | Placed


class Needs(Enum):
    """A kind of players that `Rules.needs` returns instead of ids."""

    EVERYONE = "everyone"
    DUE = "due"
    """Everyone whose standing is `due`."""


# ---- State and change
class Standing(Protocol):
    """One player's state in one track, as far as the office reads it; each ruleset has its own class."""

    @property
    def rating(self) -> Decimal | None:
        """The rating in force, or None."""

    @property
    def games(self) -> int:
        """The number of counted games, as `docs/journal.md` defines it for the ruleset."""

    @property
    def due(self) -> bool:
        """Whether the closing of a list would change the standing."""


StandingKey = tuple[PlayerId, str]
"""The key of a standing in a state: player and track."""


S = TypeVar("S", bound=Standing)


@dataclass(slots=True)
class State(Generic[S]):
    """The state of a fold: the standings by player and track, and a part that belongs to no single player.

    A fold owns its state and advances it with `absorb`; `apply` only reads it. The state that the office
    passes to `apply` may have no more players than the fact `needs`.
    """

    standings: dict[StandingKey, S] = field(default_factory=dict)
    wide: Any = None
    """The federation-wide part: a frozen value of the ruleset's own, or None."""
    due: set[StandingKey] = field(default_factory=set)
    """The keys of the standings that are `due`."""

    def get(self, player: PlayerId, track: str) -> S | None:
        return self.standings.get((player, track))

    def put(self, key: StandingKey, standing: S) -> None:
        self.standings[key] = standing
        if standing.due:
            self.due.add(key)
        else:
            self.due.discard(key)

    def absorb(self, outcome: Outcome[S]) -> None:
        """Update the standings and the federation-wide part by a fact's outcome."""
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
    """A player's standing in a track before and after a fact."""

    player: PlayerId
    track: str
    before: S | None
    after: S
    points: Decimal | None
    """Rating points gained or lost by this fact, at once or at the next list; None where unrated before."""


class Outcome(NamedTuple, Generic[S]):
    """The effect of one fact on the state: the changes, and the federation-wide part after it."""

    changes: list[Change[S]]
    wide: Any = None


# ---- What a regulation comparison measures at a fact
class Prediction(NamedTuple):
    """What the rules expected of one game or pair of players, and what happened. The numbers are floats: they
    are added up to be compared, and no rating follows from them.
    """

    first: PlayerId
    second: PlayerId
    first_rating: float
    second_rating: float
    expected: float
    """The expected score of `first`."""
    score: float
    """The score of `first`; that of `second` is the rest of the point."""


class Measured(NamedTuple):
    """What a fact shows of a law in one track."""

    track: str
    predictions: Sequence[Prediction] = ()
    points: Sequence[tuple[str, float]] = ()
    """The points that came into all ratings together, or went out of them, each with its clause."""
    performances: Sequence[tuple[PlayerId, float]] = ()
    """The performances that count for a season."""


# ---- Fields of a section beside the common ones
@dataclass(frozen=True, slots=True)
class Choice:
    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Field:
    """A field that a ruleset's sections and forms have beside the common ones."""

    name: str
    """The attribute of `Section` (`platform`, `time_controls`, `disabled`, `status` …)."""
    label: str
    kind: str
    """The kind of input: `choice`, `time_controls`, `flag_field`, `text`, `whole`, `url` or `day`."""
    clause: str = ""
    help: str = ""
    choices: tuple[Choice, ...] = ()
    required: bool = True
    default: str = ""
    only_with: tuple[str, str] | None = None
    """The name and value of another field that this one requires (`("status", "special")`)."""

    def applies(self, values: Mapping[str, object]) -> bool:
        """Whether this field is asked for beside these values of the fields."""
        return self.only_with is None or values.get(self.only_with[0]) == self.only_with[1]


def flag(name: str, label: str, clause: str, help: str = "") -> Field:
    """An optional field that is a checkbox."""
    return Field(name=name, label=label, kind="flag", clause=clause, help=help, required=False)


# ---- The two orders in which rulesets fold facts, as sort keys (D-1)
MOST_DAYS_OF_A_SECTION = 4095
"""The longest section for which the order of play has room: 12 bits."""
BITS_BELOW_DAY = 43
"""The bits below the last day in the order of play: those of the length and of the line's number."""


def rating_order_key(fact: Fact) -> int:
    """The sort key where sections count in the order in which the office first rated them: the number of the
    fact's line, for a section that of its first `rated` line (D-1, D-2).
    """
    return fact.place


def least_play_order_key(day: date) -> int:
    """The least sort key in the order of play for sections that end on a day."""
    return day.toordinal() << BITS_BELOW_DAY


def by_order_of_play(fact: Fact) -> int:
    """The sort key where sections count in the order of play: by their end, then their start, then the order
    in which the office first rated (D-1, D-2).

    It is one whole number of 63 bits, so that a database sorts it as the core does: the last day (20 bits),
    the length in days (12 bits, the longest first), the number (31 bits). Openings come first, as the record
    starts there; other facts are sorted by their own day.
    """
    if isinstance(fact, RatedSection):
        ends, starts = fact.section.ends, fact.section.starts
    elif isinstance(fact.fact, Opening):
        return fact.place
    else:
        ends = starts = getattr(fact.fact, "on", date.min)
    length = (ends - starts).days
    return least_play_order_key(ends) | ((MOST_DAYS_OF_A_SECTION - length) << 31) | fact.place


def gettext_noop(text: str) -> str:
    """Mark a text for translation; the pages translate it when they show it."""
    return text


# ---- Reports to people: workings, lists, answers, tables, findings
#
# They have clauses and message keys, never finished sentences, so that a page can say them in any language.
Value = Decimal | int | str | date | None
Terms = tuple[Value, ...]
"""The numbers that a step adds up; they are printed with their signs."""


class WorkingStep(NamedTuple):
    """One step of a working: its clause, inputs and result."""

    clause: str
    """A number of the ruleset's `clauses.py`, or a decision: `31`, `D-CSA-9`."""
    key: str
    """The key of the step's words in the ruleset's `messages.py`."""
    inputs: Mapping[str, Value | Terms]
    result: Value = None


class GameLine(NamedTuple):
    """A game in a working, from the player's own side."""

    round: int
    opponent: PlayerId
    first: bool
    """Whether the player moved first."""
    result: str
    """The result as the journal writes it, first mover's side first."""
    opponent_rating: Decimal | None
    expected: Decimal | None
    score: Decimal | None
    """None if it is no game (forfeit, bye, annulled)."""
    note: str = ""
    """A message key that says why the line counts otherwise than it looks (`clamped`, `forfeit` …)."""
    clauses: tuple[str, ...] = ()
    """The clauses of the note."""


class Bar(NamedTuple):
    """A number of a working to draw beside others: the score beside the expected score."""

    key: str
    """The key of its words in the ruleset's messages."""
    value: Decimal


class ListedPlayer(NamedTuple):
    """A row of a rating list."""

    rank: int
    """Shared by players whose shown ratings are equal."""
    player: PlayerId
    rating: Decimal
    games: int
    status: str


class Answer(NamedTuple):
    """A player's rating in a track in a replay's answers (see `docs/journal.md`)."""

    player: PlayerId
    track: str
    status: str
    rating: Decimal | None
    games: int
    listed: bool
    """Whether the player is on the track's list."""
    further: Mapping[str, Decimal] = {}


TOGETHER = "together"
"""In the first cell of a table's last row: its other cells are what their columns add up to."""


@dataclass(frozen=True, slots=True)
class RuleTable:
    """A further result of the rules for a day: ranks, season standings, coefficients.

    Some columns have a meaning to pages: `player` has ids, `section` ids of sections, `line` the journal's
    line of a section's rating, `clause` numbers of clauses. A message key is shown as its message.
    """

    name: str
    """A message key, as are the columns, and the table's name in a replay's answers."""
    columns: tuple[str, ...]
    rows: tuple[tuple[Value | tuple[Value, ...], ...], ...]
    answered: bool = True
    """Whether a replay answers it: only tables described in `docs/journal.md` are answered."""
    shown: bool = True
    """Whether pages show it; False where another table says the same to people."""
    part: str = ""
    """The season, where there are several tables of one name."""
    about: str = ""
    """A message key for a sentence on how to read the table."""
    confirms: bool = False
    """Whether each row (`player`, `rank`, `clause`) is a sports rank that an official has yet to confirm."""
    tied: tuple[PlayerId, ...] = ()
    """Players who share first place in the season `part` after all tie-breaks, so that a play-off decides."""


@dataclass(frozen=True, slots=True)
class Working:
    """The account of one change: its steps in order, with their games and tables."""

    steps: tuple[WorkingStep, ...]
    games: tuple[GameLine, ...] = ()
    summary: tuple[WorkingStep, ...] = ()
    """The working in one sentence, in parts: expected and real score, then the effect of special clauses."""
    tables: tuple[RuleTable, ...] = ()
    bars: tuple[Bar, ...] = ()
    """The numbers that a small picture compares."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The results that count for a player's rating on a day, and how it is computed from them."""

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
    """A message key."""
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
    """The outcome of a calculator, and the steps that lead to it."""

    key: str
    """The message key of the outcome."""
    steps: tuple[WorkingStep, ...] = ()
    inputs: Mapping[str, Value] = {}
    """The values for the places of that message."""


class Level(StrEnum):
    """The effect of a finding on the filing of the section."""

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
    """The day on which it was done; None if it is not done yet."""
    by_office: bool = False
    """Whether the office is to do it, not the region."""
    binding: bool = True
    """Whether it must be done; False if only those who want what the clause offers have to."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A section as filed breaks a regulation, or may."""

    clause: str
    level: Level
    key: str
    """A key of the ruleset's `messages.py`: what is wrong, and what to do about it."""
    params: Mapping[str, Value] = field(default_factory=dict)
    where: str = ""
    """The field, player or round concerned: `rounds`, `player 12`, `round 3`."""


# ---- The particulars of a filing, for acceptance
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
    """A player of a filed section, by the event's file and the register."""

    player: PlayerId
    surname: str
    first_name: str = ""
    birth: str = ""
    """The date or year of birth, as far as known: `2010-05-03` or `2010`."""
    sex: str = ""
    nation: str = ""
    """Three letters; empty if not known."""
    fide_id: str = ""
    handle: str = ""
    new: bool = False
    """Whether the player is not in the register yet."""
    region: str = ""
    """The code of the region stated for a new player; empty if none was."""
    decided: bool = True
    """Whether the entrant is matched to a player for certain."""
    section: str = ""

    @property
    def name(self) -> str:
        return ", ".join(filter(None, (self.surname, self.first_name)))


@dataclass(frozen=True, slots=True)
class Filing:
    """What a ruleset's acceptance may read beside the section: days, people, permissions, settings."""

    registered: date | None = None
    filed: date | None = None
    """The day of the first file that could be read."""
    handed_in: date | None = None
    """The day of the submission that the office first rated, else of the newest; before any, of the file."""
    event_starts: date | None = None
    event_ends: date | None = None
    round_dates: tuple[date | None, ...] = ()
    region: str = ""
    """The code of the host region."""
    by_region: bool | None = None
    """Whether an administrator of the host region sent the newest file; None if the sender is not known."""
    organizer: str = ""
    arbiters: tuple[Arbiter, ...] = ()
    """In order of appointment, the chief arbiter first."""
    entrants: tuple[Entrant, ...] = ()
    elsewhere: tuple[Entrant, ...] = ()
    """The players of the event's other sections."""
    said: Mapping[str, Any] = field(default_factory=dict)
    """The region's answers to the ruleset's `filing_fields`, by the fields' names."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The office's settings, by name; a missing switch is on."""
    permissions: frozenset[str] = frozenset()
    """The clauses under which the office gave permission (csa: `18`)."""
    asked: Mapping[str, date] = field(default_factory=dict)
    """The days on which the region asked for permissions, by clause."""
    particulars: Mapping[PlayerId, Any] = field(default_factory=dict)
    """The register's particulars of entrants who are in it already, by id."""
    state: State[Any] = field(default_factory=State)
    """The newest standings of the entrants, where the ruleset has `filing_fields`."""
    declared: Section | None = None
    """The section as declared when it was first decided on; None if no such decision is recorded."""
    declared_on: date | None = None
    """The day of that decision."""

    def late(self) -> Level:
        """The level of findings of lateness: waivable, or a notice where deadlines are not enforced."""
        return Level.WAIVABLE if self.settings.get("deadlines", True) else Level.NOTICE

    def incomplete(self, level: Level = Level.WAIVABLE) -> Level:
        """The level of a finding that a particular is missing or from the wrong person: `level`, or a notice
        where full particulars are not enforced.
        """
        return level if self.settings.get("particulars", True) else Level.NOTICE

    @property
    def membership(self) -> date | None:
        """The day from which rules on membership hold; None if they are not introduced."""
        day = self.settings.get("membership")
        return date.fromisoformat(day) if day else None

    def name_of(self, player: PlayerId) -> str:
        """The name of an entrant, or the id if there is no such entrant."""
        return next((entrant.name for entrant in self.entrants if entrant.player == player), player)


NOTHING, HALF, ONE = Decimal(0), Decimal("0.5"), Decimal(1)
BYE_POINTS: Mapping[str, Decimal] = {"pairing": ONE, "full": ONE, "half": HALF, "zero": NOTHING}
"""The points of each kind of bye as pairing programs count them."""
GAME_POINTS: Mapping[str, tuple[Decimal, Decimal]] = {
    **PLAYED,
    **{result: (Decimal(first), Decimal(second)) for result, (first, second) in FORFEITS.items()},
}
"""The points of both sides, the first mover's first, as pairing programs count them."""

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Scoring:
    """The points of results and byes in a section's score; by default those of pairing programs."""

    byes: Mapping[str, Decimal] = field(default_factory=lambda: BYE_POINTS)
    games: Mapping[str, tuple[Decimal, Decimal]] = field(default_factory=lambda: GAME_POINTS)
    """The points of both sides by result, the first mover's first; other results give none."""

    def points_of_game(self, result: str) -> tuple[Decimal, Decimal]:
        """The points of both sides for a result, the first mover's first."""
        return self.games.get(result, (NOTHING, NOTHING))

    def points_of_bye(self, kind: str) -> Decimal:
        return self.byes.get(kind, NOTHING)

    def totals(self, games: Iterable[tuple[P, P, str]], byes: Iterable[tuple[P, str]]) -> dict[P, Decimal]:
        """The score of every player in games `(first, second, result)` and byes `(player, kind)`."""
        scores: dict[P, Decimal] = defaultdict(Decimal)
        for first, second, result in games:
            points = self.points_of_game(result)
            scores[first] += points[0]
            scores[second] += points[1]
        for player, kind in byes:
            scores[player] += self.points_of_bye(kind)
        return scores


# ---- Places, shared by equals (1, 2, 2, 4), and seals
Listed = tuple[PlayerId, Decimal, int, str]
"""A player on a list before ranking: the id, the rating, the games and the status."""


def shared_places(ordered: Iterable[object]) -> Iterator[int]:
    """Yield the place of each value of an order, from 1 on; equal neighbours share it."""
    place, before = 0, object()
    for number, value in enumerate(ordered, start=1):
        if value != before:
            place, before = number, value
        yield place


def relative_places(places: Iterable[int]) -> dict[int, int]:
    """Map each of these places to its place among them alone: 1, 3, 3, 5 become 1, 2, 2, 4."""
    ordered = sorted(places)
    return dict(zip(ordered, shared_places(ordered), strict=True))


def ranked(
    listed: Iterable[Listed], shown: Callable[[Decimal], object] = lambda rating: rating
) -> list[ListedPlayer]:
    """The rows of a rating list, best first, equal ratings by id; ratings shown alike share the rank.

    `shown`: a function that gives a rating as it is shown; by default it is exact.
    """
    ordered = sorted(listed, key=lambda each: (-each[1], each[0]))
    ranks = shared_places(shown(rating) for _player, rating, _games, _status in ordered)
    return [ListedPlayer(rank, *each) for rank, each in zip(ranks, ordered, strict=True)]


def name_seal(name: str, salt: str) -> str:
    """The seal of a name, in hex: SHA-256 over the salt's 16 bytes and the name in UTF-8 (NFC)."""
    return sha256(bytes.fromhex(salt) + normalize("NFC", name).encode()).hexdigest()


def seal_player(player: Player) -> Player:
    """The player's particulars with the seal in place of name and salt; unchanged if already sealed."""
    if player.name is None or player.salt is None:
        return player
    return replace(player, name=None, salt=None, seal=name_seal(player.name, player.salt))
