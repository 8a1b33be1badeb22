"""The front page tells of every office, and one search finds players of all."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client

from players.models import Federation, Ledger, Player, Region
from players.settings import today
from ratings.tests.office import approved, published, register, submitted
from tests.built_once import built_once
from tournaments.models import Event

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


@pytest.fixture
def answers_kept(settings: Any) -> Iterator[None]:
    """A memory for answers, as production has it."""
    settings.CACHES = {
        **settings.CACHES,
        "answers": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "front"},
    }
    caches["answers"].clear()
    yield
    caches["answers"].clear()


@pytest.fixture
@built_once
def pfo(db: None) -> Federation:
    """A second office, with nothing filed."""
    office = Federation.objects.create(code="pfo", name="Polish Othello Federation", ruleset_slug="pfo")
    Region.objects.create(federation=office, code="POL", name="Poland")
    Ledger.objects.create(federation=office)
    return office


@pytest.fixture
@built_once
def players(csa: Federation) -> list[Player]:
    """Twelve players of an office that has published a list."""
    players = register(csa, 12)
    approved(submitted(csa, players, rounds=11))
    published(csa, date(2024, 4, 1))
    return players


def event(office: Federation, number: str, starts: date, **more: Any) -> Event:
    return Event.objects.create(
        federation=office,
        number=number,
        name=f"Event {number}",
        region=Region.objects.get(federation=office, code={"csa": "GAU", "pfo": "POL"}[office.code]),
        starts=starts,
        ends=starts,
        registered_on=starts,
        **more,
    )


def page(path: str) -> str:
    answer = Client().get(path)
    assert answer.status_code == 200, path
    return answer.content.decode()


def test_each_office_is_told_with_the_best_of_its_newest_list(players: list[Player], pfo: Federation) -> None:
    shown = page("/")
    assert "Chess South Africa" in shown
    assert "12 players" in shown
    assert "/csa/lists/2024-04/" in shown
    assert shown.count('<li value="') == 3
    assert "Polish Othello Federation" in shown
    assert "No list has been published yet." in shown


def test_news_are_publications_rated_events_and_corrections_the_newest_first(players: list[Player]) -> None:
    shown = page("/").partition("What is new")[2]
    assert "lists of 1 April 2024" in shown
    assert "/csa/lists/2024-04/" in shown
    assert "rated 3 Mar 2024 · Chess South Africa" in " ".join(shown.split())
    days = [part.partition('"')[0] for part in shown.split('datetime="')[1:]]
    assert days == sorted(days, reverse=True)


def test_the_next_event_is_told_and_no_cancelled_withdrawn_or_past_one(csa: Federation) -> None:
    now = today(csa)
    event(csa, "2026-901", now - timedelta(days=1))
    event(csa, "2026-902", now, state=Event.State.CANCELLED)
    event(csa, "2026-903", now, state=Event.State.WITHDRAWN)
    assert "Next event" not in page("/")
    assert "Coming events" not in page("/csa/")
    event(csa, "2026-904", now)
    event(csa, "2026-905", now + timedelta(days=1))
    assert "Event 2026-904" in page("/")
    assert "Event 2026-905" not in page("/")
    coming = page("/csa/").partition("Coming events")[2]
    assert coming.index("Event 2026-904") < coming.index("Event 2026-905")
    assert not [number for number in ("901", "902", "903") if f"Event 2026-{number}" in coming]


def test_a_site_without_offices_says_who_makes_one(db: None) -> None:
    shown = page("/")
    assert "manage.py create_office" in shown
    assert 'type="search"' not in shown


@pytest.mark.usefixtures("answers_kept")
def test_the_front_page_costs_one_question_until_an_office_decides_something(
    players: list[Player], pfo: Federation, django_assert_num_queries: Any
) -> None:
    first = page("/")
    with django_assert_num_queries(1):
        assert page("/") == first
    Ledger.objects.filter(federation=pfo).update(decisions=1)
    Federation.objects.filter(pk=pfo.pk).update(name="Othello of Poland")
    assert "Othello of Poland" in page("/")


def test_the_front_page_is_unchanged_for_whoever_holds_it(players: list[Player], csa: Federation) -> None:
    held = Client().get("/").headers["ETag"]
    assert Client().get("/", headers={"If-None-Match": held}).status_code == 304
    Ledger.objects.filter(federation=csa).update(decisions=99)
    assert Client().get("/", headers={"If-None-Match": held}).status_code == 200


def test_a_search_finds_players_of_all_offices(players: list[Player], pfo: Federation) -> None:
    theirs, [ours] = players[0], register(pfo, 1, first=201000001)
    Player.objects.filter(pk__in=(theirs.pk, ours.pk)).update(surname="Dudek", first_name="Lena")
    shown = page("/search/?q=lena+dudek")
    assert f"/csa/players/{theirs.number}/" in shown
    assert f"/pfo/players/{ours.number}/" in shown
    assert "noindex" in shown


def test_a_search_leads_to_the_rest_where_an_office_has_more_than_ten(csa: Federation) -> None:
    register(csa, 11)
    Player.objects.filter(federation=csa).update(surname="Dudek")
    shown = page("/search/?q=dudek")
    assert shown.count("/csa/players/101") == 10
    assert "/csa/players/?q=dudek" in shown
    Player.objects.filter(number="101000001").update(surname="Other")
    assert "/csa/players/?q=dudek" not in page("/search/?q=dudek")


def test_a_search_that_finds_nobody_says_so(players: list[Player]) -> None:
    assert "Nothing found in any office" in page("/search/?q=zzzzzz")
    assert "Nothing found in any office" not in page("/search/")


def test_a_search_names_nobody_who_asked_not_to_be_named(players: list[Player]) -> None:
    found = Player.objects.filter(pk=players[0].pk)
    found.update(surname="Dudek")
    assert "/csa/players/" in page("/search/?q=dudek")
    found.update(withheld=True)
    assert "/csa/players/" not in page("/search/?q=dudek")
