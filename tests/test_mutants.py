"""Which mutants are tried, and by which tests."""

from __future__ import annotations

from tests.mutants import chosen, nearest

NAMES = [
    *(f"ratings.rulesets.csa.x_rate__mutmut_{n}" for n in range(50)),
    *(f"players.x_fold__mutmut_{n}" for n in range(30)),
]


def test_the_same_seed_draws_the_same_mutants_of_the_rules_and_of_the_rest() -> None:
    rules, rest = chosen(NAMES, 7, 20, 10)
    assert (rules, rest) == chosen(NAMES, 7, 20, 10)
    assert (rules, rest) != chosen(NAMES, 8, 20, 10)
    assert (len(rules), len(rest)) == (20, 10)
    assert {name.split(".")[0] for name in rules} == {"ratings"}
    assert {name.split(".")[0] for name in rest} == {"players"}


def test_no_number_takes_all_and_too_large_a_one_what_there_is() -> None:
    rules, rest = chosen(NAMES, 7, 0, 1000)
    assert (len(rules), len(rest)) == (50, 30)


def test_a_mutant_is_tried_by_the_tests_that_reach_little_else_as_many_as_fit() -> None:
    reach = {"whole office": 900, "one clause": 3, "slow clause": 4, "two clauses": 5}
    durations = {"whole office": 1.0, "one clause": 0.5, "slow clause": 9.0, "two clauses": 0.5}
    assert nearest(reach, reach, durations, 2.0) == ["one clause", "two clauses", "whole office"]
    assert nearest(reach, reach, durations, 1.0) == ["one clause", "two clauses"]


def test_the_nearest_test_is_tried_however_long_it_takes() -> None:
    assert nearest(["slow clause"], {"slow clause": 4}, {"slow clause": 9.0}, 1.0) == ["slow clause"]
    assert nearest([], {}, {}, 1.0) == []
