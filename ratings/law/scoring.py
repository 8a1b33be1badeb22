"""The worth of games and byes in a section's score; what moves ratings is for the editions to say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeVar

from ratings.law.facts import FORFEITS, PLAYED

NOTHING, HALF, ONE = Decimal(0), Decimal("0.5"), Decimal(1)
BYES: Mapping[str, Decimal] = {"pairing": ONE, "full": ONE, "half": HALF, "zero": NOTHING}
"""The points of each kind of bye as pairing programs count them."""
GAMES: Mapping[str, tuple[Decimal, Decimal]] = {
    **PLAYED,
    **{result: (Decimal(first), Decimal(second)) for result, (first, second) in FORFEITS.items()},
}
"""The points of both sides, the first mover's first, as pairing programs count them."""

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Scoring:
    """The points of a section's score by result and kind of bye; those of pairing programs unless a ruleset
    says otherwise.
    """

    byes: Mapping[str, Decimal] = field(default_factory=lambda: BYES)
    games: Mapping[str, tuple[Decimal, Decimal]] = field(default_factory=lambda: GAMES)
    """The points of both sides by result, the first mover's first; a result that is left out gives
    nothing.
    """

    def of_game(self, result: str) -> tuple[Decimal, Decimal]:
        """The points of both sides for a result, the first mover's first."""
        return self.games.get(result, (NOTHING, NOTHING))

    def of_bye(self, kind: str) -> Decimal:
        return self.byes.get(kind, NOTHING)

    def totals(self, games: Iterable[tuple[P, P, str]], byes: Iterable[tuple[P, str]]) -> dict[P, Decimal]:
        """The score of everyone in games `(first, second, result)` and byes `(player, kind)`; nobody else is
        in it.
        """
        scores: dict[P, Decimal] = defaultdict(Decimal)
        for first, second, result in games:
            points = self.of_game(result)
            scores[first] += points[0]
            scores[second] += points[1]
        for player, kind in byes:
            scores[player] += self.of_bye(kind)
        return scores
