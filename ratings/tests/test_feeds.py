"""Feeds: what is new of an office and of a player, and nothing of who asked not to be named."""

from __future__ import annotations

from datetime import date
from typing import Any
from xml.etree import ElementTree

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.models import Federation, Player
from players.writing import page_cache
from ratings import approval, publication
from ratings.pages import feeds as office_feeds
from ratings.recompute import recompute
from ratings.tests.office import approved, published, register, submitted
from tests.built_once import built_once
from tournaments.models import Section

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"
SITE = "http://testserver"


@pytest.fixture
@built_once
def players(csa: Federation) -> list[Player]:
    players = register(csa, 10)
    for number, seed in (("2024-001", 1), ("2024-002", 2)):
        approved(submitted(csa, players, number=number, seed=seed))
    published(csa, date(2024, 4, 1))
    return players


def entries(client: Client, address: str) -> list[dict[str, str]]:
    """The entries of a feed: title, link, id and words."""
    answer = client.get(address)
    assert answer.status_code == 200, address
    assert answer.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    feed = ElementTree.fromstring(answer.content)
    assert feed.find(f'{ATOM}link[@rel="self"]').attrib["href"] == f"{SITE}{address}"  # type: ignore[union-attr]
    return [_entry(each) for each in feed.iter(f"{ATOM}entry")]


def _entry(entry: ElementTree.Element) -> dict[str, str]:
    text = {name: entry.findtext(f"{ATOM}{name}") or "" for name in ("title", "id", "summary", "updated")}
    return text | {"link": entry.find(f"{ATOM}link").attrib["href"].removeprefix(SITE)}  # type: ignore[union-attr]


def test_the_feed_of_lists_has_each_published_list_and_its_link_opens(
    client: Client, players: list[Player]
) -> None:
    found = entries(client, "/csa/lists.atom")
    assert "/csa/lists/2024-04/otb-main/r1/" in {each["link"] for each in found}
    assert {client.get(each["link"]).status_code for each in found} == {200}
    assert {each["summary"] for each in found} >= {"10 players."}


def test_a_list_published_again_is_an_entry_of_its_own_without_names_of_the_withheld(
    client: Client, csa: Federation, players: list[Player]
) -> None:
    Player.objects.filter(pk=players[0].pk).update(withheld=True)
    section = Section.objects.get(event__number="2024-002")
    words = {"reason": "result", "words": "A result was wrong.", "after_list": True}
    approval.unrate(section=section, by=None, on=date(2024, 4, 3), version=section.version, **words)  # type: ignore[arg-type]
    recompute(csa)
    publication.revise_list(
        federation=csa,
        list_day=date(2024, 4, 1),
        by=None,
        on=date(2024, 4, 4),
        note=f"Without what {players[0].surname} did not play.",
    )
    recompute(csa)
    text = client.get("/csa/lists.atom").content.decode()
    assert "revision 2" in text
    assert "what withheld did not play" in text
    assert players[0].surname not in text
    assert len({each["id"] for each in entries(client, "/csa/lists.atom")}) == text.count("<entry>")


def test_the_feed_of_events_has_what_was_rated_newest_first_and_not_what_was_taken_back(
    client: Client, players: list[Player]
) -> None:
    links = [each["link"] for each in entries(client, "/csa/events.atom")]
    assert links == ["/csa/events/2024-002/A/", "/csa/events/2024-001/A/"]
    section = Section.objects.get(event__number="2024-002")
    words: dict[str, Any] = {"reason": "result", "words": "A result was wrong.", "after_list": True}
    approval.unrate(section=section, by=None, on=date(2024, 4, 3), version=section.version, **words)
    recompute(section.event.federation)
    assert [each["link"] for each in entries(client, "/csa/events.atom")] == ["/csa/events/2024-001/A/"]


def test_a_players_feed_tells_each_event_with_place_score_and_ratings(
    client: Client, players: list[Player]
) -> None:
    address = f"/csa/players/{players[0].number}/events.atom"
    newest, oldest = entries(client, address)
    assert (newest["link"], oldest["link"]) == ("/csa/events/2024-002/A/", "/csa/events/2024-001/A/")
    assert "core " in newest["summary"]
    assert "→" in "".join(each["summary"] for each in (newest, oldest))


def test_nobody_follows_a_player_who_asked_not_to_be_named_and_their_page_leads_to_no_feed(
    client: Client, players: list[Player]
) -> None:
    page = f"/csa/players/{players[0].number}/"
    assert f"{page}events.atom" in client.get(page).content.decode()
    players[0].withheld = True
    players[0].save()
    decisions_seen_again(players[0].federation)
    assert client.get(f"{page}events.atom").status_code == 404
    assert f"{page}events.atom" not in client.get(page).content.decode()


def decisions_seen_again(office: Federation) -> None:
    """As the decision that withheld somebody does: every kept answer ends."""
    office.ledger.decisions += 1
    office.ledger.save(update_fields=["decisions"])


def test_a_childs_feed_is_as_open_as_the_page_and_as_closed_to_search_engines(
    client: Client, players: list[Player]
) -> None:
    Player.objects.filter(pk=players[0].pk).update(born=2015)
    answer = client.get(f"/csa/players/{players[0].number}/events.atom")
    assert answer.status_code == 200
    assert answer.headers["X-Robots-Tag"] == "noindex"


def test_the_feed_of_a_merged_entry_leads_to_that_of_the_player(
    client: Client, players: list[Player]
) -> None:
    Player.objects.filter(pk=players[0].pk).update(merged_into=players[1])
    answer = client.get(f"/csa/players/{players[0].number}/events.atom")
    assert answer.headers["Location"] == f"/csa/players/{players[1].number}/events.atom"


def test_an_empty_feed_is_a_feed_and_the_same_bytes_each_time(client: Client, csa: Federation) -> None:
    for address in ("/csa/lists.atom", "/csa/events.atom"):
        assert entries(client, address) == []
        decisions_seen_again(csa)
        assert client.get(address).content == client.get(address).content


def test_a_feed_asks_as_many_questions_for_thirty_entries_as_for_two(
    client: Client, csa: Federation, players: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(office_feeds, "MOST_FEED_ENTRIES", 30)
    feeds = ("/csa/lists.atom", "/csa/events.atom", f"/csa/players/{players[0].number}/events.atom")
    before = [questions(client, address) for address in feeds]
    for number in range(3, 8):
        approved(submitted(csa, players, number=f"2024-00{number}", seed=number))
        published(csa, date(2024, 2 + number, 1))
    after = [questions(client, address) for address in feeds]
    assert [number for number, _count in after] == [number for number, _count in before]
    assert all(count > 2 for _number, count in after)


def questions(client: Client, address: str) -> tuple[int, int]:
    """Count the queries and the entries of a feed that nothing has been kept of."""
    page_cache.clear()
    with CaptureQueriesContext(connection) as asked:
        found = entries(client, address)
    return len(asked), len(found)
