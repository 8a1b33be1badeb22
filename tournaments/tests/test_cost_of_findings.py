"""What the pages of findings cost: no page opens the file again, and none asks more for a long file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.models import User
from tournaments.filing import get_quoted_lines
from tournaments.models import Section
from tournaments.tests.conftest import Send, address, fresh
from tournaments.tests.event_files import FOUR, HEAD, open_file

pytestmark = pytest.mark.long

ClientOf = Callable[[User], Client]
PAGES = ("findings", "submit", "details")


def long_file(lines: int) -> bytes:
    """A file whose comments each hold a character that no text may have, and whose points are wrong."""
    comments = [f"### comment {number} with \u200b in it" for number in range(lines)]
    return "\n".join([HEAD + FOUR.replace(" 1.0 ", " 3.0 ").rstrip("\n"), *comments]).encode()


@pytest.fixture
def decoded_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever would decode a stranger's file in this process falls over."""

    def decoded(*args: Any, **more: Any) -> NoReturn:
        raise AssertionError("a page decoded a stranger's file")

    for name in (
        "formats.to_text",
        "formats.text.to_text",
        "formats.csv_table.read_text",
    ):
        monkeypatch.setattr(f"tournaments.{name}", decoded)


@pytest.mark.boxed
@pytest.mark.parametrize("page", PAGES)
def test_no_page_of_findings_fetches_or_decodes_the_file(
    page: str, amahle: User, client_of: ClientOf, section: Section, upload: Send, decoded_here: None
) -> None:
    client = client_of(amahle)
    upload(client, section, long_file(50))
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address(section, page)).status_code == 200
    fetched = [query["sql"] for query in queries if '"content"' in query["sql"]]
    # The file's page shows the newest upload; of those that show findings none needs its bytes.
    assert not any("tournaments_upload" in sql for sql in fetched)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_asks_the_database_no_more_for_ten_times_the_findings(
    page: str, amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    client, asked = client_of(amahle), list[int]()
    for lines in (30, 300):
        upload(client, section, long_file(lines))
        client.get(address(section, page))
        with CaptureQueriesContext(connection) as queries:
            client.get(address(section, page))
        asked.append(len(queries))
    assert fresh(section).findings.count() > 300
    assert asked[1] <= asked[0]


def test_the_worker_keeps_the_lines_that_findings_players_and_games_stand_on(
    amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    client, data = client_of(amahle), open_file()
    upload(client, section, data)
    lines = data.decode().split("\r\n")
    kept = get_quoted_lines(section.uploads.held())
    assert {entry.line for entry in section.entries.all()} <= set(kept)
    assert all(text == lines[number - 1] for number, text in kept.items())


def test_quoted_lines_go_with_the_sheet_that_keeps_them(
    amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    client = client_of(amahle)
    upload(client, section, long_file(3))
    assert 'class="excerpt"' in client.get(address(section, "findings")).content.decode()
    held = section.uploads.held()
    assert held
    held.sheet.delete()
    assert not get_quoted_lines(held)
    assert 'class="excerpt"' not in client.get(address(section, "findings")).content.decode()
