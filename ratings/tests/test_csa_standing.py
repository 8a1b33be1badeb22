"""Chess South Africa: a standing's text for storage."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from ratings.rulesets.csa.standing import CsaStanding, Performance, dump, load, plain, round_kept

PERFORMANCES = (
    Performance.of(date(2024, 3, 3), 17, "standard", round_kept(Decimal(1500) / 7)),
    Performance.of(date(2024, 2, 1), 9, "blitz", Decimal(100)),
)


@pytest.mark.parametrize(
    ("standing", "text"),
    [
        (CsaStanding(), ";;0;0;0;0;"),
        (
            CsaStanding(games=3, activity=4, score=Decimal("1.0"), opposition=Decimal("3500.50")),
            ";;3;4;1;3500.5;",
        ),
        (
            CsaStanding(round_kept(Decimal(1500)), round_kept(Decimal("-1e-16")), 12, 14),
            "1500;-0.0000000000000001;12;14;;;",
        ),
        (
            CsaStanding(round_kept(Decimal(1234567) / 1000), games=9, performances=PERFORMANCES),
            "1234.567;0;9;0;;;2024-03-03 17 standard 214.2857142857142857|2024-02-01 9 blitz 100",
        ),
    ],
)
def test_a_standing_survives_its_text(standing: CsaStanding, text: str) -> None:
    assert dump(standing) == text
    assert load("otb-main", text) == standing
    assert dump(load("otb-main", text)) == text


def test_equal_values_give_equal_text() -> None:
    assert plain(Decimal("1500")) == plain(Decimal("1500.00")) == plain(Decimal("1.5E+3")) == "1500"
    assert plain(Decimal("0E-16")) == "0"


def test_a_text_that_is_no_standing_is_refused() -> None:
    with pytest.raises(ValueError, match="unpack"):
        load("otb-main", "1500;0")


@pytest.mark.parametrize(
    ("standing", "due"),
    [
        (CsaStanding(), False),
        (CsaStanding(Decimal(1500)), False),
        (CsaStanding(Decimal(1500), Decimal("0.1")), True),
        (CsaStanding(Decimal(100)), False),
        (CsaStanding(Decimal("99.9")), False),
    ],
)
def test_a_standing_is_due_when_a_list_would_move_it(standing: CsaStanding, due: bool) -> None:
    assert standing.due == due
