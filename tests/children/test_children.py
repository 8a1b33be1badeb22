"""Nothing of a child: a hundred invented children, and a reader who looks at everything and compares.

Beyond the number `pre`, which the rules of chess need, nothing that the public can ask for depends on the
birth or the sex of a child: no word, no two answers compared, and nothing changes when other births and sexes
stand in the register. The same reader finds all of it where the guards are off.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.core.cache import caches
from django.core.cache.backends.base import BaseCache
from django.db import transaction
from django.test import Client
from django.test.utils import override_settings

from players.models import Federation, Player
from players.writing import page_cache
from ratings import disclosure
from ratings.dumps import build_dump
from ratings.models import Change, Checkpoint
from tests.children.crawl import Answer, Crawl, public_routes
from tests.children.office import CHILDREN, LISTS, TODAY, describe, open_office
from tests.children.told import Finding, Secrets, differing, secrets_of, singled_out, told

pytestmark = [pytest.mark.django_db, pytest.mark.any_database, pytest.mark.long]
SEED = int(os.environ.get("SEED", "7"))
DAYS = (LISTS[0].isoformat(), LISTS[2].isoformat())
LOOKED_THROUGH = r"/lists/(2025-01|2026-11)/otb-main/(\?(?!.*(?:sort|find|player)=).*)?$"
"""Lists of which a slice asks every question, in one order; the marks of single rows are none."""
ALWAYS = rf"{LOOKED_THROUGH}|/lists/2026-11/otb-main/r1/[^?]*$|/accounts/"
BESIDE = (
    "/robots.txt",
    "/favicon.ico",
    "/api/v1/openapi.json",
    "/api/v1/none",
    "/api/v1/offices",
    "/api/v1/offices/csa",
    "/api/v1/offices/csa/regulations",
    "/api/v1/offices/csa/players",
    "/api/v1/offices/csa/players?q=Hushed005",
    "/csa/suggestions/?q=Hushed005",
    "/search/suggestions/?q=Hushed005",
    "/api/v1/offices/csa/players/101000006",
    "/api/v1/offices/csa/players/101000001/ratings",
    "/api/v1/offices/csa/players/101000001/ratings?day=2025-02-01",
    "/api/v1/offices/csa/players/101000001/changes/otb-main",
    "/api/v1/offices/csa/lists",
    "/api/v1/offices/csa/lists/latest/otb-main",
    "/api/v1/offices/csa/lists/2026-11/otb-main/rows",
    "/api/v1/offices/csa/events",
    "/api/v1/offices/csa/events/2024-001",
    "/api/v1/offices/csa/events/2024-001/sections/A",
    "/sitemap.xml",
    "/csa/sitemap.xml",
    "/csa/sitemap-players.xml",
    "/csa/tables/",
    "/csa/lists/2026-11/otb-main/r1/",
    "/csa/players/101000001/extract/",
    "/csa/players/101000001/extract/extract.pdf",
    "/csa/lists/latest/",
    "/csa/lists/latest/otb-main/",
    "/csa/lists/latest/otb-main/list.csv",
    "/csa/lists/2026-11/otb-main/list.json",
    "/csa/lists/2026-11/otb-main/r1/list.json",
    "/csa/lists/2024-12/otb-main/r2/differences/",
    "/csa/journal/checkpoint",
    "/csa/journal/vkey",
    "/csa/players/101000001/share.png",
    "/csa/players/101000006/share.png",
    "/csa/lists/2026-11/otb-main/r1/share.png",
    "/csa/events/2024-001/share.png",
    "/csa/report/confirm/",
    "/csa/report/follow/",
    "/csa/follow/",
    "/csa/follow/?player=101000001",
    "/csa/follow/?player=101000006",
    "/csa/follow/confirm/",
    "/csa/follow/end/",
    "/csa/players/101000001/badge.svg",
    "/csa/players/101000006/badge.svg",
    "/csa/players/101000001/extract/check/unsigned/",
    "/csa/dump/dump.zip",
)
"""Addresses to which nothing links; one more is `working()`."""
FEW = ("/csa/events/2024-001/", "/csa/events/2024-001/A/", "/csa/lists/2025-01/otb-main/r1/list.csv")
GARBLED = re.compile(r"\wwithheld|withheld\w|withheld\W{0,2}withheld")
FOUND = {"year", "sex or age", "foreign id", "withheld", "contact", "set of one sex", "set of one year"}


@pytest.fixture(scope="module")
def office(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Federation]:
    keys = override_settings(KEYS_DIR=str(tmp_path_factory.mktemp("keys")))
    with django_db_blocker.unblock(), time_machine.travel(TODAY), transaction.atomic(), keys:
        yield open_office()
        transaction.set_rollback(True)


@pytest.fixture
def guards_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if everybody were grown up, and nobody had asked not to be named."""
    monkeypatch.setattr(disclosure, "grown_until", lambda day: 9999)
    monkeypatch.setattr(disclosure, "asks_births", lambda ruleset: False)
    monkeypatch.setattr(disclosure, "without_contacts", lambda text: text)
    monkeypatch.setattr(disclosure.DisclosureLimits, "minors", True)
    monkeypatch.setattr(Player, "shown_name", property(lambda player: player.name))


def crawl(most: int = 2, typed: tuple[str, ...] = ("Hushed005",)) -> Crawl:
    page_cache.clear()
    build_dump(Federation.objects.get(code="csa"), datetime(TODAY.year, TODAY.month, TODAY.day, tzinfo=UTC))
    found = Crawl(Client(), typed, DAYS, most, SEED, ALWAYS)
    signed = Checkpoint.objects.latest("size").size
    found.run("/", working(), *BESIDE, *(f"/csa/journal/tile/{of}/000.p/{signed}" for of in ("0", "entries")))
    return found


def working() -> str:
    """The API's address of the working of a player's newest change."""
    change = Change.objects.filter(player__number="101000001", track="otb-main").latest("order")
    return f"/api/v1/offices/csa/players/101000001/workings/otb-main/{change.fact.number}"


def crawled(most: int = 2, typed: tuple[str, ...] = ("Hushed005",)) -> dict[str, Answer]:
    return crawl(most, typed).answers


def lists_looked_through() -> dict[str, Answer]:
    """Every question to a list of each of two years, and one of them in every layout."""
    page_cache.clear()
    starts = [f"/csa/lists/{label}/otb-main/" for label in ("2025-01", "2026-11")]
    return Crawl(Client(), (), DAYS, 0, SEED, ALWAYS).run(*starts)


def findings(answers: dict[str, Answer], secrets: Secrets, *, whole: bool = False) -> list[Finding]:
    """What is told, and what follows from two answers."""
    compared = [each for each in answers.values() if whole or re.search(LOOKED_THROUGH, each.address)]
    return [*told(answers.values(), secrets), *singled_out(compared, secrets)]


def others_described(office: Federation) -> None:
    """Other births and sexes of all children, in the register and in what was filed: nobody is rated anew."""
    describe(list(Player.objects.of(office).order_by("number")), seed=2)


# ---------------------------------------------------------------- on every run a slice


@pytest.fixture(scope="module")
def reader(office: Federation) -> Crawl:
    return crawl()


@pytest.fixture
def answers(reader: Crawl) -> dict[str, Answer]:
    return reader.answers


def test_nothing_of_a_child_and_no_withheld_name_is_told_on_any_page_or_by_comparing_them(
    office: Federation, answers: dict[str, Answer]
) -> None:
    assert findings(answers, secrets_of(office, CHILDREN)) == [], SEED


def test_who_was_forgotten_is_withheld_and_garbles_no_words(
    office: Federation, answers: dict[str, Answer]
) -> None:
    nameless = Player.objects.get(surname="")
    assert any(nameless.number in answer.players for answer in answers.values())
    garbled = {address for address, answer in answers.items() if GARBLED.search(answer.text)}
    assert garbled == set()
    assert "The same tournament as 2024-001: withheld played once." in answers["/csa/errata.atom"].text


@pytest.mark.nightly
def test_no_answer_changes_with_the_births_and_sexes_of_children(
    office: Federation, answers: dict[str, Answer]
) -> None:
    others_described(office)
    assert differing(answers, crawled()) == [], SEED


def test_the_journal_is_among_what_was_looked_at_and_names_children_by_their_numbers(
    office: Federation, answers: dict[str, Answer]
) -> None:
    text = answers["/csa/journal.ndjson"].text
    children = secrets_of(office, CHILDREN).children
    assert children
    assert all(f'"id":"{number}"' in text for number in children)
    assert '"pre":' in text


def test_each_address_of_the_api_is_one_that_has_an_answer(
    office: Federation, answers: dict[str, Answer]
) -> None:
    asked = {each for each in (working(), *BESIDE) if each.startswith("/api/")} - {"/api/v1/none"}
    assert asked <= answers.keys()
    assert {Client().get(address).status_code for address in asked} == {200}


def test_every_public_address_is_looked_at(reader: Crawl) -> None:
    """A new page to which nothing links has to be named in `BESIDE`."""
    assert public_routes() - reader.routes == set()


@pytest.mark.nightly
def test_the_same_reader_finds_all_of_it_where_the_guards_are_off(
    office: Federation, guards_off: None
) -> None:
    before = lists_looked_through() | {each: looked_at(each) for each in FEW}
    kinds = Counter(finding.kind for finding in findings(before, secrets_of(office, CHILDREN)))
    assert kinds.keys() >= FOUND, (SEED, kinds)
    few = (*FEW, "/csa/lists/2026-11/otb-main/?sex=f", "/csa/lists/2026-11/otb-main/r1/fide.txt")
    before = {each: looked_at(each) for each in few}
    others_described(office)
    changed = differing(before, {each: looked_at(each) for each in few})
    assert {finding.address for finding in changed} >= set(few[-2:])


def looked_at(address: str) -> Answer:
    crawl = Crawl(Client(), (), (), 0)
    crawl.look(address)
    return crawl.answers[address]


@pytest.mark.nightly
def test_a_federation_that_lets_lists_show_children_lets_them_be_found(office: Federation) -> None:
    Federation.objects.filter(pk=office.pk).update(settings={"minors": True})
    kinds = {finding.kind for finding in findings(lists_looked_through(), secrets_of(office, CHILDREN))}
    assert kinds == {"set of one sex", "set of one year"}, SEED


# ---------------------------------------------------------------- what is kept beside


def noting(kept: dict[str, str], method: Callable[..., Any]) -> Callable[..., Any]:
    """Make a cache's method that notes what it keeps, by key."""

    def noted(self: BaseCache, key: str, value: Any, *args: Any, **options: Any) -> Any:
        kept[key] = repr(value)
        return method(self, key, value, *args, **options)

    return noted


def test_what_the_cache_keeps_for_anonymous_readers_holds_no_birth_and_no_name(
    office: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    page_cache.clear()
    kept: dict[str, str] = {}
    backend = type(caches["pages"])
    for name in ("set", "add"):
        monkeypatch.setattr(backend, name, noting(kept, getattr(backend, name)))
    for address in ("/csa/", "/csa/tables/performances/", "/csa/journal.ndjson.sha256"):
        looked_at(address)
    assert any(key.startswith("sections-") for key in kept)
    secrets = secrets_of(office, CHILDREN)
    answers = [Answer(f"/cache/{key}", "", "", words) for key, words in kept.items()]
    assert told(answers, secrets) == []
    assert not [key for key, words in kept.items() if re.search("Invented|Anyone|Hushed", words)]


# ---------------------------------------------------------------- all of it


@pytest.mark.nightly
def test_nothing_of_a_child_is_told_anywhere_at_all(office: Federation) -> None:
    typed = ("Invented001", "Hushed005", "101000005", "1010000")
    before = crawled(10**6, typed)
    print(f"{len(before)} answers")
    assert findings(before, secrets_of(office, CHILDREN), whole=True) == []
    others_described(office)
    assert differing(before, crawled(10**6, typed)) == []


# ---------------------------------------------------------------- the reader itself


@pytest.fixture
def secrets(office: Federation) -> Secrets:
    return secrets_of(office, CHILDREN)


@pytest.mark.parametrize(
    ("kind", "address", "text"),
    [
        ("year", "/csa/lists/x/list.csv", "7,101000001,Invented000,Anyone000,,GAU,1500,10,1490,2011"),
        ("sex or age", "/csa/lists/x/list.csv", "101000001,Invented000,Anyone000,1900/01/01,F,,1500,GAU"),
        ("sex or age", "/csa/journal.ndjson", '{"fact":"player","id":"101000001","sex":"f"}'),
        (
            "sex or age",
            "/csa/x/",
            '<!doctype html><ul><li><span>WCM</span> <a href="/csa/players/101000001/">x</a></ul>',
        ),
        (
            "sex or age",
            "/csa/players/101000001/",
            "<!doctype html><p>Opponent unrated: pre-rating by age</p>",
        ),
        ("foreign id", "/csa/x/", "<!doctype html><p>FIDE 14101000001</p>"),
        ("withheld", "/csa/x/", "<!doctype html><title>hushed005</title>"),
        (
            "around",
            "/csa/x/",
            '<!doctype html><tr><td><a href="/csa/players/101000006/">withheld</a> Gauteng</td></tr>',
        ),
        ("contact", "/csa/x/", "<!doctype html><p>082 555 1234</p>"),
    ],
)
def test_the_reader_understands_what_is_said(secrets: Secrets, kind: str, address: str, text: str) -> None:
    answer = Answer(address, "", "", text)
    assert {finding.kind for finding in told([answer], secrets)} == {kind}


def test_the_reader_knows_a_day_of_birth_in_each_way_of_writing_it(secrets: Secrets) -> None:
    day = min(secrets.days)
    for words in (day.isoformat(), f"{day:%d.%m.%Y}", f"{day.day} {day:%B %Y}"):
        found = told([Answer("/csa/x/", "", "", f"<!doctype html><p>{words}</p>")], secrets)
        assert "day" in {finding.kind for finding in found}


def test_the_reader_compares_lists_of_two_years(secrets: Secrets) -> None:
    year = next(iter(secrets.years.values()))
    born = frozenset(number for number, known in secrets.years.items() if known == year)
    older = frozenset(number for number, known in secrets.years.items() if known < year)
    answers = [
        Answer("/csa/lists/2025-01/otb-main/?age=u10", "", "", "", secrets.children - older),
        Answer("/csa/lists/2026-01/otb-main/?age=u10", "", "", "", secrets.children - older - born),
    ]
    found = {finding.kind for finding in singled_out(answers, secrets)}
    assert "set of one year" in found
