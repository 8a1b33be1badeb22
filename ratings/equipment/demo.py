"""The material of an invented office: a federation's people, events and present doings, as data.

`ratings.demo` makes the office of it. Strength is on whatever scale `result` reads; everything depends on the
day of the demo and on one seeded `Random`, so that the same day tells the same story.
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
    """The surnames as women bear them; empty: the same."""
    second_names: bool = False
    """Whether some people have two first names."""


def pool(men: str, women: str, surnames: str, of_women: str = "", *, second_names: bool = False) -> Pool:
    """Make a pool of names separated by spaces; `_` stands for a space within one."""
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
    """The region's code; empty: from abroad."""
    joined: date
    """The first day of playing; if before the record's start, the player was there already."""
    base: float
    """True strength at the start of the record."""
    growth: float
    """Points gained a year."""
    zeal: float
    """The readiness to enter events: 1 is common."""
    title: str = ""
    fide_id: str = ""
    withheld: bool = False
    """Whether the player asked not to be named."""
    resident: bool = True
    included_by: str = ""
    salt: str = ""
    """The salt with which the name is sealed in the journal."""

    def strength(self, days: int) -> float:
        """The true strength so many days after the record's start."""
        return self.base + self.growth * days / 365

    @property
    def name(self) -> str:
        return f"{self.surname}, {self.first_name}"


Strength = Callable[[Random, int, str], tuple[float, float]]
"""A function of age and sex that gives true strength and points a year."""


def grown_ups(rng: Random) -> int:
    """An age at the start of the record: mostly between twenty and forty-five."""
    return round(rng.triangular(15, 68, 29))


@dataclass(frozen=True, slots=True)
class Population:
    """The players of a demo."""

    first_number: int
    players: int
    pools: Mapping[str, Pool]
    languages: Mapping[str, Mapping[str, int]]
    """By region, the pools of its players' names, in a hundred."""
    strength: Strength
    shares: Mapping[str, float]
    """The share of the players in each region."""
    fewest: int = 60
    """The fewest players, however small the scale."""
    ages: Callable[[Random], int] = grown_ups
    women: Callable[[int], float] = lambda age: 0.28
    """The share of women at an age."""
    there: Callable[[int], float] = lambda age: 0.75
    """The share of people of an age who were there before the record."""
    keen: float = 10_000
    """The strength above which players enter often."""
    beginners_lack: float = 120
    """The points that players who begin as adults are weaker."""
    abroad: Mapping[str, Pool] = field(default_factory=dict)
    """Pools of foreigners' names, by nation."""
    foreigners: int = 0
    fewest_foreigners: int = 8
    foreign: tuple[float, float, float] = (1500, 150, 2000)
    """The strength of foreigners: mean, spread, and the most."""
    withheld: int = 1
    lowest: float = 100
    """The lowest true strength of anybody, and the lowest rating with which the record opens."""
    finish: Callable[[Random, list[Person], date], None] = lambda rng, people, start: None
    """A hook that adds titles and other registers' ids."""


# ---------------------------------------------------------------- events


class EntryGroup(NamedTuple):
    """The people who may enter one section of an event."""

    name: str
    youngest: int = 0
    oldest: int = 200
    above: float = -100_000
    """True strength, roughly as a rating limit asks."""
    below: float = 100_000
    women: bool = False


OPEN = (EntryGroup("Open"),)
EVERY_MONTH = tuple(range(1, 13))


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of event; its names may hold `{place}`, `{year}` and `{epithet}`."""

    name: str
    a_year: float = 1
    """Events a year in the busiest region."""
    format: str = "swiss"
    groups: tuple[EntryGroup, ...] = OPEN
    size: tuple[int, int] = (20, 44)
    rounds: tuple[int, ...] = (6,)
    """Numbers of rounds, one of which is taken; 0 where the format decides."""
    days: int = 1
    apart: int = 1
    """Days from one day of play to the next: 7 in a league."""
    weekday: int = 5
    """The weekday; 0 is Monday."""
    months: tuple[int, ...] = EVERY_MONTH
    variants: tuple[Mapping[str, Any], ...] = ({},)
    """The ruleset's own fields of a section, by the attributes of `facts.Section`; one variant is taken."""
    boards: int = 0
    """Boards of each team."""
    visitors: float = 0.08
    """The share of players from other regions."""
    foreign: float = 0
    """The share of players from abroad."""
    only: str = ""
    """The code of the only region that holds it; empty: any."""
    country: str = ""
    """The country, if it is abroad."""
    places: tuple[str, ...] = ()
    """The places; empty: anywhere in the region."""
    every: int = 1
    """The number of years from one to the next."""
    replays: bool = False
    """Whether a drawn game is played again at once."""
    annulled: float = 0
    """The share of games that the arbiter annuls and has played again."""


@dataclass(frozen=True, slots=True)
class PlannedEvent:
    """An event that is to be held."""

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


class PlayedSection(NamedTuple):
    """A section as it ended."""

    plan: PlannedEvent
    section: Section


# ---------------------------------------------------------------- these days

REGISTERED, FILED, SUBMITTED, RETURNED, REFUSED = "registered", "filed", "submitted", "returned", "refused"


@dataclass(frozen=True, slots=True)
class Live:
    """An event of the present days, and its stage."""

    stage: str
    kind: Kind
    region: str
    place: str
    days: int
    """Days since the event ended, or up to a week more; if `registered`, days until it begins, or more."""
    variant: Mapping[str, Any] | None = None
    style: str = ""
    """The style of the file; empty: the federation's usual."""
    words: str = ""
    """The reason why it was given back or refused."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Reasons for waivers, by a finding's key."""
    vague: tuple[int, ...] = ()
    """Starting numbers of players whom the file names so vaguely that somebody has to decide."""
    admitted: bool = True
    """Whether the first decision was taken, where the rules want one before play."""
    timed: bool = True
    dated: bool = True
    """Whether file and registration tell the time control (`timed`) and the days of the rounds (`dated`)."""


class DemoNewcomer(NamedTuple):
    """A player whom no register knows."""

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
    new: tuple[DemoNewcomer, DemoNewcomer]
    variant: Mapping[str, Any] | None = None
    style: str = ""
    other_ids: bool = False
    """Whether the file gives another register's ids where there are some."""


class SignIn(NamedTuple):
    """A person of the office who may sign in."""

    name: str
    role: str
    region: str = ""
    password: bool = True


REGIONAL, OFFICIAL, ADMINISTRATOR = "regional", "official", "administrator"

# ---------------------------------------------------------------- the whole


class DemoFact(NamedTuple):
    """A fact beside sections and lists, with the verb of the office's decision."""

    fact: Playoff
    verb: str


Retell = Callable[
    [Random, "list[PlayedSection]", Mapping[str, Person]], "tuple[list[PlayedSection], list[DemoFact]]"
]
"""A function that rewrites what was played, given everybody by number."""
Lists = Callable[[date, Sequence[date], date], "list[date]"]
"""A function of the first day, the days of ratings and the demo's day: the days of lists."""


@dataclass(frozen=True, slots=True)
class DemoEvents:
    """The events that are played, and where."""

    places: Mapping[str, Sequence[str]]
    """Names of places, by region."""
    kinds: tuple[Kind, ...]
    """The events that every region holds again and again."""
    once: tuple[Kind, ...] = ()
    """Events held once a year in the whole country, now here and now there."""
    founding: tuple[Kind, ...] = ()
    """The events with which the record begins, a month apart."""
    epithets: tuple[str, ...] = ("",)
    busy: Mapping[str, float] = field(default_factory=dict)
    """The share of the largest region's events that the others hold."""
    of_day: Callable[[date], Mapping[str, Any]] = lambda day: {}
    """Further fields of every section by its last day, such as a season."""
    teams: tuple[str, ...] = ()
    retell: Retell = lambda rng, played, people: (played, [])
    """A hook that adds to the story what chance would not."""


@dataclass(frozen=True, slots=True)
class PresentDays:
    """The events of the present days, for people to go on with."""

    live: tuple[Live, ...]
    offers: tuple[Offer, ...]
    live_before: int = 12
    """The number of days before their start at which the live events are registered."""
    late: int = 0
    """The age in days of an event rated in the present days; 0: none."""
    fuller: int = 0
    """The number of last days that are twice as full."""
    exchanged: str = "Two results were exchanged. Correct the file and submit the section again."
    """The words with which a section to be corrected is given back."""


@dataclass(frozen=True, slots=True)
class DemoOpenings:
    """Ratings that people had when the record began."""

    shares: tuple[tuple[float, tuple[str, ...]], ...] = ()
    """Shares of the players who were there before, with the tracks in which they begin with a rating."""
    noise: float = 55
    """The spread of such ratings about true strength."""
    digits: int = 0
    games: float = 60
    """The games behind such a rating, on average, ten more."""


@dataclass(frozen=True, slots=True)
class DemoHabits:
    """The habits of the people who file and decide."""

    organizer: str = "{region}"
    arbiter_titles: tuple[str, ...] = ("",)
    filed_within: int = 5
    """Days after an event within which its file arrives."""
    registered_before: tuple[int, int] = (5, 45)
    """Days before an event at which it is registered: the fewest and the most."""
    corrected: float = 0.012
    """The share of sections that were un-rated and rated again."""
    moved: float = 0
    """The share of players who moved to another region."""


@dataclass(frozen=True, slots=True)
class Demo:
    """A federation's demo."""

    # what every demo gives
    home: str
    """The nation of its own players."""
    population: Population
    events: DemoEvents
    start: Callable[[date], date]
    """A function of the demo's day: the first day of the record."""
    lists: Lists
    result: Callable[[Random, float, float], str]
    """A function of two strengths, the first mover's first: the result of their game."""
    sign_ins: tuple[SignIn, ...]
    present: PresentDays
    style: str
    """The style of the files: a name of `tournaments.samples.event_files`."""
    # what some have beside it
    openings: DemoOpenings = DemoOpenings()
    habits: DemoHabits = DemoHabits()
    accent: int = 1
    """The number of the colour in which the office's pages are accented."""
