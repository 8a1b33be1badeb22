import json
import socket
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from federation_site.checks import check_the_database_is_of_this_form
from federation_site.processes import readiness
from federation_site.web import middleware
from players.office.models import Federation, Ledger

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


def test_a_database_of_an_earlier_version_is_refused_in_one_sentence() -> None:
    assert readiness.made_before() == ""
    assert check_the_database_is_of_this_form(databases=["default"]) == []
    MigrationRecorder.Migration.objects.create(app="players", name="0099_of_form_1")
    assert readiness.made_before() == "", "what a newer version brought is no matter of the form"
    MigrationRecorder.Migration.objects.create(app="players", name="0004_refold_names")
    words = readiness.made_before()
    assert words.startswith("An earlier version made this database")
    assert str(connection.settings_dict["NAME"]) in words
    assert [each.msg for each in check_the_database_is_of_this_form(databases=["default"])] == [words]
    with pytest.raises(CommandError, match="earlier version made this database"):
        call_command("up", port=free_port())


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


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
    assert json.loads(client.get("/readyz").content)["pending"] == 1


def test_readyz_refuses_while_migrations_are_pending(client: Client) -> None:
    MigrationRecorder.Migration.objects.filter(app="federation_site").delete()
    assert client.get("/readyz").status_code == 503
