"""Chess South Africa: the formulas (CSA 29–46, 54–56), beside what the text's examples print (D-CSA-4)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal, localcontext

import pytest

from ratings.rulesets.csa.edition_2020.formulas import (
    add_pending_points,
    add_performance,
    clamped_difference,
    compute_weight_performance,
    days_left,
    expected_score,
    first_rating,
    k_factor,
    k_main,
    kind_weights,
    lift_rating,
    performance_rating,
)
from ratings.rulesets.csa.edition_2020.rating import shown_rating
from ratings.rulesets.csa.standing import Performance
from ratings.rulesets.ruleset import CONTEXT

ON = date(2024, 3, 1)


@pytest.fixture(autouse=True)
def _the_one_arithmetic() -> Iterator[None]:
    with localcontext(CONTEXT):
        yield


def performances(
    *values: str, kinds: str = "sssss", days: int = 0, ends: date = ON
) -> tuple[Performance, ...]:
    """Performances, newest first, of one day (or `days` apart), of kinds s, r, b."""
    names = {"s": "standard", "r": "rapid", "b": "blitz"}
    return tuple(
        Performance.of(ends - days * at * timedelta(days=1), 100 - at, names[kind], Decimal(value))
        for at, (value, kind) in enumerate(zip(values, kinds, strict=True))
    )


# ------------------------------------------------------------------------------- K


@pytest.mark.parametrize(
    ("minutes", "exact", "printed"),
    [
        ("5", "4.3199988", "4.3"),
        ("15", "6.031302", "6.0"),
        ("60", "13.7321664", "13.7"),
        ("90", "18.866076", "18.9"),
        ("120", "23.9999856", "24.0"),
    ],
)
def test_31_k_of_main_ratings_as_the_text_prints_it(minutes: str, exact: str, printed: str) -> None:
    assert k_main(Decimal(minutes)) == Decimal(exact)
    assert shown_rating(k_main(Decimal(minutes))) == Decimal(printed)


@pytest.mark.parametrize(("minutes", "same_as"), [("4.9", "5"), ("120.1", "120"), ("150", "120")])
def test_31_k_stops_at_5_and_at_120_minutes(minutes: str, same_as: str) -> None:
    assert k_main(Decimal(minutes)) == k_main(Decimal(same_as))


@pytest.mark.parametrize(("minutes", "other"), [("5", "5.1"), ("120", "119.9")])
def test_31_k_grows_between_5_and_120_minutes(minutes: str, other: str) -> None:
    assert k_main(Decimal(minutes)) != k_main(Decimal(other))


@pytest.mark.parametrize(
    ("track", "k"),
    [
        ("otb-standard", "24"),
        ("ol-rapid", "30"),
        ("hyb-blitz", "40"),
        ("ol-main", "20"),
        ("otb-main", "13.7321664"),
        ("hyb-main", "13.7321664"),
    ],
)
def test_30_31_only_main_over_the_board_and_hybrid_have_the_formula(track: str, k: str) -> None:
    assert k_factor(track, Decimal(60)) == Decimal(k)


# ------------------------------------------------------------------------------- expected score


@pytest.mark.parametrize(
    ("white", "black", "exact", "printed"),
    [
        (1500, 1600, "0.425367", "0.43"),
        (1600, 1500, "0.658167", "0.66"),
        (1500, 1500, "0.541767", "0.54"),
        (1500, 1960, "0.006327", "0.01"),
        (1500, 1110, "0.995727", "1.00"),
    ],
)
def test_37_expected_scores_as_the_text_prints_them(white: int, black: int, exact: str, printed: str) -> None:
    expected = expected_score(Decimal(white), Decimal(black))
    assert expected == Decimal(exact)
    assert expected.quantize(Decimal("0.01")) == Decimal(printed)


@pytest.mark.parametrize(
    ("difference", "held"),
    [
        ("-460.1", "-460"),
        ("-460", "-460"),
        ("-459.9", "-459.9"),
        ("389.9", "389.9"),
        ("390", "390"),
        ("390.1", "390"),
    ],
)
def test_38_the_difference_is_held_between_minus_460_and_390(difference: str, held: str) -> None:
    assert clamped_difference(1500 + Decimal(difference), Decimal(1500)) == Decimal(held)


# ------------------------------------------------------------------------------- performance


@pytest.mark.parametrize(
    ("score", "games", "exact", "printed"),
    [("8.5", 11, "1731.8181818181818182", "1731.8"), ("0", 5, "1075", "1075")],
)
def test_32_performances_as_the_text_prints_them(score: str, games: int, exact: str, printed: str) -> None:
    value = performance_rating(Decimal(1500) * games, Decimal(score), games)
    assert value == Decimal(exact)
    assert shown_rating(value) == Decimal(printed)


@pytest.mark.parametrize(
    ("opposition", "score", "games", "performance"),
    [  # what lies half-way between two decimals goes up; divided twice, it fell short of the half
        ("6004.0703649813977459", "1", 6, "717.3450608302329577"),
        ("6141.8153084645147243", "2.5", 6, "952.8025514107524541"),
        ("16181.1581105578447039", "1.5", 14, "821.8684364684174789"),
    ],
)
def test_d4_a_performance_divides_once(opposition: str, score: str, games: int, performance: str) -> None:
    assert performance_rating(Decimal(opposition), Decimal(score), games) == Decimal(performance)


@pytest.mark.parametrize(("average", "value"), [("525.1", "100.1"), ("525", "100"), ("524.9", "100")])
def test_46_no_performance_is_below_100(average: str, value: str) -> None:
    assert performance_rating(Decimal(average) * 4, Decimal(0), 4) == Decimal(value)


def test_54_the_first_rating_comes_with_the_tenth_game() -> None:
    assert first_rating(Decimal(900) * 9, Decimal(5), 9) is None
    assert first_rating(Decimal(1000) * 10, Decimal(5), 10) == 1000


def test_56_the_printed_example_would_be_a_rating_but_for_its_nine_games() -> None:
    opposition, score = Decimal(1300 + 1200 + 1250 + 1450 + 1400 + 1300 + 1250 + 1400 + 1350), Decimal("5.5")
    assert shown_rating(opposition / 9) == Decimal("1322.2")
    exact = performance_rating(opposition, score, 9)
    assert exact == Decimal("1416.6666666666666667")
    step_by_step = shown_rating(opposition / 9) + 850 * (Decimal("0.61") - Decimal("0.5"))
    assert shown_rating(step_by_step) == Decimal("1415.7")
    assert first_rating(opposition, score, 9) is None


# ------------------------------------------------------------------------------- weight performance


def test_40_the_weight_performance_of_main_online_as_the_text_prints_it() -> None:
    given = performances("1450", "1500", "1500", "1600", "1640", kinds="rbsrr")
    assert compute_weight_performance(given, ON, kind_weights("ol-main")) == Decimal("1425.7")


def test_42_the_weight_performance_of_rapid_online_as_the_text_prints_it() -> None:
    given = performances("1450", "1600", "1640", "1300", "1480", kinds="rrrrr")
    assert compute_weight_performance(given, ON, kind_weights("ol-rapid")) == 1510


def test_39_four_performances_give_no_weight_performance_and_five_do() -> None:
    weights = kind_weights("otb-main")
    assert compute_weight_performance(performances(*["1500"] * 4, kinds="ssss"), ON, weights) is None
    assert compute_weight_performance(performances(*["1500"] * 5), ON, weights) == 1500


@pytest.mark.parametrize(("days", "counts"), [(0, True), (2920, True), (2921, False)])
def test_40_a_performance_counts_for_2920_days(days: int, counts: bool) -> None:
    given = (
        *performances(*["1500"] * 4, kinds="ssss"),
        *performances("1500", kinds="s", ends=ON - timedelta(days)),
    )
    weight = compute_weight_performance(given, ON, kind_weights("otb-main"))
    assert (weight is not None) == counts


def test_40_a_performance_loses_weight_day_by_day() -> None:
    given = performances("1500", "1400", "1300", "1200", "1100", days=292)
    terms = [
        Decimal(1500) * 5,
        Decimal(1400) * 4 * Decimal("0.9"),
        Decimal(1300) * 3 * Decimal("0.8"),
        Decimal(1200) * 2 * Decimal("0.7"),
        Decimal(1100) * Decimal("0.6"),
    ]
    assert compute_weight_performance(given, ON, kind_weights("otb-standard")) == sum(terms) / 15


@pytest.mark.parametrize(("later", "left"), [(-1, 2919), (0, 2920), (1, 2920)])
def test_40_a_section_that_by_a_correction_ends_after_its_rating_is_no_day_old(later: int, left: int) -> None:
    """D-CSA-11."""
    newest = Performance.of(ON + timedelta(later), 9, "standard", Decimal(3000))
    assert days_left(newest, ON) == left
    others = performances(*["1500"] * 4, kinds="ssss", ends=ON, days=0)
    weight = compute_weight_performance((newest, *others), ON, kind_weights("otb-standard"))
    assert weight is not None
    assert (weight == (3000 * 5 + 1500 * 10) / 15) is (left == 2920)
    assert weight <= 2000


def test_39_of_one_day_the_newest_rated_comes_first_and_a_sixth_falls_off() -> None:
    early, late = Performance.of(ON, 7, "rapid", Decimal(1)), Performance.of(ON, 8, "rapid", Decimal(2))
    assert add_performance((early,), late) == (late, early)
    assert add_performance((late,), early) == (late, early)
    five = performances(*["1500"] * 5, days=10)
    assert add_performance(five, late) == (*five[:1], late, *five[1:4])
    long_ago = Performance.of(ON - timedelta(400), 999, "rapid", Decimal(3))
    assert add_performance(five, long_ago) == five


@pytest.mark.parametrize(
    ("rating", "weight", "after"),
    [
        ("1425.7", "1425.7", "1425.7"),
        ("1425.8", "1425.7", "1425.8"),
        ("1425.6", "1425.7", "1425.7"),
        ("925.7", "1425.7", "1425.7"),
        ("925.6", "1425.7", "1425.6"),
        ("700", "1425.7", "1200"),
    ],
)
def test_44_a_rating_rises_to_the_weight_performance_by_500_at_most(
    rating: str, weight: str, after: str
) -> None:
    assert lift_rating(Decimal(rating), Decimal(weight)) == Decimal(after)
    assert lift_rating(Decimal(rating), None) == Decimal(rating)


@pytest.mark.parametrize(
    ("pending", "after"), [("-50", "100"), ("-50.1", "100"), ("-49.9", "100.1"), ("10", "160")]
)
def test_45_no_rating_falls_below_100(pending: str, after: str) -> None:
    assert add_pending_points(Decimal(150), Decimal(pending)) == Decimal(after)
