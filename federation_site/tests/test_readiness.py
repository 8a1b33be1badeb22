import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from federation_site import database, middleware
from federation_site.checks import check_database_form
from federation_site.database import database_form_problem, exit_on_other_form
from players.models import Federation, Ledger
from ratings import tasks
from ratings.models import Fact
from tests.ports import free_port

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


def test_code_and_database_of_one_version_may_write() -> None:
    assert not database.migrations_pending()


def test_a_database_behind_the_code_may_not() -> None:
    MigrationRecorder.Migration.objects.filter(app="federation_site").delete()
    assert database.migrations_pending()


def test_a_database_ahead_of_the_code_may_not() -> None:
    MigrationRecorder.Migration.objects.create(app="players", name="9999_from_the_future")
    assert database.migrations_pending()


def test_migrations_of_an_app_that_left_do_not_matter() -> None:
    MigrationRecorder.Migration.objects.create(app="gone", name="0001_initial")
    assert not database.migrations_pending()


def test_the_answer_is_of_the_moment() -> None:
    newer = MigrationRecorder.Migration.objects.create(app="players", name="9999_from_the_future")
    assert database.migrations_pending()
    newer.delete()
    assert not database.migrations_pending()


def test_a_process_knows_the_migrations_of_the_code_it_runs_and_not_of_files_laid_beside_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An upgrade lays new files into the folder of a process that still runs the old ones."""
    database.known_migrations()
    monkeypatch.setattr(database, "MigrationLoader", lambda *_: pytest.fail("the folder was read again"))
    MigrationRecorder.Migration.objects.create(app="players", name="9999_of_the_files_beside_it")
    assert database.migrations_pending()


def test_asking_costs_one_query(
    django_assert_num_queries: Callable[..., AbstractContextManager[Any]],
) -> None:
    database.migrations_pending()
    with django_assert_num_queries(2):  # is there a table; what is in it
        database.migrations_pending()


def test_a_worker_leaves_work_alone_while_the_database_is_ahead_of_its_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[Federation] = []
    monkeypatch.setattr("ratings.tasks.run", done.append)
    office = Federation.objects.create(code="csa", name="Chess", ruleset_slug="csa")
    newer = MigrationRecorder.Migration.objects.create(app="players", name="9999_from_the_future")
    tasks.recompute(office.pk)
    assert done == []
    newer.delete()
    tasks.recompute(office.pk)
    assert done == [office]


@pytest.mark.parametrize("form", [2, 1, 4, None])
def test_a_database_whose_journal_has_another_form_is_refused_in_one_sentence_and_none_of_this_form(
    form: int | None, settings: Any, tmp_path: Path
) -> None:
    csa, ssdc = (
        Federation.objects.create(code=code, name=code, ruleset_slug=code) for code in ("csa", "ssdc")
    )
    first_line_of(ssdc, '"form":3,')
    assert database_form_problem() == ""
    exit_on_other_form()
    assert check_database_form(databases=["default"]) == []
    first_line_of(csa, f'"form":{form},' if form else "")
    words = database_form_problem()
    assert words.startswith(f"The journal of this database (csa) is in form {form or 1}, which this version")
    assert ("let Federation Ratings 0.1.0rc1, which made it, write" in words) == (form == 2)
    assert "\n" not in words
    assert [each.msg for each in check_database_form(databases=["default"])] == [words]
    assert check_database_form() == []
    with pytest.raises(SystemExit, match="is in form"):
        exit_on_other_form()
    settings.VAR = tmp_path
    with pytest.raises(CommandError, match="is in form"):
        call_command("up", port=free_port())


def test_a_database_that_an_earlier_version_made_is_refused_in_one_sentence_that_says_the_way() -> None:
    ssdc = Federation.objects.create(code="ssdc", name="ssdc", ruleset_slug="ssdc")
    first_line_of(ssdc, '"form":3,')
    MigrationRecorder.Migration.objects.filter(app="players").update(name="0001_initial")
    words = database_form_problem()
    assert words.startswith("An earlier version made this database")
    assert "export_journal CODE" in words
    assert "import_journal FILE" in words
    assert "\n" not in words
    with pytest.raises(SystemExit, match="An earlier version"):
        exit_on_other_form()


def first_line_of(office: Federation, form: str) -> None:
    line = f'{{"fact":"federation",{form}"code":"{office.code}","ruleset":"csa","name":"Chess"}}'
    Fact.objects.create(federation=office, number=1, kind="federation", line=line)


def test_a_database_without_tables_or_that_is_away_has_no_journal_of_another_form(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection.introspection, "table_names", lambda: [])
    assert database_form_problem() == ""
    monkeypatch.setattr(connection.introspection, "table_names", Mock(side_effect=OperationalError))
    assert database_form_problem() == ""


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
