"""Proposals for what a file leaves open, and answers for all at once: places, and the days of rounds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from django.test import Client

from tournaments.details import spread_days
from tournaments.models import Section
from tournaments.tests.conftest import Send, address, fresh
from tournaments.tests.elo_files import ELO
from tournaments.tests.test_filing_families import NUMBERS, OTHELLO, othello
from tournaments.tests.test_finals import FINALS
from tournaments.tests.test_table_filing import keep_details, keys, opened, vera

__all__ = ["NUMBERS", "OTHELLO", "opened", "othello", "vera"]
Vera = Callable[[Section], Client]
BARE = ELO.split("%%Added")[0]


def proposed(section: Section, client: Client) -> list[int | None]:
    places = client.get(address(section, "details")).context["forms"].places
    return [row["field"].value() for row in places.rows()]


# ---------------------------------------------------------------- places


@pytest.mark.parametrize(
    ("before", "after", "places"),
    [
        ("", "", [1, 2, 4, 3]),  # half a point each, 56 discs before 52
        ("707 (44)>(20) 170121 B", "707 (40)>(24) 170121 B", [1, 2, 3, 3]),
        ("707 (44)>(20) 170121 B", "707 > 170121 B", [1, 2, 3, 3]),
    ],
)
def test_places_are_proposed_by_points_then_discs_and_shared_where_both_are_the_same(
    othello: Section, vera: Vera, upload: Send, before: str, after: str, places: list[int]
) -> None:
    text = "\n".join(" ".join(line.split()) for line in BARE.splitlines())
    text = text.replace(", 2, 80, 1500", "").replace(", 1, 68, 1400", "")
    text = text.replace(", 0.5, 52, 0", "").replace(", 0.5, 56, 0", "")
    upload(vera(othello), othello, text.replace(before, after).encode())
    assert proposed(othello, vera(othello)) == places
    assert "places-needed" in keys(fresh(othello), "asks")


def test_proposed_places_hold_once_they_are_saved(
    othello: Section, vera: Vera, upload: Send, send: Send
) -> None:
    upload(vera(othello), othello, BARE.encode())
    assert [entry.place for entry in othello.entries.all()] == [None] * 4
    keep_details(vera(othello), othello, send)
    assert [entry.place for entry in othello.entries.all()] == [1, 2, 4, 3]
    assert "places-needed" not in keys(fresh(othello), "asks")


def test_no_places_are_proposed_where_the_file_or_a_person_gave_some(
    othello: Section, vera: Vera, upload: Send, send: Send
) -> None:
    upload(vera(othello), othello, (BARE + "%1 707 Jan Kowalski 1/2\n").encode())
    assert proposed(othello, vera(othello)) == [None, 1, None, None]


def test_finals_decide_the_places_that_they_were_about(othello: Section, vera: Vera, upload: Send) -> None:
    turned = FINALS.replace("707 (44)>(20) 120 B\n%Round: F", "707 (20)<(44) 120 B\n%Round: F")
    upload(vera(othello), othello, turned.encode())
    assert proposed(othello, vera(othello)) == [1, 4, 3, 2]


# ---------------------------------------------------------------- days of rounds


@pytest.mark.parametrize(
    ("ends", "rounds", "days"),
    [
        (1, 3, [1, 1, 1]),
        (2, 3, [1, 1, 2]),
        (3, 7, [1, 1, 1, 2, 2, 3, 3]),
        (3, 3, [1, 2, 3]),
        (5, 3, [1, 3, 5]),
        (9, 1, [1]),
    ],
)
def test_rounds_are_spread_evenly_over_the_days_in_order(ends: int, rounds: int, days: list[int]) -> None:
    assert [day.day for day in spread_days(date(2026, 3, 1), date(2026, 3, ends), rounds)] == days


@pytest.mark.parametrize(
    ("button", "days"), [("one", ["2026-03-07", "2026-03-07"]), ("spread", ["2026-03-07", "2026-03-08"])]
)
def test_one_click_dates_all_rounds_and_saves_nothing(
    othello: Section, vera: Vera, upload: Send, send: Send, button: str, days: list[str]
) -> None:
    upload(vera(othello), othello, BARE.encode())
    keep_details(vera(othello), othello, send, rounds="2")
    version = fresh(othello).version
    typed = {"version": version, "starts": "2026-03-07", "ends": "2026-03-08", "name": "Typed by hand"}
    page = vera(othello).post(address(othello, "details"), typed | {"fill-days": button})
    form = page.context["forms"].details
    assert page.status_code == 200
    assert [form[name].value() for name in form.round_names] == days
    assert form["name"].value() == "Typed by hand"
    assert fresh(othello).version == version


def test_days_that_cannot_be_read_leave_the_rounds_as_they_were(
    othello: Section, vera: Vera, upload: Send
) -> None:
    upload(vera(othello), othello, BARE.encode())
    page = vera(othello).post(
        address(othello, "details"), {"starts": "soon", "fill-days": "one", "round-1": "x"}
    )
    assert page.context["forms"].details["round-1"].value() == "x"
