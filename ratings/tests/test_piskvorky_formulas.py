"""Piškvorky: the table and the formulas (PIS 2, 5, 6, 7)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ratings.rulesets.piskvorky.edition_undated import (
    POINTS_TABLE,
    founding_rating,
    is_established,
    novice_rating,
    points_gained,
    points_of,
)
from ratings.rulesets.piskvorky.standing import round_to_whole

WIN, LOSS = (Decimal(1), Decimal(0)), (Decimal(0), Decimal(1))
DRAW, BOTH_LOST = (Decimal("0.5"), Decimal("0.5")), (Decimal(0), Decimal(0))

PRINTED = """
0 10 16 16 0
11 32 15 17 1
33 54 14 18 2
55 76 13 19 3
77 100 12 20 4
101 124 11 21 5
125 149 10 22 6
150 176 9 23 7
177 204 8 24 8
205 236 7 25 9
237 272 6 26 10
273 313 5 27 11
314 363 4 28 12
364 427 3 29 13
428 521 2 30 14
522 724 1 31 15
725 2000 0 32 16
"""
ROWS = [tuple(map(int, line.split())) for line in PRINTED.split("\n") if line]


@pytest.mark.parametrize("row", ROWS, ids=str)
@pytest.mark.parametrize("end", [0, 1])
def test_7_each_row_of_the_table_at_both_its_ends(row: tuple[int, ...], end: int) -> None:
    higher, lower = Decimal(3000), Decimal(3000 - row[end])
    assert points_gained(higher, lower, WIN) == row[2]
    assert points_gained(lower, higher, LOSS) == -row[2]
    if row[end]:
        assert points_gained(lower, higher, WIN) == row[3]
        assert points_gained(higher, lower, LOSS) == -row[3]
    assert points_gained(lower, higher, DRAW) == row[4]
    assert points_gained(higher, lower, DRAW) == -row[4]


def test_7_the_rows_have_no_gap() -> None:
    assert [row[0] for row in ROWS[1:]] == [row[1] + 1 for row in ROWS[:-1]]
    assert [band.most for band in POINTS_TABLE] == [row[1] for row in ROWS]


@pytest.mark.parametrize("difference", [2000, 2001, 5000])
def test_d_pis_4_the_last_row_has_no_end(difference: int) -> None:
    assert points_gained(Decimal(0), Decimal(difference), WIN) == 32
    assert points_gained(Decimal(difference), Decimal(0), WIN) == 0


def test_7_between_equals_a_win_is_16_and_a_draw_nothing() -> None:
    assert points_gained(Decimal(1600), Decimal(1600), WIN) == 16
    assert points_gained(Decimal(1600), Decimal(1600), LOSS) == -16
    assert points_gained(Decimal(1600), Decimal(1600), DRAW) == 0


@pytest.mark.parametrize("other", [1600, 1700, 1500])
def test_d7_where_both_lost_no_points_move(other: int) -> None:
    assert points_gained(Decimal(1600), Decimal(other), BOTH_LOST) == 0


@pytest.mark.parametrize(
    ("wins", "losses", "games", "established"),
    [
        (1, 3, 5, True),  # 1.5 of 5
        (1, 4, 5, False),  # 1 of 5
        (0, 2, 5, True),  # 1.5 of 5, all draws
        (0, 3, 5, False),
        (4, 0, 4, False),
        (5, 0, 5, True),
        (1, 9, 10, False),
    ],
)
def test_2_five_games_and_one_and_a_half_points(
    wins: int, losses: int, games: int, established: bool
) -> None:
    assert is_established(wins, losses, games) == established


def test_d_pis_1_a_draw_is_half_a_point() -> None:
    assert points_of(2, 1, 6) == Decimal("3.5")


@pytest.mark.parametrize(
    ("wins", "losses", "games", "rating"),
    [(0, 0, 0, 1600), (3, 0, 3, 2000), (0, 3, 3, 1200), (2, 1, 3, 1733), (1, 2, 3, 1467), (1, 1, 3, 1600)],
)
def test_6_1600_and_400_times_the_balance_a_game(wins: int, losses: int, games: int, rating: int) -> None:
    assert round_to_whole(founding_rating(wins, losses, games)) == rating


def test_5_the_mean_and_250_times_the_balance_a_game() -> None:
    assert novice_rating(Decimal(4800), 2, 1, 3) == Decimal(5050) / 3
    assert novice_rating(Decimal(1600), 0, 0, 1) == 1600


@pytest.mark.parametrize(
    ("opposition", "games", "wins", "rating"),
    [(3201, 2, 0, 1601), (3203, 4, 1, 863), (3205, 2, 1, 1728), (-3, 2, 0, -2)],
)
def test_d_pis_2_half_points_are_rounded_away_from_zero(
    opposition: int, games: int, wins: int, rating: int
) -> None:
    assert round_to_whole(novice_rating(Decimal(opposition), wins, 0, games)) == rating


def test_d4_it_is_divided_once_so_that_a_half_stays_a_half() -> None:
    assert novice_rating(Decimal(1601), 1, 1, 2) == Decimal("800.5")
    assert novice_rating(Decimal(2501), 1, 0, 6) == Decimal("458.5")
