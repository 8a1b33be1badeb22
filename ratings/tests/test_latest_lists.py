"""Addresses that stay lead to the newest lists; a list leads to those before and after it, and counts."""

from __future__ import annotations

from datetime import date

import pytest
from django.test import Client

from players.models import Federation, Player
from ratings.pages import lists
from ratings.tests.office import approved, published, register, submitted
from tests.built_once import built_once

TRACK = "otb-main"


@pytest.fixture
@built_once
def csa_lists(csa: Federation) -> Federation:
    players = register(csa, 10)
    for number, seed in (("2024-001", 1), ("2024-002", 2)):
        approved(submitted(csa, players, number=number, seed=seed))
    for month in (4, 5, 6):
        published(csa, date(2024, month, 1))
    return csa


@pytest.mark.parametrize(
    ("latest", "leads_to"),
    [
        ("", "/csa/lists/2024-06/otb-main/"),
        (f"{TRACK}/", f"/csa/lists/2024-06/{TRACK}/"),
        (f"{TRACK}/?q=in&after=3", f"/csa/lists/2024-06/{TRACK}/?q=in&after=3"),
        (f"{TRACK}/list.csv", f"/csa/lists/2024-06/{TRACK}/r1/list.csv"),
        (f"{TRACK}/list.json", f"/csa/lists/2024-06/{TRACK}/r1/list.json"),
        (f"{TRACK}/fide.txt", f"/csa/lists/2024-06/{TRACK}/r1/fide.txt"),
    ],
)
def test_an_address_that_stays_leads_to_the_newest_lists_and_their_files(
    client: Client, csa_lists: Federation, latest: str, leads_to: str
) -> None:
    response = client.get(f"/csa/lists/latest/{latest}")
    assert (response.status_code, response["Location"]) == (302, leads_to)
    assert client.get(leads_to).status_code == 200
    assert "max-age=60" in response["Cache-Control"]


def test_where_nothing_is_published_or_there_is_no_such_rating_the_page_is_missing(
    client: Client, csa: Federation
) -> None:
    for address in (f"{TRACK}/", "no-such/", f"{TRACK}/list.csv"):
        assert client.get(f"/csa/lists/latest/{address}").status_code == 404
    assert client.get("/csa/lists/latest/")["Location"] == "/csa/lists/"


@pytest.mark.parametrize(
    ("month", "before", "after"), [("04", None, "05"), ("05", "04", "06"), ("06", "05", None)]
)
def test_a_list_leads_to_the_one_before_and_the_one_after(
    client: Client, csa_lists: Federation, month: str, before: str | None, after: str | None
) -> None:
    page = client.get(f"/csa/lists/2024-{month}/{TRACK}/").content.decode()
    for relation, other in (("prev", before), ("next", after)):
        link = f'rel="{relation}" href="/csa/lists/2024-{other}/{TRACK}/"'
        assert (link in page) is (other is not None)


def test_a_filter_says_how_many_it_found(
    client: Client, csa_lists: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = f"/csa/lists/2024-06/{TRACK}/"
    assert " match" not in client.get(page).content.decode()
    assert "10 of 10 match" in client.get(f"{page}?q=invented").content.decode()
    assert "0 of 10 match" in client.get(f"{page}?q=nobody").content.decode()
    monkeypatch.setattr(lists, "COUNTED", 9)
    assert "9+ of 10 match" in client.get(f"{page}?q=invented").content.decode()


def test_an_older_list_is_filtered_by_the_name_of_an_entry_that_was_merged_since(
    client: Client, csa_lists: Federation
) -> None:
    stays, merged = Player.objects.order_by("number")[:2]
    Player.objects.filter(pk=merged.pk).update(surname="Formerly", merged_into=stays)
    page = client.get(f"/csa/lists/2024-06/{TRACK}/?q=formerly").content.decode()
    assert f'id="p{merged.number}"' in page
    assert f'id="p{stays.number}"' in page


def test_a_choice_that_there_is_not_finds_nobody_and_says_so(client: Client, csa_lists: Federation) -> None:
    page = client.get(f"/csa/lists/2024-06/{TRACK}/?region=XXX").content.decode()
    assert 'id="p101' not in page
    assert "XXX is not one of the available choices" in page
    events = client.get("/csa/events/?year=99999").content.decode()
    assert "2024-001" not in events
