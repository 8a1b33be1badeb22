"""Whoever is no longer signed in is led to the sign-in, and back to a page that can be looked at."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.test import Client

from players.models import Decision, Federation, User
from players.pages.record import RecordTable
from players.settings import today

pytestmark = pytest.mark.django_db
APPROVE = "/csa/events/2026-001/A/approve/"


def test_a_page_is_come_back_to_with_its_query(client: Client, csa: Federation) -> None:
    asked = client.get("/csa/record/?kind=approve").headers["Location"]
    assert asked == "/accounts/login/?next=/csa/record/%3Fkind%3Dapprove"


def test_from_a_form_one_comes_back_to_the_page_it_stood_on(client: Client, csa: Federation) -> None:
    page = "/csa/events/2026-001/A/review/"
    asked = client.post(APPROVE, {"version": 1}, headers={"Referer": f"http://testserver{page}"})
    assert asked.headers["Location"] == f"/accounts/login/?next={page}"


@pytest.mark.parametrize("referer", ["", "https://elsewhere.example/csa/events/2026-001/A/review/"])
def test_from_nowhere_or_another_site_one_comes_to_the_desk(
    client: Client, csa: Federation, referer: str
) -> None:
    asked = client.post(APPROVE, {"version": 1}, headers={"Referer": referer})
    assert asked.headers["Location"] == "/accounts/login/"


def test_a_part_of_a_page_asks_for_the_whole_page_again(client: Client, csa: Federation) -> None:
    asked = client.get("/csa/desk/progress/", headers={"HX-Request": "true"})
    assert (asked.status_code, asked.headers["HX-Refresh"], asked.content) == (200, "true", b"")


def test_the_record_tells_the_time_by_the_offices_own_clock(csa: Federation, thandi: User) -> None:
    late = datetime(2026, 11, 20, 22, 30, tzinfo=UTC)  # half past midnight in Johannesburg
    decision = Decision(federation=csa, number=1, kind="set", at=late, on=today(csa), about="settings")
    table = RecordTable([decision], office=csa)
    assert table.rows[0].get_cell("at") == "21 Nov 2026, 00:30"
