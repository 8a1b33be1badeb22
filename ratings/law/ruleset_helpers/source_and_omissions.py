"""Notes on an enacted text beside its clauses: its source, and what the program leaves undone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date


@dataclass(frozen=True, slots=True)
class EnactedText:
    """The source of the enacted text."""

    title: str
    """The heading, in the text's own language."""
    issued_by: str
    dated: str = ""
    """Days of enactment and amendment, in words; empty: the text has no date."""
    url: str = ""
    """The address of the text; empty: none is known."""


@dataclass(frozen=True, slots=True)
class Enacted:
    """Notes on one enacted text: its source, and the clauses that the program leaves undone, each with a
    reason; words are marked for translation.
    """

    source: EnactedText
    not_computed: Mapping[str, str] = field(default_factory=dict)
    """Clauses that no page and no command carries out, each with the reason."""
    partly_computed: Mapping[str, str] = field(default_factory=dict)
    """Clauses that the program carries out in part, each with the part left undone."""
    smaller_readings: tuple[tuple[str, str], ...] = ()
    """Small points on which the text is silent: the clause, and how it is read."""
    settings: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Clauses that only give notice in an office where a setting is off, by the setting's name."""
    chapters: tuple[tuple[str, str], ...] = ()
    """The chapters of the text: the first clause of each, and its subject; none: it is read as a whole."""
    earlier: Mapping[date, Enacted] = field(default_factory=dict)
    """The notes on earlier editions where these differ, by the day from which each edition held."""
