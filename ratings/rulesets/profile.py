"""What a federation has beside its law: how its office works, what it publishes, what readers may imagine.

A federation fills these classes with data, in the module `profile` of its folder. No journal is read by them
and no rating rests on them, so that the law can be run without.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from ratings.rulesets.demo import Demo
from ratings.rulesets.downloads import Download, DownloadRow
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
)
from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.readings import Enacted
from ratings.rulesets.ruleset import Ruleset


# ---- The office: its regions and days, what it asks, the files and ids that it reads.
@dataclass(frozen=True, slots=True)
class IdKind:
    """A kind of ids (FIDE's, a platform's names) that this federation's files give players, beside the
    register's numbers.
    """

    code: str
    """The key in the register: `fide`, `lichess`."""
    label: str
    platform: bool = False
    """Whether the id is a player's name on a platform."""
    digits: int = 0
    """The number of digits that each has, where all have as many: a spreadsheet takes a leading zero away."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that no program can check, and the region makes by submitting."""

    clause: str
    words: str


@dataclass(frozen=True, slots=True)
class Permit:
    """A thing that the regulations forbid unless the office permits it, and a region may ask for."""

    clause: str
    words: str
    waives: tuple[str, ...] = ()
    """The keys of findings that are waived by granting it; the rules themselves may read it too."""


@dataclass(frozen=True, slots=True)
class Unrating:
    """The clauses that a federation's regulations have on taking a rating back."""

    clause: str = ""
    """The clause for un-rating and rating again; empty: the regulations are silent."""
    listed_clause: str = ""
    """The clause by which a section stays in a published list unless the office itself decides otherwise;
    empty: none.
    """
    listed_words: str = ""
    """The words that the office confirms with such a decision."""


@dataclass(frozen=True, slots=True)
class Powers:
    """The clauses on what the office may decide about sections, on appeals and on appointments."""

    permits: tuple[Permit, ...] = ()
    """The permissions for which a region may ask, before play or after."""
    unrating: Unrating = Unrating()
    appeal_days: int | None = None
    """The days in which one may appeal against the office's decisions; None: the regulations name none."""
    case_clauses: tuple[str, ...] = ()
    """The clauses on correcting what is wrong, for who reports a mistake to read; none: they are silent."""
    case_days: int | None = None
    """The days in which a report of a mistake is answered; None: the regulations name none, so the office's
    own setting holds.
    """
    one_regional_administrator: str = ""
    """The clause that wants one administrator for each region, and no second; empty: there may be several."""


@dataclass(frozen=True, slots=True)
class FormStep:
    """A group of a section's own fields that its forms show together, below a heading."""

    heading: str
    fields: tuple[str, ...]
    """Names of fields, of the journal's and of those for acceptance alone."""


EVENT_PARTICULARS = frozenset({"place", "country", "organizer", "arbiters", "team", "days"})
"""Particulars that forms can ask beside names, an event's days, and its sections' formats and rounds:
`team`, whether a section is played in teams; `days`, a section's own days.
"""


@dataclass(frozen=True, slots=True)
class Registration:
    """The way in which a federation's events are registered: what forms ask, and who decides before play."""

    asks: frozenset[str] = EVENT_PARTICULARS
    """The particulars, out of `EVENT_PARTICULARS`, that forms ask for."""
    wants: frozenset[str] = frozenset()
    """Particulars among them without which the regulations take no event: no form calls them optional."""
    steps: tuple[FormStep, ...] = ()
    """The groups into which a long form of sections is parted; fields in none of them come first."""
    decided_before_play: bool = False
    """Whether an official decides on each section before play, where no ruleset's `admission` says so."""
    refusable_before_play: str = ""
    """The clause by which an official can refuse a section before play where none waits for a decision."""


@dataclass(frozen=True, slots=True)
class Office:
    """A federation's way of working: its days, regions, forms, files and ids. No rating rests on it."""

    # what every federation gives
    time_zone: str
    """The zone in which its days begin and end: `Europe/Dublin`."""
    # what some have beside it
    language: str = "en"
    """The language in whose order names stand, out of `LANGUAGES` of `players.names`. To
    change that of an office at work takes a migration as `0021_write_name_order` of players, which writes all
    keys.
    """
    regions: tuple[Choice, ...] = ()
    """The regions with which a new office begins; none: the federation itself files."""
    files: tuple[str, ...] = ("trf",)
    """The kinds of event files that it reads beside the plain table, each by its reader's code."""
    id_kinds: tuple[IdKind, ...] = ()
    """The kinds of ids in its files beside the register's own numbers."""
    asks: frozenset[str] = frozenset()
    """The particulars of players that register and forms ask for, and no journal holds: `sex`, `born`."""
    wants_of_new: frozenset[str] = frozenset()
    """Particulars that the regulations want of a new player too: `first-name`, `birth-date`, `nation`."""
    filing_fields: tuple[Field, ...] = ()
    """Fields of a section's form for acceptance alone (`Filing.said`), which no journal holds."""
    registration: Registration = Registration()
    """The particulars that registering an event asks, and whether an official decides before play."""
    confirmations: tuple[Statement, ...] = ()
    """The statements that the region makes by submitting a section."""
    powers: Powers = Powers()
    """The office's powers over sections: what it may permit and take back, and appeals against it."""
    season_begins: int = 1
    """The month on whose first day each season begins."""


# ---- The marks with which scores, results and byes are written for readers.
MARKS: Mapping[str, tuple[str, str]] = {
    "1-0": ("1", "0"),
    "0-1": ("0", "1"),
    "1/2": ("½", "½"),
    "0-0": ("0", "0"),
    "+:-": ("+", "−"),
    "-:+": ("−", "+"),
    "-:-": ("−", "−"),
    "annulled": ("×", "×"),
}
BYES: Mapping[str, str] = {"pairing": "bye", "full": "bye", "half": "½", "zero": "–"}


def in_halves(points: Decimal) -> str:
    """A score as text: `4½`, `4`; half a point alone is `½`, and other parts of a point are decimals."""
    whole, rest = divmod(points, 1)
    return f"{whole or ''}½" if rest == Decimal("0.5") else f"{points.normalize():f}"


@dataclass(frozen=True, slots=True)
class Notation:
    """The marks of one federation's results in cross tables, and its scores there and in workings."""

    marks: Mapping[str, tuple[str, str]] = field(default_factory=lambda: MARKS)
    """The marks of both sides by result, the first mover's first."""
    byes: Mapping[str, str] = field(default_factory=lambda: BYES)
    """The mark of a round without an opponent, by the kind of bye."""
    score: Callable[[Decimal], str] = in_halves
    """The function that writes the points of a game or of an event."""


# ---- The form in which a federation's ratings are shown: decimals, pages, layouts, age groups, scores.
ExpectedScore = Callable[[Any, Any], Decimal | None]
"""A function that gives a player's expected score in a game, by the standings of the player and of the
opponent before the section; None: the rules expect nothing of these two.
"""


@dataclass(frozen=True, slots=True)
class Calculator:
    """A sum by one of the regulations' clauses that any reader may work out on a page, apart from the
    office's data.
    """

    fields: tuple[Field, ...]
    """The questions to the reader: choices, flags and whole numbers."""
    work_out: Callable[[Mapping[str, Any]], CalculatorAnswer]
    """A function from the reader's answers, by the fields' names, to the outcome; an empty answer is None or
    False.
    """
    field: str = ""
    """The field of a section's form that the calculator helps to fill in; empty: none."""


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
    """A function `(state before it, section, track)` that gives the table of one section; readers choose
    month and track.
    """
    calculator: Calculator | None = None


@dataclass(frozen=True, slots=True)
class AgeGroup:
    """A group of people by age, the year of a list less the year of birth, for cutting a list; both ends are
    included.
    """

    code: str
    name: str
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class ListColumn:
    """A federation's own column on the pages of its lists, right of those that every federation has."""

    label: str
    value: Callable[[DownloadRow], str]
    """A function from the row, with what the public may know (`beside` is empty), to the cell's text."""


@dataclass(frozen=True, slots=True)
class ListDays:
    """The days on which a federation's lists are regularly due."""

    of_month: tuple[int, ...]
    """The days of each month, from 1 to 28."""
    clause: str = ""
    """The clause or reading that gives them; empty: custom alone."""


@dataclass(frozen=True, slots=True)
class Publication:
    """The publication of one federation: what readers see, and in which form; no rating rests on it."""

    # what every federation gives
    decimals: int
    """The decimals with which a rating is shown."""
    # what some have beside it
    sides: tuple[str, str] = (_("first"), _("second"))
    """The names of the first and the second mover (`white`, `black`)."""
    enacted: Enacted | None = None
    """The source of the enacted text and what no program carries out of it; None: nothing is known."""
    pages: tuple[Page, ...] = ()
    """The pages with further results of the rules."""
    downloads: tuple[Download, ...] = ()
    """The federation's own layouts of a list, beside those that every federation offers."""
    list_columns: tuple[ListColumn, ...] = ()
    whole_files: bool = False
    """Whether files give whole ratings only; if not, CSV and XLSX have `decimals` of them, and JSON every
    digit.
    """
    age_groups: tuple[AgeGroup, ...] = ()
    """The age groups by which a list may be cut."""
    tie_breaks: tuple[str, ...] = ()
    """Further columns that an event file's entry may have, which broke ties and are shown: `discs`."""
    notation: Notation = field(default_factory=Notation)
    """The marks with which scores, results and byes are written."""
    list_days: ListDays | None = None
    """The days on which a list is regularly due; None: none is fixed, and officials plan each."""
    expected_score: ExpectedScore | None = None
    """The expected score that the rules' points imply, shown beside games in hints at review; None: their
    workings print one, or they know none.
    """


# ---- The questions by which a reader imagines a section, and the section that the answers make.
Answers = Mapping[str, Any]
"""The reader's answers by the fields' names; an empty one is None or False."""

SCORES = {"win": "1-0", "draw": "1/2", "loss": "0-1"}
"""The results of a played game from the player's own side, as the journal writes them for the first mover."""
RESULTS = {**SCORES, "forfeit-won": "+:-", "forfeit-lost": "-:+"}
TURNED = {"1-0": "0-1", "0-1": "1-0", "1/2": "1/2", "+:-": "-:+", "-:+": "+:-"}


class Further(NamedTuple):
    """The entries and byes of an imagined section beside the player and the opponents."""

    entries: tuple[Entry, ...] = ()
    byes: tuple[Bye, ...] = ()
    foreign: frozenset[PlayerId] = frozenset()
    """The ids of those of the entries who are of no country that the rules know."""


class Threshold(NamedTuple):
    """A rating from which on something else holds."""

    rating: Decimal
    key: str
    """A key of the ruleset's messages: what is reached."""
    clause: str = ""


def nothing_further(answers: Answers, rounds: int) -> Further:
    """Add nobody beside the player and the opponents."""
    return Further()


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The imagined section of one federation: the reader's questions, and the section that answers make."""

    particulars: Callable[[Answers], Mapping[str, Any]]
    """A function from the answers to the section's particulars, by the attributes of `facts.Section`."""
    fields: tuple[Field, ...] = ()
    """The questions on the section beside its last day."""
    results: tuple[str, ...] = tuple(RESULTS)
    """The results that a game may have, out of `RESULTS`; none: the reader states no games, but a place."""
    further: Callable[[Answers, int], Further] = nothing_further
    """A function from the answers and the number of rounds to the further entries and byes."""
    games_behind: int = 0
    """The number of rated games that an opponent known by rating alone is taken to have."""
    step: Decimal = Decimal(100)
    """The distance of the round ratings that a player looks forward to."""
    thresholds: Callable[[State[Any], PlayerId, str], tuple[Threshold, ...]] = lambda state, player, track: ()
    """A function from a player's state and a track to the ratings that bring more by the regulations than the
    player has, lowest first.
    """
    by_side: bool = False
    """Whether a game counts otherwise for the one who moves first."""
    usual: Callable[[date], Mapping[str, str]] = lambda today: {}
    """A function from a day to the answers with which the form opens then, beside the fields' defaults."""
    not_looked_at: tuple[str, ...] = ()
    """Sentences on what an imagined section leaves out."""

    @property
    def by_games(self) -> bool:
        return bool(self.results)


# ---- A federation's equipment: office, publication, demo, and what readers may imagine.
@dataclass(frozen=True, slots=True)
class Equipment:
    """The parts of one federation, each a module of that name in its folder."""

    office: Office
    publication: Publication
    demo: Demo | None = None
    """The material of an invented office; None: there is none to show."""
    what_if: WhatIf | None = None
    """The questions of an imagined section; None: readers imagine none."""


@cache
def equipment_of(ruleset: Ruleset) -> Equipment:
    """A federation's equipment, found in its folder: `OFFICE`, `PUBLICATION` and, if there is one,
    `WHAT_IF` in its `profile`; `DEMO` in its `demo`, if it has one.
    """
    folder = f"ratings.rulesets.{ruleset.slug}"
    profile = import_module(f"{folder}.profile")
    return Equipment(
        profile.OFFICE,
        profile.PUBLICATION,
        import_module(f"{folder}.demo").DEMO if find_spec(f"{folder}.demo") else None,
        getattr(profile, "WHAT_IF", None),
    )


def form_fields(ruleset: Ruleset) -> tuple[Field, ...]:
    """The fields that a federation's section form has beside the common ones: the journal's, then
    acceptance's.
    """
    return (*ruleset.sections.fields, *equipment_of(ruleset).office.filing_fields)


# ---- The pages of further results of a federation's rules: those of its equipment, and one for the rest.
@cache
def pages_of(ruleset: Ruleset) -> tuple[Page, ...]:
    """The pages of a federation's further results: those that its equipment names, and one for all shown
    tables that stand on none of them.
    """
    # The names of the tables that any edition shows, the newest edition's first, as readers may ask for past
    # days.
    found: dict[str, None] = {}
    for edition in reversed(ruleset.editions):
        day = max(edition.in_force, date(2026, 1, 1))
        found.update((table.name, None) for table in edition.rules.tables(State(), day) if table.shown)
    tables = tuple(found)
    pages = equipment_of(ruleset).publication.pages
    placed = {name for page in pages for name in page.tables}
    left = tuple(name for name in tables if name not in placed)
    if not left:
        return pages
    rest = Page(code="further", name=_("Tables"), about=_("Further results of the rules."), tables=left)
    return (*pages, rest)
