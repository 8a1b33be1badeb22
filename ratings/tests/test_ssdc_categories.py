"""Sports Dots: the category of a tournament (SSDC 3)."""

from __future__ import annotations

import pytest

from ratings.rulesets.ssdc import RULESET
from ratings.rulesets.ssdc.edition_2017 import Conditions, category_of


def steps(conditions: Conditions) -> list[str]:
    """What lowered it, in words that the pages would show, each with its clause."""
    found = category_of(conditions)
    assert all(step.clause in RULESET.words.clauses for step in found.steps)
    numbers = RULESET.numbers_of(RULESET.newest)
    assert [
        RULESET.words.messages[step.key].format(**numbers, **step.inputs, result=step.result)
        for step in found.steps
    ]
    assert found.steps[-1].result == found.category
    return [f"{step.clause} {step.result}" for step in found.steps]


def test_3_3_without_limits_it_is_the_highest() -> None:
    assert steps(Conditions()) == ["3.3 highest"]


@pytest.mark.parametrize(
    "conditions",
    [
        Conditions(highest_rating=2300),
        Conditions(highest_rank="M"),
        Conditions(one_gender=True),
        Conditions(ages=True),
        Conditions(territory=True),
        Conditions(fast=True),
        Conditions(not_all_meet=True),
        Conditions(by_correspondence=True),
    ],
)
def test_3_4_1_each_limiting_factor_is_one_step(conditions: Conditions) -> None:
    assert steps(conditions) == ["3.3 highest", "3.4.1 first"]


def test_3_4_1_a_limit_of_rating_and_one_of_rank_are_one_factor() -> None:
    assert category_of(Conditions(highest_rating=2300, highest_rank="M")).category == "first"


def test_3_4_1_a_limit_at_the_highest_rank_cuts_off_nobody() -> None:
    assert category_of(Conditions(highest_rank="G")).category == "highest"


def test_3_4_as_many_steps_as_there_are_factors() -> None:
    assert steps(Conditions(one_gender=True, ages=True, fast=True)) == [
        "3.3 highest",
        "3.4.1 first",
        "3.4.1 second",
        "3.4.1 third",
    ]


@pytest.mark.parametrize(
    ("division", "category"), [(1, "highest"), (2, "first"), (5, "fourth"), (6, "friendly"), (9, "friendly")]
)
def test_3_4_2_a_step_for_each_division_below_the_highest(division: int, category: str) -> None:
    assert category_of(Conditions(division=division)).category == category


def test_3_4_3_guaranteed_places_are_two_steps() -> None:
    assert steps(Conditions(guaranteed_places=True)) == ["3.3 highest", "3.4.3 second"]


@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        (Conditions(highest_rating=2199), "3.4.4 second"),
        (Conditions(highest_rating=2200), "3.4.1 first"),
        (Conditions(highest_rank="1"), "3.4.4 second"),
        (Conditions(highest_rank="C"), "3.4.1 first"),
        (Conditions(highest_rank="N"), "3.4.4 second"),
        (Conditions(highest_rating=2300, highest_rank="1"), "3.4.4 second"),
    ],
)
def test_3_4_4_shutting_out_2200_or_candidate_masters_is_two_steps_instead_of_one(
    conditions: Conditions, found: str
) -> None:
    assert steps(conditions) == ["3.3 highest", found]


def test_3_4_5_the_title_holders_absence_lowers_nothing() -> None:
    assert steps(Conditions(for_a_challenger=True, not_all_meet=True)) == [
        "3.3 highest",
        "3.4.1 first",
        "3.4.5 first",
    ]


def test_3_4_6_a_match_of_two_is_at_best_fourth_unless_for_a_title() -> None:
    assert steps(Conditions(match_of_two=True)) == ["3.3 highest", "3.4.6 fourth"]
    assert steps(Conditions(match_of_two=True, for_a_title=True)) == ["3.3 highest", "3.4.6 highest"]
    assert category_of(Conditions(match_of_two=True, division=6)).category == "friendly"
    assert category_of(Conditions(match_of_two=True, for_a_title=True, fast=True)).category == "first"


def test_3_4_7_the_organizer_may_lower_never_raise() -> None:
    lowered = category_of(Conditions(fast=True, assigned="fourth"))
    assert (lowered.category, lowered.allowed) == ("fourth", True)
    assert steps(Conditions(fast=True, assigned="fourth"))[-1] == "3.4.7 fourth"
    raised = category_of(Conditions(fast=True, assigned="highest"))
    assert (raised.category, raised.allowed) == ("first", False)
    assert steps(Conditions(fast=True, assigned="highest"))[-1] == "3.4.7 first"
    assert category_of(Conditions(fast=True, assigned="first")).steps[-1].clause == "3.4.1"


def test_3_5_below_the_fourth_it_is_friendly() -> None:
    limits = Conditions(highest_rating=1800, guaranteed_places=True)
    assert category_of(limits).category == "fourth"
    assert steps(Conditions(highest_rating=1800, guaranteed_places=True, fast=True))[-2:] == [
        "3.4.3 friendly",
        "3.5 friendly",
    ]
