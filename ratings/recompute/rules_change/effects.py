"""Counts of what other rules would move in an office, with the largest examples; kept as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from ratings.law.facts import PlayerId

EXAMPLES = 50
"""The most ratings, sections and lists that are named; all are counted."""


class MovedRating(NamedTuple):
    """A player's present rating in a track: as stored, and by the other rules."""

    player: PlayerId
    track: str
    before: Decimal | None
    after: Decimal | None

    @property
    def by(self) -> Decimal | None:
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(slots=True)
class RulesEffects:
    """Differences between what an office has stored and what other rules give for the same lines."""

    facts: int = 0
    """Facts folded."""
    players: int = 0
    """Players with another rating now, or another result of some section."""
    ratings: int = 0
    """Present ratings that would be others."""
    sections: int = 0
    """Rated sections, openings and other facts that would bring somebody something else."""
    lists: int = 0
    """Published lists that would be drawn up otherwise; they stay as they are."""
    tables: bool = False
    """Whether what the rules keep for the whole federation would be otherwise."""
    texts: int = 0
    """Rows that would be stored in other words, or in another order, and say the same."""
    moved: list[MovedRating] = field(default_factory=list)
    """The ratings that would move most."""
    named_sections: list[str] = field(default_factory=list)
    named_lists: list[str] = field(default_factory=list)

    @property
    def moves(self) -> bool:
        """Whether anything that the office shows or has published would be otherwise."""
        return bool(self.players or self.ratings or self.sections or self.lists or self.tables)

    @property
    def counts(self) -> dict[str, int]:
        """The counts that the record keeps."""
        return {name: getattr(self, name) for name in ("players", "ratings", "sections", "lists")}

    def as_json(self) -> dict[str, Any]:
        moved = [[each.player, each.track, _text(each.before), _text(each.after)] for each in self.moved]
        return {**asdict(self), "moved": moved}

    @classmethod
    def of_json(cls, stored: Mapping[str, Any]) -> RulesEffects:
        moved = [
            MovedRating(player, track, _rating(before), _rating(after))
            for player, track, before, after in stored.get("moved", [])
        ]
        return cls(**{**stored, "moved": moved})


def _text(rating: Decimal | None) -> str | None:
    return None if rating is None else str(rating)


def _rating(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)
