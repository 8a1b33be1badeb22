"""A federation's equipment beside its law: how its office works, what it publishes, what readers may imagine.

A federation fills these classes with data in its module `profile`. No journal is read by them and no rating
depends on them, so that the law can be run without.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, NamedTuple

from ratings.rulesets.demo import Demo, load_demo
from ratings.rulesets.downloads import Column, Download
from ratings.rulesets.facts import (
    Bye,
    CalculatorAnswer,
    Choice,
    Entry,
    Field,
    PlayerId,
    RatedSection,
    RuleTable,
    State,
    gettext_noop as _,
)
from ratings.rulesets.readings import Enacted
from ratings.rulesets.ruleset import Ruleset


# ---- The office
@dataclass(frozen=True, slots=True)
class IdKind:
    """A kind of ids (FIDE's, a platform's names) in this federation's files beside the register's numbers."""

    code: str
    """The key in the register: `fide`, `lichess`."""
    label: str
    platform: bool = False
    """Whether the id is a player's name on a platform."""
    digits: int = 0
    """The number of digits, if all have as many: it restores leading zeros that a spreadsheet removed."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that no program can check, and the region makes by submitting."""

    clause: str
    words: str


@dataclass(frozen=True, slots=True)
class Permit:
    """A permission without which the regulations forbid something, and for which a region may ask."""

    clause: str
    words: str
    waives: tuple[str, ...] = ()
    """The keys of findings that are waived by granting it; the rules themselves may read it too."""


@dataclass(frozen=True, slots=True)
class Powers:
    """The clauses on the office's decisions about sections, on appeals and on appointments."""

    permits: tuple[Permit, ...] = ()
    """The permissions for which a region may ask, before play or after."""
    unrating_clause: str = ""
    """The clause for un-rating and rating again; empty if the regulations are silent."""
    listed_clause: str = ""
    """The clause by which a section stays in a published list unless the office itself decides otherwise."""
    listed_words: str = ""
    """The words that the office confirms with such a decision."""
    abroad_clause: str = ""
    """The clause on events abroad, which a correction of one has to keep too."""
    appeal_days: int | None = None
    """The days for an appeal against the office's decisions; None if the regulations name none."""
    case_clauses: tuple[str, ...] = ()
    """The clauses on corrections, shown to people who report a mistake."""
    case_days: int | None = None
    """The days for an answer to a report of a mistake; None if the office's own setting holds."""
    one_regional_administrator: str = ""
    """The clause that allows only one administrator for each region; empty if there may be several."""


@dataclass(frozen=True, slots=True)
class FormStep:
    """A group of a section's own fields that its forms show below a heading."""

    heading: str
    fields: tuple[str, ...]
    """Names of the ruleset's fields and of those for acceptance alone."""


EVENT_PARTICULARS = frozenset({"place", "country", "organizer", "arbiters", "team", "days"})
"""Particulars that forms can ask beside names, an event's days, and its sections' formats and rounds:
`team`, whether a section is played in teams; `days`, a section's own days.
"""


class Follows(NamedTuple):
    """What follows for a field of a section from the answers to others, so that it is not asked."""

    value: str
    highest: str
    """The first of the field's choices that a person may choose in its place."""


class Told(NamedTuple):
    """What the organizer of a section has to know before play."""

    clause: str
    words: str
    """A template, with `params` in it."""
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Registration:
    """How events are registered: what forms ask, and who decides before play."""

    asks: frozenset[str] = EVENT_PARTICULARS
    """The particulars, out of `EVENT_PARTICULARS`, that forms ask for."""
    wants: frozenset[str] = frozenset()
    """Those among them that the regulations require."""
    steps: tuple[FormStep, ...] = ()
    """The groups of a long form of sections; fields in none of them come first."""
    decided_before_play: bool = False
    """Whether an official decides on each section before play, where no ruleset's `admission` says so."""
    refusable_before_play: str = ""
    """The clause by which an official can refuse a section before play where none waits for a decision."""
    follows: Callable[[Mapping[str, Any], str], Mapping[str, Follows]] = lambda _particulars, _format: {}
    """The fields of a section that follow from its other particulars and its format."""
    told: Callable[[Mapping[str, Any], str], Iterable[Told]] = lambda _particulars, _format: ()
    """What its particulars and format demand of a section, for its organizer before play."""


@dataclass(frozen=True, slots=True)
class Office:
    """How a federation's office works: its days, regions, forms, files and ids."""

    # what every federation gives
    time_zone: str
    """The zone in which its days begin and end: `Europe/Dublin`."""
    # what some have beside it
    language: str = "en"
    """The language by which names are sorted, out of `LANGUAGES` of `players.names`. To change that of an
    office at work takes a migration as `0021_write_name_order` of players, which writes all keys.
    """
    regions: tuple[Choice, ...] = ()
    """The regions of a new office; none if the federation itself files."""
    files: tuple[str, ...] = ("trf",)
    """The kinds of event files that it reads beside the plain table, by their readers' codes."""
    id_kinds: tuple[IdKind, ...] = ()
    """The kinds of ids in its files beside the register's own numbers."""
    asks: frozenset[str] = frozenset()
    """Particulars of players in register and forms that no journal has: `sex`, `born`."""
    wants_of_new: frozenset[str] = frozenset()
    """Particulars that the regulations require of a new player: `first-name`, `birth-date`, `nation`."""
    filing_fields: tuple[Field, ...] = ()
    """Fields of a section's form for acceptance alone (`Filing.said`), which no journal has."""
    registration: Registration = Registration()
    confirmations: tuple[Statement, ...] = ()
    """The statements that the region makes by submitting a section."""
    powers: Powers = Powers()
    season_begins: int = 1
    """The month on whose first day each season begins."""


# ---- The marks of scores, results and byes
RESULT_MARKS: Mapping[str, tuple[str, str]] = {
    "1-0": ("1", "0"),
    "0-1": ("0", "1"),
    "1/2": ("½", "½"),
    "0-0": ("0", "0"),
    "+:-": ("+", "−"),
    "-:+": ("−", "+"),
    "-:-": ("−", "−"),
    "annulled": ("×", "×"),
}
BYE_MARKS: Mapping[str, str] = {"pairing": "bye", "full": "bye", "half": "½", "zero": "–"}


def score_in_halves(points: Decimal) -> str:
    """A score as text: `4½`, `4`, `½`; other parts of a point are decimals."""
    whole, rest = divmod(points, 1)
    return f"{whole or ''}½" if rest == Decimal("0.5") else f"{points.normalize():f}"


@dataclass(frozen=True, slots=True)
class Notation:
    """The marks of results in cross tables, and the form of scores there and in workings."""

    marks: Mapping[str, tuple[str, str]] = field(default_factory=lambda: RESULT_MARKS)
    """The marks of both sides by result, the first mover's first."""
    byes: Mapping[str, str] = field(default_factory=lambda: BYE_MARKS)
    """The mark of a round without an opponent, by the kind of bye."""
    score: Callable[[Decimal], str] = score_in_halves
    """Returns the points of a game or an event as text."""


# ---- The publication
ExpectedScore = Callable[[Any, Any, Any], Decimal | None]
"""A function of the standings of a player and an opponent before the section that returns the player's
expected score in a game; None if the rules have none for these two.
"""


@dataclass(frozen=True, slots=True)
class Calculator:
    """A calculation by one of the regulations' clauses on a page, apart from the office's data."""

    fields: tuple[Field, ...]
    """The form's fields: choices, flags and whole numbers."""
    work_out: Callable[[Any, Mapping[str, Any]], CalculatorAnswer]
    """Returns the outcome by the rules of an edition for the answers by the fields' names; an empty answer is
    None or False.
    """
    field: str = ""
    """The field of a section's form that the calculator helps to fill in, if any."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of further results: tables of any day, figures of each section, or a calculator."""

    code: str
    """The page's name in its address."""
    name: str
    """The name in the office's navigation: a word or two that any visitor understands."""
    about: str
    """A sentence on the page for new visitors."""
    tables: tuple[str, ...] = ()
    """The names of those of `Rules.tables` that it shows, in this order."""
    ratings: bool = False
    """Whether it shows the rating list as it would be published on the day."""
    of_section: Callable[[State[Any], RatedSection, str], RuleTable | None] | None = None
    """Returns the table of a section in a track, for the state before it; readers choose month and track."""
    calculator: Calculator | None = None


@dataclass(frozen=True, slots=True)
class AgeGroup:
    """A group of players by age (the list's year less that of birth), by which a list can be filtered."""

    code: str
    name: str
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Publication:
    """What readers of one federation see, and in which form."""

    # what every federation gives
    decimals: int
    """The decimals with which a rating is shown."""
    # what some have beside it
    sides: tuple[str, str] = (_("first"), _("second"))
    """The names of the first and the second mover (`white`, `black`)."""
    enacted: Enacted | None = None
    """The source of the enacted text and what no program carries out of it; None if nothing is known."""
    pages: tuple[Page, ...] = ()
    """The pages with further results of the rules."""
    downloads: tuple[Download, ...] = ()
    """The federation's own layouts of a list, beside the common ones."""
    list_columns: tuple[Column, ...] = ()
    """The federation's own columns on the pages of its lists, each with a heading and a value for a
    `DownloadRow` (`beside` is empty).
    """
    whole_files: bool = False
    """Whether files have whole ratings only; otherwise CSV and XLSX have `decimals`, and JSON every digit."""
    age_groups: tuple[AgeGroup, ...] = ()
    tie_breaks: tuple[str, ...] = ()
    """Further columns of entries in event files, which broke ties and are shown: `discs`."""
    notation: Notation = field(default_factory=Notation)
    list_days: tuple[tuple[int, ...], str] = ((), "")
    """The days of each month, from 1 to 28, on which a list is due, none if officials plan each; and the
    clause or reading that sets them, empty if it is custom alone.
    """
    expected_score: ExpectedScore | None = None
    """The expected score that the rules' points imply, shown beside games in hints at review; None if their
    workings print one, or they have none.
    """


# ---- Imagined sections
Answers = Mapping[str, Any]
"""The reader's answers by the fields' names; an empty one is None or False."""

SCORES = {"win": "1-0", "draw": "1/2", "loss": "0-1"}
"""The results of a played game from the player's own side, as the journal writes them for the first mover."""
RESULTS = {**SCORES, "forfeit-won": "+:-", "forfeit-lost": "-:+"}
TURNED_RESULTS = {"1-0": "0-1", "0-1": "1-0", "1/2": "1/2", "+:-": "-:+", "-:+": "+:-"}


class FurtherEntries(NamedTuple):
    """The entries and byes of an imagined section beside the player and the opponents."""

    entries: tuple[Entry, ...] = ()
    byes: tuple[Bye, ...] = ()
    foreign: frozenset[PlayerId] = frozenset()
    """The ids of entries from no country that the rules know."""


class Threshold(NamedTuple):
    """A rating from which on something else holds."""

    rating: Decimal
    key: str
    """A key of the ruleset's messages: what is reached."""
    clause: str = ""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The form of an imagined section, and the section made from its answers."""

    particulars: Callable[[Answers], Mapping[str, Any]]
    """Returns the section's particulars, by the attributes of `facts.Section`."""
    fields: tuple[Field, ...] = ()
    """The form's fields beside the last day."""
    results: tuple[str, ...] = tuple(RESULTS)
    """The results that a game may have, out of `RESULTS`; none if the reader enters a place, not games."""
    further: Callable[[Answers, int], FurtherEntries] = lambda answers, rounds: FurtherEntries()
    """Returns the further entries and byes for the answers and the number of rounds."""
    games_behind: int = 0
    """The number of rated games that an opponent known by rating alone is taken to have."""
    step: Decimal = Decimal(100)
    """The distance between round ratings to reach."""
    thresholds: Callable[[State[Any], PlayerId, str], tuple[Threshold, ...]] = lambda state, player, track: ()
    """Returns the ratings in a track that bring more by the regulations than the player has, lowest first."""
    by_side: bool = False
    """Whether it matters who moves first."""
    usual: Callable[[date], Mapping[str, str]] = lambda today: {}
    """Returns the form's initial answers on a day, beside the fields' defaults."""
    not_looked_at: tuple[str, ...] = ()
    """Sentences on what an imagined section leaves out."""

    @property
    def by_games(self) -> bool:
        return bool(self.results)


# ---- The equipment as a whole
@dataclass(frozen=True, slots=True)
class Equipment:
    slug: str
    office: Office
    publication: Publication
    what_if: WhatIf | None = None

    @property
    def demo(self) -> Demo | None:
        """The federation's demo; None if it brings none."""
        return _load_demo(self.slug)


@cache
def equipment_of(ruleset: Ruleset) -> Equipment:
    """A federation's equipment: `OFFICE`, `PUBLICATION` and perhaps `WHAT_IF` of its module `profile`, and
    perhaps a demo: `demo.toml`, with `HOOKS` of the module `demo` if there is one.
    """
    profile = import_module(f"ratings.rulesets.{ruleset.slug}.profile")
    what_if = getattr(profile, "WHAT_IF", None)
    return Equipment(ruleset.slug, profile.OFFICE, profile.PUBLICATION, what_if)


@cache
def _load_demo(slug: str) -> Demo | None:
    """Read a federation's demo on first use: most commands and pages ask for none."""
    package = f"ratings.rulesets.{slug}"
    file = files(package) / "demo.toml"
    if not file.is_file():
        return None
    hooks = import_module(f"{package}.demo").HOOKS if find_spec(f"{package}.demo") else {}
    return load_demo(file.read_text("utf-8"), hooks)


def form_fields(ruleset: Ruleset) -> tuple[Field, ...]:
    """The fields of a federation's section form beside the common ones: the journal's, then acceptance's."""
    return (*ruleset.sections.fields, *equipment_of(ruleset).office.filing_fields)


@cache
def pages_of(ruleset: Ruleset) -> tuple[Page, ...]:
    """The pages of a federation's further results: those that its publication names, and one for all other
    shown tables of any edition, as readers may ask for past days.
    """
    tables: dict[str, None] = {}
    for edition in reversed(ruleset.editions):
        day = max(edition.in_force, date(2026, 1, 1))
        tables.update((table.name, None) for table in edition.rules.tables(State(), day) if table.shown)
    pages = equipment_of(ruleset).publication.pages
    placed = {name for page in pages for name in page.tables}
    left = tuple(name for name in tables if name not in placed)
    if not left:
        return pages
    rest = Page(code="further", name=_("Tables"), about=_("Further results of the rules."), tables=left)
    return (*pages, rest)
