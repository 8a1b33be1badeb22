"""Database triggers that refuse to change what is written once: the record, the journal, published lists.

No code tries to; the triggers hold against everything else that can reach the database.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.db import migrations

FROZEN: list[tuple[str, tuple[str, ...]]] = [
    ("players_decision", ()),
    ("players_decisionwords", ("decision_id", "key", "salt", "value")),
    (
        "ratings_fact",
        ("federation_id", "number", "kind", "subject", "on", "line", "takes_id", "particulars", "pres"),
    ),
    ("ratings_ratinglist", ()),
    ("ratings_listrow", ()),
    ("ratings_programfile", ()),
    ("ratings_erratum", ()),
    ("ratings_correctedrating", ()),
    ("ratings_logkey", ()),
    ("ratings_checkpoint", ()),
    ("ratings_cosignature", ()),
    ("ratings_treetile", ()),
]
"""The tables whose rows are written once, each with its frozen columns; none named: all."""
DELETABLE = frozenset({"players_decisionwords"})
"""Tables whose rows may be deleted, never changed."""


def create(vendor: str, table: str, columns: Sequence[str] = ()) -> list[str]:
    """SQL statements for triggers that refuse to change a table's rows, or the named columns of them."""
    of = " OF " + ", ".join(f'"{column}"' for column in columns) if columns else ""
    operations = {"update": f"UPDATE{of}"} | ({} if table in DELETABLE else {"delete": "DELETE"})
    if vendor == "postgresql":
        return [
            f"""CREATE OR REPLACE FUNCTION {table}_is_frozen() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION '{table} is written once and never changed'; END $$""",
            *(
                f"CREATE TRIGGER {table}_no_{operation} BEFORE {event} ON {table} "
                f"FOR EACH ROW EXECUTE FUNCTION {table}_is_frozen()"
                for operation, event in operations.items()
            ),
        ]
    refuse = f"BEGIN SELECT RAISE(ABORT, '{table} is written once and never changed'); END"
    return [
        f"CREATE TRIGGER {table}_no_{operation} BEFORE {event} ON {table} {refuse}"
        for operation, event in operations.items()
    ]


def drop(vendor: str, table: str) -> list[str]:
    on = f" ON {table}" if vendor == "postgresql" else ""
    return [f"DROP TRIGGER IF EXISTS {table}_no_{operation}{on}" for operation in ("update", "delete")]


def freeze(*tables: str) -> migrations.RunPython:
    """The operation by which a migration creates the triggers of these tables of `FROZEN`."""
    return migrations.RunPython(_run(_creation, tables), _run(drop, tables))


def _creation(vendor: str, table: str) -> list[str]:
    return create(vendor, table, dict(FROZEN)[table])


def _run(statements: Callable[[str, str], list[str]], tables: Sequence[str]) -> Callable[[Any, Any], None]:
    def inner(apps: Any, editor: Any) -> None:
        for table in tables:
            for statement in statements(editor.connection.vendor, table):
                editor.execute(statement)

    return inner
