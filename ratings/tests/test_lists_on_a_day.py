"""The list in force on a day."""

from __future__ import annotations

import re
from datetime import date

import pytest
from django.core.cache import caches
from django.test import Client

from players.models import Federation, Player
from ratings import approval
from ratings.models import RatingList
from ratings.tests.office import approved, published, recompute_all, register, submitted
from tests.built_once import built_once

pytestmark = pytest.mark.django_db
IN_FORCE = "/csa/lists/in-force/"


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    caches["pages"].clear()


@pytest.fixture
@built_once
def lists(csa: Federation) -> list[Player]:
    """Lists on 1 April and 1 May; a section on the first was taken back on 20 April."""
    players = register(csa, 10)
    approved(submitted(csa, players, ends=date(2024, 3, 1)), date(2024, 3, 4))
    second = submitted(csa, players, number="2024-002", ends=date(2024, 3, 8), seed=2)
    approved(second, date(2024, 3, 10))
    published(csa, date(2024, 4, 1))
    second.refresh_from_db()
    approval.unrate(
        section=second,
        by=None,
        on=date(2024, 4, 20),
        version=second.version,
        reason="result",
        words="A result was wrong.",
        after_list=True,
    )
    recompute_all(csa)
    third = submitted(csa, players, number="2024-003", ends=date(2024, 4, 22), seed=3)
    approved(third, date(2024, 4, 25))
    published(csa, date(2024, 5, 1))
    return players


@pytest.mark.parametrize(
    ("day", "label"),
    [("2024-04-01", "2024-04"), ("2024-04-30", "2024-04"), ("2024-05-01", "2024-05"), ("", "2024-05")],
)
def test_the_list_in_force_is_the_newest_published_by_the_end_of_the_day(
    client: Client, lists: list[Player], day: str, label: str
) -> None:
    answer = client.get(f"{IN_FORCE}?track=otb-main&on={day}")
    assert answer["Location"] == f"/csa/lists/{label}/otb-main/r1/"
    assert client.get(answer["Location"]).status_code == 200
    assert client.get(f"{IN_FORCE}?on={day}")["Location"] == f"/csa/lists/{label}/"


def test_before_the_first_list_and_outside_the_record_none_was_in_force(
    client: Client, lists: list[Player]
) -> None:
    early = client.get(f"{IN_FORCE}?track=otb-main&on=2024-03-31")
    assert early.status_code == 404
    assert "No list had been published by that day." in early.content.decode()
    assert client.get(f"{IN_FORCE}?track=otb-main&on=1999-01-01").status_code == 404
    assert client.get(f"{IN_FORCE}?track=none-such&on=2024-04-01").status_code == 404


def test_a_missing_page_says_why_in_our_own_words_and_never_in_djangos(
    client: Client, lists: list[Player]
) -> None:
    early = client.get("/csa/players/101000001/?on=1999-01-01").content.decode()
    assert re.search(r"The record begins on \d+ \w+ 2024\.", early)
    assert "query" not in client.get("/csa/players/7/").content.decode()
    assert "Resolver404" not in client.get("/csa/nowhere/at/all/").content.decode()


def test_the_days_of_lists_offer_ratings_and_days_that_have_a_list(
    client: Client, lists: list[Player]
) -> None:
    page = client.get("/csa/lists/").content.decode()
    assert '<option value="otb-main">' in page
    assert '<option value="ol-blitz">' not in page
    assert 'min="2024-04-01"' in page


def test_a_revision_is_in_force_from_its_own_day_and_not_the_day_before(
    client: Client, csa: Federation, lists: list[Player]
) -> None:
    rated = csa.facts.get(kind="rated", on=date(2024, 4, 25))
    revised = RatingList.objects.get(federation=csa, on=date(2024, 4, 1), track="otb-main")
    revised.pk, revised.revision, revised.fact = None, 2, rated
    revised.save(force_insert=True)
    for day, revision in (("2024-04-24", 1), ("2024-04-25", 2)):
        answer = client.get(f"{IN_FORCE}?track=otb-main&on={day}")
        assert answer["Location"] == f"/csa/lists/2024-04/otb-main/r{revision}/"
