"""Places: equals share one, and the next counts everybody before it."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from ratings.rulesets.facts import ListedPlayer, ranked, relative_places, shared_places


@pytest.mark.parametrize(
    ("ordered", "places"),
    [
        ("", []),
        ("a", [1]),
        ("abc", [1, 2, 3]),
        ("abbc", [1, 2, 2, 4]),
        ("aaab", [1, 1, 1, 4]),
        ("abb", [1, 2, 2]),
        ([None, 0], [1, 2]),
        ([None, None], [1, 1]),
    ],
)
def test_equals_share_a_place_and_the_next_is_one_more_than_all_before(
    ordered: list[object], places: list[int]
) -> None:
    assert list(shared_places(ordered)) == places


@given(st.lists(st.integers(0, 5)))
def test_a_place_is_one_more_than_those_who_are_better(values: list[int]) -> None:
    values.sort()
    assert list(shared_places(values)) == [1 + sum(other < value for other in values) for value in values]


@pytest.mark.parametrize(
    ("given_", "counted"),
    [([1, 3, 3, 5], {1: 1, 3: 2, 5: 4}), ([2, 1, 2], {1: 1, 2: 2}), ([7], {7: 1}), ([], {})],
)
def test_a_place_is_recounted_by_those_before_it(given_: list[int], counted: dict[int, int]) -> None:
    assert relative_places(given_) == counted
    assert list(relative_places(given_)) == sorted(set(given_))


def listed(*ratings: str) -> list[tuple[str, Decimal, int, str]]:
    return [(str(number), Decimal(rating), 7, "rated") for number, rating in enumerate(ratings, start=1)]


def test_a_list_is_best_first_and_equal_ratings_stand_by_id() -> None:
    rows = ranked(listed("1500", "1600", "1500"))
    assert rows[0] == ListedPlayer(1, "2", Decimal(1600), 7, "rated")
    assert [(row.rank, row.player) for row in rows] == [(1, "2"), (2, "1"), (2, "3")]


def test_ratings_that_are_shown_alike_share_the_rank_and_keep_their_order() -> None:
    """Of two that are shown as 1500 the one with more behind the point stands first, on the same rank."""
    close = listed("1500.1", "1500.4", "1499.4")
    assert [(row.rank, row.player) for row in ranked(close, round)] == [(1, "2"), (1, "1"), (3, "3")]
    assert [(row.rank, row.player) for row in ranked(close)] == [(1, "2"), (2, "1"), (3, "3")]
