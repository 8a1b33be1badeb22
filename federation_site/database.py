"""The database's two roles, the form of the journals in it, and whether its migrations fit the code.

On PostgreSQL the tables' owner migrates, and the application's role serves. That role reads everything, adds
rows everywhere, and of what is written once (`players.record.WRITE_ONCE`) alters nothing but the columns
named there. It can neither take triggers off nor pass by them, for the tables are not its own. Without
DATABASE_OWNER_URL one role does everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.db import DEFAULT_DB_ALIAS, DatabaseError, ProgrammingError, connection, connections, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils.translation import gettext as _

from players.record import WRITE_ONCE
from ratings.rulesets.facts import FORM, FORMER_FORMS

# ---- The form of the journals in the database: where this version does not read it, no program starts
# there.
FIRST_MIGRATION = ("players", "0001_form_3")
"""Upgrades begin with it: no database of before has it."""
FIRST_LINES = "SELECT line FROM ratings_fact WHERE number = 1"
_HEAD = re.compile(r'\{"fact":"federation",(?:"form":(\d+),)?"code":"([-\w]+)"')
"""The beginning of a journal's first line as it is stored; form 1 named no form."""


def refuse_other_form() -> None:
    """End this program with a sentence where the database holds a journal of another form."""
    if words := other_form():
        raise SystemExit(words)


def other_form() -> str:
    """Say that the database holds a journal of another form, or tables of before this version's first
    migration, and what to do; empty if this version can work on it.

    It may be of any version, without tables, or away.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    try:
        if "ratings_fact" not in connection.introspection.table_names():
            return ""
        with connection.cursor() as cursor:
            cursor.execute(FIRST_LINES)
            words = words_on(line for (line,) in cursor.fetchall())
        begun = FIRST_MIGRATION in MigrationRecorder(connection).applied_migrations()
    except DatabaseError:
        return ""
    if words or begun:
        return words
    return _(
        "An earlier version made this database, and this one does not bring it up: let that version write "
        "each office’s journal (manage.py export_journal CODE -o FILE), and this version make a new office "
        "of it in another database (manage.py import_journal FILE); offices of the demo are made anew "
        "(docs/upgrading.md)."
    )


def words_on(rows: Iterable[str]) -> str:
    """A sentence on the journals of another form whose first lines stand in these texts, and on what to do;
    empty if there are none.
    """
    heads = filter(None, map(_HEAD.search, rows))
    forms = {head[2]: int(head[1] or 1) for head in heads}
    others = {code: form for code, form in sorted(forms.items()) if form != FORM}
    if not others:
        return ""
    form = max(others.values())
    if form in FORMER_FORMS:
        words = _(
            "The journal of this database (%(codes)s) is in form %(form)s, which this version does not read: "
            "let %(program)s, which made it, write each office’s journal (manage.py export_journal CODE -o "
            "FILE), and this version make a new office of it in another database (manage.py import_journal "
            "FILE); offices of the demo are made anew (docs/upgrading.md)."
        )
    else:
        words = _(
            "The journal of this database (%(codes)s) is in form %(form)s, which this version does not read: "
            "start the version that made the database, or begin with another database."
        )
    return words % {"codes": ", ".join(others), "form": form, "program": FORMER_FORMS.get(form)}


# ---- PostgreSQL's two roles.
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
