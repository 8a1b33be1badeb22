"""The numbers of an edition by name and clause: what a reader needs to follow a sum with a pencil.

Each is the very constant that the formulas use, so that the two cannot differ.
"""

from __future__ import annotations

from dataclasses import dataclass

from ratings.law.rule_outputs import Value


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number of an edition: the clause that sets it, words for it, its value."""

    clause: str
    words: str
    value: Value


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of numbers in a regulation, as its text has it. A cell that is text is a message to
    translate.
    """

    clause: str
    words: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


Parameters = tuple[Parameter | Grid, ...]
