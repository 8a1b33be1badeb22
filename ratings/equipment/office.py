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


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that no program can check, and the region makes by submitting."""

    clause: str
    words: str


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
class Office:
    """A federation's way of working: its days, regions, forms, files and ids. No rating rests on it."""

    # what every federation gives
    time_zone: str
    """The zone in which its days begin and end: `Europe/Dublin`."""
    # what some have beside it
    regions: tuple[Choice, ...] = ()
    """The regions with which a new office begins; none: the federation itself files."""
    files: tuple[str, ...] = ("trf",)
    """The kinds of event files that it reads beside the plain table, each by its reader's code."""
    id_kinds: tuple[IdKind, ...] = ()
    """The kinds of ids in its files beside the register's own numbers."""
    asks: frozenset[str] = frozenset()
    """The particulars of players that register and forms ask for, and no journal holds: `sex`, `born`."""
    wants_of_new: frozenset[str] = frozenset()
    """Further particulars that the regulations want of a new player, out of `first-name` and `birth-date`."""
    filing_fields: tuple[Field, ...] = ()
    """Fields of a section's form for acceptance alone (`Filing.said`), which no journal holds."""
    confirmations: tuple[Statement, ...] = ()
    """The statements that the region makes by submitting a section."""
    unrating: Unrating = Unrating()
