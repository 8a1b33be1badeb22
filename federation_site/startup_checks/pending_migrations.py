"""Readiness to write: only while code and database are of one version."""

from functools import cache

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
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
