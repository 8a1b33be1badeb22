"""May this process write? Only when code and database are of one version."""

import time

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.migrations.executor import MigrationExecutor

REMEMBERED_SECONDS = 15.0
_last_answer: tuple[float, bool] | None = None


def migrations_pending() -> bool:
    """Whether the database lacks a migration of this code or has one that this code does not know.

    The answer is remembered for a few seconds, for it is asked before every write.
    """
    global _last_answer
    now = time.monotonic()
    if _last_answer is None or now - _last_answer[0] > REMEMBERED_SECONDS:
        _last_answer = now, _differs()
    return _last_answer[1]


def _differs() -> bool:
    try:
        executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    except DatabaseError:
        return True
    loader = executor.loader
    unknown = {key for key in loader.applied_migrations if key[0] in loader.migrated_apps} - set(
        loader.disk_migrations
    )
    return bool(unknown) or bool(executor.migration_plan(loader.graph.leaf_nodes()))
