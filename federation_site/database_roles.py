"""PostgreSQL's two roles: the tables' owner, who migrates, and the application, which serves.

The application's role reads everything, adds rows everywhere, and of what is written once
(`players.office.write_once_triggers.WRITE_ONCE`) alters nothing but the columns named there. It can neither
take triggers off nor pass by them, for the tables are not its own. Without DATABASE_OWNER_URL one role does
everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.db import ProgrammingError, connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from players.office.write_once_triggers import WRITE_ONCE

READ_ONLY = {MigrationRecorder.Migration._meta.db_table: "SELECT"}
"""Tables that migrations alone write."""
ANY_ROW = "SELECT, INSERT, UPDATE, DELETE"


@contextmanager
def as_owner() -> Iterator[None]:
    """Connect as the tables' owner for a while, where DATABASE_OWNER_URL names one; else as always."""
    told = settings.DATABASE_OWNER
    if not told or connection.settings_dict["USER"] == told["USER"]:
        yield
        return
    with connected_as(told):
        yield


@contextmanager
def connected_as(told: Mapping[str, Any]) -> Iterator[None]:
    """Use another user and password (and, where `told` names them, server and database) for a while."""
    always = connection.settings_dict
    connection.close()
    connection.settings_dict = {
        **always,
        **{key: value for key, value in told.items() if key in ADDRESS},
        "OPTIONS": {**always["OPTIONS"], **told.get("OPTIONS", {})},
    }
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict = always


ADDRESS = ("NAME", "USER", "PASSWORD", "HOST", "PORT")


def grant_to_application() -> None:
    """Give the role of DATABASE_URL what it needs and nothing else, as the owner, who makes the role if it is
    not there. Nothing is done without DATABASE_OWNER_URL.

    Raises CommandError where the role is one that no grant could hold.
    """
    if not settings.DATABASE_OWNER:
        return
    of_application = settings.DATABASES["default"]
    with as_owner(), transaction.atomic(), connection.cursor() as cursor:
        make_role(cursor, of_application["USER"], of_application["PASSWORD"])
        grant(cursor, of_application["USER"])


def make_role(cursor: Any, role: str, password: str) -> None:
    """Make a role that may sign in and do nothing, unless it is there. Raises CommandError where it cannot be
    made or has powers of its own.
    """
    if connection.vendor != "postgresql":
        raise CommandError("DATABASE_OWNER_URL is for PostgreSQL: SQLite knows no roles.")
    cursor.execute(
        "SELECT rolsuper OR rolcreaterole OR rolreplication OR rolname = current_user"
        " OR pg_has_role(rolname, current_user, 'MEMBER') FROM pg_roles WHERE rolname = %s",
        [role],
    )
    found = cursor.fetchone()
    if found and found[0]:
        raise CommandError(
            f"The role “{role}” of DATABASE_URL owns the tables or may do anything, so nothing can be kept "
            "from it. Name another there: it is made if it does not exist."
        )
    if found:
        return
    try:
        cursor.execute(f"CREATE ROLE {connection.ops.quote_name(role)} LOGIN PASSWORD %s", [password])
    except ProgrammingError as fault:
        raise CommandError(
            f"The role “{role}” of DATABASE_URL does not exist, and the owner may not make it ({fault}). Let "
            f"an administrator of the server do it:  createuser --pwprompt {role}"
        ) from None


def grant(cursor: Any, role: str) -> None:
    """Take all rights from a role and give it those of the application; as the tables' owner."""
    for statement in grants(cursor, connection.ops.quote_name(role)):
        cursor.execute(statement)


def grants(cursor: Any, role: str) -> Iterator[str]:
    """The statements by which a role (quoted) gets its rights on each table that is there."""
    quote = connection.ops.quote_name
    yield f"GRANT CONNECT, TEMPORARY ON DATABASE {quote(connection.settings_dict['NAME'])} TO {role}"
    yield f"REVOKE ALL ON SCHEMA public FROM {role}"
    yield f"GRANT USAGE ON SCHEMA public TO {role}"
    yield f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role}"
    yield f"REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM {role}"
    # Backups read sequences; rows take their numbers without a right of their own.
    yield f"GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}"
    for table in connection.introspection.table_names(cursor):
        yield f"GRANT {rights_on(table)} ON {quote(table)} TO {role}"


def rights_on(table: str) -> str:
    """The application's rights on a table, as GRANT names them."""
    rule = WRITE_ONCE.get(table)
    if rule is None:
        return READ_ONLY.get(table, ANY_ROW)
    columns = ", ".join(connection.ops.quote_name(column) for column in rule.changing)
    changing = f", UPDATE ({columns})" if columns else ""
    return "SELECT, INSERT" + changing + (", DELETE" if rule.deletable else "")
