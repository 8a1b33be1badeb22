"""Russian mahjong: the coefficients (RMF 4, 5), both sides of each boundary."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest

from ratings.rulesets.mahjong.edition_undated import (
    absence_coefficient,
    anniversary,
    build_day_scale,
    days_of_change,
    quarters_left,
    rating,
    rating_fraction,
    result,
    time_coefficient,
    weight,
)
from ratings.rulesets.mahjong.standing import AdmittedCompetition, AdmittedCompetitions, CompetitionPlayed

ENDS = date(2019, 5, 20)


@pytest.mark.parametrize(
    ("status", "coefficient", "ka"),
    [
        ("city", None, 1),
        ("region", None, 2),
        ("foreign", None, 2),
        ("national", None, 3),
        ("european", None, 4),
        ("world", None, 5),
        ("special", 1, 1),
        ("special", 2, 2),
        ("special", None, 0),
        (None, None, 0),
    ],
)
def test_4_the_coefficient_is_by_status(status: str | None, coefficient: int | None, ka: int) -> None:
    assert weight(status, coefficient) == ka


@pytest.mark.parametrize(
    ("on", "kb"),
    [
        (ENDS - timedelta(10), "1"),
        (ENDS, "1"),
        (date(2020, 5, 19), "1"),
        (date(2020, 5, 20), "1"),  # the first anniversary
        (date(2020, 5, 21), "0.75"),
        (date(2021, 5, 20), "0.75"),
        (date(2021, 5, 21), "0.5"),
        (date(2022, 5, 20), "0.5"),
        (date(2022, 5, 21), "0.25"),
        (date(2023, 5, 20), "0.25"),
        (date(2023, 5, 21), "0"),
        (date(2031, 1, 1), "0"),
    ],
)
def test_5_weight_falls_on_the_day_after_each_anniversary(on: date, kb: str) -> None:
    assert time_coefficient(ENDS, on) == Decimal(kb)


@pytest.mark.parametrize(
    ("on", "left"),
    [
        (date(2021, 2, 28), 4),
        (date(2021, 3, 1), 3),
        (date(2022, 2, 28), 3),
        (date(2022, 3, 1), 2),
        (date(2023, 2, 28), 2),
        (date(2023, 3, 1), 1),
        (date(2024, 2, 29), 1),
        (date(2024, 3, 1), 0),
    ],
)
def test_d_rmf_2_the_29th_of_february_has_its_anniversary_on_the_28th(on: date, left: int) -> None:
    assert quarters_left(date(2020, 2, 29), on) == left


def test_d_rmf_2_the_end_of_a_year_is_a_day_like_any_other() -> None:
    assert quarters_left(date(2019, 12, 31), date(2020, 12, 31)) == 4
    assert quarters_left(date(2019, 12, 31), date(2021, 1, 1)) == 3
    assert anniversary(date(2019, 12, 31), 1) == date(2020, 12, 31)


def test_5_a_result_is_by_the_place_among_all() -> None:
    assert [result(5, place) for place in range(1, 6)] == [
        Decimal(1),
        Decimal("0.75"),
        Decimal("0.5"),
        Decimal("0.25"),
        Decimal(0),
    ]


def test_5_an_absence_weighs_a_twelfth_part_by_the_competitions_of_the_year() -> None:
    assert absence_coefficient(1) == Decimal("0.12")
    assert absence_coefficient(12) == Decimal("0.01")


TWO = AdmittedCompetitions(
    date(2020, 1, 1),
    (AdmittedCompetition(ENDS, "A", 2, 9), AdmittedCompetition(date(2019, 9, 1), "B", 3, 17)),
    ((2019, 2),),
)


def test_5_the_mean_by_hand() -> None:
    """A: second of nine, 7/8, coefficient 2. B missed: 3 × 0.12 / 2 = 0.18. On 1 January 2020 kB are 1."""
    played = (CompetitionPlayed("A", 2),)
    above, below = rating_fraction(build_day_scale(TWO, TWO.on), played)
    assert (above, below) == (Decimal("1.75"), Decimal("2.18"))
    assert rating(build_day_scale(TWO, TWO.on), played) == Decimal("0.8027522935779817")


def test_5_after_the_first_anniversary_of_one_the_other_weighs_more() -> None:
    """A weighs 1.5 now, and 7/8 of it is 1.3125; B still 0.18."""
    above, below = rating_fraction(build_day_scale(TWO, date(2020, 5, 21)), (CompetitionPlayed("A", 2),))
    assert (above, below) == (Decimal("1.3125"), Decimal("1.68"))


def test_d_rmf_4_where_nothing_weighs_there_is_no_rating() -> None:
    day = date(2023, 9, 1)
    assert (
        rating(build_day_scale(TWO, day), (CompetitionPlayed("A", 1),)) == 0
    )  # B is still there, and was missed
    assert rating(build_day_scale(TWO, day + timedelta(1)), (CompetitionPlayed("A", 1),)) is None


def test_5_the_days_of_change_are_those_after_anniversaries() -> None:
    days = days_of_change(TWO, date(2020, 1, 1), date(2022, 12, 31))
    assert days == [
        date(2020, 5, 21),
        date(2020, 9, 2),
        date(2021, 5, 21),
        date(2021, 9, 2),
        date(2022, 5, 21),
        date(2022, 9, 2),
    ]
    assert days_of_change(TWO, date(2020, 5, 21), date(2020, 5, 21)) == [date(2020, 5, 21)]
    assert days_of_change(TWO, date(2020, 5, 22), date(2020, 9, 1)) == []
    assert days_of_change(None, date(2020, 1, 1), date(2022, 1, 1)) == []
