"""The things that the API answers with, as its description has them.

Ratings and points are text with every digit that is kept: a program that wants them as numbers chooses how.
Days are `YYYY-MM-DD`. There is no birth, no sex and no contact here, and no name of who is withheld.
"""

from __future__ import annotations

from typing import Annotated, Generic, Literal, TypeVar

from ninja import Schema
from pydantic import Field

T = TypeVar("T")
Number = Annotated[str, Field(pattern=r"^-?\d+(\.\d+)?$", examples=["1523.25"])]
"""A decimal as the journal writes it: no exponent, no trailing zeros."""
Day = Annotated[str, Field(json_schema_extra={"format": "date"}, examples=["2026-11-01"])]
Address = Annotated[str, Field(json_schema_extra={"format": "uri"})]


Points = Annotated[
    Number | None,
    Field(
        description="The points that the line brought. Where they wait for the next list (csa), `after` is "
        "`before` until then, and the line of the list moves the rating with no points of its own."
    ),
]
Before = Annotated[
    Number | None,
    Field(
        description="The rating after the player's last own change. Where ratings move with the days, too "
        "(mahjong), pages show the rating of the day before instead."
    ),
]


class ProblemDetails(Schema):
    """The reason for which there is no answer (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str


class AnswerPart(Schema, Generic[T]):
    """A part of a longer answer; `next` is the address of the next part, null at the end."""

    items: list[T]
    next: Address | None


class PublicTrack(Schema):
    code: str
    name: str


class PublicOffice(Schema):
    """A federation's rating office."""

    code: str
    name: str
    ruleset: str
    tracks: list[PublicTrack]
    page: Address


class PublicPlayer(Schema):
    number: str
    name: str | None = Field(description="Surname, first name; null for who asked not to be named.")
    withheld: bool
    title: str
    region: str
    nation: str
    page: Address


class KnownRating(Schema):
    """A rating by the record, as the office knew it on the day."""

    track: str
    rating: Number | None
    games: int
    status: str


class PublicRating(Schema):
    """A rating as the newest list of the day has it."""

    track: str
    rating: Number
    rank: int
    games: int
    list: Day
    revision: int


class PublicRatingsOfDay(Schema):
    day: Day
    player: str
    as_known: list[KnownRating]
    as_published: list[PublicRating]


class PublicChange(Schema):
    """The effect of one line of the journal on a rating; `line` opens its working."""

    line: int
    kind: str
    day: Day | None
    section: str | None = Field(description="EVENT/CODE of the section; null for another source.")
    before: Before
    points: Points
    after: Number | None
    games: int


class PublicStep(Schema):
    """A step of a working: the clause that it follows, what was put in, and what came out."""

    clause: str
    clause_words: str
    words: str
    key: str
    inputs: dict[str, str | None]
    result: str | None


class PublicWorkingGame(Schema):
    round: int
    opponent: str
    first: bool
    result: str
    opponent_rating: Number | None
    expected: Number | None
    score: Number | None
    note: str
    clauses: list[str]


class PublicWorking(Schema):
    """The account of a change: a sentence in parts, the steps, and the games that they rest on."""

    player: str
    track: str
    edition: str
    change: PublicChange
    summary: list[str]
    steps: list[PublicStep]
    games: list[PublicWorkingGame]
    page: Address


class PublicList(Schema):
    """A published list. Its rows, bytes and checksum never change."""

    day: Day
    track: str
    revision: int
    supersedes: int | None = Field(description="The revision that this one stands in for.")
    players: int
    line: int = Field(description="The line of the journal that closed it.")
    edition: str
    sha256: str
    published_at: str = Field(json_schema_extra={"format": "date-time"})
    taken_over: Day | None = Field(
        description="The day on which it was computed afterwards, with a history; null: it was published."
    )
    note: str
    page: Address


class PublicRow(Schema):
    rank: int
    position: int
    player: str
    name: str | None
    title: str
    region: str
    rating: Number
    previous: Number | None
    games: int


class PublicSectionHead(Schema):
    code: str
    name: str
    stage: Literal[
        "registered",
        "filed",
        "submitted",
        "rated",
        "returned",
        "refused",
        "unrated",
        "cancelled",
        "withdrawn",
    ]
    starts: Day
    ends: Day
    rated_on: Day | None


class PublicEvent(Schema):
    number: str
    name: str
    place: str
    country: str
    region: str
    starts: Day
    ends: Day
    state: Literal["planned", "cancelled", "withdrawn"] = Field(
        description="Whether it stays in the calendar: `planned`, whatever became of it since, which the "
        "stages of its sections tell."
    )
    sections: list[PublicSectionHead]
    page: Address


class PublicEntrant(Schema):
    """A player's participation; games name entrants by their starting numbers."""

    entry: int
    player: str | None
    name: str | None
    title: str
    team: str
    place: int | None
    score: Number | None = Field(description="Null where the section's file tells places alone.")


class PublicGame(Schema):
    round: int
    first: int
    second: int
    result: str = Field(description="As the journal writes it, the first mover's side first.")


class PublicBye(Schema):
    round: int
    entry: int
    kind: str


class PublicChangeInSection(Schema):
    player: str
    track: str
    before: Before
    points: Points
    after: Number | None


class PublicSection(PublicSectionHead):
    """A section; entrants, games and changes are there once it is rated."""

    event: str
    line: int | None = Field(description="The line of the journal that rated it.")
    taken_over: Day | None = Field(
        description="The day on which it was taken over with a history; null: the office rated it itself."
    )
    finals: list[str] = Field(description="Names of the rounds behind the scheduled ones, such as finals.")
    entrants: list[PublicEntrant]
    games: list[PublicGame]
    byes: list[PublicBye]
    changes: list[PublicChangeInSection]
    page: Address


class PublicParameter(Schema):
    """A number of the regulations, with the clause that sets it."""

    clause: str
    words: str
    value: str | None


class PublicGrid(Schema):
    """A table of numbers of the regulations."""

    clause: str
    words: str
    columns: list[str]
    rows: list[list[str | None]]


class PublicEdition(Schema):
    """The regulations as they hold for sections that begin on a day or later; null: from the beginning."""

    name: str
    in_force: Day | None
    clauses: dict[str, str]
    parameters: list[PublicParameter]
    grids: list[PublicGrid]
