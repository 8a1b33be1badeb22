"""Readers who follow a player, a region or lists: confirmed addresses, one letter a day, one click to end."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.core import mail
from django.core.cache import cache
from django.test import Client

from players.models import Federation, Player
from ratings.following import (
    MOST_NEWS,
    Subject,
    confirm_following,
    delete_unconfirmed_followings,
    find_subject,
    follow,
    order_letters_to_followers,
)
from ratings.models import Following
from ratings.pages import following as pages
from ratings.people import correct_player, forget_name
from ratings.personal_data import get_player_data, record_and_get_reporter_data
from ratings.tests.office import approved, published, register, submitted
from tests.built_once import built_once
from tournaments.models import Case, Section

pytestmark = pytest.mark.django_db
AT = datetime(2024, 3, 4, 10, 0, tzinfo=UTC)
DAY = AT.date()
READER = "reader@example.org"
PLAYER, REGION, TRACK = (
    "/csa/follow/?player=101000001",
    "/csa/follow/?region=GAU",
    "/csa/follow/?track=otb-main",
)


@pytest.fixture(autouse=True)
def on_the_day() -> object:
    with time_machine.travel(AT, tick=False):
        yield


@pytest.fixture
@built_once
def played(csa: Federation) -> Section:
    return submitted(csa, register(csa, 8), rounds=10)


def links(text: str) -> list[str]:
    return re.findall(r"http://\S+?(/csa/follow/(?:confirm|end)/\S+)", text)


def ask(client: Client, address: str = PLAYER, email: str = READER) -> int:
    return client.post(address, {"email": email, "website": ""}).status_code


def followed(office: Federation, about: str = "player 101000001", email: str = READER) -> Following:
    """A confirmed following."""
    subject = find_subject(office, *about.split())
    assert subject is not None
    follow(about=subject, email=email, at=AT)
    following = Following.objects.get(email=email, about=about)
    confirm_following(following, DAY)
    mail.outbox.clear()
    return following


def letters() -> list[str]:
    """The texts of the letters that are due, as sent."""
    mail.outbox.clear()
    order_letters_to_followers()
    return [str(each.body) for each in mail.outbox]


# ---------------------------------------------------------------- asking and confirming


@pytest.mark.parametrize("address", [PLAYER, REGION, TRACK])
def test_an_address_gets_nothing_before_its_link_is_opened_and_its_button_pressed(
    client: Client, played: Section, csa: Federation, address: str
) -> None:
    assert ask(client, address) == 200
    [link] = links(str(mail.outbox[0].body))
    assert client.get(link).status_code == 200  # as programs that scan mail open it
    approved(played, DAY)
    published(csa, date(2024, 4, 1))
    assert letters() == []
    assert Following.objects.get().confirmed_on is None
    assert client.post(link).status_code == 302
    assert Following.objects.get().confirmed_on == DAY
    assert letters() == []  # of what was rated before that


@pytest.mark.parametrize("email", [READER, "another@example.org"])
def test_the_answer_is_the_same_for_an_address_that_follows_and_one_that_nobody_knows(
    client: Client, played: Section, csa: Federation, email: str
) -> None:
    followed(csa)
    answer = client.post(PLAYER, {"email": email, "website": ""})
    assert answer.status_code == 200
    cache.clear()
    other = client.post(PLAYER, {"email": "third@example.org", "website": ""})
    assert other.content.decode().replace("third@example.org", email) == answer.content.decode()
    assert [email in each.to for each in mail.outbox] == ([] if email == READER else [True]) + [False]


def test_a_link_is_good_for_three_days_and_the_address_is_deleted_after_them(
    client: Client, played: Section
) -> None:
    ask(client)
    [link] = links(str(mail.outbox[0].body))
    delete_unconfirmed_followings(AT + timedelta(days=3))
    assert Following.objects.exists()
    with time_machine.travel(AT + timedelta(days=3, seconds=1), tick=False):
        assert client.get(link).status_code == 404
        delete_unconfirmed_followings(AT + timedelta(days=3, seconds=1))
    assert not Following.objects.exists()


def test_a_confirmed_address_stays(csa: Federation, played: Section) -> None:
    followed(csa)
    delete_unconfirmed_followings(AT + timedelta(days=900))
    assert Following.objects.exists()


def test_a_network_asks_ten_times_a_day_and_an_address_gets_five_letters(
    client: Client, played: Section, csa: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    statuses = [ask(client) for _ in range(11)]
    assert statuses == [200] * 10 + [429]
    assert len(mail.outbox) == 5
    cache.clear()
    monkeypatch.setattr("ratings.following.MOST_OF_OFFICE", 1)
    assert ask(client, TRACK, "other@example.org") == 429


def test_a_program_that_fills_in_everything_gets_the_same_answer_and_nothing_happens(
    client: Client, played: Section
) -> None:
    answer = client.post(PLAYER, {"email": READER, "website": "http://spam"})
    assert (answer.status_code, Following.objects.count(), mail.outbox) == (200, 0, [])


@pytest.mark.parametrize("query", ["player=1", "player=101000002", "region=XXX", "track=none"])
def test_what_is_not_there_or_asked_not_to_be_named_cannot_be_followed(
    client: Client, played: Section, query: str
) -> None:
    Player.objects.filter(number="101000002").update(withheld=True)
    assert client.get(f"/csa/follow/?{query}").status_code == 404
    assert client.post(f"/csa/follow/?{query}", {"email": READER}).status_code == 404
    assert not Following.objects.exists()


# ---------------------------------------------------------------- letters


@pytest.mark.parametrize(
    ("about", "told", "row"),
    [
        ("player 101000001", 5, "Rating 1"),
        ("region GAU", 5, "?region=GAU"),
        ("track otb-main", 1, "8 players."),
        ("region WCA", 4, "?region=WCA"),
    ],
)
def test_a_letter_tells_of_rated_sections_and_lists_that_concern_what_is_followed(
    csa: Federation, played: Section, about: str, told: int, row: str
) -> None:
    followed(csa, about)
    approved(played, DAY)
    published(csa, date(2024, 4, 1))
    [letter] = letters()
    assert len(re.findall(r"http://\S+/(?:events|lists)/", letter)) == told
    assert row in letter
    assert ("Open 2024-001" in letter) == (told == 5)


def test_nobody_is_told_of_the_play_of_others(csa: Federation, played: Section) -> None:
    stranger = register(csa, 1, first=101000900)[0]
    followed(csa, f"player {stranger.number}")
    followed(csa, "region WCA")
    followed(csa, "track otb-main")
    approved(played, DAY)
    assert letters() == []


def test_one_letter_a_day_at_most_and_nothing_is_lost_or_told_twice(csa: Federation, played: Section) -> None:
    followed(csa)
    players = list(Player.objects.order_by("pk")[:8])
    approved(played, DAY)
    assert len(letters()) == 1
    approved(submitted(csa, players, number="2024-002", seed=2), DAY)
    assert letters() == []
    with time_machine.travel(AT + timedelta(days=1), tick=False):
        [letter] = letters()
        assert "Open 2024-002" in letter
        assert "Open 2024-001" not in letter
        assert letters() == []


def test_a_player_s_letter_says_how_the_rating_moved(csa: Federation, played: Section) -> None:
    followed(csa)
    approved(played, DAY)
    [letter] = letters()
    assert re.search(r"Main: – → \d+\.\d", letter)


def test_a_letter_that_waits_says_nothing_of_a_section_that_was_taken_back(
    csa: Federation, played: Section
) -> None:
    followed(csa)
    approved(played, DAY)
    Section.objects.update(stage="submitted")
    assert letters() == []
    assert MOST_NEWS > 1


# ---------------------------------------------------------------- ending


def test_a_letter_is_ended_by_one_click_of_a_program_without_a_session(
    csa: Federation, played: Section
) -> None:
    followed(csa)
    approved(played, DAY)
    [letter] = letters()
    headers = mail.outbox[0].extra_headers
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    [link] = links(letter)
    assert link in headers["List-Unsubscribe"]
    browser = Client(enforce_csrf_checks=True)
    assert browser.get(link).status_code == 200
    assert Following.objects.exists()  # programs that scan mail open links too
    browser.post(link, {"List-Unsubscribe": "One-Click"})
    assert not Following.objects.exists()
    assert browser.get(link).status_code == 404


@pytest.mark.parametrize("purpose", ["end", "confirm"])
def test_a_forged_or_foreign_link_ends_and_confirms_nothing(
    client: Client, csa: Federation, played: Section, purpose: str
) -> None:
    followed(csa)
    for token in ("", "forged", "x:y:z"):
        client.post(f"/csa/follow/{purpose}/?following={token}")
    assert Following.objects.get().confirmed_on == DAY


def test_following_ends_when_a_player_is_withheld_or_forgotten(csa: Federation, played: Section) -> None:
    one, other = Player.objects.select_related("federation").order_by("pk")[:2]
    for player in (one, other):
        followed(csa, f"player {player.number}")
    correct_player(player=one, by=None, on=DAY, withheld=True)
    assert [each.about for each in Following.objects.all()] == [f"player {other.number}"]
    forget_name(player=other, by=None, on=DAY)
    assert not Following.objects.exists()


def test_whoever_was_withheld_some_other_way_is_in_no_letter(csa: Federation, played: Section) -> None:
    followed(csa)
    approved(played, DAY)
    Player.objects.filter(number="101000001").update(withheld=True)
    assert letters() == []
    assert not Following.objects.exists()


def test_a_merged_entry_leads_to_the_player_who_stays(csa: Federation, played: Section) -> None:
    one, other = Player.objects.order_by("pk")[:2]
    followed(csa, f"player {other.number}")
    approved(played, DAY)
    Player.objects.filter(pk=other.pk).update(merged_into=one)
    [letter] = letters()
    assert one.surname in letter or one.surname in mail.outbox[0].subject


# ---------------------------------------------------------------- what is held


def test_readers_get_their_own_data_and_players_learn_nothing_of_their_followers(
    csa: Federation, played: Section
) -> None:
    followed(csa)
    told = record_and_get_reporter_data(federation=csa, email=READER, by=None, on=DAY)
    assert [row["about"] for row in told["letters to followers"]] == ["player 101000001"]
    player = Player.objects.select_related("federation").get(number="101000001")
    assert READER not in str(get_player_data(player, DAY))
    with pytest.raises(Case.DoesNotExist):
        record_and_get_reporter_data(federation=csa, email="nobody@example.org", by=None, on=DAY)


def test_a_subject_is_one_thing(csa: Federation) -> None:
    assert find_subject(csa, "office", "csa") is None
    region = csa.regions.get(code="GAU")
    assert (Subject(csa, region=region).about, pages.subject_path(Subject(csa, region=region))) == (
        "region GAU",
        "/csa/regions/GAU/",
    )


# ---------------------------------------------------------------- badges


def test_a_badge_says_the_rating_of_today_without_a_name_and_other_sites_may_show_it(
    client: Client, csa: Federation, played: Section
) -> None:
    approved(played, DAY)
    answer = client.get("/csa/players/101000001/badge.svg")
    assert answer["Content-Type"] == "image/svg+xml"
    assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"
    svg = answer.content.decode()
    assert re.search(r">\d{3,4}\.\d<", svg)
    assert "Invented" not in svg


def test_there_is_no_badge_of_a_withheld_player_and_a_child_s_is_kept_from_search_engines(
    client: Client, csa: Federation, played: Section
) -> None:
    Player.objects.filter(number="101000001").update(withheld=True)
    Player.objects.filter(number="101000002").update(born=2015)
    assert client.get("/csa/players/101000001/badge.svg").status_code == 404
    assert client.get("/csa/players/101000002/badge.svg")["X-Robots-Tag"] == "noindex"
    assert "X-Robots-Tag" not in client.get("/csa/players/101000003/badge.svg")
