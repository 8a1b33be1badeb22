"""Calendars of deadlines: an office's for its staff, the next one of each event for everybody, and a file."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from icalendar import Calendar

from players.models import Federation, Ledger, Region, User
from players.writing import page_cache
from tests.built_once import built_once
from tournaments.models import Event, Section, Stage

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)
TODAY = NOW.date()
DUE = timedelta(14)  # csa §62


@pytest.fixture(autouse=True)
def on_that_day() -> object:
    with time_machine.travel(NOW, tick=False) as clock:
        yield clock


def played(office: Federation, number: str, last: date, region: str = "GAU", **more: object) -> Section:
    """A section whose results are due on a day (csa §62)."""
    ends = last - DUE
    event = Event.objects.create(
        federation=office,
        number=number,
        name=f"Open {number}",
        region=office.regions.get(code=region),
        place="Soweto",
        starts=ends - timedelta(1),
        ends=ends,
        registered_on=date(2026, 1, 5),
    )
    days = {"starts": event.starts, "ends": event.ends}
    return Section.objects.create(event=event, code="A", name="A", format="swiss", **{**days, **more})


@pytest.fixture
@built_once
def sections(csa: Federation) -> list[Section]:
    """One that is late, one due today, one within a week, one later, and one of the other region."""
    return [
        played(csa, "2026-001", TODAY - timedelta(1)),
        played(csa, "2026-002", TODAY),
        played(csa, "2026-003", TODAY + timedelta(7)),
        played(csa, "2026-004", TODAY + timedelta(8)),
        played(csa, "2026-005", TODAY + timedelta(3), "WCA"),
    ]


def numbers(browser: Client, query: str = "") -> list[str]:
    """The events of the calendar's rows, in their order."""
    answer = browser.get(f"/csa/desk/deadlines/{query}")
    assert answer.status_code == 200
    return [row.record.section.event.number[-1] for row in answer.context["table"].paginated_rows]


def test_an_official_sees_all_that_is_due_in_the_office_by_its_last_day(
    sections: list[Section], nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    assert numbers(browser) == ["1", "2", "5", "3", "4"]
    page = " ".join(browser.get("/csa/desk/deadlines/").content.decode().split())
    for words in ("1 day late", "today", "7 days left", "§62", "/csa/events/2026-001/A/deadlines/"):
        assert words in page


def test_a_region_sees_its_own_alone(sections: list[Section], pieter: User, client_of: ClientOf) -> None:
    assert numbers(client_of(pieter)) == ["5"]
    assert numbers(client_of(pieter), "?region=GAU") == ["5"]


def columns(browser: Client, address: str = "/csa/desk/deadlines/") -> set[str]:
    return {column.name for column in browser.get(address).context["table"].columns}


def test_the_region_is_named_where_there_are_several_and_by_whom_where_the_office_is_due_too(
    sections: list[Section], nomsa: User, pieter: User, client_of: ClientOf
) -> None:
    assert columns(client_of(nomsa)) == {"last", "state", "words", "section", "region"}
    assert columns(client_of(pieter)) == {"last", "state", "words", "section"}
    office = Federation.objects.create(code="rmf", name="Mahjong", ruleset_slug="mahjong")
    Region.objects.create(federation=office, code="GAU", name="X")
    Ledger.objects.create(federation=office)
    nomsa.appointments.create(federation=office, role="official", starts=date(2020, 1, 1))
    played(office, "2026-001", TODAY + DUE * 2, particulars={"status": "city"})
    assert columns(client_of(nomsa), "/rmf/desk/deadlines/") == {"last", "state", "words", "section", "by"}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?due=late", ["1"]),
        ("?due=soon", ["2", "5", "3"]),
        ("?region=WCA", ["5"]),
        ("?due=soon&region=GAU", ["2", "3"]),
        ("?due=whenever&region=nowhere", ["1", "2", "5", "3", "4"]),
    ],
)
def test_what_is_late_what_comes_within_a_week_and_a_region_can_be_chosen(
    query: str, found: list[str], sections: list[Section], nomsa: User, client_of: ClientOf
) -> None:
    assert numbers(client_of(nomsa), query) == found


@pytest.mark.parametrize("stage", [Stage.SUBMITTED, Stage.RATED, Stage.CANCELLED, Stage.WITHDRAWN])
def test_what_is_done_or_called_off_is_not_waited_for(
    stage: Stage, sections: list[Section], nomsa: User, client_of: ClientOf
) -> None:
    Section.objects.filter(event__number="2026-001").update(stage=stage, submitted_on=TODAY)
    assert numbers(client_of(nomsa)) == ["2", "5", "3", "4"]


def test_the_desk_leads_there_only_where_the_regulations_name_days(
    sections: list[Section], amahle: User, client_of: ClientOf
) -> None:
    assert "/csa/desk/deadlines/" in client_of(amahle).get("/csa/desk/").content.decode()
    office = Federation.objects.create(code="pfo", name="Othello", ruleset_slug="pfo")
    region = Region.objects.create(federation=office, code="X", name="X")
    Ledger.objects.create(federation=office)
    amahle.appointments.create(federation=office, role="regional", region=region, starts=date(2020, 1, 1))
    assert "/desk/deadlines/" not in client_of(amahle).get("/pfo/desk/").content.decode()
    assert "Nothing is due" in client_of(amahle).get("/pfo/desk/deadlines/").content.decode()


# ---------------------------------------------------------------- the public calendar


def shown_numbers(client: Client, table: str, query: str = "") -> list[str]:
    page_cache.clear()
    found = client.get(f"/csa/events/{query}").context[table]
    return [row.record.number[-1] for row in found.rows] if found else []


def test_the_public_calendar_begins_with_the_next_event_and_goes_back_from_the_last(
    csa: Federation, sections: list[Section], client: Client
) -> None:
    Event.objects.update(starts=TODAY, ends=TODAY)
    for number, away in (
        ("2026-001", -9),
        ("2026-002", -1),
        ("2026-003", 0),
        ("2026-004", 9),
        ("2026-005", 1),
    ):
        day = TODAY + timedelta(away)
        Event.objects.filter(number=number).update(starts=day, ends=day)
    assert shown_numbers(client, "coming") == ["3", "5", "4"]
    assert shown_numbers(client, "past") == ["2", "1"]
    assert shown_numbers(client, "coming", "?q=2026-004") == ["4"]
    assert shown_numbers(client, "past", "?q=2026-004") == []


def test_the_public_calendar_says_nothing_of_what_a_region_has_still_to_do(
    sections: list[Section], client: Client
) -> None:
    page_cache.clear()
    for address in ("/csa/events/", sections[0].event.get_absolute_url()):
        assert "Hand in the results" not in client.get(address).content.decode()


def test_pages_go_on_from_the_events_to_come_to_those_played(
    csa: Federation, sections: list[Section], client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ratings.pages.events.EVENTS_A_PAGE", 2)
    for number, away in (
        ("2026-001", -9),
        ("2026-002", -1),
        ("2026-003", 0),
        ("2026-004", 9),
        ("2026-005", 1),
    ):
        day = TODAY + timedelta(away)
        Event.objects.filter(number=number).update(starts=day, ends=day)
    pages = [
        (shown_numbers(client, "coming", f"?page={page}"), shown_numbers(client, "past", f"?page={page}"))
        for page in (1, 2, 3)
    ]
    assert pages == [(["3", "5"], []), (["4"], ["2"]), ([], ["1"])]


def test_more_events_ask_the_database_no_more(
    csa: Federation, sections: list[Section], client: Client
) -> None:
    def asked() -> int:
        page_cache.clear()
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.get("/csa/events/?page=1").status_code == 200
        return len(queries)

    before = asked()
    for number in range(10, 18):
        played(csa, f"2026-0{number}", TODAY)
    assert asked() == before


# ---------------------------------------------------------------- for calendar programs


def entries(client: Client, query: str = "") -> dict[str, Any]:
    """The entries of the calendar's file by their events' numbers, as another program reads them."""
    page_cache.clear()
    answer = client.get(f"/csa/events.ics{query}")
    assert answer.headers["Content-Type"].startswith("text/calendar")
    read = Calendar.from_ical(answer.content).walk("VEVENT")
    office, site = "csa-", f"@{settings.SITE_HOST}"
    return {str(entry["uid"]).removeprefix(office).removesuffix(site): entry for entry in read}


def test_a_calendar_program_reads_days_place_and_address_and_no_deadline_of_a_region(
    sections: list[Section], client: Client
) -> None:
    Event.objects.filter(number="2026-003").update(name="Open; with, signs\\and\nlines")
    read = entries(client)
    assert len(read) == 5
    entry = read["2026-003"]
    event = Event.objects.get(number="2026-003")
    assert entry["summary"] == event.name
    assert entry["dtstart"].dt == event.starts
    assert entry["dtend"].dt == event.ends + timedelta(1)
    assert entry["location"] == "Soweto"
    assert entry["url"] == "http://testserver/csa/events/2026-003/"
    assert "description" not in entry
    assert entry["status"] == "CONFIRMED"


def test_a_calendar_program_is_given_what_the_page_is_filtered_to(
    sections: list[Section], client: Client
) -> None:
    assert set(entries(client, "?region=WCA")) == {"2026-005"}
    assert set(entries(client, "?q=2026-003")) == {"2026-003"}
    assert set(entries(client, "?region=none")) == set()


def test_a_cancelled_event_says_so_and_a_withdrawn_one_or_one_of_long_ago_is_not_there(
    csa: Federation, sections: list[Section], client: Client
) -> None:
    Event.objects.filter(number="2026-001").update(state="cancelled")
    Event.objects.filter(number="2026-002").update(state="withdrawn")
    starts = TODAY - timedelta(366)
    played(csa, "2025-008", starts + DUE + timedelta(1))
    played(csa, "2025-009", starts + DUE)
    read = entries(client)
    assert read["2026-001"]["status"] == "CANCELLED"
    assert "2026-002" not in read
    assert "2025-008" in read
    assert "2025-009" not in read


def test_the_file_is_the_same_bytes_as_long_as_nothing_changes(
    sections: list[Section], client: Client
) -> None:
    first = client.get("/csa/events.ics").content
    page_cache.clear()
    assert client.get("/csa/events.ics").content == first


@pytest.mark.parametrize("query", ["", "?region=WCA", "?year=2024&region=GAU", "?q=nothing-here"])
def test_the_events_of_a_page_are_a_file_in_its_order(client: Client, csa: Federation, query: str) -> None:
    for number, (code, starts) in enumerate(
        [("GAU", date(2024, 3, 1)), ("WCA", date(2024, 3, 2)), ("GAU", date(2030, 1, 1))], start=1
    ):
        Event.objects.create(
            federation=csa,
            number=f"2024-10{number}",
            name='=HYPERLINK("x")',
            region=csa.regions.get(code=code),
            starts=starts,
            ends=starts,
            registered_on=date(2024, 1, 1),
        )
    page = client.get(f"/csa/events/{query}").content.decode()
    seen = list(dict.fromkeys(re.findall(r'href="/csa/events/(2024-10\d)/"', page)))
    told = {suffix: client.get(f"/csa/events.{suffix}{query}") for suffix in ("csv", "xlsx", "json")}
    rows = list(csv.DictReader(told["csv"].getvalue().decode().splitlines()))
    assert [row["number"] for row in rows] == seen
    assert [row["number"] for row in json.loads(told["json"].getvalue())] == seen
    assert all(row["name"].startswith("'=") for row in rows)
    assert told["xlsx"].getvalue().startswith(b"PK")
    assert ("/csa/events.csv" in page) == bool(seen)
    assert client.get("/csa/events.exe").status_code == 404
