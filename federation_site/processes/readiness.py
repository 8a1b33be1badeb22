"""Readiness to write: only while code and database are of one version."""

import time

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.utils.translation import gettext as _

FORM_1 = frozenset(
    {
        ("players", "0003_end_sessions"),
        ("players", "0004_refold_names"),
        ("ratings", "0003_register_imports"),
        ("tournaments", "0006_entry_place_said"),
    }
)
"""Migrations that only versions before the present form of the journal brought."""
REMEMBERED_SECONDS = 15.0
_last_answer: tuple[float, bool] | None = None


def migrations_pending() -> bool:
    """Whether the database lacks a migration of this code or has one that this code does not know.

    The answer is remembered for a few seconds, for it is asked before every write. Raises what the database
    raises where it does not answer.
    """
    global _last_answer
    now = time.monotonic()
    if _last_answer is None or now - _last_answer[0] > REMEMBERED_SECONDS:
        _last_answer = now, _differs()
    return _last_answer[1]


def made_before() -> str:
    """Say that an earlier version made the database, whose journal this one cannot read, and what to do;
    empty if none did.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    try:
        loader = MigrationLoader(connection)
    except DatabaseError:
        return ""
    if not FORM_1 & (set(loader.applied_migrations) - set(loader.disk_migrations)):
        return ""
    name = connection.settings_dict["NAME"]
    mend = _("move %(name)s away") if connection.vendor == "sqlite" else _("make the database %(name)s again")
    return _(
        "An earlier version made this database, and its journal has another form, so it cannot be read: "
        "%(mend)s, and start again."
    ) % {"mend": mend % {"name": name}}


def _differs() -> bool:
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    loader = executor.loader
    unknown = {key for key in loader.applied_migrations if key[0] in loader.migrated_apps} - set(
        loader.disk_migrations
    )
    return bool(unknown) or bool(executor.migration_plan(loader.graph.leaf_nodes()))
