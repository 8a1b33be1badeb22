"""What a list published beside the rating of its day as it is known since."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from players.models import Federation, Player
from ratings.models import ListRow, RatingList
from ratings.player_ratings import compare_with_lists

DAY = date(2024, 4, 1)


@pytest.mark.parametrize(
    ("published", "places", "differs"),
    [("2322.36", 1, False), ("2322.36", 2, True), ("2322.44", 1, False), ("2322.3", 1, True)],
)
def test_a_list_says_otherwise_only_where_the_office_shows_other_digits(
    published: str, places: int, differs: bool
) -> None:
    office = Federation(code="office")
    rating_list = RatingList(federation=office, on=DAY, track="rating")
    row = ListRow(rating_list=rating_list, player=Player(number="1"), rating=Decimal(published))
    [found] = compare_with_lists([(DAY, Decimal("2322.4"), "List")], [row], places)
    assert found.differs is differs
