"""Every page of every office is valid HTML and leads nowhere in vain: demo offices, read as anybody may.

In each walk a slice: small offices, and of each kind of address one. `make nightly` reads whole ones.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.test import Client, override_settings

from players.models import Federation
from players.writing import page_cache
from ratings.demo import office as making
from ratings.dumps import build_dump
from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of
from ratings.signing import sign_due_checkpoints
from tests.children.crawl import Answer
from tests.links.follow_links import LinkCrawl

pytestmark = [pytest.mark.django_db, pytest.mark.any_database, pytest.mark.long]
NOW = datetime(2026, 8, 14, 12, tzinfo=UTC)
DEMOS = sorted(slug for slug, ruleset in rulesets().items() if equipment_of(ruleset).demo)
SMALL = {"csa": 0.05}
SLICE, WHOLE = 1, 20
"""How many addresses of each kind are read."""
TYPED = ("1",)
DAY = date(2026, 5, 3)


@pytest.fixture(
    scope="module",
    params=[
        slug if slug in ("mahjong", "pfo") else pytest.param(slug, marks=pytest.mark.nightly)
        for slug in DEMOS
    ],
)
def demo(
    request: pytest.FixtureRequest,
    django_db_setup: None,
    django_db_blocker: Any,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Federation]:
    """Each made once for the tests of a slice, and taken back."""
    folders = {"VAR": tmp_path_factory.mktemp("var"), "KEYS_DIR": tmp_path_factory.mktemp("keys")}
    with django_db_blocker.unblock(), override_settings(**folders), transaction.atomic():
        yield made(request.param, SMALL.get(request.param, 0.3))
        transaction.set_rollback(True)


def made(slug: str, scale: float) -> Federation:
    with time_machine.travel(NOW):
        office = making.make_office(
            rulesets()[slug], today=NOW.date(), seed=1, scale=scale, say=lambda words: None
        )
        sign_due_checkpoints(office, at=NOW)
    return office


def crawled(office: Federation, most: int, pages: Path | None = None) -> LinkCrawl:
    page_cache.clear()
    build_dump(office, NOW)
    found = LinkCrawl(Client(), TYPED, (DAY.isoformat(),), most, pages=pages)
    with time_machine.travel(NOW):
        found.run(f"/{office.code}/", "/")
    return found


def test_no_page_of_an_office_is_invalid_and_no_link_leads_nowhere(demo: Federation) -> None:
    found = crawled(demo, SLICE)
    assert found.faults == []
    assert list(found.broken) == []
    assert len(found.ids) > 60


@pytest.mark.nightly
@pytest.mark.parametrize("slug", DEMOS)
def test_no_page_of_a_whole_office_is_invalid_and_no_link_leads_nowhere(slug: str, tmp_path: Path) -> None:
    kept = Path(os.environ["KEEP_PAGES"]) / slug if "KEEP_PAGES" in os.environ else None
    if kept:
        kept.mkdir(parents=True, exist_ok=True)
    with override_settings(VAR=tmp_path, KEYS_DIR=tmp_path / "keys"):
        found = crawled(made(slug, 1), WHOLE, kept)
    print(f"{slug}: {len(found.answers)} answers, {len(found.ids)} of them pages")
    assert found.faults == []
    assert list(found.broken) == []


# ---------------------------------------------------------------- the reader itself


def test_the_reader_tells_a_link_to_nothing_and_to_a_place_that_is_not_there() -> None:
    crawl = LinkCrawl(Client(), (), (), 1)
    page = '<a href="/b/">b</a><a href="/c/#here">c</a><a href="/c/#gone">c</a><a href="#own">own</a>'
    crawl._leads_to("/a/", page)
    crawl._leads_to("/c/", '<p id="here"></p>')
    crawl.answers = {
        address: Answer(address, "", "", "", status=status)
        for address, status in (("/a/", 200), ("/b/", 404), ("/c/", 200))
    }
    assert sorted(crawl.broken) == [("/a/", "/a/#own"), ("/a/", "/b/"), ("/a/", "/c/#gone")]
