"""Every word that a demo office shows the public is marked for translation, or is a name: each office, in the
language that puts marks around what is marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.test import Client, override_settings

from federation_site.translations import (
    PSEUDO_LANGUAGE,
    pseudo_translate,
    unmarked_texts,
    write_pseudo_catalogue,
)
from players.models import Federation, User
from players.storage import page_cache
from ratings.dumps import build_dump
from ratings.rulesets.examples import examples_of
from tests.links.english_left import CODES, NO_LANGUAGE, OF_ALL_LANGUAGES, without
from tests.links.follow_links import LinkCrawl
from tests.links.test_english_left import names_of
from tests.links.test_links import DAY, DEMOS, NOW, SMALL, TYPED, made
from tournaments.models import Entry

pytestmark = [pytest.mark.django_db, pytest.mark.any_database, pytest.mark.nightly]
ROOT = Path(__file__).resolve().parents[2]
WORD = re.compile(r"[^\W\d_]{3,}")
PERSON = re.compile(r'"name":"([^"]+)"')


def people_of(office: Federation) -> list[str]:
    """All names of people, clubs and titles of an office and of its worked examples."""
    named: set[str] = set(User.objects.values_list("name", flat=True))
    for example in examples_of(office.ruleset):
        named.update(PERSON.findall(example.journal.read_text("utf-8")))
    for rows in (
        office.players.values_list("surname", "first_name", "club", "title"),
        Entry.objects.values_list("surname", "first_name", "title", "team"),
        office.appointments.values_list("name"),
    ):
        named.update(name for row in rows for name in row)
    return [name for name in named if name]


def unmarked(html: str, names: Iterable[str]) -> list[str]:
    """The lines of a page with a word outside the marks that is no name."""
    lines = (" ".join(line.split()) for words in unmarked_texts(html) for line in words.split("\n"))
    return [
        line
        for line in lines
        if line not in CODES and WORD.search(line) and told(without(NO_LANGUAGE.sub(" ", line), names))
    ]


def told(line: str) -> set[str]:
    return {word.lower() for word in WORD.findall(line)} - OF_ALL_LANGUAGES - {"trf"}


@pytest.mark.parametrize("slug", DEMOS)
def test_every_word_of_a_demo_office_is_marked_or_a_name(slug: str, tmp_path: Path) -> None:
    write_pseudo_catalogue(ROOT, tmp_path / "locale")
    folders: dict[str, Any] = {"VAR": tmp_path, "KEYS_DIR": tmp_path / "keys"}
    spoken = {
        "LOCALE_PATHS": [tmp_path / "locale"],
        "LANGUAGES": [(PSEUDO_LANGUAGE, pseudo_translate("Pseudo"))],
        "LANGUAGE_CODE": PSEUDO_LANGUAGE,
        "OFFICE_LANGUAGE": PSEUDO_LANGUAGE,
    }
    with override_settings(**folders):
        office = made(slug, SMALL.get(slug, 0.3))
        page_cache.clear()
        build_dump(office, NOW)
        names = sorted([*names_of(office), *people_of(office)], key=len, reverse=True)
        with override_settings(**spoken), time_machine.travel(NOW):
            crawl = LinkCrawl(Client(), TYPED, (DAY.isoformat(),), 1)
            crawl.run(f"/{office.code}/")
            pages = [each for each in crawl.answers.values() if "text/html" in each.head]
            left = {line: each.address for each in pages for line in unmarked(each.text, names)}
    print(f"\n===== {slug}", *(f"{where} | {line[:160]}" for line, where in left.items()), sep="\n")
    assert len(pages) > 60
    assert left == {}
