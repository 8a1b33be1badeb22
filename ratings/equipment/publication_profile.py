"""The form in which a federation's ratings are shown: decimals, pages, layouts, age groups, scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ratings.equipment.downloads import Download, DownloadRow
from ratings.equipment.result_marks import Notation
from ratings.law.facts import RatedSection, State
from ratings.law.fields import Field
from ratings.law.rule_outputs import CalculatorAnswer, RuleTable
from ratings.law.ruleset_helpers.source_and_omissions import Enacted
from ratings.law.translation_marks import gettext_noop as _

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
