"""Registering on one page where much is asked: what follows is not asked, and is said before play."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from html import unescape
from typing import Any

import pytest
from django.test import Client

from players.models import Decision
from tournaments.models import Event, Section
from tournaments.tests.test_table_filing import Opened, opened, vera

__all__ = ["opened", "vera"]
Vera = Callable[[Section], Client]
EVENT = {
    "name": "Кубок весны",
    "place": "Казань",
    "organizer": "Вера",
    "starts": "2027-03-06",
    "ends": "2027-03-07",
    "sections-TOTAL_FORMS": "1",
    "sections-INITIAL_FORMS": "0",
    "sections-0-name": "A",
}
MAHJONG = {
    "sections-0-format": "placement",
    "sections-0-rounds": "3",
    "sections-0-own-status": "city",
    "sections-0-own-entry": "open",
    "sections-0-own-expected": "12",
    "sections-0-own-played_by": "wmo",
    "sections-0-own-announced_on": "2027-01-15",
}
DOTS = {"sections-0-format": "round-robin", "sections-0-own-time_class": "classic"}
pytestmark = pytest.mark.django_db


def words_of(answer: Any) -> str:
    """The words of a page, without its tags."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", answer.content.decode())))


def sent(section: Section, browser: Client, answers: dict[str, str]) -> Any:
    region = section.event.region_id
    office = section.event.federation.code
    return browser.post(f"/{office}/events/register/", EVENT | {"region": region} | answers, follow=True)


def test_an_event_of_mahjong_is_registered_by_one_form_with_all_answers(opened: Opened, vera: Vera) -> None:
    known = opened("mahjong", "placement", status="city")
    decisions = Decision.objects.count()
    page = sent(known, vera(known), MAHJONG)
    event = Event.objects.get(name="Кубок весны")
    assert Decision.objects.count() == decisions + 1
    assert (event.place, event.organizer, event.starts) == ("Казань", "Вера", date(2027, 3, 6))
    [section] = event.sections.all()
    assert (section.name, section.format, section.rounds) == ("A", "placement", 3)
    assert section.particulars == {
        "status": "city",
        "entry": "open",
        "expected": 12,
        "played_by": "wmo",
        "announced_on": "2027-01-15",
    }
    told = words_of(page)
    for words in (
        "At least 8 players take part.",
        "At least 3 sessions are played.",
        "The coefficient is 1.",
    ):
        assert words in told


@pytest.mark.parametrize(
    ("answers", "category"),
    [
        ({}, "highest"),
        ({"sections-0-own-ages": "on"}, "first"),
        ({"sections-0-own-highest_rating": "2200"}, "first"),
        ({"sections-0-own-highest_rating": "2199"}, "second"),
        ({"sections-0-format": "swiss"}, "first"),
        ({"sections-0-own-category": "third"}, "third"),
        ({"sections-0-format": "swiss", "sections-0-own-category": "highest"}, "highest"),
    ],
)
def test_ssdc_3_the_category_follows_from_the_answers_and_a_lower_one_may_be_chosen(
    answers: dict[str, str], category: str, opened: Opened, vera: Vera
) -> None:
    known = opened("ssdc", "swiss")
    page = sent(known, vera(known), DOTS | answers)
    section = Event.objects.get(name="Кубок весны").sections.get()
    assert section.particulars["category"] == category
    assert f"{category.title()} category" in words_of(page)


def test_ssdc_3_4_7_a_higher_category_is_refused_at_once(opened: Opened, vera: Vera) -> None:
    known = opened("ssdc", "swiss")
    limits = {"sections-0-own-highest_rating": "2200", "sections-0-own-category": "highest"}
    page = sent(known, vera(known), DOTS | limits)
    assert page.status_code == 400
    assert "By the other answers it can be “First” at best." in words_of(page)
    assert not Event.objects.filter(name="Кубок весны").exists()


def test_ssdc_3_other_answers_move_a_category_that_followed(opened: Opened, vera: Vera) -> None:
    known = opened("ssdc", "swiss")
    browser = vera(known)
    sent(known, browser, DOTS)
    section = Event.objects.get(name="Кубок весны").sections.get()
    address = f"/ssdc/events/{section.key}/edit/"
    form = browser.get(address).context["form"]
    assert "own-category" not in {name for name, value in form.initial.items() if value}
    values = {name: form[name].value() for name in form.fields}
    shown = {name: value for name, value in values.items() if value is not None and value is not False}
    answer = browser.post(address, shown | {"own-ages": "on", "reason": "Seniors alone."})
    assert answer.status_code == 302, answer.context["form"].errors
    section.refresh_from_db()
    assert section.particulars["category"] == "first"


def test_last_years_event_stands_in_the_form_at_one_click(opened: Opened, vera: Vera) -> None:
    known = opened("mahjong", "placement", status="city")
    browser = vera(known)
    sent(known, browser, MAHJONG)
    number = Event.objects.get(name="Кубок весны").number
    page = browser.get(f"/mahjong/events/register/?like={number}").content.decode()
    for part in ('value="Кубок весны"', 'value="2028-03-04"', 'value="city" selected', 'value="12"'):
        assert part in page


@pytest.mark.parametrize(
    ("address", "taken"),
    [
        ("https://mahjong.example/kubok.pdf", True),
        ("javascript:alert(1)", False),
        ("ftp://a.example/b", False),
    ],
)
def test_mahjong_1_6_the_events_page_links_to_its_announcement_and_regulations(
    address: str, taken: bool, opened: Opened, vera: Vera, client: Client
) -> None:
    known = opened("mahjong", "placement", status="city")
    page = sent(known, vera(known), MAHJONG | {"sections-0-own-announcement": address})
    assert page.status_code == (200 if taken else 400)
    event = Event.objects.filter(name="Кубок весны").first()
    assert (event is not None) == taken
    if event:
        assert f'href="{address}"' in client.get(event.get_absolute_url()).content.decode()
