"""An office's equipment beside the law: forms, files, layouts, pages, and the office of a demo.

No journal is read by it and no rating rests on it, so that the law can be run without.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ratings.equipment.demo import Demo
from ratings.equipment.downloads import Download
from ratings.equipment.files import TRF, FileKind
from ratings.law.enacted import Enacted
from ratings.law.facts import RatedSection, State
from ratings.law.reports import CalculatorAnswer, RuleTable
from ratings.law.ruleset import Choice, Field, Ruleset


@dataclass(frozen=True, slots=True)
class IdKind:
    """A kind of ids that others give players, and that this federation's files bring."""

    code: str
    """The key in the register: `fide`, `lichess`."""
    label: str
    platform: bool = False
    """Whether it is a player's name on a platform."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that no program can check, and the region makes by submitting."""

    clause: str
    words: str


@dataclass(frozen=True, slots=True)
class Unrating:
    """The regulations' clauses on un-rating."""

    clause: str = ""
    """The clause for un-rating and rating again; empty: they are silent."""
    listed_clause: str = ""
    """The clause that keeps a section in a published list unless the office itself decides; empty: none."""
    listed_words: str = ""
    """The words that the office confirms with such a decision."""


@dataclass(frozen=True, slots=True)
class Calculator:
    """A sum that anybody may work out by a clause, without an office's record."""

    fields: tuple[Field, ...]
    """Choices, flags and whole numbers."""
    work_out: Callable[[Mapping[str, Any]], CalculatorAnswer]
    """The function from answers, by the fields' names; an empty answer is None or False."""
    field: str = ""
    """The field of the ruleset's sections that it helps to fill in."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of further results: tables of any day, figures of each section, or a calculator."""

    code: str
    """The code in the address."""
    name: str
    """The name in the office's navigation: a word or two that any visitor understands."""
    about: str
    """A sentence for new visitors."""
    tables: tuple[str, ...] = ()
    """The names of those of `Rules.tables` that it shows, in this order."""
    ratings: bool = False
    """Whether it shows the rating list as it would be published on the day."""
    of_section: Callable[[State[Any], RatedSection, str], RuleTable | None] | None = None
    """`(state before it, section, track)`: the table of each section; readers choose month and track."""
    calculator: Calculator | None = None


@dataclass(frozen=True, slots=True)
class AgeGroup:
    """People of an age, by the year of a list less the year of birth; both ends included."""

    code: str
    name: str
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Equipment:
    """Forms, files, layouts, pages and the invented office of one federation."""

    id_kinds: tuple[IdKind, ...] = ()
    """The kinds of ids in its files beside the register's own numbers."""
    wants_of_new: frozenset[str] = frozenset()
    """Further particulars that the regulations want of a new player, out of `first-name` and `birth-date`."""
    files: tuple[FileKind, ...] = (TRF,)
    """The kinds of event files that it reads, beside the plain table."""
    filing_fields: tuple[Field, ...] = ()
    """Fields that acceptance reads (`Filing.said`) and no journal holds."""
    confirmations: tuple[Statement, ...] = ()
    unrating: Unrating = Unrating()
    age_groups: tuple[AgeGroup, ...] = ()
    """The age groups by which a list may be cut."""
    downloads: tuple[Download, ...] = ()
    """The federation's own layouts of a list, beside those that every federation offers."""
    whole_files: bool = False
    """Whether files give whole ratings only; else tables have `decimals` of them, and JSON every digit."""
    regions: tuple[Choice, ...] = ()
    """The regions with which a new office begins; none: the federation itself files."""
    pages: tuple[Page, ...] = ()
    """The pages with further results of the rules."""
    enacted: Enacted | None = None
    """The source of the enacted text and what no program carries out of it; None: nothing is known."""
    demo: Demo | None = None
    """The material of an invented office; None: there is none to show."""


@cache
def equipment_of(ruleset: Ruleset) -> Equipment:
    """The equipment in the federation's `equipment.py`; without one, that of every office."""
    module = f"ratings.rulesets.{ruleset.slug}.equipment"
    if find_spec(module) is None:
        return Equipment()
    equipment: Equipment = import_module(module).EQUIPMENT
    return equipment


def form_fields(ruleset: Ruleset) -> tuple[Field, ...]:
    """The ruleset's own fields in a section's form: the journal's, then acceptance's."""
    return (*ruleset.fields, *equipment_of(ruleset).filing_fields)
