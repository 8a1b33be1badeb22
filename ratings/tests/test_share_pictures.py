"""Pictures of shared pages: what they say, no more than the page does, and when they are drawn anew."""

from __future__ import annotations

import io
import re
from datetime import date
from typing import Any

import pytest
from django.test import Client
from PIL import Image

from players.models import Federation, Player
from ratings.pages import share
from ratings.pages.share import ShareCard, drawable_text, png_of
from ratings.tests.office import approved, published, register, submitted
from tests.built_once import built_once
from tournaments.models import Event

pytestmark = pytest.mark.django_db
PLAYER, LIST, EVENT = (
    "/csa/players/101000001/",
    "/csa/lists/2024-04/otb-main/r1/",
    "/csa/events/2024-001/",
)


@pytest.fixture
@built_once
def listed(csa: Federation) -> list[Player]:
    players = register(csa, 10)
    approved(submitted(csa, players, ends=date(2024, 3, 1)), date(2024, 3, 4))
    approved(submitted(csa, players, number="2024-002", ends=date(2024, 3, 8), seed=2), date(2024, 3, 10))
    published(csa, date(2024, 4, 1))
    return players


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[ShareCard]:
    """The words of each picture that is drawn."""
    cards: list[ShareCard] = []

    def keep(card: ShareCard) -> bytes:
        cards.append(card)
        return png_of(card)

    monkeypatch.setattr(share, "png_of", keep)
    return cards


@pytest.mark.parametrize("address", [PLAYER, LIST, EVENT])
def test_a_page_names_its_picture_which_is_a_png_of_1200_by_630(
    client: Client, listed: list[Player], address: str
) -> None:
    html = client.get(address).getvalue().decode()
    named = re.search(r'<meta property="og:image" content="http://testserver([^"]+)"', html)
    assert named is not None
    assert named[1] == f"{address}share.png"
    assert '<meta name="twitter:card" content="summary_large_image">' in html
    for tag in ("og:title", "og:description"):
        assert f'<meta property="{tag}"' in html
    answer = client.get(named[1])
    assert answer["Content-Type"] == "image/png"
    picture = Image.open(io.BytesIO(answer.getvalue()))
    assert (picture.format, picture.size) == ("PNG", (1200, 630))


@pytest.mark.parametrize(("address", "of"), [(f"{EVENT}A/", EVENT), ("/csa/", LIST)])
def test_a_section_shows_its_event_s_picture_and_the_front_page_the_newest_list_s(
    client: Client, listed: list[Player], address: str, of: str
) -> None:
    html = client.get(address).getvalue().decode()
    named = re.search(r'<meta property="og:image" content="http://testserver([^"]+)"', html)
    assert named is not None
    assert named[1] == f"{of}share.png"


@pytest.mark.parametrize("address", [PLAYER, LIST, EVENT])
def test_a_picture_that_stayed_the_same_is_not_sent_again(
    client: Client, listed: list[Player], address: str
) -> None:
    first = client.get(f"{address}share.png")
    again = client.get(f"{address}share.png", HTTP_IF_NONE_MATCH=first["ETag"])
    assert again.status_code == 304


def words(card: ShareCard) -> str:
    return " ".join([card.office, card.title, card.under, *(part for row in card.rows for part in row)])


def withhold(player: Player) -> None:
    """Withhold a name as the office does: with the record's own count, so that kept answers end."""
    Player.objects.filter(pk=player.pk).update(withheld=True)
    player.federation.ledger.decisions += 1
    player.federation.ledger.save()


def test_whoever_is_withheld_leaves_the_pictures_at_once(
    client: Client, listed: list[Player], drawn: list[ShareCard]
) -> None:
    client.get(f"{PLAYER}share.png")
    etag = client.get(f"{LIST}share.png")["ETag"]
    assert [listed[0].surname in words(card) for card in drawn[:1]] == [True]
    first = listed_first(drawn[1], listed)
    for player in (listed[0], first):
        withhold(player)
    drawn.clear()
    assert client.get(f"{LIST}share.png", HTTP_IF_NONE_MATCH=etag).status_code == 200
    answer = client.get(f"{PLAYER}share.png")
    assert answer["X-Robots-Tag"] == "noindex"
    for card in drawn:
        assert listed[0].surname not in words(card)
        assert first.surname not in words(card)
    assert "withheld" in words(drawn[0])


def listed_first(card: ShareCard, players: list[Player]) -> Player:
    return next(player for player in players if player.shown_name in card.rows[0][0])


def test_a_child_s_picture_says_what_the_page_says_and_is_kept_from_search_engines(
    client: Client, listed: list[Player], drawn: list[ShareCard]
) -> None:
    Player.objects.filter(pk=listed[0].pk).update(born=2015, sex="f", title="WCM")
    answer = client.get(f"{PLAYER}share.png")
    assert answer["X-Robots-Tag"] == "noindex"
    assert listed[0].surname in words(drawn[0])
    assert "WCM" not in words(drawn[0])
    assert "2015" not in words(drawn[0])


def test_the_picture_of_a_withdrawn_event_is_gone_with_its_page(client: Client, listed: list[Player]) -> None:
    Event.objects.filter(number="2024-001").update(state=Event.State.WITHDRAWN)
    assert client.get(f"{EVENT}share.png").status_code == 404


@pytest.mark.parametrize(
    ("name", "shown"), [("Żak, Basia", "Żak, Basia"), ("Иванов", "Иванов"), ("李", "17")]
)
def test_a_name_that_the_font_cannot_write_gives_way_to_the_number(name: str, shown: str) -> None:
    assert drawable_text(name, "17") == shown


@pytest.mark.parametrize("title", ["", "Ż", "A very long name " * 20])
def test_any_length_of_words_is_drawn_and_the_same_words_give_the_same_bytes(title: str) -> None:
    card = ShareCard(title, 9, title, title, [(title, "1523.2")] * (share.MOST_ROWS + 3))
    assert png_of(card) == png_of(card)


def test_the_colour_of_each_office_is_another(csa: Any) -> None:
    seen = {png_of(ShareCard("Office", accent, "x", "y")) for accent in range(1, 7)}
    assert len(seen) == len(share.ACCENTS)
