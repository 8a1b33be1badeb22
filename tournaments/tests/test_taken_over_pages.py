"""Pages, feeds, programs' answers and dumps tell a past that was taken over from the office's own."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from players.models import Federation
from players.settings import today
from ratings.models import DaysTakenOver, Fact, RatingList
from ratings.public_tables import TABLES
from ratings.recompute import recompute
from tournaments.tests.histories import folder
from tournaments.tests.test_histories import past


@pytest.fixture
def moved_in(csa: Federation, tmp_path: Path) -> Federation:
    """An office with a past of 2021, taken over today, and a list that it published itself."""
    call_command("take_history", "csa", str(folder(tmp_path / "past", past())))
    return csa


def text(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return " ".join(answer.content.decode().split())


def published_now(office: Federation) -> None:
    from ratings.publication import publish_list

    publish_list(federation=office, by=None, on=today(office))
    recompute(office)


def test_a_list_of_the_past_is_computed_afterwards_and_the_offices_own_is_published(
    moved_in: Federation, client: Client
) -> None:
    old = text(client, "/csa/lists/2021-07/otb-main/")
    assert "Computed afterwards" in old
    assert "never published on its own day" in old
    assert "<dt>Published</dt>" not in old
    published_now(moved_in)
    own = RatingList.objects.filter(federation=moved_in, on=today(moved_in), track="otb-main").get()
    assert own.taken_over_on is None
    shown = text(client, own.get_absolute_url())
    assert "<dt>Published</dt>" in shown
    assert "Computed afterwards" not in shown
    days = text(client, "/csa/lists/")
    of_past = RatingList.objects.filter(federation=moved_in, on__year=2021).values("on").distinct()
    assert days.count("computed afterwards") == of_past.count() > 0


def test_a_section_of_the_past_says_when_it_was_taken_over(moved_in: Federation, client: Client) -> None:
    page = text(client, "/csa/events/2021-001/A/")
    assert "Taken over by Chess South Africa" in page
    assert "Approved and rated by" not in page


def test_as_known_then_begins_on_the_day_of_taking_over(moved_in: Federation, client: Client) -> None:
    number = moved_in.players.get(surname="Dlamini").number
    before = text(client, f"/csa/players/{number}/?on=2021-07-02")
    assert "Nothing was known here yet: this past was taken over on" in before
    assert "was computed afterwards" in before
    assert "As published then" not in before


def test_feeds_and_programs_are_told_too(moved_in: Federation, client: Client) -> None:
    day = today(moved_in)
    assert "Computed afterwards: taken over on" in text(client, "/csa/lists.atom")
    assert "taken over on" in text(client, "/csa/events.atom")
    found = client.get("/api/v1/offices/csa/lists/2021-07-01/otb-main").json()
    assert found["taken_over"] == day.isoformat()
    section = client.get("/api/v1/offices/csa/events/2021-001/sections/A").json()
    assert section["taken_over"] == day.isoformat()
    [lists] = [table for table in TABLES if table.name == "lists"]
    assert {row[-1] for row in lists.read(moved_in)} == {day.isoformat()}


def test_of_several_histories_each_line_is_of_the_first_that_stands_below_it(csa: Federation) -> None:
    for number, kind, on in ((2, "list", 1), (3, "taken_over", 5), (4, "list", 6), (5, "taken_over", 9)):
        Fact.objects.create(federation=csa, number=number, kind=kind, on=date(2026, 1, on), line="{}")
    over = DaysTakenOver(csa)
    told = [over.day_for_line(number) for number in (2, 3, 4, 5, 6)]
    assert told == [date(2026, 1, 5), date(2026, 1, 5), date(2026, 1, 9), date(2026, 1, 9), None]
