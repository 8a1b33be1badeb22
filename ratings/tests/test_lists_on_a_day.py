"""The list in force on a day, and a list beside the ratings of its day as known now."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from django.conf import settings
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from federation_site.celery import app
from players.models import Federation, Player
from players.storage import try_lock_folder
from ratings import approval, tasks
from ratings import lists as whole_list_known_now
from ratings.lists import VersionPlace, compute_rows_known_now
from ratings.models import ListRow, RatingList
from ratings.pages import days
from ratings.rulesets import journal, rulesets
from ratings.rulesets.facts import ListedPlayer
from ratings.tests.eventful import eventful
from ratings.tests.office import approved, published, recompute_all, register, submitted
from ratings.tests.test_asof import office_of
from tests.built_once import built_once
from tests.pages import unbroken

pytestmark = pytest.mark.django_db
IN_FORCE = "/csa/lists/in-force/"
MOST_QUERIES = 16


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    caches["pages"].clear()


@pytest.fixture
@built_once
def lists(csa: Federation) -> list[Player]:
    """Lists on 1 April and 1 May; a section on the first was taken back on 20 April."""
    players = register(csa, 10)
    approved(submitted(csa, players, ends=date(2024, 3, 1)), date(2024, 3, 4))
    second = submitted(csa, players, number="2024-002", ends=date(2024, 3, 8), seed=2)
    approved(second, date(2024, 3, 10))
    published(csa, date(2024, 4, 1))
    second.refresh_from_db()
    approval.unrate(
        section=second,
        by=None,
        on=date(2024, 4, 20),
        version=second.version,
        reason="result",
        words="A result was wrong.",
        after_list=True,
    )
    recompute_all(csa)
    third = submitted(csa, players, number="2024-003", ends=date(2024, 4, 22), seed=3)
    approved(third, date(2024, 4, 25))
    published(csa, date(2024, 5, 1))
    return players


@pytest.mark.parametrize(
    ("day", "label"),
    [("2024-04-01", "2024-04"), ("2024-04-30", "2024-04"), ("2024-05-01", "2024-05"), ("", "2024-05")],
)
def test_the_list_in_force_is_the_newest_published_by_the_end_of_the_day(
    client: Client, lists: list[Player], day: str, label: str
) -> None:
    answer = client.get(f"{IN_FORCE}?track=otb-main&on={day}")
    assert answer["Location"] == f"/csa/lists/{label}/otb-main/r1/"
    assert client.get(answer["Location"]).status_code == 200
    assert client.get(f"{IN_FORCE}?on={day}")["Location"] == f"/csa/lists/{label}/"


def test_before_the_first_list_and_outside_the_record_none_was_in_force(
    client: Client, lists: list[Player]
) -> None:
    early = client.get(f"{IN_FORCE}?track=otb-main&on=2024-03-31")
    assert early.status_code == 404
    assert "No list had been published by that day." in early.content.decode()
    assert client.get(f"{IN_FORCE}?track=otb-main&on=1999-01-01").status_code == 404
    assert client.get(f"{IN_FORCE}?track=none-such&on=2024-04-01").status_code == 404


def test_a_missing_page_says_why_in_our_own_words_and_never_in_djangos(
    client: Client, lists: list[Player]
) -> None:
    early = client.get("/csa/players/101000001/?on=1999-01-01").content.decode()
    assert re.search(r"The record begins on \d+ \w+ 2024\.", early)
    assert "query" not in client.get("/csa/players/7/").content.decode()
    assert "Resolver404" not in client.get("/csa/nowhere/at/all/").content.decode()


def test_the_days_of_lists_offer_ratings_and_days_that_have_a_list(
    client: Client, lists: list[Player]
) -> None:
    page = client.get("/csa/lists/").content.decode()
    assert '<option value="otb-main">' in page
    assert '<option value="ol-blitz">' not in page
    assert 'min="2024-04-01"' in page


def test_a_revision_is_in_force_from_its_own_day_and_not_the_day_before(
    client: Client, csa: Federation, lists: list[Player]
) -> None:
    rated = csa.facts.get(kind="rated", on=date(2024, 4, 25))
    revised = RatingList.objects.get(federation=csa, on=date(2024, 4, 1), track="otb-main")
    revised.pk, revised.revision, revised.fact = None, 2, rated
    revised.save(force_insert=True)
    for day, revision in (("2024-04-24", 1), ("2024-04-25", 2)):
        answer = client.get(f"{IN_FORCE}?track=otb-main&on={day}")
        assert answer["Location"] == f"/csa/lists/2024-04/otb-main/r{revision}/"


def page_of(client: Client, month: str = "2024-04", query: str = "") -> str:
    return unbroken(client.get(f"/csa/lists/{month}/otb-main/r1/known-now/{query}").getvalue().decode())


def test_the_page_marks_the_rows_of_which_something_else_is_known_now(
    client: Client, lists: list[Player]
) -> None:
    html = page_of(client)
    assert '<tr class="highlight">' in html
    assert '<meta name="robots" content="noindex">' in html
    assert "Another rank or rating (0)" in page_of(client, "2024-05")
    assert '<tr class="highlight">' not in page_of(client, "2024-05")


@pytest.mark.long
@pytest.mark.parametrize(
    "code", [pytest.param("csa", marks=pytest.mark.nightly), "ssdc", "pfo", "piskvorky", "mahjong"]
)
def test_the_whole_list_is_what_revising_it_would_publish(code: str) -> None:
    lines = eventful(rulesets()[code], 3)
    office = office_of(lines)
    for shown in RatingList.objects.filter(federation=office, revision=1):
        whole_list_known_now.draw(shown)
        found = whole_list_known_now.find_cached_rows(shown)
        again = journal.read_journal([*lines, f'{{"fact":"revised","list":"{shown.on}","on":"2029-12-31"}}'])
        drawn = journal.list_of_line(again, len(lines) + 1).get(shown.track, [])
        assert found is not None
        now = [(row.number, row.now.rank, row.now.rating) for row in found if row.now]
        assert now == [(row.player, row.rank, row.rating) for row in drawn]
        published = {
            (row.was or row.number, row.before.rank, row.before.rating) for row in found if row.before
        }
        rows = ListRow.objects.filter(rating_list=shown).values_list("player__number", "rank", "rating")
        assert published == set(rows)


def place(player: str, rank: int, rating: int) -> ListedPlayer:
    return ListedPlayer(rank, player, Decimal(rating), 9, "")


def test_who_is_new_who_is_gone_and_who_was_merged_stands_so() -> None:
    published = {
        "A": VersionPlace(1, Decimal(1900), 9),
        "B": VersionPlace(2, Decimal(1800), 9),
        "C": VersionPlace(3, Decimal(1700), 9),
        "D": VersionPlace(4, Decimal(1600), 9),
    }
    drawn = [place("N", 1, 1950), place("A", 2, 1900), place("B", 3, 1750), place("E", 4, 1600)]
    rows = list(whole_list_known_now.merge_rows(drawn, published, {"C": "B", "D": "E"}))
    assert [(row.number, row.kind, row.was) for row in rows] == [
        ("N", "new", ""),
        ("A", "moved", ""),  # by its rank alone
        ("B", "moved", ""),
        ("E", "", "D"),
        ("B", "gone", "C"),
    ]


def test_a_reader_sees_only_those_of_one_kind_with_their_number(client: Client, lists: list[Player]) -> None:
    html = page_of(client, query="?only=gone")  # the section that made their ratings is taken back
    shown = re.search(r"Gone from the list \((\d+)\)", html)
    assert shown is not None
    assert html.count('<th scope="row">') == int(shown[1]) > 0
    assert '<th scope="row">' not in page_of(client, query="?only=new")
    assert page_of(client, query="?only=none-such").count('<th scope="row">') == len(lists)


def test_the_journal_is_folded_once_until_it_grows(
    client: Client, csa: Federation, lists: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    folds: list[date] = []

    def counted(office: Federation, day: date, on: date) -> dict[str, list[ListedPlayer]]:
        folds.append(day)
        return compute_rows_known_now(office, day, on)

    monkeypatch.setattr(whole_list_known_now, "compute_rows_known_now", counted)
    for query in ("", "?only=moved", "?page=2"):
        page_of(client, query=query)
    assert len(folds) == 1
    approved(submitted(csa, lists, number="2024-004", ends=date(2024, 5, 3), seed=4), date(2024, 5, 6))
    page_of(client)
    assert len(folds) == 2


def test_a_long_journal_is_folded_by_the_worker_who_is_asked_once(
    client: Client,
    csa: Federation,
    lists: list[Player],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[str] = []
    monkeypatch.setattr(whole_list_known_now, "AT_ONCE", 3)
    monkeypatch.setattr(
        whole_list_known_now, "wake", lambda task, key, **options: sent.append(f"{task} {key}")
    )
    shown = RatingList.objects.get(federation=csa, on=date(2024, 4, 1), track="otb-main")
    for _look in range(2):
        answer = client.get("/csa/lists/2024-04/otb-main/r1/known-now/")
        assert "is being drawn up" in answer.content.decode()
        assert answer["Cache-Control"] == "no-store"
    assert sent == [f"ratings.tasks.draw_known_list {shown.pk}"]
    tasks.draw_known_list(shown.pk)
    assert '<th scope="row">' in page_of(client)
    assert app.amqp.router.route({}, "ratings.tasks.draw_known_list")["queue"].name == "files"


def test_a_list_that_is_asked_for_while_a_dump_is_drawn_up_is_asked_for_again_and_drawn_once(
    lists: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It neither waits in the process that a region's file could have, nor is forgotten."""
    sent: list[tuple[str, int, bool]] = []

    def note(task: str, key: int, **options: int) -> None:
        sent.append((task, key, options.get("countdown", 0) > 0))

    monkeypatch.setattr(whole_list_known_now, "wake", note)
    shown = RatingList.objects.get(on=date(2024, 4, 1), track="otb-main")
    with try_lock_folder(Path(settings.DUMPS_DIR)) as alone:
        assert alone
        tasks.draw_known_list(shown.pk)
    assert whole_list_known_now.find_cached_rows(shown) is None
    assert sent == [("ratings.tasks.draw_known_list", shown.pk, True)]
    tasks.draw_known_list(shown.pk)
    assert whole_list_known_now.find_cached_rows(shown) is not None
    monkeypatch.setattr(tasks, "draw", lambda shown: pytest.fail("it is there already"))
    tasks.draw_known_list(shown.pk)
    assert len(sent) == 1


def test_a_page_asks_no_more_with_more_rows(
    client: Client, lists: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    page_of(client)
    for rows in (2, 8):
        monkeypatch.setattr(days, "ROWS", rows)
        with CaptureQueriesContext(connection) as queries:
            html = page_of(client, query=f"?page=1&rows={rows}")
        assert html.count('<th scope="row">') == rows
        counts.append(len(queries))
    assert counts[0] == counts[1] <= MOST_QUERIES
