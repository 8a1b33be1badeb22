"""What readers are told of an enacted text beside its clauses: where it is from, and what no program does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Source:
    """Where the enacted text is from."""

    title: str
    """As it is headed, in its own language."""
    issued_by: str
    dated: str = ""
    """When it was enacted and amended, in words; empty: the text has no date."""
    url: str = ""
    """Where it can be read; empty where the text names no place."""


@dataclass(frozen=True, slots=True)
class Enacted:
    """All words are marked for translation; clauses are numbers of the ruleset's `clauses`."""

    source: Source
    not_computed: Mapping[str, str] = field(default_factory=dict)
    """Clauses that no page and no command carries out, each with the reason."""
    partly_computed: Mapping[str, str] = field(default_factory=dict)
    """Of clauses that are carried out: the part that is not."""
    smaller_readings: tuple[tuple[str, str], ...] = ()
    """Clause and reading, where the text is silent on something small."""
    deadlines: frozenset[str] = frozenset()
    """What is only told in an office that holds nobody to deadlines."""
    particulars: frozenset[str] = frozenset()
    """What is only told in an office that does not insist on full particulars."""
