"""§2, §5–§7 and the table: the formulas, each of numbers alone."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from ratings.rulesets.piskvorky.law.standing import whole

GAMES_TO_ESTABLISH = 5  # §2
POINTS_TO_ESTABLISH = Decimal("1.5")  # §2

NOVICE_SPAN = 250  # §5
FOUNDING_BASE, FOUNDING_SPAN = Decimal(1600), 400  # §6

HALF = Decimal("0.5")


class Band(NamedTuple):
    """A row of the table: the points that a game moves between ratings so far apart, by its result."""

    most: int
    """The largest difference of ratings in the row."""
    higher_wins: int
    lower_wins: int
    draw: int
    """The points that the lower-rated player gains by a draw."""


TABLE = (
    Band(10, 16, 16, 0),
    Band(32, 15, 17, 1),
    Band(54, 14, 18, 2),
    Band(76, 13, 19, 3),
    Band(100, 12, 20, 4),
    Band(124, 11, 21, 5),
    Band(149, 10, 22, 6),
    Band(176, 9, 23, 7),
    Band(204, 8, 24, 8),
    Band(236, 7, 25, 9),
    Band(272, 6, 26, 10),
    Band(313, 5, 27, 11),
    Band(363, 4, 28, 12),
    Band(427, 3, 29, 13),
    Band(521, 2, 30, 14),
    Band(724, 1, 31, 15),
    Band(2000, 0, 32, 16),
)
"""§7: the table of points as it is printed, from the smallest difference on."""


def band_of(difference: Decimal) -> Band:
    """§7: the row of the table for a difference of ratings; the last one holds beyond its end (D-PIS-4)."""
    gap = abs(difference)
    return next((band for band in TABLE if gap <= band.most), TABLE[-1])


def gain(own: Decimal, other: Decimal, result: tuple[Decimal, Decimal]) -> int:
    """§7: the points that one established player gains in a game with another (D-PIS-4).

    `own` and `other`: their ratings before the tournament; `result`: their scores. What one gains the other
    loses; where both lost, nothing moves.
    """
    band, mine, theirs = band_of(own - other), *result
    if mine == theirs:
        drawn = band.draw if mine else 0
        return drawn if own < other else -drawn
    winner, loser = (own, other) if mine > theirs else (other, own)
    points = band.higher_wins if winner >= loser else band.lower_wins
    return points if mine > theirs else -points


def founding_rating(wins: int, losses: int, games: int) -> Decimal:
    """§6: the rating from founding games: 1600 and 400 times the balance a game; 1600 without a game
    (D-PIS-3). Exact; `whole` rounds it.
    """
    return FOUNDING_BASE if not games else FOUNDING_BASE + Decimal(FOUNDING_SPAN * (wins - losses)) / games


def novice_rating(opposition: Decimal, wins: int, losses: int, games: int) -> Decimal:
    """§5: a novice's rating: the opponents' mean and 250 times the balance a game, divided once. Exact;
    `whole` rounds it. `opposition`: the sum of the opponents' ratings.
    """
    return (opposition + NOVICE_SPAN * (wins - losses)) / games


def points_of(wins: int, losses: int, games: int) -> Decimal:
    """D-PIS-1: the points from games won, lost and drawn; a draw is half a point."""
    return wins + HALF * (games - wins - losses)


def is_established(wins: int, losses: int, games: int) -> bool:
    """§2: whether a novice's rating is established: by enough games with established players, and enough
    points from them.
    """
    return games >= GAMES_TO_ESTABLISH and points_of(wins, losses, games) >= POINTS_TO_ESTABLISH


def rounded_founding(wins: int, losses: int, games: int) -> Decimal:
    """§6: the founding rating as it enters the state, a whole number."""
    return whole(founding_rating(wins, losses, games))


def rounded_novice(opposition: Decimal, wins: int, losses: int, games: int) -> Decimal:
    """§5: a novice's rating as it enters the state, a whole number."""
    return whole(novice_rating(opposition, wins, losses, games))
