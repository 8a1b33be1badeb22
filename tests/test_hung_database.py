"""A database that hangs, or is held by somebody: each page answers, and says when to try again."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from threading import Timer

import pytest
from django.db import OperationalError, close_old_connections, connection
from django.test import Client

from federation_site import tasks
from federation_site.database import patience_of
from federation_site.models import SignOfLife
from players.models import Federation, User
from tests.faults.servers import Postgres

ON_POSTGRESQL = os.environ.get("DATABASE_URL", "").startswith("postgres")
pytestmark = [
    pytest.mark.faults,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which processes a server has"),
]
on_postgresql = pytest.mark.skipif(not ON_POSTGRESQL, reason="a server is needed that can hang")
on_sqlite = pytest.mark.skipif(ON_POSTGRESQL, reason="holds a file")
AWAY = {
    "en": "The database does not answer",
    "pl": "Baza danych nie odpowiada",
    "cs": "Databáze neodpovídá",
    "ru": "База данных не отвечает",
}
FOR_EVER = 90.0
"""Seconds after which a server goes on that a page still waits for, so that a test fails and ends."""


@contextmanager
def hanging() -> Iterator[None]:
    server = Postgres()
    with server.stalled() as go_on:
        late = Timer(FOR_EVER, go_on)
        late.start()
        try:
            yield
        finally:
            late.cancel()
            close_old_connections()


@pytest.fixture
def visitor() -> Client:
    return Client(raise_request_exception=False)


@pytest.mark.servers
@on_postgresql
def test_a_page_says_in_its_language_that_the_database_hangs_and_reads_again_when_it_goes_on(
    csa: Federation, visitor: Client
) -> None:
    assert visitor.get("/csa/players/?q=none").status_code == 200
    with patience_of(2), hanging():
        for language, words in AWAY.items():
            answer = visitor.get(f"/csa/players/?q={language}", headers={"Accept-Language": language})
            assert answer.status_code == 503
            assert answer["Retry-After"] == "30"
            assert words in answer.content.decode()
            close_old_connections()  # as at the end of a request, of which the client sends no word
        with pytest.raises(OperationalError, match=r"timeout|not answered"):
            Federation.objects.count()
    assert visitor.get("/csa/players/?q=after").status_code == 200


@pytest.mark.servers
@on_postgresql
def test_the_probe_of_a_process_whose_database_hangs_says_what_failed(visitor: Client) -> None:
    assert SignOfLife.objects.count() == 0
    with hanging():
        answer = visitor.get("/readyz")
        assert answer.status_code == 503
        assert "schema" in answer.json()["failed"]


@pytest.mark.servers
@on_postgresql
def test_a_task_gives_a_hung_database_up_and_is_done_when_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    SignOfLife.objects.count()
    pauses = list[float]()
    with patience_of(1), hanging():
        monkeypatch.setattr("federation_site.celery.time.sleep", pauses.append)
        with pytest.raises(OperationalError):
            tasks.give_sign()
    assert len(pauses) == 3
    tasks.give_sign()
    assert SignOfLife.objects.count() == 1


@pytest.mark.servers
@on_postgresql
def test_a_slow_statement_is_ended_by_the_server_before_the_page_gives_it_up() -> None:
    connection.close()
    with patience_of(2):
        with pytest.raises(OperationalError, match="statement timeout"), connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(60)")
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    connection.close()


@pytest.mark.servers
@on_postgresql
def test_the_connection_that_a_probe_opens_leaves_no_page_its_short_patience(visitor: Client) -> None:
    connection.close()
    visitor.get("/readyz")
    with connection.cursor() as cursor:
        assert cursor.execute("SHOW statement_timeout").fetchone() == ("0",)


@on_sqlite
def test_who_sends_a_form_while_somebody_else_writes_reads_that_the_database_is_busy(visitor: Client) -> None:
    words = {"en": "The database is busy", "pl": "Baza danych jest zajęta", "ru": "База данных занята"}
    visitor.force_login(User.objects.create(email="somebody@example.org"))
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 200")
    try:
        with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as somebody:
            somebody.execute("BEGIN IMMEDIATE")
            for language, said in words.items():
                headers = {"Accept-Language": language}
                answer = visitor.post("/language/", {"language": "cs"}, headers=headers)
                assert answer.status_code == 503
                assert answer["Retry-After"] == "10"
                assert said in answer.content.decode()
                assert visitor.get("/", headers=headers).status_code == 200
    finally:
        connection.close()
