"""What the core says to people: workings, lists, answers, tables, findings.

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


class Step(NamedTuple):
    """One step of a working: the clause, what was put in, and the result; words are found by `key`."""

    clause: str
    """A number of the ruleset's `clauses.py` or a decision: `31`, `D-CSA-9`."""
    key: str
    """The message of the ruleset's `messages.py`."""
    inputs: Mapping[str, Value]
    result: Value = None


class GameLine(NamedTuple):
    """One game in a working, from the player's own side."""

    round: int
    opponent: PlayerId
    first: bool
    """Whether the player moved first."""
    result: str
    """As the journal writes it, first mover's side first."""
    opponent_rating: Decimal | None
    expected: Decimal | None
    score: Decimal | None
    """None: no game (forfeit, bye, annulled)."""
    note: str = ""
    """A message key: why the line counts otherwise than it looks (`clamped`, `pre-rating`, `forfeit` …)."""
    clauses: tuple[str, ...] = ()
    """On which the note rests."""


class Row(NamedTuple):
    """A row of a rating list."""

    rank: int
    """Players of equal shown rating share it."""
    player: PlayerId
    rating: Decimal
    games: int
    status: str


class Answer(NamedTuple):
    """What a replay answers for a player in a track (see the journal's page)."""

    player: PlayerId
    track: str
    status: str
    rating: Decimal | None
    games: int
    listed: bool
    further: Mapping[str, Decimal] = {}


@dataclass(frozen=True, slots=True)
class Table:
    """What else the rules yield for a day: ranks, season standings, coefficients.

    Some columns are more than words to a page: `player` holds ids, `section` ids of sections, `line` the
    journal's line of a section's rating, `clause` numbers of clauses. A text that is a message key is shown
    as that message.
    """

    name: str
    """A message key, and the name under which a replay answers it. So are the columns."""
    columns: tuple[str, ...]
    rows: tuple[tuple[Value | tuple[Value, ...], ...], ...]
    answered: bool = True
    """Whether a replay answers it: whatever the journal's page has, and no more."""
    shown: bool = True
    """Whether pages show it; False where another says the same to people."""
    part: str = ""
    """Which of several of this name: the label of a season."""
    about: str = ""
    """A message key: how it is to be read."""
    confirms: bool = False
    """Whether each row (`player`, `rank`, `clause`) is a sports rank that waits for an official's word."""
    tied: tuple[PlayerId, ...] = ()
    """Who share the first place of the season `part` by all that counts: a play-off parts them."""


@dataclass(frozen=True, slots=True)
class Working:
    """Why one change is what it is: the steps in order, and the games and tables that they rest on."""

    steps: tuple[Step, ...]
    games: tuple[GameLine, ...] = ()
    summary: tuple[Step, ...] = ()
    """The whole in one sentence, in parts: what was expected and scored, then what special clauses did."""
    tables: tuple[Table, ...] = ()
    """Other results that the steps rest on, one line each."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What a player's rating of a day rests on: the results that count, and how they make it."""

    table: Table
    steps: tuple[Step, ...] = ()
    missed: Table | None = None
    """What counts because the player was not there."""


class ExtractRow(NamedTuple):
    """One rating of an extract."""

    track: str
    rating: Decimal
    shown: int
    games: int
    status: str
    """A message key."""
    listed: bool


@dataclass(frozen=True, slots=True)
class Extract:
    """What an official can certify of a player for a day."""

    player: PlayerId
    on: date
    rank: str
    """As confirmed; a message key."""
    ratings: tuple[ExtractRow, ...]


class Result(NamedTuple):
    """What a calculator answers."""

    key: str
    """A message key."""
    steps: tuple[Step, ...]


class Level(StrEnum):
    """What a finding means for the filing."""

    BLOCKS = "blocks"
    WAIVABLE = "waivable"
    """The office may waive it with a reason."""
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Finding:
    """A complaint of the regulation about a section as filed."""

    clause: str
    level: Level
    key: str
    """The message of the ruleset's `messages.py`: what is wrong, and what to do about it."""
    params: Mapping[str, Value] = field(default_factory=dict)
    where: str = ""
    """The field, player or round it speaks of: `rounds`, `player 12`, `round 3`."""
