"""The component of cross tables: performances stand in it where its caller gives their decimals."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.template.loader import render_to_string

from ratings.cross_tables import EntrantRow
from ratings.statement import Balance, Movement

ROW = EntrantRow(
    place=1,
    name="Naledi",
    url="",
    title="",
    note="",
    movement=Movement(Balance(Decimal(1500)), Balance(Decimal(1503))),
    score="2",
    tie_breaks=[],
    performance=Decimal(1600),
    working_url="",
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


def test_where_all_of_a_change_waits_for_the_next_list_the_link_to_its_working_says_that() -> None:
    waits = Movement(Balance(Decimal(1500)), Balance(Decimal(1500), Decimal(3)))
    row = replace(ROW, movement=waits, working_url="/why/")
    context = {"caption": "A", "rounds": [], "rows": [row], "decimals": 0}
    link = re.search(r'<a href="/why/">(.*?)</a>', render_to_string("components/cross_table.html", context))
    assert link
    assert "waiting" in link[1]
