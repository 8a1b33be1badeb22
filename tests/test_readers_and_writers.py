"""On SQLite a reader waits for no writer: public pages write nothing into the office's database."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import rmtree

import pytest

from federation_site.tests.server import ROOT, Server, serving
from ratings.rulesets import rulesets

pytestmark = [pytest.mark.any_database, pytest.mark.nightly]

MAKE = """
from players.models import Federation
from ratings.rulesets import rulesets
from ratings.tests.eventful import eventful
from ratings.tests.test_asof import office_of
for ruleset in rulesets().values():
    office_of(eventful(ruleset, 3, sections=8))
"""
MOST_PAGES = 20
"""Pages of each office that are asked for: as many kinds of addresses as there are, one of each."""
PATIENCE = 20
"""The seconds for which a writer of the office waits for another (federation_site/settings.py)."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("office")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    """A real web server over an office of every federation, each with sections, corrections and lists."""
    with serving(folder) as made:
        environment = {**os.environ, "VAR_DIR": str(folder), "NO_BOOTSTRAP": "1"}
        environment["DATABASE_URL"] = f"sqlite:///{folder / 'office.sqlite3'}"
        environment.pop("DJANGO_SETTINGS_MODULE", None)
        command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", MAKE]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        yield made


def status(answer: str) -> int:
    return int(answer.split(" ", 2)[1])


def kind(address: str) -> str:
    """An address with what stands for one player, event or day left out."""
    return re.sub(r"/(players|events|lists|regulations|sections)/[^?]+", r"/\1/…", address.partition("?")[0])


def addresses(server: Server, office: str) -> list[str]:
    """Public pages of an office, one of each kind, found by following links from its front page."""
    found, waiting = {f"/{office}/": f"/{office}/"}, [f"/{office}/"]
    while waiting and len(found) < MOST_PAGES:
        answer = server.ask(f"GET {waiting.pop(0)} HTTP/1.1")
        for address in re.findall(rf'href="(/{office}/[^"#]*)"', answer):
            if kind(address) not in found and len(found) < MOST_PAGES:
                found[kind(address)] = address
                waiting.append(address)
    return list(found.values())


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """A writer who holds the office's database until the block ends."""
    with closing(sqlite3.connect(folder / "office.sqlite3", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            writer.execute("ROLLBACK")


@pytest.mark.parametrize("office", sorted(rulesets()))
def test_no_public_page_waits_for_a_writer_be_it_kept_or_not(
    server: Server, folder: Path, office: str
) -> None:
    asked = addresses(server, office)
    assert len(asked) >= 10
    rmtree(folder / "page_cache", ignore_errors=True)
    slow = {}
    with writing(folder):
        for address in asked:
            began = time.monotonic()
            assert status(server.ask(f"GET {address} HTTP/1.1")) in (200, 302), address
            if (passed := time.monotonic() - began) > PATIENCE / 4:
                slow[address] = passed
    assert slow == {}


def test_the_pages_of_sign_in_are_read_beside_a_writer_too(server: Server, folder: Path) -> None:
    with writing(folder):
        for head in ("GET /accounts/login/", "GET /accounts/password/reset/", "GET /robots.txt", "GET /"):
            began = time.monotonic()
            assert status(server.ask(f"{head} HTTP/1.1")) == 200
            assert time.monotonic() - began < PATIENCE / 4


def test_what_pages_keep_lies_beside_the_database_and_not_in_it(server: Server, folder: Path) -> None:
    for office in rulesets():
        for address in addresses(server, office):
            server.ask(f"GET {address} HTTP/1.1")
    assert list((folder / "page_cache").iterdir())
    with closing(sqlite3.connect(folder / "office.sqlite3")) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert "cache" not in tables
    assert "counters" in tables
