"""What an invented office is made of: a federation's own people, events and doings of these days, as data.

`ratings.demo` makes the office of it. Strength is on whatever scale `result` reads it; everything hangs on
the day of the demo and on one seeded `Random`, so that the same day tells the same story.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from random import Random
from typing import Any, NamedTuple

from ratings.law.facts import Playoff, Section

# ---------------------------------------------------------------- people


class Pool(NamedTuple):
    """One language's names."""

    men: tuple[str, ...]
    women: tuple[str, ...]
    surnames: tuple[str, ...]
    of_women: tuple[str, ...] = ()
    """The same surnames as women bear them; empty: the same."""
    second_names: bool = False
    """Whether some people have two first names."""


def pool(men: str, women: str, surnames: str, of_women: str = "", *, second_names: bool = False) -> Pool:
    """Names parted by spaces; `_` stands for a space within one."""
    return Pool(_parted(men), _parted(women), _parted(surnames), _parted(of_women), second_names)


def _parted(names: str) -> tuple[str, ...]:
    return tuple(name.replace("_", " ") for name in names.split())


@dataclass(slots=True)
class Person:
    """A player with what no register knows: true strength, and how it grows."""

    number: str
    surname: str
    first_name: str
    sex: str
    birth: date
    nation: str
    region: str
    """Empty: from abroad."""
    joined: date
    """Plays from this day on; before the record's start: was there already."""
    base: float
    """True strength at the start of the record."""
    growth: float
    """Points a year."""
    zeal: float
    """How readily they enter: 1 is common."""
    title: str = ""
    fide_id: str = ""
    withheld: bool = False
    """Asked not to be named."""
    resident: bool = True
    included_by: str = ""
    salt: str = ""
    """What the name is sealed with in the journal."""

    def strength(self, days: int) -> float:
        """True strength so many days after the record's start."""
        return self.base + self.growth * days / 365

    @property
    def name(self) -> str:
        return f"{self.surname}, {self.first_name}"


Strength = Callable[[Random, int, str], tuple[float, float]]
"""Age and sex → true strength and points a year."""


def grown_ups(rng: Random) -> int:
    """An age at the start of the record: mostly between twenty and forty-five."""
    return round(rng.triangular(15, 68, 29))


@dataclass(frozen=True, slots=True)
class Population:
    """Who plays."""

    first_number: int
    players: int
    pools: Mapping[str, Pool]
    languages: Mapping[str, Mapping[str, int]]
    """By region: which pools its players' names come from, in a hundred."""
    strength: Strength
    shares: Mapping[str, float]
    """How many of them each region has."""
    fewest: int = 60
    """At however small a scale."""
    ages: Callable[[Random], int] = grown_ups
    women: Callable[[int], float] = lambda age: 0.28
    """Their share at an age."""
    there: Callable[[int], float] = lambda age: 0.75
    """How many of an age were there before the record."""
    keen: float = 10_000
    """Whoever is stronger plays often."""
    beginners_lack: float = 120
    """How much weaker those are who begin when they are grown up."""
    abroad: Mapping[str, Pool] = field(default_factory=dict)
    """By nation."""
    foreigners: int = 0
    fewest_foreigners: int = 8
    foreign: tuple[float, float, float] = (1500, 150, 2000)
    """Their strength: mean, spread, and the most."""
    withheld: int = 1
    finish: Callable[[Random, list[Person], date], None] = lambda rng, people, start: None
    """What else there is to say of them: titles, other registers' ids."""


# ---------------------------------------------------------------- events


class Group(NamedTuple):
    """Who may enter one section of an event."""

    name: str
    youngest: int = 0
    oldest: int = 200
    above: float = -100_000
    """True strength, roughly what a rating limit asks."""
    below: float = 100_000
    women: bool = False


OPEN = (Group("Open"),)
EVERY_MONTH = tuple(range(1, 13))


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of event; `{place}`, `{year}` and `{epithet}` stand in its names."""

    name: str
    a_year: float = 1
    """In the busiest region."""
    format: str = "swiss"
    groups: tuple[Group, ...] = OPEN
    size: tuple[int, int] = (20, 44)
    rounds: tuple[int, ...] = (6,)
    """One of these; 0 where the format says it."""
    days: int = 1
    apart: int = 1
    """Days between days of play: 7 in a league."""
    weekday: int = 5
    """0 is Monday."""
    months: tuple[int, ...] = EVERY_MONTH
    variants: tuple[Mapping[str, Any], ...] = ({},)
    """The ruleset's own fields of a section, by the attributes of `facts.Section`; one of these."""
    boards: int = 0
    """Of each team."""
    visitors: float = 0.08
    """From other regions."""
    foreign: float = 0
    """From abroad."""
    only: str = ""
    """A region's code: held there alone."""
    country: str = ""
    """Where, if it is abroad."""
    places: tuple[str, ...] = ()
    """Where; empty: anywhere in the region."""
    every: int = 1
    """Once in so many years."""
    replays: bool = False
    """A drawn game is played again at once."""
    annulled: float = 0
    """How many games the arbiter annuls and has played again."""


@dataclass(frozen=True, slots=True)
class Plan:
    """An event as it is to be held."""

    kind: Kind
    name: str
    region: str
    place: str
    days: tuple[date, ...]
    particulars: Mapping[str, Any]

    @property
    def starts(self) -> date:
        return self.days[0]

    @property
    def ends(self) -> date:
        return self.days[-1]


class Played(NamedTuple):
    """A section as it ended."""

    plan: Plan
    section: Section


# ---------------------------------------------------------------- these days

REGISTERED, FILED, SUBMITTED, RETURNED, REFUSED = "registered", "filed", "submitted", "returned", "refused"


@dataclass(frozen=True, slots=True)
class Live:
    """An event of these days, and how far it has come."""

    stage: str
    kind: Kind
    region: str
    place: str
    days: int
    """Ended so many days ago, or in the week before; still `registered`: begins in so many days, or later."""
    variant: Mapping[str, Any] | None = None
    style: str = ""
    """Of the file; empty: the federation's usual."""
    words: str = ""
    """Why it was given back or refused."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why to waive, by a finding's key."""
    vague: tuple[int, ...] = ()
    """Starting numbers of whom the file names so that somebody has to decide."""
    admitted: bool = True
    """Where the rules want a first decision before play: whether it was taken."""
    timed: bool = True
    dated: bool = True
    """Whether file and registration tell the time control and the days of the rounds."""


class Newcomer(NamedTuple):
    """Whom no register knows."""

    surname: str
    first_name: str
    sex: str
    birth: date
    nation: str


class Offer(NamedTuple):
    """An event that ended days ago, with its file for a newcomer to upload."""

    kind: Kind
    region: str
    place: str
    ago: int
    suffix: str
    new: tuple[Newcomer, Newcomer]
    variant: Mapping[str, Any] | None = None
    style: str = ""
    other_ids: bool = False
    """The file gives another register's ids where there are some."""


class SignIn(NamedTuple):
    """Somebody of the office."""

    name: str
    role: str
    region: str = ""
    password: bool = True


REGIONAL, OFFICIAL, ADMINISTRATOR = "regional", "official", "administrator"

# ---------------------------------------------------------------- the whole


class Note(NamedTuple):
    """A fact beside sections and lists, with the verb by which the office took it."""

    fact: Playoff
    verb: str


Retell = Callable[[Random, "list[Played]", Mapping[str, Person]], "tuple[list[Played], list[Note]]"]
"""What was played, and everybody by number."""
Lists = Callable[[date, Sequence[date], date], "list[date]"]
"""First day, the days on which sections were rated, the demo's day → the days of lists."""


@dataclass(frozen=True, slots=True)
class Demo:
    """A federation's demo."""

    home: str
    """The nation of its own players."""
    population: Population
    places: Mapping[str, Sequence[str]]
    """By region."""
    kinds: tuple[Kind, ...]
    """What every region plays, again and again."""
    start: Callable[[date], date]
    """The day of the demo → the first day of the record."""
    lists: Lists
    result: Callable[[Random, float, float], str]
    """Two strengths, the first mover's first → how their game ends."""
    sign_ins: tuple[SignIn, ...]
    live: tuple[Live, ...]
    offers: tuple[Offer, ...]
    style: str
    """Of the files: a name of `tournaments.samples.event_files`."""
    once: tuple[Kind, ...] = ()
    """Once a year in the whole country, now here and now there."""
    founding: tuple[Kind, ...] = ()
    """What the record begins with, a month apart."""
    epithets: tuple[str, ...] = ("",)
    busy: Mapping[str, float] = field(default_factory=dict)
    """How much of what the largest region plays the others do."""
    of_day: Callable[[date], Mapping[str, Any]] = lambda day: {}
    """What every section is besides, by its last day: a season."""
    teams: tuple[str, ...] = ()
    openings: tuple[tuple[float, tuple[str, ...]], ...] = ()
    """How many of those who were there have a rating in these tracks when the record begins."""
    opening_noise: float = 55
    opening_digits: int = 0
    opening_games: float = 60
    lowest: float = 100
    filed_within: int = 5
    registered_before: tuple[int, int] = (5, 45)
    live_before: int = 12
    """How many days before they begin the events of these days are registered."""
    fuller: int = 0
    """The last so many days are twice as full."""
    corrected: float = 0.012
    """How many sections were un-rated and rated again."""
    moved: float = 0
    """How many moved to another region."""
    late: int = 0
    """An event that ended so many days ago was rated in these days; 0: none."""
    retell: Retell = lambda rng, played, people: (played, [])
    """What chance alone would not tell."""
    organizer: str = "{region}"
    arbiter_titles: tuple[str, ...] = ("",)
    exchanged: str = "Two results were exchanged. Correct the file and submit the section again."
    accent: int = 1
