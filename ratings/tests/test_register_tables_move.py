"""A register table that was uploaded before its tables moved to `players` is still there after it."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

BEFORE = [("players", "0002_freeze_the_record"), ("ratings", "0002_freeze_what_is_published")]
AFTER = [("players", "0003_take_register_imports"), ("ratings", "0003_give_register_imports_to_players")]

pytestmark = pytest.mark.django_db(transaction=True)


def _migrate(targets: list[tuple[str, str]]) -> MigrationExecutor:
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return MigrationExecutor(connection)


def test_the_rows_of_register_tables_move_with_them_forward_and_back() -> None:
    newest = MigrationExecutor(connection).loader.graph.leaf_nodes()
    try:
        old = _migrate(BEFORE).loader.project_state(BEFORE).apps
        office = old.get_model("players", "Federation").objects.create(
            code="moved", name="Moved", ruleset_slug="csa"
        )
        table = old.get_model("ratings", "RegisterImport").objects.create(
            federation=office, at="2026-01-01T00:00Z", on="2026-01-01", name="players.csv", size=1, sha256="0"
        )
        table.lines.create(line=2, kind="new", name="Somebody, New")
        new = _migrate(AFTER).loader.project_state(AFTER).apps
        found = new.get_model("players", "RegisterImport").objects.get()
        assert (found.pk, found.name) == (table.pk, "players.csv")
        assert list(found.lines.values_list("line", "name")) == [(2, "Somebody, New")]
        found.lines.create(line=3, kind="new", name="Another, New")
        back = _migrate(BEFORE).loader.project_state(BEFORE).apps
        assert back.get_model("ratings", "RegisterLine").objects.count() == 2
    finally:
        _migrate(newest)
