"""The material of an invented office: a federation's people, events and present doings, as data.

`ratings.demo` makes the office of it, the same of the same day. Strength is on whatever scale `result` reads.
The last part has tools that the demos of several federations share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from random import Random
from typing import Any, NamedTuple

from ratings.rulesets.facts import Entry, Playoff, Section


class Pool(NamedTuple):
    """The names of one language, from which a demo's people are named."""

    men: tuple[str, ...]
    women: tuple[str, ...]
    surnames: tuple[str, ...]
    of_women: tuple[str, ...] = ()
    """The surnames as women bear them; empty: the same."""
    second_names: bool = False
    """Whether some people have two first names."""


def pool(men: str, women: str, surnames: str, of_women: str = "", *, second_names: bool = False) -> Pool:
    """Make a pool of names from texts with spaces between names; `_` stands for a space within one."""
    return Pool(_parted(men), _parted(women), _parted(surnames), _parted(of_women), second_names)


def _parted(names: str) -> tuple[str, ...]:
    return tuple(name.replace("_", " ") for name in names.split())


@dataclass(slots=True)
class Person:
    """An invented player, with what no register knows: true strength, and how it grows."""

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
"""A function that draws a player's true strength, and its gain in points a year, by age and sex."""


def grown_ups(rng: Random) -> int:
    """Draw a player's age at the start of the record: mostly between twenty and forty-five."""
    return round(rng.triangular(15, 68, 29))


@dataclass(frozen=True, slots=True)
class Population:
    """The recipe for a demo's players: how many, with which names, ages and strengths."""

    first_number: int
    players: int
    pools: Mapping[str, Pool]
    """The pools of names, by the name under which `languages` speaks of each."""
    languages: Mapping[str, Mapping[str, int]]
    """The pools of names in each region, by the region's code, with their shares in a hundred."""
    strength: Strength
    shares: Mapping[str, float]
    """The share of all players in each region, by the region's code."""
    fewest: int = 60
    """The fewest players, however small the scale."""
    ages: Callable[[Random], int] = grown_ups
    """A function that draws a player's age at the start of the record."""
    women: Callable[[int], float] = lambda age: 0.28
    """A function of age: the share of women among the players of that age."""
    there: Callable[[int], float] = lambda age: 0.75
    """A function of age: the share of players of that age who already played before the record."""
    keen: float = 10_000
    """The true strength above which players enter events more often."""
    beginners_lack: float = 120
    """The points by which players who begin as adults are weaker."""
    abroad: Mapping[str, Pool] = field(default_factory=dict)
    """Pools of foreigners' names, by nation."""
    foreigners: int = 0
    fewest_foreigners: int = 8
    foreign: tuple[float, float, float] = (1500, 150, 2000)
    """The strength of foreigners: mean, spread, and the most."""
    withheld: int = 1
    """The number of players who asked not to be named."""
    lowest: float = 100
    """The lowest true strength of anybody, and the lowest rating with which the record opens."""
    finish: Callable[[Random, list[Person], date], None] = lambda rng, people, start: None
    """A function that adds titles and other registers' ids to the finished people."""


# ---------------------------------------------------------------- events
class EntryGroup(NamedTuple):
    """The people who may enter one section of an event; ages and strengths are its bounds."""

    name: str
    youngest: int = 0
    oldest: int = 200
    above: float = -100_000
    """The least true strength, as a rating limit roughly asks; `below` is the bound above."""
    below: float = 100_000
    women: bool = False


OPEN = (EntryGroup("Open"),)
EVERY_MONTH = tuple(range(1, 13))


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of event that a demo holds; its name may have `{place}`, `{year}` and `{epithet}` in it."""

    name: str
    a_year: float = 1
    """The number of events a year in the busiest region."""
    format: str = "swiss"
    groups: tuple[EntryGroup, ...] = OPEN
    """The groups of players, a section for each."""
    size: tuple[int, int] = (20, 44)
    """The number of players in a section: the fewest and the most."""
    rounds: tuple[int, ...] = (6,)
    """The numbers of rounds, one of which is drawn; 0 where the format decides."""
    days: int = 1
    """The number of days of play."""
    apart: int = 1
    """Days from one day of play to the next: 7 in a league."""
    weekday: int = 5
    """The weekday on which it begins; 0 is Monday."""
    months: tuple[int, ...] = EVERY_MONTH
    variants: tuple[Mapping[str, Any], ...] = ({},)
    """The ruleset's own fields of a section (of `facts.Section`); each event draws one variant."""
    boards: int = 0
    """The number of boards of each team; 0: not a league of teams."""
    visitors: float = 0.08
    """The share of players from other regions of the federation."""
    foreign: float = 0
    """The share of players from abroad."""
    only: str = ""
    """The code of the only region that holds it; empty: any."""
    country: str = ""
    """The country in which it is held, if abroad; three letters."""
    places: tuple[str, ...] = ()
    """The places, one of which is drawn; empty: any of the region's."""
    every: int = 1
    """The years from one such event to the next."""
    replays: bool = False
    """Whether a drawn game is played again at once."""
    annulled: float = 0
    """The share of games that the arbiter annuls and has played again."""


@dataclass(frozen=True, slots=True)
class PlannedEvent:
    """An event that a demo is to play: its kind, name, place and days."""

    kind: Kind
    name: str
    region: str
    place: str
    days: tuple[date, ...]
    particulars: Mapping[str, Any]
    """The ruleset's own fields of its sections, by the attributes of `facts.Section`."""

    @property
    def starts(self) -> date:
        return self.days[0]

    @property
    def ends(self) -> date:
        return self.days[-1]


class PlayedSection(NamedTuple):
    """A section that was played, and the plan of its event."""

    plan: PlannedEvent
    section: Section


# ---------------------------------------------------------------- these days
REGISTERED, FILED, SUBMITTED, RETURNED, REFUSED = "registered", "filed", "submitted", "returned", "refused"


@dataclass(frozen=True, slots=True)
class PresentEvent:
    """An event of the demo's present days, and the stage to which it is to be taken."""

    stage: str
    kind: Kind
    region: str
    place: str
    days: int
    """Days since its end, or up to a week more; of a `registered` one, days until it begins, or more."""
    variant: Mapping[str, Any] | None = None
    """The ruleset's own fields of its sections; None: one of the kind's variants."""
    style: str = ""
    """The style of its file, a name of `tournaments.section_files`; empty: the demo's usual."""
    words: str = ""
    """The reason why it was given back or refused."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """The reasons with which the region has findings waived, by the finding's key."""
    vague: tuple[int, ...] = ()
    """Starting numbers of players whom the file names so vaguely that somebody has to decide."""
    admitted: bool = True
    """Whether the first decision is taken already, where the rules want one before play."""
    timed: bool = True
    dated: bool = True
    """Whether the file tells the days of the rounds, and (`timed`) file and registration the time control."""


class DemoNewcomer(NamedTuple):
    """A player in an offered event's file whom no register knows."""

    surname: str
    first_name: str
    sex: str
    birth: date
    nation: str


class Offer(NamedTuple):
    """An event that ended `ago` days before, with its file for a newcomer to upload."""

    kind: Kind
    region: str
    place: str
    ago: int
    suffix: str
    """The ending of the file's name."""
    new: tuple[DemoNewcomer, DemoNewcomer]
    """The two players whom no register knows."""
    variant: Mapping[str, Any] | None = None
    style: str = ""
    other_ids: bool = False
    """Whether the file gives another register's ids (FIDE's) where players have some."""


class SignIn(NamedTuple):
    """A person of a demo office, with a role and, for a regional administrator, a region's code."""

    name: str
    role: str
    region: str = ""
    password: bool = True
    """Whether the person gets the demo's password, and so can sign in."""


REGIONAL, OFFICIAL, ADMINISTRATOR = "regional", "official", "administrator"


class DemoFact(NamedTuple):
    """A fact that the story adds beside sections and lists, and the kind of the decision that wrote it."""

    fact: Playoff
    verb: str


Retell = Callable[
    [Random, "list[PlayedSection]", Mapping[str, Person]], "tuple[list[PlayedSection], list[DemoFact]]"
]
"""A function that rewrites a demo's played sections and adds facts, given the people by number."""
Lists = Callable[[date, Sequence[date], date], "list[date]"]
"""A function of the record's first day, the days of ratings and the demo's day: the days of lists."""


@dataclass(frozen=True, slots=True)
class DemoEvents:
    """The events of a demo's past: their kinds, places and frequency."""

    places: Mapping[str, Sequence[str]]
    """The names of places where events are held, by the region's code."""
    kinds: tuple[Kind, ...]
    """The events that every region holds again and again."""
    once: tuple[Kind, ...] = ()
    """Events held once a year in the whole country, now here and now there."""
    founding: tuple[Kind, ...] = ()
    """The events with which the record begins, a month apart."""
    epithets: tuple[str, ...] = ("",)
    """The words for `{epithet}` in an event's name, one of which is drawn."""
    busy: Mapping[str, float] = field(default_factory=dict)
    """The number of events in each region as a share of that in the busiest; left out: 1."""
    of_day: Callable[[date], Mapping[str, Any]] = lambda day: {}
    """A function that gives further fields of an event's sections by its last day, such as a season."""
    teams: tuple[str, ...] = ()
    """The names of teams, behind the place's."""
    retell: Retell = lambda rng, played, people: (played, [])
    """A function that adds to what was played what chance would not: a tie, a play-off."""


@dataclass(frozen=True, slots=True)
class PresentDays:
    """The events of the demo's present days, in every stage and as files, for people to go on with."""

    live: tuple[PresentEvent, ...]
    offers: tuple[Offer, ...]
    live_before: int = 12
    """The number of days before their start at which the live events are registered."""
    late: int = 0
    """Days since the end of an event that is rated only now, after later ones; 0: there is none."""
    fuller: int = 0
    """The number of last days of the past with twice as many events."""
    exchanged: str = "Two results were exchanged. Correct the file and submit the section again."
    """The words with which a section to be corrected is given back; in the office's language, as all words
    of the demo's people.
    """
    asked: str = "We asked the Bureau on the day, and it was allowed."
    """The reason with which a region has a finding waived, unless the event brings one."""


@dataclass(frozen=True, slots=True)
class DemoOpenings:
    """The recipe for ratings that players had when the record began."""

    source: str = "list before the record"
    shares: tuple[tuple[float, tuple[str, ...]], ...] = ()
    """Shares of the players from before the record, each with the tracks in which they have a rating."""
    noise: float = 55
    """The spread of these ratings about true strength."""
    digits: int = 0
    """The decimals of these ratings."""
    games: float = 60
    """The number of games behind such a rating, on average, beyond ten."""


@dataclass(frozen=True, slots=True)
class DemoHabits:
    """The habits of the people who file and decide in the past: how soon, with what particulars."""

    organizer: str = "{region}"
    """The organiser of present events, in words that may hold `{region}` and `{email}`."""
    arbiter_titles: tuple[str, ...] = ("",)
    """The titles of arbiters, one of which is drawn."""
    filed_within: int = 5
    """The most days from an event's end to its file."""
    registered_before: tuple[int, int] = (5, 45)
    """Days before an event at which it is registered: the fewest and the most."""
    corrected: float = 0.012
    """The share of past sections that were un-rated and rated again."""
    moved: float = 0
    """The share of players who moved to another region."""


@dataclass(frozen=True, slots=True)
class Demo:
    """The whole recipe of a federation's demo office, from which `ratings.demo` makes it."""

    # what every demo gives
    home: str
    """The nation of the federation's own players, in three letters."""
    population: Population
    events: DemoEvents
    start: Callable[[date], date]
    """A function that gives the first day of the record for the demo's day."""
    lists: Lists
    result: Callable[[Random, float, float], str]
    """A function that draws a game's result (`1-0`) from two true strengths, the first mover's first."""
    sign_ins: tuple[SignIn, ...]
    present: PresentDays
    style: str
    """The usual style of event files: a name of `tournaments.section_files`."""
    # what some have beside it
    openings: DemoOpenings = DemoOpenings()
    habits: DemoHabits = DemoHabits()
    accent: int = 1
    """The number of the accent colour of the office's pages."""


# ---- Tools for the demos of several federations: strengths, results, days of lists, sections retold.
def steady(mean: float, spread: float) -> Strength:
    """Make a function that draws the strength of adults who hardly change, from a mean and a spread."""
    return lambda rng, age, sex: (rng.gauss(mean, spread), rng.gauss(0, spread / 20))


def months_before(months: int) -> Callable[[date], date]:
    """Make a function from a day to the first of the month so many months before it: the start of a demo's
    record.
    """

    def first(day: date) -> date:
        year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
        return date(year, month + 1, 1)

    return first


def first_of(months: Sequence[int]) -> Lists:
    """Make a function that gives a demo's list days: the first of each of these months (1 is January)."""

    def days(start: date, rated: Sequence[date], today: date) -> list[date]:
        years = range(start.year, today.year + 1)
        firsts = (date(year, month, 1) for year in years for month in sorted(months))
        return [day for day in firsts if start < day <= today]

    return days


def after_each(start: date, rated: Sequence[date], today: date) -> list[date]:
    """The days of a demo's lists: one day after each day of ratings, but for the last three, whose lists
    people are to publish.
    """
    return sorted({day + timedelta(days=1) for day in rated if day < today - timedelta(days=3)})


def by_elo(*, draws: float, span: float = 400, first: float = 0) -> Callable[[Random, float, float], str]:
    """Make a function that draws the result of a game by Elo's curve.

    `draws`: the share of draws between equals; `span`: the difference of strength that makes odds of ten to
    one; `first`: the worth of moving first.
    """

    def result(rng: Random, one: float, other: float) -> str:
        expected = 1 / (1 + 10 ** ((other - one - first) / span))
        drawn = draws * 4 * expected * (1 - expected)
        chance = rng.random()
        if chance < drawn:
            return "1/2"
        return "1-0" if chance < drawn + (1 - drawn) * expected else "0-1"

    return result


def renamed(section: Section, names: Mapping[str, str]) -> Section:
    """The section with other players in entries, games and byes: `names` gives the new id of each id; those
    without one stay.
    """

    def of(player: str) -> str:
        return names.get(player, player)

    return replace(
        section,
        entries=tuple(replace(entry, player=of(entry.player)) for entry in section.entries),
        games=tuple(g._replace(first=of(g.first), second=of(g.second)) for g in section.games),
        byes=tuple(bye._replace(player=of(bye.player)) for bye in section.byes),
    )


def exchanged(one: str, other: str) -> dict[str, str]:
    """A mapping for `renamed` that exchanges two players."""
    return {one: other, other: one}


def by_place(section: Section) -> Iterator[Entry]:
    """The entries of a section sorted by place, the winner's first."""
    return iter(sorted(section.entries, key=lambda entry: (entry.place or 0, entry.player)))
