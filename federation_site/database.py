"""PostgreSQL's roles, patience with it, the form of the journals, and whether the migrations fit the code.

On PostgreSQL the tables' owner migrates, and the application has another role. In tables of
`players.record.WRITE_ONCE` it can change only the columns named there, and it cannot disable triggers,
because it does not own the tables. Without DATABASE_OWNER_URL, one role does everything.
"""

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
from ratings.rulesets.facts import FORMER_FORMS, JOURNAL_FORM

# ---- The form of the journals: no program starts if this version does not read it
FIRST_MIGRATION = ("players", "0001_form_3")
"""Databases without it cannot be upgraded."""
SELECT_FIRST_LINES = "SELECT line FROM ratings_fact WHERE number = 1"
_HEAD = re.compile(r'\{"fact":"federation",(?:"form":(\d+),)?"code":"([-\w]+)"')
"""The beginning of a journal's first line; form 1 did not name its form."""


def exit_on_other_form() -> None:
    """Exit with a message if the database has a journal of another form."""
    if words := database_form_problem():
        raise SystemExit(words)


def database_form_problem() -> str:
    """A message if the database is too old or has a journal of another form; empty if it can be used.

    The database may have any version or no tables, or not answer.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    try:
        if "ratings_fact" not in connection.introspection.table_names():
            return ""
        with connection.cursor() as cursor:
            cursor.execute(SELECT_FIRST_LINES)
            words = journal_form_problem(line for (line,) in cursor.fetchall())
        begun = FIRST_MIGRATION in MigrationRecorder(connection).applied_migrations()
    except DatabaseError:
        return ""
    if words or begun:
        return words
    return _(
        "An earlier version made this database, and this one does not bring it up: let that version write "
        "each office’s journal (manage.py export_journal CODE -o FILE), and this version make a new office "
        "of it in another database (manage.py import_journal FILE); offices of the demo are made anew "
        "(docs/operating.md)."
    )


def journal_form_problem(first_lines: Iterable[str]) -> str:
    """A message about journals of another form, by their first lines; empty if there are none."""
    heads = filter(None, map(_HEAD.search, first_lines))
    forms = {head[2]: int(head[1] or 1) for head in heads}
    others = {code: form for code, form in sorted(forms.items()) if form != JOURNAL_FORM}
    if not others:
        return ""
    form = max(others.values())
    if form in FORMER_FORMS:
        words = _(
            "The journal of this database (%(codes)s) is in form %(form)s, which this version does not read: "
            "let %(program)s, which made it, write each office’s journal (manage.py export_journal CODE -o "
            "FILE), and this version make a new office of it in another database (manage.py import_journal "
            "FILE); offices of the demo are made anew (docs/operating.md)."
        )
    else:
        words = _(
            "The journal of this database (%(codes)s) is in form %(form)s, which this version does not read: "
            "start the version that made the database, or begin with another database."
        )
    return words % {"codes": ", ".join(others), "form": form, "program": FORMER_FORMS.get(form)}


# ---- Patience with a server that hangs (`federation_site.postgresql`)
def limit_patience(seconds: float) -> None:
    """Have all connections that this process opens from now on give up PostgreSQL after so many seconds."""
    for alias in connections:
        connections.settings[alias]["PATIENCE"] = seconds


@contextmanager
def patience_of(seconds: float) -> Iterator[None]:
    """Wait for PostgreSQL no longer than this within a block.

    A connection that is opened within it is closed at its end: its server keeps the block's time limit.
    """
    before, opened = connection.settings_dict, connection.connection
    connection.settings_dict = {**before, "PATIENCE": seconds}
    try:
        yield
    finally:
        connection.settings_dict = before
        if connection.vendor == "postgresql" and connection.connection is not opened:
            connection.close()


# ---- PostgreSQL's roles
READ_ONLY = {MigrationRecorder.Migration._meta.db_table: "SELECT"}
"""Tables that only migrations write."""
ANY_ROW = "SELECT, INSERT, UPDATE, DELETE"


@contextmanager
def as_owner() -> Iterator[None]:
    """Connect as the tables' owner within a block, if DATABASE_OWNER_URL is set."""
    owner = settings.DATABASE_OWNER
    if not owner or connection.settings_dict["USER"] == owner["USER"]:
        yield
        return
    with connected_as(owner):
        yield


@contextmanager
def connected_as(database: Mapping[str, Any]) -> Iterator[None]:
    """Connect with other settings within a block. `database`: like an entry of DATABASES, maybe in part."""
    before = connection.settings_dict
    connection.close()
    address = ("NAME", "USER", "PASSWORD", "HOST", "PORT")
    connection.settings_dict = {
        **before,
        **{key: value for key, value in database.items() if key in address},
        "OPTIONS": {**before["OPTIONS"], **database.get("OPTIONS", {})},
    }
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict = before


def grant_to_application() -> None:
    """As the owner, create the role of DATABASE_URL if needed, and give it exactly the rights that it needs.

    Nothing is done without DATABASE_OWNER_URL. Raises CommandError if grants would not limit the role.
    """
    if not settings.DATABASE_OWNER:
        return
    database = settings.DATABASES["default"]
    with as_owner(), transaction.atomic(), connection.cursor() as cursor:
        make_role(cursor, database["USER"], database["PASSWORD"])
        replace_grants(cursor, database["USER"])


def make_role(cursor: Any, role: str, password: str) -> None:
    """Create a role that may only log in, if needed. Raises CommandError if it has other rights."""
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


def replace_grants(cursor: Any, role: str) -> None:
    """Replace all rights of a role with those of the application."""
    for statement in grant_statements(cursor, connection.ops.quote_name(role)):
        cursor.execute(statement)


def grant_statements(cursor: Any, role: str) -> Iterator[str]:
    """The statements that set the rights of a role, whose name is quoted."""
    quote = connection.ops.quote_name
    yield f"GRANT CONNECT, TEMPORARY ON DATABASE {quote(connection.settings_dict['NAME'])} TO {role}"
    yield f"REVOKE ALL ON SCHEMA public FROM {role}"
    yield f"GRANT USAGE ON SCHEMA public TO {role}"
    yield f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role}"
    yield f"REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM {role}"
    # Backups read sequences; inserting rows needs no right to them.
    yield f"GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}"
    for table in connection.introspection.table_names(cursor):
        yield f"GRANT {rights_on(table)} ON {quote(table)} TO {role}"


def rights_on(table: str) -> str:
    """The application's rights on a table, for GRANT."""
    rule = WRITE_ONCE.get(table)
    if rule is None:
        return READ_ONLY.get(table, ANY_ROW)
    columns = ", ".join(connection.ops.quote_name(column) for column in rule.changing)
    changing = f", UPDATE ({columns})" if columns else ""
    return "SELECT, INSERT" + changing + (", DELETE" if rule.deletable else "")


def migrations_pending() -> bool:
    """Whether the database lacks a migration of this code or has one that this code does not know.

    It takes one query, because it runs before every write. Raises DatabaseError if there is no answer.
    """
    known = known_migrations()
    apps = {app for app, _ in known}
    recorded = MigrationRecorder(connections[DEFAULT_DB_ALIAS]).applied_migrations()
    return {key for key in recorded if key[0] in apps} != known


@cache
def known_migrations() -> frozenset[tuple[str, str]]:
    """The migrations of the code that this process runs, by app and name.

    Call it once when the process starts, because later the folder may have files of another version.
    """
    return frozenset(MigrationLoader(None).disk_migrations)
