"""What an office decided between two days: each decision with its page and how many ratings it moved."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.models import Federation
from ratings import approval
from ratings.models import Change, Fact
from ratings.pages import days
from ratings.rulesets import rulesets
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.eventful import eventful
from ratings.tests.office import approved, published, recompute_all, register, submitted
from ratings.tests.test_asof import office_of
from tests.built_once import built_once

pytestmark = [pytest.mark.django_db, pytest.mark.servers, pytest.mark.long]
every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
ADDRESS = "/csa/changes/"
MOST_QUERIES = 20


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return re.sub(r"\s+", " ", response.getvalue().decode())


def told(html: str) -> list[str]:
    part = re.search(r'<section id="decisions">(.*?)</section>', html)
    assert part is not None
    return re.findall(r"<li>(.*?)</li>", part[1].partition("</ul>")[0])


@pytest.fixture
@built_once
def decided(csa: Federation) -> int:
    """A section rated on 4 March, a list on 1 April, and the line that took the section back on 20 April."""
    players = register(csa, 10)
    approved(submitted(csa, players, number="2024-002", ends=date(2024, 2, 1), seed=2), date(2024, 2, 4))
    section = submitted(csa, players, ends=date(2024, 3, 1))
    approved(section, date(2024, 3, 4))
    published(csa, date(2024, 4, 1))
    section.refresh_from_db()
    line = approval.unrate(
        section=section,
        by=None,
        on=date(2024, 4, 20),
        version=section.version,
        reason="result",
        words="A result was wrong.",
        after_list=True,
    )
    recompute_all(csa)
    return line.number


def test_each_decision_stands_with_its_page_newest_first(client: Client, decided: int) -> None:
    taken_back, listed = told(page(client, f"{ADDRESS}?from=2024-03-04&to=2024-04-20"))
    assert f'href="/csa/errata/{decided}/"' in taken_back
    assert "A game was entered wrongly" in taken_back
    assert 'href="/csa/lists/2024-04/"' in listed


def test_the_later_day_counts_and_the_earlier_does_not(client: Client, decided: int) -> None:
    assert told(page(client, f"{ADDRESS}?from=2024-04-20&to=2024-04-25")) == []
    assert len(told(page(client, f"{ADDRESS}?from=2024-04-19&to=2024-04-20"))) == 1
    assert told(page(client, f"{ADDRESS}?from=2024-04-02&to=2024-04-19")) == []


def test_the_ratings_moved_by_a_section_are_counted_also_when_it_was_taken_back_since(
    client: Client, csa: Federation
) -> None:
    players = register(csa, 10)
    approved(submitted(csa, players, ends=date(2024, 3, 1)), date(2024, 3, 4))
    second = submitted(csa, players, number="2024-002", ends=date(2024, 3, 8), seed=2)
    line = approved(second, date(2024, 3, 10))
    moved = Change.objects.filter(days.MOVES_RATING, fact=line).count()
    assert moved
    address = f"{ADDRESS}?from=2024-03-09&to=2024-03-10"
    assert f"{moved} ratings moved" in page(client, address)
    second.refresh_from_db()
    approval.unrate(
        section=second, by=None, on=date(2024, 3, 20), version=second.version, reason="result", words="Wrong."
    )
    recompute_all(csa)
    assert f"{moved} ratings moved" in page(client, address)


def test_a_further_page_goes_on_below_the_last_line(
    client: Client, decided: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(days, "LINES", 1)
    html = page(client, f"{ADDRESS}?from=2024-03-05&to=2024-04-20")
    [first] = told(html)
    older = re.search(r'rel="next" href="([^"]+)"', html)
    assert older is not None
    html = page(client, ADDRESS + older[1].replace("&amp;", "&"))
    [second] = told(html)
    assert "errata" in first
    assert "lists" in second
    assert 'rel="next"' not in html


@every_ruleset
def test_the_page_takes_a_bounded_number_of_queries(ruleset: Ruleset, client: Client) -> None:
    office = office_of(eventful(ruleset, 3))
    days = sorted({on for on in Fact.objects.filter(on__isnull=False).values_list("on", flat=True) if on})
    with CaptureQueriesContext(connection) as queries:
        html = page(client, f"/{office.code}/changes/?from={days[0]}&to={days[-1] + timedelta(days=1)}")
    assert told(html)
    assert len(queries) <= MOST_QUERIES
