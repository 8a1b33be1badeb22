"""The way a federation's office works: its regions and days, what it asks, the files and ids it reads."""

from __future__ import annotations

from dataclasses import dataclass

from ratings.law.fields import Choice, Field


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
    """The language in whose order names stand, out of `LANGUAGES` of `players.languages.name_order`. To
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
