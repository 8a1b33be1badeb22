"""Polish Othello: the tables (PFO 8–13, 16), both sides of each boundary."""

from __future__ import annotations

import pytest

from ratings.rulesets.pfo.edition_2009 import (
    INITIAL_RATING,
    SEASON_PLACES,
    draw_points,
    egp_award,
    game_points,
    missed_championship_loss,
    season_points,
    win_points,
    world_award,
)


def test_8_a_newcomer_starts_at_1400() -> None:
    assert INITIAL_RATING == 1400


@pytest.mark.parametrize(
    ("gap", "points"),
    [(0, 10), (1, 10), (60, 10), (61, 12), (120, 12), (121, 15), (200, 15), (201, 20), (300, 20), (301, 25)],
)
def test_10_a_win_of_the_lower_rated_by_the_difference(gap: int, points: int) -> None:
    assert win_points(1400, 1400 + gap) == points


@pytest.mark.parametrize(
    ("gap", "points"), [(1, 10), (60, 10), (61, 9), (120, 9), (121, 8), (200, 8), (201, 7), (5000, 7)]
)
def test_10_a_win_of_the_higher_rated_by_the_difference(gap: int, points: int) -> None:
    assert win_points(1400 + gap, 1400) == points


@pytest.mark.parametrize(
    ("gap", "higher", "lower"),
    [
        (1, 2, 2),
        (60, 2, 2),
        (61, 1, 3),
        (120, 1, 3),
        (121, -2, 4),
        (200, -2, 4),
        (201, -5, 5),
        (300, -5, 5),
        (301, -7, 7),
        (5000, -7, 7),
    ],
)
def test_11_a_draw_by_the_difference_whoever_moved_first(gap: int, higher: int, lower: int) -> None:
    assert draw_points(1400 + gap, 1400) == (higher, lower)
    assert draw_points(1400, 1400 + gap) == (lower, higher)


def test_11_a_draw_of_equals_gives_both_two() -> None:
    assert draw_points(1400, 1400) == (2, 2)


def test_10_the_loser_loses_what_the_winner_gains() -> None:
    assert game_points(1500, 1400, "1-0") == (9, -9)
    assert game_points(1500, 1400, "0-1") == (-12, 12)
    assert game_points(1400, 1400, "0-1") == (-10, 10)


def test_9_a_game_that_both_lost_moves_nothing() -> None:
    assert game_points(1400, 1700, "0-0") == (0, 0)


def test_12_the_european_grand_prix_awards_one_of_six() -> None:
    assert [egp_award(place) for place in range(1, 8)] == [50, 40, 30, 20, 10, 5, 5]


def test_12_the_world_championship_awards_the_first_twenty() -> None:
    assert [world_award(place) for place in (1, 2, 3, 19, 20, 21)] == [200, 190, 180, 20, 10, 0]


@pytest.mark.parametrize(
    ("rating", "loss"), [(1400, 140), (1404, 140), (1405, 141), (1406, 141), (1414, 141), (1415, 142)]
)
def test_13_a_tenth_is_lost_in_whole_points_half_up(rating: int, loss: int) -> None:
    assert missed_championship_loss(rating) == loss


def test_16_the_season_scores_fifteen_places() -> None:
    assert SEASON_PLACES == (100, 80, 60, 50, 45, 40, 36, 32, 29, 26, 24, 22, 20, 18, 16)
    assert [season_points(place) for place in (1, 15, 16, 60)] == [100, 16, 0, 0]
