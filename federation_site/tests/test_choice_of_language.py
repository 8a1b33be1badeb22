"""Each reader is answered in one language, which no other reader's answer takes over."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import caches
from django.test import Client
from django.urls import get_script_prefix
from django.utils import translation

from federation_site.catalogues import catalogue_folders, compile_stale
from federation_site.gateway import language_of, render_refusal_page as refusal_page
from players.appointments import create_regions
from players.languages import mark_language
from players.mail import language_of_reader
from players.models import Federation, Ledger, Player, User
from tests.pages import unbroken
from tournaments.models import Event

ROOT = Path(__file__).resolve().parents[2]
PLAYERS = {"en": "Players", "pl": "Zawodnicy", "cs": "Hráči", "ru": "Игроки"}


@pytest.fixture
def own_languages(settings: Any) -> None:
    """Each office speaks its federation's language, as outside tests."""
    settings.OFFICE_LANGUAGE = ""


@pytest.fixture
def dots(own_languages: None, db: None) -> Federation:
    """An office whose federation speaks Russian."""
    office = Federation.objects.create(code="dots", name="Клуб", ruleset_slug="ssdc")
    Ledger.objects.create(federation=office)
    return office


@pytest.fixture
def kept_answers(settings: Any) -> None:
    """Web processes keep answers, as outside tests."""
    place = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "languages"}
    settings.CACHES = {**settings.CACHES, "answers": place}
    caches["answers"].clear()


def language(response: Any) -> str:
    """The language of a page, which its markup and its header name alike."""
    found = re.search(r"<html\s+lang=\"(\w+)\"", response.content.decode())
    assert found
    assert response["Content-Language"] == found[1]
    return found[1]


# ---------------------------------------------------------------- what an address is answered in


def test_an_office_speaks_its_federations_language_whatever_the_browser_asks_for(
    dots: Federation, csa: Federation, client: Client
) -> None:
    for asked in ("", "pl", "en-GB,en;q=0.8"):
        assert language(client.get("/dots/players/", headers={"Accept-Language": asked})) == "ru"
        assert language(client.get("/csa/players/", headers={"Accept-Language": asked})) == "en"


@pytest.mark.parametrize("code", PLAYERS)
def test_an_address_that_names_a_language_is_answered_in_it_and_so_are_all_its_links(
    dots: Federation, client: Client, code: str
) -> None:
    client.cookies["language"] = "cs"
    response = client.get(f"/{code}/dots/players/", headers={"Accept-Language": "pl"})
    assert language(response) == code
    links = set(re.findall(r'(?:href|action)="(/(?!static)[^"]*)"', response.content.decode()))
    assert len(links) > 5
    assert all(link.startswith(f"/{code}/") for link in links)
    assert get_script_prefix() == "/"


@pytest.mark.parametrize(
    ("asked", "code"),
    [("", "en"), ("pl-PL,en;q=0.5", "pl"), ("de,cs;q=0.9", "cs"), ("sk", "en"), ("ru;q=0.2,*", "en")],
)
def test_a_page_of_no_office_is_answered_as_the_browser_asks(
    own_languages: None, db: None, client: Client, asked: str, code: str
) -> None:
    response = client.get("/", headers={"Accept-Language": asked})
    assert language(response) == code
    assert "Accept-Language" in response["Vary"]
    assert "Cookie" in response["Vary"]


def test_a_page_that_is_not_there_says_so_in_the_readers_language(dots: Federation, client: Client) -> None:
    assert language(client.get("/dots/players/1/")) == "ru"
    assert language(client.get("/pl/dots/players/1/")) == "pl"
    assert language(client.get("/nobody/at/home/", headers={"Accept-Language": "cs"})) == "cs"


def test_one_language_never_answers_the_next_request_of_a_thread(dots: Federation, client: Client) -> None:
    client.get("/dots/players/")
    assert translation.get_language() == "en"
    assert language(client.get("/")) == "en"


# ---------------------------------------------------------------- the switch


def test_the_switch_stays_in_the_browser_and_leads_back_to_the_page(dots: Federation, client: Client) -> None:
    chosen = client.post("/language/", {"language": "pl", "next": "/ru/dots/players/?name=a"})
    assert (chosen.status_code, chosen["Location"]) == (303, "/dots/players/?name=a")
    assert client.cookies["language"]["max-age"] == settings.LANGUAGE_COOKIE_AGE
    assert language(client.get("/dots/players/")) == "pl"
    assert language(client.get("/")) == "pl"
    assert language(client.get("/cs/dots/players/")) == "cs"


def test_the_switch_works_without_a_token(dots: Federation) -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.post("/language/", {"language": "pl", "next": "/dots/"}).status_code == 303


@pytest.mark.parametrize(
    "page", ["https://elsewhere.example/", "//elsewhere.example/", "/\\elsewhere.example", "javascript:1", ""]
)
def test_the_switch_leads_to_no_other_site(db: None, client: Client, page: str) -> None:
    assert client.post("/language/", {"language": "pl", "next": page})["Location"] == "/"


@pytest.mark.parametrize("code", ["", "de", "../..", "en\r\nX: y"])
def test_a_language_that_is_not_offered_is_not_kept(db: None, client: Client, code: str) -> None:
    response = client.post("/language/", {"language": code, "next": "/"})
    assert response.status_code == 303
    assert "language" not in response.cookies


def test_every_page_has_the_switch_and_marks_its_own_language(dots: Federation, client: Client) -> None:
    for address in ("/", "/dots/", "/dots/players/", "/accounts/login/", "/nothing/here/"):
        content = client.get(address).content.decode()
        assert len(re.findall(r'name="language"\s+value="(?:en|pl|cs|ru)"', content)) == 4, address
        assert content.count('aria-current="true">') <= 2


def test_what_an_office_wrote_is_marked_where_the_page_speaks_another_language(dots: Federation) -> None:
    for code, marked in (("ru", "Кубок"), ("pl", '<span lang="ru">Кубок</span>')):
        with translation.override(code):
            assert mark_language(dots, "Кубок") == marked
            assert mark_language(dots, "") == ""


def test_an_events_name_is_marked_on_its_page_in_another_language(dots: Federation, client: Client) -> None:
    day, [region] = date(2026, 5, 1), create_regions(dots, dots.ruleset)
    days = {"starts": day, "ends": day, "registered_on": day}
    Event.objects.create(federation=dots, region=region, number="2026-001", name="Кубок", **days)
    assert '<span lang="ru">Кубок</span>' in client.get("/pl/dots/events/2026-001/").content.decode()
    assert 'lang="ru">Кубок' not in client.get("/dots/events/2026-001/").content.decode()


@pytest.mark.parametrize(("speaks", "named"), [("", "Polska"), ("en", "Poland")])
def test_a_new_offices_regions_are_called_as_its_language_calls_them(
    db: None, settings: Any, speaks: str, named: str
) -> None:
    settings.OFFICE_LANGUAGE = speaks
    office = Federation.objects.create(code="pfo", name="Othello", ruleset_slug="pfo")
    assert [str(region) for region in create_regions(office, office.ruleset)] == [named]


# ---------------------------------------------------------------- staff


def test_staff_read_the_language_of_their_account_everywhere(
    own_languages: None, nomsa: User, client_of: Callable[[User], Client]
) -> None:
    signed_in = client_of(nomsa)
    assert language(signed_in.get("/csa/desk/")) == "en"
    signed_in.post("/language/", {"language": "cs", "next": "/csa/desk/"})
    nomsa.refresh_from_db()
    assert nomsa.language == "cs"
    other_browser = client_of(nomsa)
    for address in ("/csa/desk/", "/csa/players/", "/accounts/me/", "/"):
        assert language(other_browser.get(address, headers={"Accept-Language": "pl"})) == "cs"


def test_staff_who_chose_nothing_read_the_language_of_their_browser_else_the_offices(
    own_languages: None, nomsa: User, client_of: Callable[[User], Client]
) -> None:
    assert language(client_of(nomsa).get("/csa/desk/", headers={"Accept-Language": "pl"})) == "pl"
    assert language(client_of(nomsa).get("/csa/desk/", headers={"Accept-Language": "de"})) == "en"


def test_pages_of_staff_stand_at_one_address_in_all_languages(
    own_languages: None, nomsa: User, client_of: Callable[[User], Client]
) -> None:
    response = client_of(nomsa).get("/pl/csa/desk/?a=1")
    assert (response.status_code, response["Location"]) == (302, "/csa/desk/?a=1")
    posted = client_of(nomsa).post("/pl/accounts/logout/")
    assert (posted.status_code, posted["Location"]) == (307, "/accounts/logout/")


def test_letters_are_in_the_language_of_the_account_else_of_the_office(
    own_languages: None, dots: Federation, nomsa: User
) -> None:
    assert language_of_reader(nomsa) == "en"
    assert language_of_reader(nomsa, dots) == "ru"
    nomsa.language = "pl"
    assert language_of_reader(nomsa, dots) == "pl"
    assert language_of_reader(None) == "en"


# ---------------------------------------------------------------- kept pages, search engines, programs


def test_no_page_of_one_language_is_kept_for_another(
    dots: Federation, kept_answers: None, client: Client
) -> None:
    seen: dict[str, str] = {}
    for _again in range(2):
        for path, cookie, code in [
            ("/dots/players/", "", "ru"),
            ("/dots/players/", "pl", "pl"),
            ("/dots/players/", "cs", "cs"),
            ("/en/dots/players/", "", "en"),
            ("/pl/dots/players/", "", "pl"),
        ]:
            reader = Client()
            if cookie:
                reader.cookies["language"] = cookie
            response = reader.get(path)
            assert language(response) == code
            etag = response["ETag"]
            assert seen.setdefault(f"{path} {cookie}", etag) == etag
    assert len(set(seen.values())) == 5


def test_an_etag_of_one_language_is_none_of_another(dots: Federation, client: Client) -> None:
    etag = client.get("/dots/players/")["ETag"]
    assert client.get("/dots/players/", headers={"If-None-Match": etag}).status_code == 304
    client.cookies["language"] = "pl"
    assert client.get("/dots/players/", headers={"If-None-Match": etag}).status_code == 200


def test_a_page_names_itself_and_its_other_languages_to_search_engines(
    dots: Federation, client: Client
) -> None:
    told = {}
    for address in ("/dots/players/", "/pl/dots/players/", "/ru/dots/players/"):
        content = client.get(address).content.decode()
        canonical = re.findall(r'rel="canonical" href="http://testserver([^"]*)"', content)
        others = dict(re.findall(r'hreflang="([\w-]+)" href="http://testserver([^"]*)"', content))
        told[address] = (canonical, others)
    same = {
        "en": "/en/dots/players/",
        "pl": "/pl/dots/players/",
        "cs": "/cs/dots/players/",
        "ru": "/dots/players/",
        "x-default": "/dots/players/",
    }
    assert told["/dots/players/"] == (["/dots/players/"], same)
    assert told["/pl/dots/players/"] == (["/pl/dots/players/"], same)
    assert told["/ru/dots/players/"] == (["/dots/players/"], same)


def test_the_api_speaks_english_at_one_address_and_tells_errors_in_the_language_asked_for_alone(
    dots: Federation, client: Client
) -> None:
    client.cookies["language"] = "pl"
    answers = [
        client.get("/api/v1/offices/dots", headers={"Accept-Language": asked}).content for asked in ("", "cs")
    ]
    assert answers[0] == answers[1]
    errors = [
        client.get("/api/v1/dots/nothing", headers={"Accept-Language": asked})["Content-Language"]
        for asked in ("", "cs")
    ]
    assert errors == ["en", "cs"]
    plain = client.get("/api/v1/dots/players")
    assert plain["Content-Language"] == "en"
    assert client.get("/pl/api/v1/dots/players")["Location"] == "/api/v1/dots/players"


def test_a_refusal_before_any_page_is_in_the_readers_language() -> None:
    scope = {"path": "/csa/", "headers": [(b"accept-language", b"cs,en;q=0.5")]}
    assert language_of(scope) == "cs"
    assert language_of({**scope, "path": "/pl/csa/"}) == "pl"
    assert language_of({"path": "/", "headers": [(b"cookie", b"a=b; language=ru")]}) == "ru"
    assert language_of({"path": "/", "headers": []}) == "en"
    assert b'<html lang="cs"' in refusal_page(503, "cs")
    assert refusal_page(503, "cs") != refusal_page(503, "en")


def test_catalogues_of_programs_are_there_and_the_second_start_is_quick() -> None:
    compile_stale(ROOT)
    catalogues = [
        path for folder in catalogue_folders(ROOT) for path in folder.glob("*/LC_MESSAGES/django.po")
    ]
    assert len(catalogues) >= 18
    assert all(path.with_suffix(".mo").exists() for path in catalogues)
    began = time.perf_counter()
    compile_stale(ROOT)
    assert time.perf_counter() - began < 0.5


def test_a_language_that_is_offered_has_its_catalogue() -> None:
    for code, _name in settings.LANGUAGES:
        assert code == "en" or (ROOT / "locale" / code / "LC_MESSAGES" / "django.po").exists()


# ---------------------------------------------------------------- what is the same on all pages


@pytest.mark.usefixtures("kept_answers")
def test_what_is_kept_of_the_frame_for_one_language_stands_on_no_page_of_another(
    csa: Federation, client: Client
) -> None:
    """Colours and the words of a request that failed are drawn once an hour in each language."""
    words = {
        "en": ("Same as the device", "The office did not answer."),
        "pl": ("Systemowe", "Biuro nie odpowiedziało."),
        "ru": ("Как в системе", "Служба не ответила."),
    }
    for code in ("en", "pl", "ru", "pl", "en"):
        page = unbroken(client.get(f"/{code}/csa/players/").content.decode())
        told = {each: [text in page for text in texts] for each, texts in words.items()}
        assert told == {each: [each == code] * 2 for each in words}


@pytest.mark.parametrize(("language", "marked"), [("ru", False), ("en", True), ("pl", True)])
def test_names_are_marked_with_the_office_s_language_on_pages_of_another(
    dots: Federation, client: Client, language: str, marked: bool
) -> None:
    prefix = "" if language == dots.language else f"/{language}"
    named = Player.objects.create(federation=dots, number="17", surname="Пример", first_name="Анна")
    hidden = Player.objects.create(federation=dots, number="18", surname="Тайна", withheld=True)
    for player, says in ((named, marked), (hidden, False)):
        page = client.get(f"{prefix}/{dots.code}/players/{player.number}/").content.decode()
        heading = page.partition("<h1>")[2].partition("</h1>")[0]
        assert ('<span lang="ru">' in heading) == says
