"""What search engines find: sitemaps, one address for each page, and the head of each page that they keep."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from html import unescape
from xml.etree import ElementTree

import pytest
from django.test import Client

from players.models import Federation, Player
from ratings.pages.home import OfficeSitemap
from ratings.tests.office import approved, published, register, submitted
from tests.built_once import built_once
from tests.children.crawl import Crawl

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
SITE = "http://testserver"
LOC = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"


@pytest.fixture
@built_once
def players(csa: Federation) -> list[Player]:
    """Ten listed players, of whom the first is a child and the second withheld."""
    players = register(csa, 10)
    Player.objects.filter(pk=players[0].pk).update(born=2015)
    Player.objects.filter(pk=players[1].pk).update(withheld=True)
    for number, seed in (("2024-001", 1), ("2024-002", 2)):
        approved(submitted(csa, players, number=number, seed=seed))
    published(csa, date(2024, 4, 1))
    return players


def addresses(client: Client, path: str) -> list[str]:
    answer = client.get(path)
    assert answer.status_code == 200, path
    assert answer.headers["Content-Type"] == "application/xml"
    return [str(each.text).removeprefix(SITE) for each in ElementTree.fromstring(answer.content).iter(LOC)]


def in_sitemap(client: Client) -> list[str]:
    """All addresses of all files to which the site's index leads."""
    return [address for file in addresses(client, "/sitemap.xml") for address in addresses(client, file)]


def test_robots_are_led_to_the_sitemap(client: Client) -> None:
    assert f"Sitemap: {SITE}/sitemap.xml" in client.get("/robots.txt").content.decode().splitlines()


@pytest.mark.long
def test_every_address_of_the_sitemap_opens_may_be_kept_and_is_the_pages_own(
    client: Client, players: list[Player]
) -> None:
    found = in_sitemap(client)
    assert len(found) == len(set(found))
    assert {
        "/csa/",
        "/csa/lists/2024-04/otb-main/",
        "/csa/events/2024-001/",
        "/csa/events/2024-001/A/",
    } <= {*found}
    for address in found:
        page = client.get(address)
        assert page.status_code == 200, address
        assert "noindex" not in page.content.decode(), address
        assert f'<link rel="canonical" href="{SITE}{address}">' in page.content.decode(), address


def test_no_child_and_nobody_withheld_stands_in_the_sitemap(client: Client, players: list[Player]) -> None:
    assert set(addresses(client, "/csa/sitemap-players.xml")) == {
        f"/csa/players/{player.number}/" for player in players[2:]
    }


def test_who_may_be_a_child_stands_in_no_sitemap_where_the_office_asks_for_births(
    client: Client, players: list[Player]
) -> None:
    Player.objects.update(born=None)
    assert addresses(client, "/csa/sitemap-players.xml") == []


def test_who_was_merged_and_who_has_no_name_stands_in_no_sitemap(
    client: Client, players: list[Player]
) -> None:
    Player.objects.filter(pk=players[2].pk).update(merged_into=players[3])
    Player.objects.filter(pk=players[4].pk).update(surname="", first_name="")
    found = addresses(client, "/csa/sitemap-players.xml")
    assert len(found) == 6
    assert f"/csa/players/{players[2].number}/" not in found
    assert f"/csa/players/{players[4].number}/" not in found


def test_a_long_part_has_several_files_and_the_index_names_them_all(
    client: Client, players: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OfficeSitemap, "limit", 5)
    index = addresses(client, "/csa/sitemap.xml")
    files = [each for each in index if each.startswith("/csa/sitemap-players.xml")]
    assert files == ["/csa/sitemap-players.xml", "/csa/sitemap-players.xml?p=2"]
    assert [len(addresses(client, each)) for each in files] == [5, 3]


@pytest.mark.parametrize("address", ["sitemap-players.xml?p=9", "sitemap-players.xml?p=x", "sitemap-no.xml"])
def test_a_file_that_there_is_not_is_not_found(client: Client, players: list[Player], address: str) -> None:
    assert client.get(f"/csa/{address}").status_code == 404


def test_a_sitemap_asks_as_many_questions_for_many_players_as_for_few(
    client: Client, players: list[Player], django_assert_max_num_queries: object
) -> None:
    with django_assert_max_num_queries(6):  # type: ignore[operator]
        assert addresses(client, "/csa/sitemap-players.xml")


# ---------------------------------------------------------------- the heads of pages


def pages(office: Federation) -> Iterator[tuple[str, str]]:
    """One or two pages of each kind, with their heads."""
    answers = Crawl(Client(), ("Invented",), (), most=2).run("/", f"/{office.code}/").values()
    for answer in answers:
        if "text/html" in answer.head:
            yield answer.address, answer.text.partition("</head>")[0]


def said(head: str, name: str) -> list[str]:
    return [
        unescape(each) for each in re.findall(rf'<meta (?:name|property)="{name}" content="([^"]*)"', head)
    ]


@pytest.mark.long
def test_each_page_that_may_be_kept_has_one_address_a_title_and_words_of_its_own(
    csa: Federation, players: list[Player]
) -> None:
    words: dict[str, set[str]] = {}
    for address, head in pages(csa):
        if "noindex" in head or "Nothing at this address" in head:
            continue
        [canonical] = re.findall(r'<link rel="canonical" href="([^"]*)"', head)
        assert said(head, "og:url") == [unescape(canonical)], address
        assert [len(said(head, name)) for name in ("og:title", "og:type", "og:description")] == [1, 1, 1], (
            address
        )
        [description] = said(head, "description")
        assert 20 < len(description) < 250, (address, description)
        words.setdefault(description, set()).add(canonical.partition("?")[0])
    repeated = {told: where for told, where in words.items() if len(where) > 1}
    assert repeated == {}
    assert len(words) > 15


def test_a_filter_a_mark_and_a_day_change_no_pages_address_and_a_further_page_has_its_own(
    client: Client, players: list[Player]
) -> None:
    number = players[2].number
    for address, canonical in (
        ("/csa/lists/2024-04/otb-main/?region=GAU", "/csa/lists/2024-04/otb-main/"),
        (f"/csa/lists/2024-04/otb-main/?player={number}", "/csa/lists/2024-04/otb-main/"),
        ("/csa/lists/2024-04/otb-main/r1/", "/csa/lists/2024-04/otb-main/"),
        ("/csa/lists/2024-04-01/", "/csa/lists/2024-04/"),
        (f"/csa/players/{number}/?on=2024-04-01&track=otb-main", f"/csa/players/{number}/"),
        ("/csa/events/?page=1", "/csa/events/?page=1"),
    ):
        page = client.get(address).content.decode()
        assert re.findall(r'rel="canonical" href="([^"]*)"', page) == [f"{SITE}{canonical}"], address


def test_a_page_that_is_not_for_everybody_or_not_there_names_no_address_for_engines(
    client: Client, csa: Federation
) -> None:
    for address in ("/csa/events/none/", "/csa/nowhere/", "/accounts/login/"):
        assert "canonical" not in client.get(address).content.decode(), address


def test_engines_do_not_follow_the_link_to_the_sign_in(client: Client, csa: Federation) -> None:
    page = client.get("/csa/").content.decode()
    [link] = re.findall(r"<a\b[^>]*/accounts/login/[^>]*>", page)
    assert 'rel="nofollow"' in link


def test_the_icon_is_where_browsers_look_for_it(client: Client) -> None:
    answer = client.get("/favicon.ico")
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/static/favicon")
