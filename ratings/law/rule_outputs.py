"""The core's reports to people: workings, lists, answers, tables, findings.

Values with clauses and message keys, never finished sentences, so that a page can say them in any language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from ratings.law.facts import PlayerId

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
