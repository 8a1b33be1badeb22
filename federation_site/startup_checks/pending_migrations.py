"""Readiness to write: only while code and database are of one version."""

from functools import cache

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


def migrations_pending() -> bool:
    """Whether the database lacks a migration of this code or has one that this code does not know.

    One query: it is asked before every write, and before each piece of the worker's work. Raises what the
    database raises where it does not answer.
    """
    known = known_migrations()
    apps = {app for app, _ in known}
    recorded = MigrationRecorder(connections[DEFAULT_DB_ALIAS]).applied_migrations()
    return {key for key in recorded if key[0] in apps} != known


@cache
def known_migrations() -> frozenset[tuple[str, str]]:
    """The migrations of the code that this process runs, by app and name.

    Ask once when the process starts: later the folder may hold the files of another version.
    """
    return frozenset(MigrationLoader(None).disk_migrations)
