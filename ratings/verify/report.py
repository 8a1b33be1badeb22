"""What a verification compared, and what it found."""

from __future__ import annotations

from dataclasses import dataclass, field

MOST = 20
"""Differences that are named; the others are counted."""


@dataclass
class Report:
    """What was compared, and every difference found."""

    facts: int = 0
    changes: int = 0
    standings: int = 0
    lists: int = 0
    files: int = 0
    days: int = 0
    """Past days that were compared."""
    differences: list[str] = field(default_factory=list)
    more: int = 0

    def differs(self, words: str) -> None:
        if len(self.differences) < MOST:
            self.differences.append(words)
        else:
            self.more += 1
