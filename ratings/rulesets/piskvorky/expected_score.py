"""The score at which the points of the table would move nobody: what it expects of two players (§7)."""

from __future__ import annotations

from decimal import Decimal

from ratings.rulesets.piskvorky.edition_undated.formulas import band_of
from ratings.rulesets.piskvorky.law.standing import PiskvorkyStanding

MOVED = Decimal(32)
"""§7: the points of a row for a win of the higher and of the lower rated, together: the same in each row."""


def expected_score(own: PiskvorkyStanding, other: PiskvorkyStanding) -> Decimal | None:
    """The expected score in a game of two established players; None for novices, whom the table does not know
    (§3).
    """
    if own.rating is None or other.rating is None or not (own.established and other.established):
        return None
    of_lower = band_of(own.rating - other.rating).higher_wins / MOVED
    return 1 - of_lower if own.rating >= other.rating else of_lower
