"""§8–§13, §16: the tables of points, as functions of ratings and places alone."""

from __future__ import annotations

from bisect import bisect_left
from decimal import ROUND_HALF_UP, Decimal

START = 1400  # §8, D-PFO-6

# Laid out as printed: up to and with this difference …
BOUNDS = (60, 120, 200, 300)  # §10 §11
LOWER_WINS = (10, 12, 15, 20, 25)  # §10
BOUNDS_OF_THE_HIGHER = (60, 120, 200)  # §10, D-PFO-2: the last row begins at 201
HIGHER_WINS = (10, 9, 8, 7)  # §10
# … signed as printed (D-PFO-1)
DRAWN_BY_THE_HIGHER = (2, 1, -2, -5, -7)  # §11
DRAWN_BY_THE_LOWER = (2, 3, 4, 5, 7)  # §11

PARTICIPATION = 1  # §12, in a Grand Prix tournament
EGP_PLACES = (50, 40, 30, 20, 10)  # §12
EGP_PARTICIPATION = 5  # §12
WORLD_FIRST, WORLD_STEP, WORLD_PLACES = 200, 10, 20  # §12
MISSED_SHARE = Decimal("0.1")  # §13

SEASON_PLACES = (100, 80, 60, 50, 45, 40, 36, 32, 29, 26, 24, 22, 20, 18, 16)  # §16
MAKS = 10  # §16
COUNTED = 4  # §17: the tournaments that count in a season


def game_points(first: int, second: int, result: str) -> tuple[int, int]:
    """§9 §10 §11: the points of a played game for the first and the second mover, by their ratings before it.

    A game that both lost moves nothing (D-7).
    """
    if result == "0-0":
        return 0, 0
    if result == "1/2":
        return draw_points(first, second)
    first_won = result == "1-0"
    winner, loser = (first, second) if first_won else (second, first)
    points = win_points(winner, loser)
    return (points, -points) if first_won else (-points, points)


def win_points(winner: int, loser: int) -> int:
    """§10: the points that the winner gains and the loser loses, by their ratings; between equals both tables
    say the same.
    """
    gap = abs(winner - loser)
    if winner > loser:
        return HIGHER_WINS[bisect_left(BOUNDS_OF_THE_HIGHER, gap)]
    return LOWER_WINS[bisect_left(BOUNDS, gap)]


def band_of(gap: int, *, higher_won: bool) -> tuple[int, int | None]:
    """§10 §11: the row of the table for a difference of ratings: its least and greatest difference; None: it
    has no end. `higher_won`: in the table for a win of the higher rated.
    """
    bounds = BOUNDS_OF_THE_HIGHER if higher_won else BOUNDS
    row = bisect_left(bounds, gap)
    return bounds[row - 1] + 1 if row else 0, bounds[row] if row < len(bounds) else None


def draw_points(first: int, second: int) -> tuple[int, int]:
    """§11: the points of a draw for the first and the second mover; higher and lower rated have columns of
    their own.
    """
    row = bisect_left(BOUNDS, abs(first - second))
    higher, lower = DRAWN_BY_THE_HIGHER[row], DRAWN_BY_THE_LOWER[row]
    return (higher, lower) if first >= second else (lower, higher)


def egp_award(place: int) -> int:
    """§12: a player's points from a European Grand Prix tournament, one award by place or for taking part
    (D-PFO-3).
    """
    return EGP_PLACES[place - 1] if place <= len(EGP_PLACES) else EGP_PARTICIPATION


def world_award(place: int) -> int:
    """§12: a player's points from the World Championship: 200 for the first, ten less for each place down to
    the twentieth (D-PFO-3).
    """
    return WORLD_FIRST - WORLD_STEP * (place - 1) if place <= WORLD_PLACES else 0


def loss_of_the_absent(rating: int) -> int:
    """§13: the points that a player of this rating loses by missing the championship: a tenth, half up
    (D-PFO-5).
    """
    return int((rating * MISSED_SHARE).quantize(Decimal(1), ROUND_HALF_UP))


def season_points(place: int) -> int:
    """§16: the points of a place towards the season; none below the fifteenth."""
    return SEASON_PLACES[place - 1] if place <= len(SEASON_PLACES) else 0
