"""Every word on a page is marked for translation: a run in a language that puts marks around what is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from federation_site.translations import (
    PSEUDO_LANGUAGE,
    pseudo_translate,
    unmarked_texts,
    write_pseudo_catalogue,
)
from tests.access_world import World, asked
from tests.test_access_matrix import MATRIX, PEOPLE, cases, is_let_in, short_refusals, standing, world

__all__ = ["short_refusals", "standing", "world"]  # the fixtures

ROOT = Path(__file__).resolve().parents[1]
NAMES = re.compile(
    r"Invented\d\d, Person|Open 20\d\d-\d+|Office (csa|other)|Region [A-Z]{3}|\b[A-Z]{3}\b|\S+@\S+"
    r"|\bratings-\S+\.pyz|\b[0-9a-f]{8,}…?|\b[\w-]+\.(json|ndjson|zip|trf|csv|pdf|xlsx)\b"
    r"|https?://\S+|D-CSA-\d+|SHA-256|0\.1\.\S+"
)
"""The names that are the same in every language: of people, events and places, files, codes, digests."""
PEOPLE_NAMED = {*(person.capitalize() for person in PEOPLE), "Kagiso"}
OF_ALL_LANGUAGES = {
    *("Federation", "Ratings"),  # the program's own name
    *("CSV", "JSON", "XLSX", "ZIP", "SAST", "Lichess", "SwissPerfect", "Vega", "Tornelo", "Swiss", "Manager"),
    *("Chess", "Results", "Sharly"),
}
WRITTEN_BY_PEOPLE = {
    "A small hall.",
    "A result was wrong.",
    "“A slip.”",
    "It was played.",
}
"""Reasons that people of the world gave."""
CODES = {
    "ratings:journal": {
        "list",
        "merged",
        "opening",
        "parted",
        "player",
        "rated",
        "revised",
        "section",
        "unrated",
    },
    "ratings:dump": {"entries", "games", "list_rows", "lists", "players", "ratings", "sections"},
    "tournaments:file": {
        *("birth", "first", "first name", "id", "nation", "number", "points", "result", "round", "second"),
        *("sex", "surname", "team"),
    },
}
"""Words of file formats, which stay as they are in all languages, by the page that names them."""
EXAMPLES = "ratings:example"
"""The pages whose matter is a journal of invented people, written in English."""


@pytest.fixture
def pseudo_language(settings: Any, tmp_path: Path) -> None:
    write_pseudo_catalogue(ROOT, tmp_path / "locale")
    settings.LOCALE_PATHS = [tmp_path / "locale"]
    settings.LANGUAGES = [(PSEUDO_LANGUAGE, pseudo_translate("Pseudo"))]
    settings.LANGUAGE_CODE = settings.OFFICE_LANGUAGE = PSEUDO_LANGUAGE


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.any_database
@pytest.mark.usefixtures("short_refusals", "pseudo_language")
def test_every_word_of_every_page_is_marked_for_translation(world: World) -> None:
    browsers = {person: world.browser(person) for person in PEOPLE}
    seen: set[str] = set()
    unmarked: dict[str, list[str]] = {}
    for name, person, place in cases():
        if place != "gauteng" or name in seen or not is_let_in(person, name, place) or name == EXAMPLES:
            continue
        seen.add(name)
        answer = asked(browsers[person], "GET", world.address(name, place))
        is_page = answer.headers.get("Content-Type", "").startswith("text/html")
        if is_page and (found := words_of_no_language(name, answer.content.decode())):
            unmarked[name] = found
    assert len(seen) > 0.9 * len(MATRIX)
    assert unmarked == {}


def words_of_no_language(name: str, html: str) -> list[str]:
    """The lines of a page with a word outside the marks that is none of all languages."""
    lines = (line.strip() for words in unmarked_texts(html) for line in words.split("\n"))
    allowed = WRITTEN_BY_PEOPLE | CODES.get(name, set())
    return [line for line in lines if line not in allowed and unknown(line)]


def unknown(line: str) -> bool:
    words = re.findall(r"[^\W\d_]{2,}", NAMES.sub(" ", line))
    return bool({*words} - OF_ALL_LANGUAGES - PEOPLE_NAMED)


def test_a_word_that_is_not_marked_is_found() -> None:
    marked = f'<p title="{pseudo_translate("Rank")}">{pseudo_translate("The list of %(day)s")}</p>'
    assert unmarked_texts(marked) == ["\n", "\n"] or not "".join(unmarked_texts(marked)).strip()
    assert words_of_no_language("", f"{marked}<p>Unmarked words</p>") == ["Unmarked words"]
    assert words_of_no_language("", f'{marked}<a title="Unmarked">1</a>') == ["Unmarked"]
    assert words_of_no_language(
        "", f"<p>{pseudo_translate('rated')} by {pseudo_translate('the office')}</p>"
    ) == ["by"]


def test_a_text_of_the_pseudo_language_is_longer_and_keeps_its_placeholders_and_outer_spaces() -> None:
    assert pseudo_translate(" %(count)s lists ") == " ⟦%(count)s lists~~⟧ "
    assert len(pseudo_translate("A" * 30)) == 42
