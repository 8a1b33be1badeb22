"""Copies of public pages for when the office is away: of what, for whom, and when they go."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from unittest.mock import Mock

import pytest
import time_machine
from django.test import Client

from federation_site.gateway import kept_copy
from federation_site.tasks import forget_sessions
from players import kept_pages
from players.decision_kinds import KINDS, TAKES_NOTHING_BACK
from players.models import Federation, Ledger, Player, User
from players.record import decide
from ratings.models import RatingList
from ratings.people import forget_name
from ratings.tests.office import approved, published, register, submitted
from ratings.tests.test_correcting_players import fields_of
from tests.built_once import built_once

pytestmark = pytest.mark.django_db
LIST = "/csa/lists/2024-04/otb-main/"
HOST = "testserver"
DAY = date(2026, 11, 30)
NAME = "Invented03"
Captured = Callable[..., Any]


@pytest.fixture
@built_once
def listed(csa: Federation) -> RatingList:
    players = register(csa, 10)
    for number, seed in (("2024-001", 1), ("2024-002", 2)):
        approved(submitted(csa, players, number=number, seed=seed))
    return next(each for each in published(csa, date(2024, 4, 1)) if each.track == "otb-main")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.KEPT_DIR = tmp_path / "kept"
    return tmp_path / "kept"


def copy(path: str, *, query: str = "", cookie: str = "", language: str = "", method: str = "GET") -> str:
    """What the gateway answers of an address while the office is away; empty for nothing."""
    headers = [
        (b"host", HOST.encode()),
        (b"cookie", cookie.encode()),
        (b"accept-language", language.encode()),
    ]
    scope = {"method": method, "path": path, "query_string": query.encode(), "headers": headers}
    answer = kept_copy(scope)
    return answer.content.read().decode() if answer else ""


def lying(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("seen-")]


def test_a_page_that_somebody_read_is_read_on_with_its_hour(client: Client, listed: RatingList) -> None:
    with time_machine.travel("2026-11-30 14:05", tick=False):
        page = client.get(LIST).content.decode()
    assert NAME in page
    kept = copy(LIST)
    assert "30 November 2026, 14:05 UTC" in kept
    assert "30 November 2026, 14:05 UTC" not in page
    [note] = re.findall(
        r'<div class="message message-warning" role="status">.*?</div></div>\s*', kept, re.DOTALL
    )
    assert "".join(kept.replace(note, "").split()) == "".join(page.split())


def test_what_nobody_read_and_what_is_no_page_has_no_copy(client: Client, listed: RatingList) -> None:
    assert copy(LIST) == ""
    for path in (f"{LIST}r1/list.csv", "/csa/lists.atom", "/nowhere/", "/api/"):
        client.get(path)
        assert copy(path) == ""


def test_further_pages_of_a_long_list_are_read_on_and_searches_are_not(
    client: Client, listed: RatingList
) -> None:
    client.get(f"{LIST}?page=1")
    assert copy(LIST) == ""
    assert NAME in copy(LIST, query="page=1")
    client.get(f"{LIST}?sort=name")
    client.get(f"{LIST}?page=1&sort=name")
    assert [copy(LIST, query=query) for query in ("sort=name", "page=1&sort=name", "page=01")] == [""] * 3
    assert copy(LIST, query="page=1", method="POST") == ""


def test_whoever_has_a_cookie_leaves_no_copy(
    listed: RatingList, nomsa: User, client_of: Callable[[User], Client], folder: Path
) -> None:
    client_of(nomsa).get(LIST)
    chosen = Client()
    chosen.cookies["language"] = "cs"
    chosen.get(LIST)
    assert lying(folder) == []


def test_a_reader_gets_the_copy_in_their_language_where_there_is_one(
    client: Client, listed: RatingList
) -> None:
    client.get("/csa/lists/")
    client.get("/cs/csa/lists/")
    assert 'lang="en"' in copy("/csa/lists/", language="cs")  # an office's pages are in its language
    assert 'lang="cs"' in copy("/csa/lists/", cookie="language=cs")
    assert 'lang="en"' in copy("/csa/lists/", cookie="language=pl")
    assert "neodpovídá" in copy("/cs/csa/lists/")
    client.get("/", headers={"accept-language": "ru"})
    assert 'lang="ru"' in copy("/", language="ru, en;q=0.5")
    assert copy("/", language="pl") == ""


def test_while_ratings_are_computed_no_copy_is_kept(client: Client, listed: RatingList) -> None:
    Ledger.objects.update(wanted=10**6)
    client.get(LIST)
    client.get("/")
    assert (copy(LIST), copy("/")) == ("", "")


def test_what_an_office_decides_to_withhold_lies_nowhere_when_it_is_answered(
    listed: RatingList,
    nomsa: User,
    client: Client,
    client_of: Callable[[User], Client],
    folder: Path,
    django_capture_on_commit_callbacks: Captured,
) -> None:
    player = Player.objects.get(surname=NAME)
    for path in (LIST, player.get_absolute_url(), "/csa/events/2024-001/A/", "/csa/"):
        client.get(path)
    assert any(NAME in path.read_text() for path in lying(folder))
    sent = fields_of(player, withheld="on", confirm="1")
    with django_capture_on_commit_callbacks(execute=True):
        answer = client_of(nomsa).post(f"{player.get_absolute_url()}correct/", sent)
    assert answer.status_code == 302
    assert lying(folder) == []
    assert list(folder.iterdir()) == [folder / "pages"]
    client.get(LIST)
    assert copy(LIST)
    assert NAME not in copy(LIST)


def test_a_deleted_name_lies_nowhere(
    listed: RatingList, client: Client, folder: Path, django_capture_on_commit_callbacks: Captured
) -> None:
    client.get(LIST)
    with django_capture_on_commit_callbacks(execute=True):
        forget_name(player=Player.objects.get(surname=NAME), by=None, on=DAY)
    assert lying(folder) == []


def test_a_page_that_was_begun_before_the_decision_leaves_no_copy_after_it(folder: Path) -> None:
    with kept_pages.open_folder() as opened:
        assert opened is not None
        kept_pages.forget()
        opened.keep("testserver/csa/page.html", b"<main>a name</main>")
    assert copy("/csa/") == ""
    assert lying(folder) == []
    with kept_pages.open_folder() as opened:
        assert opened is not None
        opened.keep("testserver/csa/page.html", b"<main>no name</main>")
    assert "no name" in copy("/csa/")


def test_copies_are_deleted_though_another_process_deletes_what_this_one_prepared(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other may have begun before the page with the name was made."""
    prepared = list[str]()

    def prepare(**place: Any) -> str:
        prepared.append(mkdtemp(**place))
        if len(prepared) == 1:
            Path(prepared[0]).rmdir()
        return prepared[-1]

    with kept_pages.open_folder() as opened:
        assert opened is not None
        opened.keep("testserver/csa/page.html", b"<main>a name</main>")
    monkeypatch.setattr(kept_pages, "mkdtemp", prepare)
    assert kept_pages.forget()
    assert lying(folder) == []


def test_copies_that_could_not_be_deleted_are_tried_again_by_the_next_sweep(
    listed: RatingList, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.get(LIST)
    with monkeypatch.context() as closed:
        closed.setattr("players.kept_pages.os.rename", Mock(side_effect=PermissionError))
        kept_pages.forget_if_taken_back(listed.federation)
    assert copy(LIST)
    kept_pages.forget_if_taken_back(listed.federation)
    assert not copy(LIST)


def test_what_adds_to_the_record_takes_no_copy_away(
    listed: RatingList, client: Client, django_capture_on_commit_callbacks: Captured
) -> None:
    client.get(LIST)
    with django_capture_on_commit_callbacks(execute=True):
        for kind in ("remind", "submit", "approve", "publish"):
            decide(listed.federation, kind=kind, by=None, on=DAY, about="office")
    assert copy(LIST)
    with django_capture_on_commit_callbacks(execute=True):
        decide(listed.federation, kind="unrate", by=None, on=DAY, about="office")
    assert not copy(LIST)


def test_a_submission_with_which_players_leave_the_register_takes_the_copies_away(
    listed: RatingList, client: Client, django_capture_on_commit_callbacks: Captured
) -> None:
    gone: dict[str, Any] = {"kind": "submit", "by": None, "on": DAY, "about": "office", "gone": ["101"]}
    client.get(LIST)
    kept_pages.forget_if_taken_back(listed.federation)
    client.get(LIST)
    with django_capture_on_commit_callbacks(execute=True):
        decide(listed.federation, **gone)
    assert not copy(LIST)
    kept_pages.forget_if_taken_back(listed.federation)
    client.get(LIST)
    decide(listed.federation, **gone)  # its transaction never ends
    kept_pages.forget_if_taken_back(listed.federation)
    assert not copy(LIST)


@pytest.mark.parametrize(
    "kind", ["correct", "forget-name", "merge", "part", "set", "unrate", "mend", "revise", "import-register"]
)
def test_whatever_may_take_something_back_is_known_as_such(kind: str) -> None:
    assert kind in KINDS
    assert kind not in TAKES_NOTHING_BACK


def test_a_decision_whose_process_died_before_it_deleted_is_made_up_for_by_the_sweep(
    listed: RatingList, client: Client
) -> None:
    client.get(LIST)
    kept_pages.forget_if_taken_back(listed.federation)  # nothing is known of what lies there
    client.get(LIST)
    kept_pages.forget_if_taken_back(listed.federation)
    assert copy(LIST)
    decide(listed.federation, kind="publish", by=None, on=DAY, about="office")
    kept_pages.forget_if_taken_back(listed.federation)
    assert copy(LIST)
    decide(listed.federation, kind="correct", by=None, on=DAY, about="office")  # its transaction never ends
    kept_pages.forget_if_taken_back(listed.federation)
    assert not copy(LIST)


def test_copies_never_take_more_room_than_they_may(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_pages, "BYTES_BETWEEN_TRIMS", 5_000)
    monkeypatch.setattr(kept_pages, "MOST_BYTES", 10_000)
    with kept_pages.open_folder() as opened:
        assert opened is not None
        for number in range(40):
            opened.keep(f"testserver/csa/players/{number}/page.html", b"<main>" + b"x" * 1_000)
    assert 1_000 < sum(path.stat().st_size for path in lying(folder)) < 10_000 + 5_000 + 3_000
    assert copy("/csa/players/39/")
    assert not copy("/csa/players/0/")


def test_each_night_copies_older_than_a_month_go_with_folders_that_are_empty(folder: Path) -> None:
    with kept_pages.open_folder() as opened:
        assert opened is not None
        for number in (1, 2):
            opened.keep(f"testserver/csa/players/{number}/page.html", b"<main>a name</main>")
    old = folder / "pages/testserver/csa/players/1"
    os.utime(old / "page.html", (time.time() - kept_pages.OLDEST_SECONDS - 60,) * 2)
    forget_sessions()
    assert not old.exists()
    assert "a name" in copy("/csa/players/2/")
    kept_pages.forget()
    forget_sessions()
    assert (folder / "pages").is_dir()


def test_no_page_fails_because_copies_are_deleted_while_others_are_brought_to_size(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scan = os.scandir

    def delete_and_scan(path: Any) -> Any:
        if str(path).endswith("csa"):
            rmtree(folder / "pages")
        return scan(path)

    with kept_pages.open_folder() as opened:
        assert opened is not None
        opened.keep("testserver/csa/page.html", b"<main>a name</main>")
        with monkeypatch.context() as deleting:
            deleting.setattr(os, "scandir", delete_and_scan)
            deleting.setattr(kept_pages, "BYTES_BETWEEN_TRIMS", 0)
            opened.keep("testserver/page.html", b"<main>a name</main>")
    assert not (folder / "pages").exists()


@pytest.mark.parametrize(
    ("host", "path"),
    [
        ("testserver", "/csa/../../secret/"),
        ("testserver", "/./"),
        ("testserver", "/csa//x/"),
        ("..", "/csa/"),
        ("a/b", "/csa/"),
        ("testserver", "/.hidden/"),
        ("testserver", "/csa/list.csv"),
        ("testserver", f"/{'a/' * 150}"),
        ("testserver", "/a\0b/"),
        ("", "/csa/"),
    ],
)
def test_an_address_that_is_none_of_ours_names_no_file(host: str, path: str) -> None:
    assert kept_pages.copy_name(host, path) == ""
