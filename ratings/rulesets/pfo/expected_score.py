"""The score at which the points of the tables would move nobody: what they expect of two players (§10)."""

from __future__ import annotations

from decimal import Decimal

from ratings.rulesets.pfo.edition_2009.point_tables import win_points
from ratings.rulesets.pfo.law.standing import PfoStanding


def expected_score(own: PfoStanding, other: PfoStanding) -> Decimal:
    """The expected score in a game of two players with a rating: what is lost by a defeat, as a share of that
    and what is gained by a win.
    """
    mine, theirs = int(own.rating), int(other.rating)
    gained, lost = win_points(mine, theirs), win_points(theirs, mine)
    return Decimal(lost) / (gained + lost)
