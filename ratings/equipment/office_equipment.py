"""What an office works with beside the law: forms, files, layouts, pages, and the office of a demo.

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
from ratings.law.reports import Result, Table
from ratings.law.ruleset import Choice, Field, Ruleset


@dataclass(frozen=True, slots=True)
class IdKind:
    """An id that somebody else gives players, and that this federation's files bring."""

    code: str
    """`fide`, `lichess`: what the register keeps it under."""
    label: str
    platform: bool = False
    """Whether it is the name that a player has on a platform."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What no program can know, and the region says by submitting."""

    clause: str
    words: str


@dataclass(frozen=True, slots=True)
class Unrating:
    """What the regulations say of taking back what was rated."""

    clause: str = ""
    """By which a section is un-rated and rated again; empty: they are silent."""
    listed_clause: str = ""
    """By which a section in a published list stays as it is unless the office itself decides otherwise;
    empty: none.
    """
    listed_words: str = ""
    """What the office confirms by such a decision."""


@dataclass(frozen=True, slots=True)
class Calculator:
    """What anybody may work out by a clause, without an office's record."""

    fields: tuple[Field, ...]
    """Choices, flags and whole numbers."""
    work_out: Callable[[Mapping[str, Any]], Result]
    """From the answers by the fields' names; what was left empty is None or False."""
    field: str = ""
    """The field of the ruleset's sections that it helps to fill in."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of what else the rules yield: tables of any day, figures of each section, or a calculator."""

    code: str
    """In the address."""
    name: str
    """In the office's navigation: a word or two that any visitor understands."""
    about: str
    """A sentence for whoever comes new."""
    tables: tuple[str, ...] = ()
    """The names of those of `Rules.tables` that stand on it, in this order."""
    ratings: bool = False
    """Whether it shows the rating list as it would be published on the day."""
    of_section: Callable[[State[Any], RatedSection, str], Table | None] | None = None
    """`(state before it, section, track)`: what each section yields; readers choose month and track."""
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
    """The ids that its files bring beside the register's own numbers."""
    wants_of_new: frozenset[str] = frozenset()
    """What the regulations want of a new player beside what they read: of `first-name`, `birth-date`."""
    files: tuple[FileKind, ...] = (TRF,)
    """The kinds of event files that it reads, beside the plain table."""
    filing_fields: tuple[Field, ...] = ()
    """Fields that acceptance reads (`Filing.said`) and no journal holds."""
    confirmations: tuple[Confirmation, ...] = ()
    unrating: Unrating = Unrating()
    age_groups: tuple[AgeGroup, ...] = ()
    """By which a list may be cut."""
    downloads: tuple[Download, ...] = ()
    """The federation's own layouts of a list, beside those that every federation offers."""
    whole_files: bool = False
    """Whether files give whole ratings only; else tables have them with `decimals`, and JSON every digit."""
    regions: tuple[Choice, ...] = ()
    """Who files, as a new office begins with them; none: the federation itself."""
    pages: tuple[Page, ...] = ()
    """Where readers find what else the rules yield."""
    enacted: Enacted | None = None
    """Where the enacted text is from, and what of it no program carries out; None: nothing is known."""
    demo: Demo | None = None
    """What an invented office is made of; None: there is none to show."""


@cache
def equipment_of(ruleset: Ruleset) -> Equipment:
    """What the federation's `equipment.py` says; without one, what every office has."""
    module = f"ratings.rulesets.{ruleset.slug}.equipment"
    if find_spec(module) is None:
        return Equipment()
    equipment: Equipment = import_module(module).EQUIPMENT
    return equipment


def form_fields(ruleset: Ruleset) -> tuple[Field, ...]:
    """Everything of its own that a form asks of a section: the journal's fields, then acceptance's."""
    return (*ruleset.fields, *equipment_of(ruleset).filing_fields)
