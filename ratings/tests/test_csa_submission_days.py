"""Chess South Africa: who files, and on which days (CSA 10, 18, 60–62). Each deadline, both sides."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from ratings.rulesets.facts import Level
from ratings.tests.csa_filing import GUGU, check, found_with, section, sound
from ratings.tests.csa_record import DAY
from ratings.tests.findings import LENIENT

WAIVABLE, NOTICE = Level.WAIVABLE, Level.NOTICE


def test_nothing_is_wrong_with_what_came_in_time_and_says_everything() -> None:
    assert found_with() == []


@pytest.mark.parametrize(
    ("fide_rated", "clause", "days"), [("", "61.1", 3), ("non-norm", "61.2", 7), ("norm", "61.2", 30)]
)
def test_61_a_section_is_registered_so_many_days_before_the_start(
    fide_rated: str, clause: str, days: int
) -> None:
    said: dict[str, Any] = {"said": {"fide_rated": fide_rated}, "arbiters": ()}

    def late(before: int) -> list[Any]:
        return [f for f in found_with(registered=DAY - timedelta(before), **said) if f[0] == clause]

    assert late(days) == []
    assert late(days - 1) == [(clause, "registered-late", WAIVABLE)]


def test_61_counts_from_the_start_of_the_event_not_of_a_section_that_begins_later() -> None:
    later = section(starts=DAY + timedelta(1), ends=DAY + timedelta(1))
    days = {"event_starts": DAY, "event_ends": DAY + timedelta(1)}
    assert found_with(later, registered=DAY - timedelta(3), **days) == []
    assert found_with(later, registered=DAY - timedelta(2), **days) == [("61.1", "registered-late", WAIVABLE)]


@pytest.mark.parametrize(("days", "late"), [(14, False), (15, True)])
def test_62_the_file_comes_within_14_days_of_the_end(days: int, late: bool) -> None:
    found = found_with(handed_in=DAY + timedelta(days))
    assert found == ([("62", "filed-late", WAIVABLE)] if late else [])


def test_62_counts_from_the_end_of_the_event_not_of_a_section_that_ended_before() -> None:
    assert found_with(handed_in=DAY + timedelta(16), event_ends=DAY + timedelta(2)) == []
    assert found_with(handed_in=DAY + timedelta(17), event_ends=DAY + timedelta(2)) != []


def test_62_a_file_from_before_the_last_day_is_not_of_a_finished_section() -> None:
    assert found_with(filed=DAY) == []
    assert found_with(filed=DAY - timedelta(1)) == [("62", "filed-early", WAIVABLE)]


@pytest.mark.parametrize(("days", "late"), [(30, False), (31, True)])
def test_10_results_from_abroad_come_within_30_days(days: int, late: bool) -> None:
    abroad = section(country="ZIM")
    found = found_with(abroad, handed_in=DAY + timedelta(days), said={"fide_rated": "norm"}, arbiters=(GUGU,))
    assert found == [("10", "abroad", NOTICE)] + ([("10", "abroad-late", WAIVABLE)] if late else [])


def test_10_an_event_abroad_is_fide_rated_and_nobody_registers_it_here() -> None:
    abroad = section(country="ZIM")
    assert found_with(abroad, registered=DAY + timedelta(9)) == [
        ("10", "abroad", NOTICE),
        ("10", "abroad-not-fide-rated", WAIVABLE),
    ]


@pytest.mark.parametrize(("days", "late"), [(1, False), (2, True)])
def test_18_permission_is_asked_for_within_a_day_of_the_end(days: int, late: bool) -> None:
    few = section(5, 5)
    asked_late = ("18", "asked-late", WAIVABLE)
    assert (asked_late in found_with(few, handed_in=DAY + timedelta(days))) == late
    assert found_with(few, handed_in=DAY + timedelta(days), permissions=frozenset({"18"})) == []
    assert asked_late not in found_with(handed_in=DAY + timedelta(days))


def test_18_who_falls_short_is_told_the_last_day_to_ask() -> None:
    few = section(5, 5)
    [found] = check(few, sound(few))
    assert found.params["last"] == DAY + timedelta(1)


@pytest.mark.parametrize(("by_region", "found"), [(True, False), (False, True), (None, False)])
def test_60_the_file_comes_from_the_administrator_of_the_region(by_region: bool | None, found: bool) -> None:
    assert found_with(by_region=by_region) == ([("60", "not-by-the-region", WAIVABLE)] if found else [])


def test_10_results_from_abroad_come_from_whoever_played_there() -> None:
    abroad = section(country="ZIM")
    said: dict[str, Any] = {"said": {"fide_rated": "norm"}, "arbiters": (GUGU,)}
    assert found_with(abroad, by_region=False, **said) == [("10", "abroad", NOTICE)]


def test_an_office_that_holds_nobody_to_deadlines_tells_them_all_the_same() -> None:
    days = {"registered": DAY, "handed_in": DAY + timedelta(15), "by_region": False}
    assert found_with(**days, settings=LENIENT) == [
        ("61.1", "registered-late", NOTICE),
        ("62", "filed-late", NOTICE),
        ("60", "not-by-the-region", NOTICE),
    ]
    abroad = section(country="ZIM")
    assert ("10", "abroad-late", NOTICE) in found_with(
        abroad, handed_in=DAY + timedelta(31), settings=LENIENT
    )
    few = section(5, 5)
    assert found_with(few, handed_in=DAY + timedelta(2), settings=LENIENT) == [
        ("17.1", "too-few-players", WAIVABLE),
        ("18", "asked-late", NOTICE),
    ]
