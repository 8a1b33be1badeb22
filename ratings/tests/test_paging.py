"""Long tables: each page that an address asks for, and what an address may say that is no page."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from itertools import product

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.models import Federation, User
from players.pages.tables import ROWS
from players.record import decide
from ratings.tests.office import approved, published, register, submitted
from tests.built_once import built_once
from tournaments.models import Event, Section, Stage
from tournaments.registration import SectionParticulars, add_sections

ClientOf = Callable[[User], Client]
pytestmark = [pytest.mark.django_db, pytest.mark.servers]
ODD = ("9999", "0", "-1", "x", "", "1.5", "٣", "9" * 30)


@pytest.fixture
@built_once
def queue(csa: Federation) -> list[Section]:
    """One section more than a page of the review queue shows, the longest waiting first."""
    event = Event.objects.create(
        federation=csa,
        number="2024-001",
        name="Open",
        region=csa.regions.all()[0],
        starts=date(2024, 3, 1),
        ends=date(2024, 3, 2),
        registered_on=date(2024, 2, 1),
    )
    return [
        Section.objects.create(
            event=event,
            code=f"S{number:03}",
            name=f"S{number:03}",
            stage=Stage.SUBMITTED,
            starts=event.starts,
            ends=event.ends,
            submitted_on=date(2024, 3, 3),
        )
        for number in range(ROWS + 1)
    ]


def test_the_second_page_of_the_review_queue_shows_what_the_first_does_not(
    queue: list[Section], nomsa: User, client_of: ClientOf
) -> None:
    first, second = (client_of(nomsa).get(f"/csa/desk/?page={n}").content.decode() for n in (1, 2))
    of_first, of_second = ({s.code for s in queue if s.key in page} for page in (first, second))
    assert len(of_first) == ROWS
    assert of_second == {s.code for s in queue} - of_first


@pytest.mark.parametrize("sort", ["", "due", "-players", "found", "moves", "-taken", "region", "section"])
def test_rows_of_the_queue_that_tie_are_in_one_order_on_all_pages(
    queue: list[Section], nomsa: User, client_of: ClientOf, sort: str
) -> None:
    with CaptureQueriesContext(connection) as asked:
        client_of(nomsa).get(f"/csa/desk/?page=2&sort={sort}")
    [rows] = [each["sql"] for each in asked if f"LIMIT 1 OFFSET {ROWS}" in each["sql"]]
    assert re.search(r'"id" (ASC|DESC) LIMIT', rows), rows[-200:]


@pytest.mark.parametrize("page", ODD)
def test_the_desk_and_the_record_answer_any_page_that_is_asked_for(
    csa: Federation, queue: list[Section], nomsa: User, client_of: ClientOf, page: str
) -> None:
    for _each in range(ROWS + 1):
        decide(csa, kind="publish", by=nomsa, on=date(2024, 3, 1), about="list 2024-03-01")
    for address in ("/csa/desk/", "/csa/record/"):
        assert client_of(nomsa).get(address, {"page": page}).status_code == 200


def test_past_the_end_the_record_shows_its_last_page(
    csa: Federation, nomsa: User, client_of: ClientOf
) -> None:
    for _each in range(ROWS + 1):
        decide(csa, kind="publish", by=nomsa, on=date(2024, 3, 1), about="list 2024-03-01")
    assert "51 to 51 of 51" in " ".join(
        client_of(nomsa).get("/csa/record/?page=9999").content.decode().split()
    )


@pytest.mark.long
def test_no_public_page_breaks_at_an_odd_address(csa: Federation, client: Client) -> None:
    players = register(csa, 8)
    approved(submitted(csa, players, rounds=10))
    [*_, newest] = published(csa, date(2024, 4, 1))
    pages = ["", "lists/", "players/", f"players/{players[0].number}/", "events/", "events/2024-001/"]
    pages += ["events/2024-001/A/", "journal/", "regulations/", "check/", "tables/grand-prix/"]
    names = ("page", "after", "before", "player", "track", "q", "on", "part", "month")
    for address in [*(f"/csa/{page}" for page in pages), newest.get_absolute_url()]:
        for name, odd in product(names, ODD):
            answer = client.get(address, {name: odd})
            assert answer.status_code in (200, 302, 400, 404), (address, name, odd)


def test_an_event_never_runs_out_of_letters_for_its_sections(csa: Federation, nomsa: User) -> None:
    event = Event.objects.create(
        federation=csa,
        number="2024-001",
        name="Open",
        region=csa.regions.all()[0],
        starts=date(2024, 3, 1),
        ends=date(2024, 3, 2),
        registered_on=date(2024, 2, 1),
    )
    new = [SectionParticulars(name=f"{n}", format="swiss") for n in range(703)]
    made = add_sections(event=event, by=nomsa, on=date(2024, 2, 1), sections=new)
    assert [made[n].code for n in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]
