"""Database triggers that refuse to change what is written once: the record, the journal, published lists.

The code has no path that does; the triggers hold against everything else that can reach the database.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.db import migrations

FROZEN: list[tuple[str, tuple[str, ...]]] = [
    ("players_decision", ()),
    ("ratings_fact", ("federation_id", "number", "kind", "subject", "on", "line", "takes_id", "particulars")),
    ("ratings_ratinglist", ()),
    ("ratings_listrow", ()),
]
"""Tables, and the columns that are frozen (none named: all)."""


def create(vendor: str, table: str, columns: Sequence[str] = ()) -> list[str]:
    """The statements that freeze a table."""
    if vendor == "postgresql":
        of = " OF " + ", ".join(f'"{column}"' for column in columns) if columns else ""
        return [
            f"""CREATE OR REPLACE FUNCTION {table}_is_frozen() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION '{table} is written once and never changed'; END $$""",
            f"CREATE TRIGGER {table}_no_update BEFORE UPDATE{of} ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION {table}_is_frozen()",
            f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION {table}_is_frozen()",
        ]
    of = " OF " + ", ".join(f'"{column}"' for column in columns) if columns else ""
    refuse = f"BEGIN SELECT RAISE(ABORT, '{table} is written once and never changed'); END"
    return [
        f"CREATE TRIGGER {table}_no_update BEFORE UPDATE{of} ON {table} {refuse}",
        f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} {refuse}",
    ]


def drop(vendor: str, table: str) -> list[str]:
    on = f" ON {table}" if vendor == "postgresql" else ""
    return [f"DROP TRIGGER IF EXISTS {table}_no_{deed}{on}" for deed in ("update", "delete")]


def freeze(*tables: str) -> migrations.RunPython:
    """The migration's operation for tables of `FROZEN`."""

    def run(statements: Callable[[str, str], list[str]]) -> Callable[[Any, Any], None]:
        def inner(apps: Any, editor: Any) -> None:
            for table in tables:
                for statement in statements(editor.connection.vendor, table):
                    editor.execute(statement)

        return inner

    columns = dict(FROZEN)
    return migrations.RunPython(run(lambda vendor, table: create(vendor, table, columns[table])), run(drop))
