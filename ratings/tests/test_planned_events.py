"""Calculators for organizers: the last days of a planned event (csa), the weight of a planned competition."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from players.models import Federation, Ledger
from players.writing import page_cache
from tests.built_once import built_once
from tests.pages import unbroken

pytestmark = pytest.mark.django_db
DAYS, PLANNED = "/csa/tables/days/", "/rmf/tables/planned/"


@pytest.fixture
@built_once
def rmf(db: None) -> Federation:
    page_cache.clear()
    office = Federation.objects.create(code="rmf", name="Mahjong", ruleset_slug="mahjong")
    Ledger.objects.create(federation=office)
    return office


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("", ["30 June 2026", "6 July 2026", "19 July 2026"]),  # csa 61.1 18 62
        ("fide_rated=non-norm", ["26 June 2026", "6 July 2026", "19 July 2026"]),  # csa 61.2
        ("fide_rated=norm", ["3 June 2026", "6 July 2026", "19 July 2026"]),
        ("abroad=on", ["4 August 2026"]),  # csa 10
        ("fide_rated=norm&abroad=on", ["4 August 2026"]),
    ],
)
def test_the_days_of_a_planned_event_follow_from_its_own(
    csa: Federation, client: Client, query: str, days: list[str]
) -> None:
    page_cache.clear()
    page = client.get(f"{DAYS}?worked=1&starts=2026-07-03&ends=2026-07-05&{query}").content.decode()
    told = page.split('id="result"')[1].split("</section>")[0]
    assert re.findall(r"\d{1,2} (?:June|July|August) 2026", told) == days


def test_an_event_of_one_day_ends_on_its_first(csa: Federation, client: Client) -> None:
    page_cache.clear()
    page = client.get(f"{DAYS}?worked=1&starts=2026-07-03").content.decode()
    assert "17 July 2026" in page


def test_a_last_day_before_the_first_is_told(csa: Federation, client: Client) -> None:
    page_cache.clear()
    page = client.get(f"{DAYS}?worked=1&starts=2026-07-03&ends=2026-07-02").content.decode()
    assert "The last day comes before the first one" in page
    assert "Hand in the results" not in page
    assert client.get(f"{DAYS}?worked=1").status_code == 400


@pytest.mark.parametrize(
    ("query", "result"),
    [
        ("status=city", "Coefficient 1"),
        ("status=national", "Coefficient 3"),
        ("status=world", "Coefficient 5"),
        ("status=special&coefficient=2", "Coefficient 2"),
        ("status=special", "No coefficient yet"),
    ],
)
def test_the_coefficient_of_a_planned_competition_follows_its_status(
    rmf: Federation, client: Client, query: str, result: str
) -> None:
    page = client.get(f"{PLANNED}?worked=1&ends=2026-07-05&{query}").content.decode()
    assert f"<dd>{result}" in page


def test_a_coefficient_that_no_regulation_gives_is_no_choice(rmf: Federation, client: Client) -> None:
    answer = client.get(f"{PLANNED}?worked=1&ends=2026-07-05&status=special&coefficient=3")
    assert answer.status_code == 400
    assert "<dd>No coefficient yet" not in answer.content.decode()


def test_a_planned_competition_loses_a_quarter_of_its_weight_each_year(
    rmf: Federation, client: Client
) -> None:
    query = "worked=1&ends=2028-02-29&status=national&admitted=4&players=16&place=4"
    page = unbroken(client.get(f"{PLANNED}?{query}").content.decode())
    for told in ("28 February 2029", "28 February 2031", "29 February 2032", "1 March 2032"):
        assert told in page
    for weight in ("2.25", "1.5", "0.75", "0.03", "0.8"):
        assert weight in page
