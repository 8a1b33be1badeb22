"""The data of an invented office: a federation's people and events, from which `ratings.demo` makes it.

They lie in `demo.toml` beside a federation's law, by the names of the fields below; `load_demo` reads them.
What a regulation wants and data cannot say is a function in the federation's own module `demo`, in `HOOKS`.
The same day gives the same office. Strength is on the scale that `result` reads.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any, NamedTuple

from ratings.rulesets.facts import Playoff, Section, TimeControl

NamePool = Mapping[str, Sequence[str]]
"""The names of one language for a demo's people: `men`, `women`, `surnames`, and where they have forms of
their own `womens_surnames`.
"""


@dataclass(slots=True)
class Person:
    """An invented player, with true strength and its growth, which no register has."""

    number: str
    surname: str
    first_name: str
    sex: str
    birth: date
    nation: str
    region: str
    """The region's code; empty if from abroad."""
    joined: date
    """The first day of playing, perhaps before the record's start."""
    base: float
    """True strength at the start of the record."""
    growth: float
    """Points gained a year."""
    zeal: float
    """How often the player enters events: 1 is common."""
    title: str = ""
    fide_id: str = ""
    withheld: bool = False
    resident: bool = True
    included_by: str = ""
    salt: str = ""
    """The salt of the name's seal in the journal."""

    def strength(self, days: int) -> float:
        """True strength so many days after the record's start."""
        return self.base + self.growth * days / 365

    @property
    def name(self) -> str:
        return f"{self.surname}, {self.first_name}"


DrawStrength = Callable[[Random, int, str], tuple[float, float]]
"""A function that draws a player's true strength, and its gain in points a year, by age and sex."""


SharesByAge = Sequence[tuple[int, float]]
"""Ages, rising from 0, each with the share that holds from it on."""


def share_at_age(shares: SharesByAge, age: int) -> float:
    return next(share for least, share in reversed(shares) if age >= least)


def adult_age(rng: Random) -> int:
    """Draw a player's age at the start of the record: mostly between twenty and forty-five."""
    return round(rng.triangular(15, 68, 29))


@dataclass(frozen=True, slots=True)
class Population:
    """A demo's players: how many, with which names, ages and strengths."""

    first_number: int
    players: int
    pools: Mapping[str, NamePool]
    """The pools of names, by the keys of `languages`."""
    languages: Mapping[str, Mapping[str, int]]
    """The percentages of the pools of names in each region, by the region's code."""
    strength: DrawStrength
    shares: Mapping[str, float]
    """The share of all players in each region, by the region's code."""
    fewest: int = 60
    """The fewest players, however small the scale."""
    ages: Callable[[Random], int] = adult_age
    """Draws a player's age at the start of the record."""
    women: SharesByAge = ((0, 0.28),)
    """The share of women among the players of an age."""
    there: SharesByAge = ((0, 0.75),)
    """The share of players of an age who already played before the record."""
    keen: float = 10_000
    """The true strength above which players enter events more often."""
    beginners_lack: float = 120
    """The points by which players who begin as adults are weaker."""
    second_names: bool = False
    """Whether some people have two first names."""
    abroad: Mapping[str, NamePool] = field(default_factory=dict)
    """Pools of foreigners' names, by nation."""
    foreigners: int = 0
    fewest_foreigners: int = 8
    foreign: Sequence[float] = (1500, 150, 2000)
    """The strength of foreigners: mean, spread, and maximum."""
    withheld: int = 1
    """The number of withheld players."""
    lowest: float = 100
    """The lowest true strength, and the lowest opening rating."""
    finish: Callable[[Random, list[Person], date], None] = lambda rng, people, start: None
    """Adds titles and other registers' ids to the finished people."""


# ---- Events
class EntryGroup(NamedTuple):
    """Who may enter one section of an event: bounds of age and true strength."""

    name: str
    youngest: int = 0
    oldest: int = 200
    above: float = -100_000
    below: float = 100_000
    women: bool = False


@dataclass(frozen=True, slots=True)
class EventKind:
    """A kind of event; its name may have `{place}`, `{year}` and `{epithet}` in it."""

    name: str
    a_year: float = 1
    """The number of events a year in the busiest region."""
    format: str = "swiss"
    groups: Sequence[EntryGroup] = (EntryGroup("Open"),)
    """The groups of players, a section for each."""
    size: Sequence[int] = (20, 44)
    """The least and greatest number of players in a section."""
    rounds: Sequence[int] = (6,)
    """The numbers of rounds, one of which is drawn; 0 where the format decides."""
    days: int = 1
    """The number of days of play."""
    apart: int = 1
    """Days from one day of play to the next: 7 in a league."""
    weekday: int = 5
    """The weekday on which it begins; 0 is Monday."""
    months: Sequence[int] = range(1, 13)
    variants: Sequence[Mapping[str, Any]] = ({},)
    """The ruleset's own fields of a section (of `facts.Section`); each event draws one variant. Time
    controls are written as minutes and seconds a move: `90+30`.
    """
    boards: int = 0
    """The number of boards of each team; 0 if it is not a league of teams."""
    visitors: float = 0.08
    """The share of players from other regions of the federation."""
    foreign: float = 0
    """The share of players from abroad."""
    only: str = ""
    """The code of the only region that holds it, if any."""
    country: str = ""
    """The country in which it is held, if abroad; three letters."""
    places: Sequence[str] = ()
    """The places, one of which is drawn; empty for any of the region's."""
    every: int = 1
    """The years from one such event to the next."""
    replays: bool = False
    """Whether a drawn game is played again at once."""
    annulled: float = 0
    """The share of games that the arbiter annuls and has played again."""


@dataclass(frozen=True, slots=True)
class PlannedEvent:
    kind: EventKind
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
    plan: PlannedEvent
    section: Section


# ---- The present days
REGISTERED, FILED, SUBMITTED = "registered", "filed", "submitted"
RETURNED, REFUSED, OFFERED = "returned", "refused", "offered"


@dataclass(frozen=True, slots=True)
class PresentEvent:
    """An event of the demo's present days, and the stage that it is to reach. The file of an `offered` one is
    for a visitor to upload.
    """

    stage: str
    kind: EventKind
    region: str
    place: str
    days: int
    """Days since its end, or up to a week more; for a `registered` one, days until it begins, or more."""
    variant: Mapping[str, Any] | None = None
    """The ruleset's own fields of its sections; None for one of the kind's variants."""
    style: str = ""
    """The style of its file, a name of `tournaments.section_files`; empty for the demo's usual one."""
    words: str = ""
    """The reason why it was returned or refused."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """The region's reasons to waive findings, by the finding's key."""
    vague: Sequence[int] = ()
    """Starting numbers of players whom the file names so vaguely that somebody has to decide."""
    admitted: bool = True
    """Whether the decision before play, where the rules require one, was made."""
    timed: bool = True
    """Whether file and registration have the time control."""
    dated: bool = True
    """Whether the file has the days of the rounds."""
    # of an offered one
    suffix: str = ""
    """The ending of the file's name."""
    new: Sequence[Mapping[str, Any]] = ()
    """The two players in the file whom no register knows: `surname`, `first_name`, `sex`, `birth`, `nation`.
    """
    other_ids: bool = False
    """Whether the file has other registers' ids (FIDE's) of players."""


class DemoUser(NamedTuple):
    """A person of a demo office, with a role and, for a regional administrator, a region's code."""

    name: str
    role: str
    region: str = ""
    password: bool = True
    """Whether the person can sign in, with the demo's password."""


Retell = Callable[
    [Random, "list[PlayedSection]", Mapping[str, Person]], "tuple[list[PlayedSection], list[Playoff]]"
]
"""A function that rewrites a demo's played sections and adds facts, given the people by number."""
MakeListDays = Callable[[date, Sequence[date], date], "list[date]"]
"""A function of the record's first day, the days of ratings and the demo's day that returns days of lists."""


@dataclass(frozen=True, slots=True)
class DemoEvents:
    """The events of a demo's past: their kinds, places and frequency."""

    places: Mapping[str, Sequence[str]]
    """The names of places where events are held, by the region's code."""
    kinds: Sequence[EventKind]
    """The events that every region holds."""
    once: Sequence[EventKind] = ()
    """Events held once a year in the whole country, in a region that is drawn."""
    founding: Sequence[EventKind] = ()
    """The events with which the record begins, a month apart."""
    epithets: Sequence[str] = ("",)
    """The words for `{epithet}` in an event's name, one of which is drawn."""
    busy: Mapping[str, float] = field(default_factory=dict)
    """The number of events in each region as a share of that in the busiest; by default 1."""
    of_day: Callable[[date], Mapping[str, Any]] = lambda day: {}
    """Returns further fields of an event's sections by its last day, such as a season."""
    teams: Sequence[str] = ()
    """The names of teams, which follow the place's."""
    retell: Retell = lambda rng, played, people: (played, [])
    """Adds what chance would not bring: a tie, a play-off."""


@dataclass(frozen=True, slots=True)
class PresentDays:
    """The events of the demo's present days, in every stage and as files, for visitors to work on."""

    live: Sequence[PresentEvent]
    live_before: int = 12
    """The number of days before their start at which the live events are registered."""
    late: int = 0
    """Days since the end of an event that is rated only now, after later ones; 0 for none."""
    fuller: int = 0
    """The number of last days of the past with twice as many events."""
    exchanged: str = "Two results were exchanged. Correct the file and submit the section again."
    """The words with which a section is returned, in the office's language."""
    asked: str = "We asked the Bureau on the day, and it was allowed."
    """A region's reason to waive a finding, unless the event has one."""


@dataclass(frozen=True, slots=True)
class DemoOpenings:
    """Ratings that players had when the record began."""

    source: str = "list before the record"
    shares: Sequence[tuple[float, Sequence[str]]] = ()
    """Shares of the players from before the record, each with the tracks in which they have a rating."""
    noise: float = 55
    """The spread of these ratings about true strength."""
    digits: int = 0
    """The decimals of these ratings."""
    games: float = 60
    """The number of games of such a rating, on average, beyond ten."""


@dataclass(frozen=True, slots=True)
class DemoHabits:
    """How soon, and with what particulars, people file and decide in the past."""

    organizer: str = "{region}"
    """The organiser of present events, in words that may have `{region}` and `{email}`."""
    arbiter_titles: Sequence[str] = ("",)
    """The titles of arbiters, one of which is drawn."""
    filed_within: int = 5
    """The most days from an event's end to its file."""
    registered_before: Sequence[int] = (5, 45)
    """Days before an event at which it is registered: the fewest and the most."""
    corrected: float = 0.012
    """The share of past sections that were un-rated and rated again."""
    moved: float = 0
    """The share of players who moved to another region."""


@dataclass(frozen=True, slots=True)
class Demo:
    """A federation's demo office, from which `ratings.demo` makes it."""

    # what every demo gives
    home: str
    """The nation of the federation's own players, in three letters."""
    population: Population
    events: DemoEvents
    start: Callable[[date], date]
    """Returns the first day of the record for the demo's day."""
    lists: MakeListDays
    result: Callable[[Random, float, float], str]
    """Draws a game's result (`1-0`) for two true strengths, the first mover's first."""
    sign_ins: Sequence[DemoUser]
    present: PresentDays
    style: str
    """The usual style of event files: a name of `tournaments.section_files`."""
    # what some have beside it
    openings: DemoOpenings = DemoOpenings()
    habits: DemoHabits = DemoHabits()
    accent: int = 1
    """The number of the accent colour of the office's pages."""


# ---- Functions that the data choose by their numbers
def steady_strength(mean: float, spread: float) -> DrawStrength:
    """Make a function that draws the strength of adults, which hardly changes, from a mean and a spread."""
    return lambda rng, age, sex: (rng.gauss(mean, spread), rng.gauss(0, spread / 20))


def months_before(months: int) -> Callable[[date], date]:
    """Make a function for `start` that returns the first of the month so many months before a day."""

    def first(day: date) -> date:
        year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
        return date(year, month + 1, 1)

    return first


def first_days_of_months(months: Sequence[int]) -> MakeListDays:
    """Make a function for `lists` that returns the first of each of these months (1 is January)."""

    def days(start: date, rated: Sequence[date], today: date) -> list[date]:
        years = range(start.year, today.year + 1)
        firsts = (date(year, month, 1) for year in years for month in sorted(months))
        return [day for day in firsts if start < day <= today]

    return days


def days_after_ratings(start: date, rated: Sequence[date], today: date) -> list[date]:
    """One day after each day of ratings, but for the last three, whose lists visitors are to publish."""
    return sorted({day + timedelta(days=1) for day in rated if day < today - timedelta(days=3)})


def elo_result(
    *, draws: float, span: float = 400, first_move_worth: float = 0
) -> Callable[[Random, float, float], str]:
    """Make a function that draws the result of a game by Elo's curve.

    `draws`: the share of draws between equals; `span`: the difference of strength that makes odds of ten to
    one; `first_move_worth`: the worth of moving first.
    """

    def result(rng: Random, one: float, other: float) -> str:
        expected = 1 / (1 + 10 ** ((other - one - first_move_worth) / span))
        drawn = draws * 4 * expected * (1 - expected)
        chance = rng.random()
        if chance < drawn:
            return "1/2"
        return "1-0" if chance < drawn + (1 - drawn) * expected else "0-1"

    return result


# ---- Reading a demo's file
def load_demo(text: str, hooks: Mapping[str, Mapping[str, Any]]) -> Demo:
    """Read a federation's demo from the text of its `demo.toml`.

    Its tables have the fields of the classes above, `[demo]` those of `Demo` that are no classes; `[kinds.…]`
    are for `read_kinds`. `hooks` are functions in place of data: `{"events": {"retell": …}}`.
    Raises TypeError or KeyError, which name it, for a table, field or kind that is unknown or missing.
    """
    data = tomllib.loads(text)
    for table, functions in hooks.items():
        data[table] |= functions
    whole, population, events, present = map(data.pop, ("demo", "population", "events", "present"))
    common = events.pop("common", {})
    kinds = read_kinds(data.pop("kinds"), common)
    for name in ("kinds", "once", "founding"):
        events[name] = [kinds[each] for each in events.get(name, ())]
    for each in present["live"]:
        each["kind"] = kinds[each["kind"]]
        if "variant" in each:
            each["variant"] = read_variant(each["variant"], common)
    present["live"] = [PresentEvent(**each) for each in present["live"]]
    for name in ("pools", "abroad"):
        population[name] = {key: read_name_pool(pool) for key, pool in population.get(name, {}).items()}
    if isinstance(population["strength"], dict):
        population["strength"] = steady_strength(**population["strength"])
    if isinstance(whole["start"], int):
        whole["start"] = months_before(whole["start"])
    months = whole["lists"]
    whole["lists"] = first_days_of_months(months) if months else days_after_ratings
    if isinstance(whole["result"], dict):
        whole["result"] = elo_result(**whole["result"])
    whole["sign_ins"] = [DemoUser(**each) for each in whole["sign_ins"]]
    return Demo(
        population=Population(**population),
        events=DemoEvents(**events),
        present=PresentDays(**present),
        openings=DemoOpenings(**data.pop("openings", {})),
        habits=DemoHabits(**data.pop("habits", {})),
        **whole,
        **data,
    )


def read_kinds(tables: Mapping[str, dict[str, Any]], common: Mapping[str, Any]) -> dict[str, EventKind]:
    """Return the kinds of events by name. A kind has the fields of the one that it is `like`, or else of the
    one named `usual`, unless its own table has others.
    """
    whole: dict[str, dict[str, Any]] = {}
    for name, table in tables.items():
        base = whole.get("usual", {}) if "like" not in table else whole[table["like"]]
        whole[name] = {**base, **table}
    kinds = {}
    for name, table in whole.items():
        table.pop("like", None)
        groups = [EntryGroup(**group) for group in table.pop("groups", ({"name": "Open"},))]
        variants = [read_variant(variant, common) for variant in table.pop("variants", ({},))]
        kinds[name] = EventKind(**{"name": "", **table}, groups=groups, variants=variants)
    return kinds


def read_variant(fields: Mapping[str, Any], common: Mapping[str, Any]) -> dict[str, Any]:
    """Return a section's own fields: those `common` to all sections, and those of its variant."""
    found = {**fields, **common, **fields}
    if "time_controls" in found:
        minutes, increment = map(Decimal, found["time_controls"].split("+"))
        found["time_controls"] = (TimeControl((minutes,), increment),)
    return found


def read_name_pool(texts: Mapping[str, str]) -> NamePool:
    """Return a pool of names from texts with spaces between names; `_` stands for a space within one."""
    return {key: [name.replace("_", " ") for name in text.split()] for key, text in texts.items()}
