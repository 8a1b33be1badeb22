"""The report of a verification: what was compared, and every difference found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ratings.lists.models import RatingList

MOST = 20
"""The most differences of one kind that are named; further ones are counted."""


@dataclass
class Report:
    """The result of a verification: how many things of each kind were compared, and every difference."""

    facts: int = 0
    changes: int = 0
    standings: int = 0
    lists: int = 0
    files: int = 0
    days: int = 0
    """The number of past days compared."""
    differences: list[str] = field(default_factory=list)
    more: int = 0
    settled: int = 0
    """The line up to which lists and errata go by the rules that were in force when they were published."""
    otherwise: list[RatingList] = field(default_factory=list)
    """Lists up to that line that the present rules draw up otherwise."""
    by_kept: dict[str, int] = field(default_factory=dict)
    """The number of those that a kept program proved, by the program's name."""
    record_altered: bool = False
    notices: list[str] = field(default_factory=list)
    """Sentences on what the office has on record as lost; no differences."""

    _named: int = 0

    def begin(self) -> None:
        """Begin another kind of thing: each kind has some differences named, whatever was found before it."""
        self._named = 0

    def differs(self, words: str) -> None:
        if self._named < MOST:
            self._named += 1
            self.differences.append(words)
        else:
            self.more += 1

    def differ(self, found: Iterable[str]) -> None:
        """Add the differences of one kind of thing, each a sentence."""
        self.begin()
        for words in found:
            self.differs(words)
