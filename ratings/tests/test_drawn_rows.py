"""A drawn list that waits to be written is, row by row, what was drawn."""

from __future__ import annotations

from decimal import Decimal

from ratings.lists import DrawnRows
from ratings.rulesets.facts import ListedPlayer

DRAWN = [
    ListedPlayer(1, "7", Decimal("2400.123456"), 70_000, "rated"),
    ListedPlayer(2, "3", Decimal("2400.1"), 9, "foreign"),
    ListedPlayer(2, "12", Decimal("2400.10"), 0, "rated"),
]


def test_the_rows_come_back_in_their_order_with_every_digit_as_often_as_they_are_asked_for() -> None:
    kept = DrawnRows(DRAWN)
    assert list(kept) == list(kept) == DRAWN
    assert [str(row.rating) for row in kept] == ["2400.123456", "2400.1", "2400.10"]
    assert len(kept) == 3


def test_a_list_of_nobody_is_empty() -> None:
    assert not DrawnRows([])
    assert list(DrawnRows([])) == []
