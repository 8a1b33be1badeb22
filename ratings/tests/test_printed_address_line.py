"""What a printed page of the public says of itself: when it was shown, and where it is found again."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from html import unescape

import pytest
import time_machine
from django.conf import settings
from django.test import Client

from players.models import Federation, User
from ratings.tests.office import approved, published, register, submitted
from tests.built_once import built_once

pytestmark = pytest.mark.django_db

SITE = "http://testserver"
APRIL = date(2024, 4, 1)
LINE = re.compile(
    r'<p class="on-paper muted">\s*(\S[^<]*?)\s*<span class="mono" translate="no">([^<]*)</span>'
)
NOON = datetime(2024, 5, 5, 10, tzinfo=UTC)
NIGHT = datetime(2024, 5, 5, 22, 30, tzinfo=UTC)
"""In Johannesburg half past midnight of the next day."""


@pytest.fixture
@built_once
def player(csa: Federation) -> str:
    """The address of one of ten players of a rated section, who stand on a list."""
    players = register(csa, 10)
    approved(submitted(csa, players, number="2024-001"))
    approved(submitted(csa, players, number="2024-002", seed=2))
    published(csa, APRIL)
    return players[0].get_absolute_url()


def shown(address: str, client: Client | None = None) -> tuple[str, str] | None:
    """The words and the address that a page prints; of a stranger's page without a reader of its own."""
    answer = (client or Client()).get(address)
    assert answer.status_code == 200, address
    found = LINE.findall(answer.getvalue().decode())
    assert len(found) < 2
    return (found[0][0], unescape(found[0][1])) if found else None


@pytest.mark.parametrize(
    "address",
    [
        "",
        "against/",
        "?on=2024-04-10&track=otb-main",
        "/csa/events/2024-001/",
        "/csa/events/2024-001/A/",
        "/csa/regulations/",
        "/csa/players/?q=inv%C3%A9%20%3Cb%3E",
    ],
)
def test_a_printed_page_bears_the_day_on_which_it_was_shown_and_its_full_address(
    player: str, address: str
) -> None:
    there = address if address.startswith("/") else f"{player}{address}"
    with time_machine.travel(NOON, tick=False):
        line = shown(there)
    assert line is not None
    assert line[0] == "Shown on 5 May 2024:"
    assert Client().get(line[1]).request["QUERY_STRING"] == line[1].partition("?")[2]
    assert line[1].replace("+", "%20") == f"{SITE}{there}"


def test_a_kept_page_of_yesterday_is_not_given_today_by_the_offices_calendar(player: str) -> None:
    with time_machine.travel(NOON, tick=False):
        kept = Client().get(player)
        again = Client().get(player)
    assert kept.content == again.content
    with time_machine.travel(NIGHT, tick=False):
        asked = Client().get(player, headers={"If-None-Match": kept["ETag"]})
        assert asked.status_code == 200
        assert shown(player) == ("Shown on 6 May 2024:", f"{SITE}{player}")


def test_the_address_is_that_of_the_language_in_which_the_sheet_was_read(player: str) -> None:
    czech = Client()
    czech.cookies[settings.LANGUAGE_COOKIE_NAME] = "cs"
    with time_machine.travel(NOON, tick=False):
        for client, address in ((czech, player), (Client(), f"/cs{player}")):
            assert shown(address, client) == ("Zobrazeno 5.\u00a0května 2024:", f"{SITE}/cs{player}")


def test_a_list_to_print_has_its_own_and_what_is_not_for_everybody_has_none(
    player: str, nomsa: User, client_of: Callable[[User], Client]
) -> None:
    assert shown(f"/csa/lists/{APRIL:%Y-%m}/otb-main/r1/print/") is None
    assert shown("/csa/desk/", client_of(nomsa)) is None
    assert shown("/") is None


@pytest.mark.parametrize("page", ["follow_report", "confirm_report"])
def test_no_sheet_bears_an_address_that_opens_a_strangers_report(page: str) -> None:
    source = (settings.ROOT / "templates" / "ratings" / f"{page}.html").read_text()
    assert re.search(r"{% block printed_address_line %}({#.*?#})?{% endblock %}", source)
