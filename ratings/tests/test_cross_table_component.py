"""The component of cross tables: performances stand in it where its caller gives their decimals."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.template.loader import render_to_string

from ratings.cross_tables import EntrantRow

ROW = EntrantRow(
    place=1,
    name="Naledi",
    url="",
    title="",
    note="",
    rating=Decimal(1500),
    points=Decimal(3),
    score="2",
    tie_breaks=[],
    performance=Decimal(1600),
    working_url="",
    after=Decimal(1503),
)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({}, False),
        ({"performances": None}, False),
        ({"performances": ""}, False),
        ({"performances": 0}, True),
    ],
    ids=["not-named", "none", "empty", "whole-numbers"],
)
def test_performances_stand_in_the_table_only_where_their_decimals_are_given(
    given: dict[str, Any], shown: bool
) -> None:
    context = {"caption": "A", "rounds": [], "rows": [ROW], "decimals": 0, **given}
    page = render_to_string("components/cross_table.html", context)
    assert ("Perf." in page, "1600" in page) == (shown, shown)
