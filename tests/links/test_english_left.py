"""No page of a demo office has English left where another language was asked for: not for the public, nor for
those who work there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.test import Client, override_settings

from players.appointments import create_office
from players.models import Appointment, Federation, Region
from players.writing import page_cache
from ratings.dumps import build_dump
from ratings.rulesets.examples import examples_of
from tests.links.english_left import english_left, points_left
from tests.links.follow_links import LinkCrawl, StaffCrawl
from tests.links.test_links import DAY, DEMOS, NOW, SMALL, TYPED, made
from tournaments.models import Event, Section

pytestmark = [pytest.mark.django_db, pytest.mark.any_database, pytest.mark.long]
LANGUAGES = ("pl", "cs", "ru")
PAGES = ("", "lists/", "players/", "events/", "errata/", "regulations/", "journal/", "dump/", "about/")
ROLES = {"official", "regional", "administrator"}
"""Not every office has people in each."""


def names_of(office: Federation) -> list[str]:
    """What people called players, events, places, offices, ratings and English regulations, the longest
    first; also where the ratings of a demo and the games of worked examples come from.
    """
    events = Event.objects.filter(federation=office)
    sections = Section.objects.filter(event__federation=office)
    named: set[str] = {
        "Rating Regulations",
        "Ratings Bureau",
        "list before the record",
        *Federation.objects.values_list("name", flat=True),
    }
    named.update(office.players.values_list("surname", flat=True))
    named.update(track.name for track in office.ruleset.tracks)
    for example in examples_of(office.ruleset):
        named.update(re.findall(r'"event":"([^"]+)"', example.journal.read_text("utf-8")))
    for field in ("name", "place", "organizer"):
        named.update(events.values_list(field, flat=True))
    named.update(sections.values_list("name", flat=True), Region.objects.values_list("name", flat=True))
    return sorted(filter(None, named), key=len, reverse=True)


def left_in(crawl: LinkCrawl, language: str, names: Iterable[str]) -> dict[str, str]:
    """The lines with English in them, each with the first page that has it."""
    found: dict[str, str] = {}
    pages: Counter[bool] = Counter()
    for answer in crawl.answers.values():
        if "text/html" in answer.head:
            ours = f'lang="{language}"' in answer.text.partition("<head>")[0]
            pages[ours] += 1
            lines = english_left(answer.text, language, names) + points_left(answer.text) if ours else []
            for line in lines:
                found.setdefault(line, answer.address)
    assert pages[True] > 9 * pages[False], pages
    return found


def public(office: Federation, language: str, most: int) -> LinkCrawl:
    own = language == office.language
    crawl = LinkCrawl(Client(), TYPED, (DAY.isoformat(),), most, language="" if own else language)
    crawl.run(f"/{office.code}/" if own else f"/{language}/{office.code}/")
    return crawl


def signed_in(office: Federation, role: str, language: str, most: int) -> LinkCrawl:
    client = Client(headers={"accept-language": language})
    client.force_login(Appointment.objects.filter(federation=office, role=role).earliest("pk").user)
    crawl = StaffCrawl(client, TYPED, (DAY.isoformat(),), most)
    crawl.run(f"/{office.code}/desk/", "/accounts/")
    return crawl


@pytest.mark.parametrize("slug", DEMOS)
def test_an_empty_office_has_no_english_left(db: None, settings: Any, slug: str) -> None:
    """A slice for every day: what pages say of nothing, in the language that the office does not speak."""
    settings.OFFICE_LANGUAGE = ""
    office = create_office(ruleset_slug=slug, official_email="official@example.org", on=DAY)
    language = "pl" if office.language != "pl" else "ru"
    left = {}
    for page in (
        "",
        "lists/",
        "players/",
        "events/",
        "errata/",
        "regulations/",
        "journal/",
        "dump/",
        "about/",
    ):
        content = Client().get(f"/{language}/{slug}/{page}").content.decode()
        assert f'lang="{language}"' in content
        if found := english_left(content, language, names_of(office)):
            left[page] = found
    assert left == {}


def test_english_is_found_whoever_forgot_to_mark_it() -> None:
    page = '<html lang="pl"><p>Turniej {}</p></html>'
    assert english_left(page.format("was played"), "pl") == ["Turniej was played"]
    assert english_left(page.format("Marula Open"), "pl", ["Marula Open"]) == []
    assert english_left(page.format('<span lang="en">was played</span>'), "pl") == []


def test_a_number_with_a_point_is_found() -> None:
    page = '<td class="num">{}</td><td class="num wide">12</td><span class="num">24.11.2026</span>'
    assert points_left(page.format("0.49")) == ["0.49"]
    assert points_left(page.format("0,49")) == []


@pytest.mark.nightly
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slug", DEMOS)
def test_no_page_of_an_office_has_english_left(slug: str, language: str, tmp_path: Path) -> None:
    folders = {"VAR": tmp_path, "KEYS_DIR": tmp_path / "keys"}
    with override_settings(OFFICE_LANGUAGE="", **folders):
        office = made(slug, SMALL.get(slug, 0.3))
        page_cache.clear()
        build_dump(office, NOW)
        names = names_of(office)
        with time_machine.travel(NOW):
            left = left_in(public(office, language, 2), language, names)
            for role in sorted(ROLES & set(office.appointments.values_list("role", flat=True))):
                left |= left_in(signed_in(office, role, language, 1), language, names)
    print(
        f"\n===== {slug} {language}", *(f"{where} | {line[:160]}" for line, where in left.items()), sep="\n"
    )
    assert left == {}
