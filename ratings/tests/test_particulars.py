"""Nations in all codes that files use, and births that can be."""

from datetime import date

import pytest

from ratings.rulesets.particulars import (
    can_be_registered,
    can_have_played,
    is_birth_given,
    is_same_nation,
    nation_code,
)

DAY = date(2026, 5, 9)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *[
            ("J", "JPN"),
            ("NL", "NLD"),
            ("F", "FRA"),
            ("I", "ITA"),
            ("CZ", "CZE"),
            ("GB", "GBR"),
            ("S", "SWE"),
        ],
        *[("DK", "DNK"), ("D", "DEU"), ("PL", "POL"), ("pl", "POL"), ("India", "IND"), ("hong  kong", "HKG")],
        *[("RSA", "RSA"), ("ned", "NED"), ("ABC", "ABC"), ("", ""), ("XX", ""), ("Q", ""), ("12", "")],
        *[("Nowhere", ""), ("P O", ""), ("ÅLA", "")],
    ],
)
def test_a_nation_is_read_in_every_code_and_by_its_english_name(text: str, code: str) -> None:
    assert nation_code(text, "") == code


@pytest.mark.parametrize("text", ["ZA", "ZAF", "RSA", "rsa", "South Africa"])
def test_the_office_s_own_nation_has_its_own_code_in_every_spelling(text: str) -> None:
    assert nation_code(text, "RSA") == "RSA"


def test_two_codes_of_one_nation_are_the_same_and_those_of_two_are_not() -> None:
    for one, other in (
        ("South Africa", "RSA"),
        ("NED", "NLD"),
        ("GER", "DEU"),
        ("ABC", "ABC"),
        ("SLO", "SVN"),
    ):
        assert is_same_nation(one, other)
    for one, other in (("SVK", "SVN"), ("SLO", "SVK"), ("ABC", "POL")):
        assert not is_same_nation(one, other)


@pytest.mark.parametrize("birth", ["1900-01-01", "1901-01-01", "1900", "1901", ""])
def test_the_first_day_of_1900_or_1901_and_these_years_alone_say_no_birth(birth: str) -> None:
    assert not is_birth_given(birth)


@pytest.mark.parametrize("birth", ["1900-01-02", "1901-12-31", "1902-01-01", "1902", "1899"])
def test_other_early_births_are_births(birth: str) -> None:
    assert is_birth_given(birth)


@pytest.mark.parametrize(
    ("birth", "played", "registered"),
    [
        *[("2099-01-01", False, False), ("2068", False, False), ("2026-05-09", False, False)],
        *[("2023-05-10", False, False), ("2023-05-09", True, True), ("2023", True, True)],
        *[("2024", False, False), ("1920-05-10", True, True), ("1920-05-09", False, True)],
        *[("1920", True, True), ("1919", False, True), ("1850", False, True), ("1849", False, False)],
    ],
)
def test_who_plays_is_from_3_to_105_years_old_and_a_register_keeps_the_dead(
    birth: str, played: bool, registered: bool
) -> None:
    assert can_have_played(birth, DAY) == played
    assert can_be_registered(birth, DAY) == registered
