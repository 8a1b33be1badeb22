import json
from collections.abc import Iterator

import pytest
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from federation_site import middleware, readiness
from players.models import Federation, Ledger

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(readiness, "_last_answer", None)
    yield
    readiness._last_answer = None


def test_code_and_database_of_one_version_may_write() -> None:
    assert not readiness.migrations_pending()


def test_a_database_behind_the_code_may_not() -> None:
    MigrationRecorder.Migration.objects.filter(app="federation_site").delete()
    assert readiness.migrations_pending()


def test_a_database_ahead_of_the_code_may_not() -> None:
    MigrationRecorder.Migration.objects.create(app="players", name="9999_from_the_future")
    assert readiness.migrations_pending()


def test_migrations_of_an_app_that_left_do_not_matter() -> None:
    MigrationRecorder.Migration.objects.create(app="gone", name="0001_initial")
    assert not readiness.migrations_pending()


def test_the_answer_is_remembered_for_some_seconds() -> None:
    assert not readiness.migrations_pending()
    MigrationRecorder.Migration.objects.filter(app="federation_site").delete()
    assert not readiness.migrations_pending()


def test_a_write_is_held_while_migrations_are_pending(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(middleware, "migrations_pending", lambda: True)
    answer = client.post("/accounts/login/", {"login": "nomsa@example.org", "password": "x"})
    assert answer.status_code == 503
    assert answer["Retry-After"] == "30"


def test_a_read_is_answered_all_the_same(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "migrations_pending", lambda: True)
    assert client.get("/accounts/login/").status_code == 200


def test_healthz_says_that_the_process_is_alive(client: Client) -> None:
    assert client.get("/healthz").content == b"ok"


def test_readyz_counts_the_offices_with_work_to_do(client: Client) -> None:
    office = Federation.objects.create(code="csa", name="Chess", ruleset_slug="csa")
    Ledger.objects.create(federation=office, wanted=2, done=1)
    assert json.loads(client.get("/readyz").content) == {"ready": True, "pending": 1}


def test_readyz_refuses_while_migrations_are_pending(client: Client) -> None:
    MigrationRecorder.Migration.objects.filter(app="federation_site").delete()
    assert client.get("/readyz").status_code == 503
