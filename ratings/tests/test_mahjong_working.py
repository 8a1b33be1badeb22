"""Russian mahjong: workings that a person follows with a pencil."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.utils.html import strip_tags

from ratings.rulesets.facts import Fact, ListClosing, Placed
from ratings.rulesets.mahjong import RULESET
from ratings.tests.mahjong_record import DAY, Office
from ratings.workings import value_as_html

WEEK = timedelta(7)


@pytest.fixture
def office() -> Office:
    return Office()


def told(office: Office, fact: Fact, name: str) -> list[str]:
    """The steps in words, numbers as pages show them."""
    steps, numbers = office.explain(fact, name).steps, RULESET.numbers_of(RULESET.newest)
    return [
        RULESET.words.messages[step.key].format(
            **{
                key: value.isoformat() if isinstance(value, date) else strip_tags(value_as_html(value))
                for key, value in {**numbers, **step.inputs, "result": step.result}.items()
            }
        )
        for step in steps
    ]


def test_a_first_admission(office: Office) -> None:
    office.admit("Vera Boris Galina", ends=date(2019, 2, 1), status="national", id="C/1")
    fact = office.admit("Boris Anna Vera", status="region", id="C/2")
    assert told(office, fact, "Anna") == [
        "Place 2 of 3: (3 − 2) ÷ (3 − 1) = 0.5",
        "Championship of a region, coefficient 2",
        "C/2, played, of 2020-03-01: place 2 of 3. It weighs kA × kB = 2 × 1 = 2, which goes below the line. "
        "Above it goes: (3 − 2) ÷ (3 − 1) × 2 × 1 = 1",
        "Not played in 2019: 1 of 1 admitted still weigh, 2.25 in all (the list below has each). "
        "Nothing goes above the line; below it goes: 2.25 × 0.12 ÷ 1 = 0.27",
        "Above the line, all of these together: 1 = 1",
        "Below the line, the weights of those played and what goes there for those not played: 2 + 0.27 = "
        "2.27",
        "Rating, the sum above the line by that below it: 1 ÷ 2.27 = 0.4405",
        "In 1 competition so far; listed from 2 on",
    ]


def test_a_second_admission_says_what_the_rating_was_without_it(office: Office) -> None:
    office.admit("Anna Boris Vera", id="C/1")
    office.admit("Vera Boris", ends=DAY + WEEK, id="C/2")
    fact = office.admit("Boris Anna Vera", ends=DAY + 2 * WEEK, id="C/3")
    assert told(office, fact, "Anna") == [
        "Place 2 of 3: (3 − 2) ÷ (3 − 1) = 0.5",
        "Championship of a city, coefficient 1",
        "After the player's last competition 1; on 2020-03-15, without this one: 0.9434",
        "C/1, played, of 2020-03-01: place 1 of 3. It weighs kA × kB = 1 × 1 = 1, which goes below the line. "
        "Above it goes: (3 − 1) ÷ (3 − 1) × 1 × 1 = 1",
        "C/3, played, of 2020-03-15: place 2 of 3. It weighs kA × kB = 1 × 1 = 1, which goes below the line. "
        "Above it goes: (3 − 2) ÷ (3 − 1) × 1 × 1 = 0.5",
        "Not played in 2020: 1 of 3 admitted still weigh, 1 in all (the list below has each). "
        "Nothing goes above the line; below it goes: 1 × 0.12 ÷ 3 = 0.04",
        "Above the line, all of these together: 1 + 0.5 = 1.5",
        "Below the line, the weights of those played and what goes there for those not played: 1 + 1 + 0.04 "
        "= 2.04",
        "Rating, the sum above the line by that below it: 1.5 ÷ 2.04 = 0.7353",
    ]


def test_the_last_step_gives_the_rating_that_stands(office: Office) -> None:
    office.admit("Anna Boris Vera")
    fact = office.admit("Boris Anna Vera", ends=DAY + WEEK)
    mean = office.explain(fact, "Anna").steps[-1]
    assert mean.key == "mean"
    assert mean.result == office.changes(fact)["Anna"].after.rating


def test_who_has_no_place_is_told_so(office: Office) -> None:
    office.player("Kenji", nation="JPN")
    fact = office.admit("Kenji Anna")
    assert told(office, fact, "Kenji")[-1] == (
        "By the register the player has no place in the rating; the result is kept"
    )


def test_an_admission_of_long_ago_weighs_nothing(office: Office) -> None:
    fact = office.admit("Anna Boris", on=date(2030, 1, 1))
    assert told(office, fact, "Anna")[-2:] == [
        "No competition has weight any more, so there is no rating",
        "In 1 competition so far; listed from 2 on",
    ]


def test_a_change_of_the_register_is_told(office: Office) -> None:
    office.admit("Anna Boris")
    gone = office.player("Anna", resident=False)
    assert told(office, gone, "Anna") == [
        "By the register the player has no place in the rating; the result is kept"
    ]
    back = office.player("Anna", resident=False, included_by="decision 7")
    assert told(office, back, "Anna")[0] == "By the register the player has a place in the rating"
    assert office.explain(back, "Anna").steps[-1].key == "mean"


def test_nothing_is_told_of_who_has_no_part(office: Office) -> None:
    fact = office.admit("Anna Boris")
    line = office.player("Vera")
    assert office.explain(fact, "Vera").steps == ()
    assert office.explain(line, "Vera").steps == ()
    assert office.explain(line, "Anna").steps == ()
    assert office.explain(fact, "Anna", track="another").steps == ()
    closing = Placed(99, ListClosing(DAY))
    assert RULESET.rules_for(closing).explain(office.fold(), closing, "Anna", "rating").steps == ()
