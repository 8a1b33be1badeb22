"""PostgreSQL's two roles: with that of the application an office does all its work, and alters nothing that
is written once, whatever it tries. SQLite has no roles.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from federation_site import backup, database
from players.models import Decision, Federation, Player
from players.record import WRITE_ONCE
from players.writing import take_stock
from ratings.people import forget_name
from ratings.tests.test_write_once import statements
from ratings.tests.written_once import columns_of, everything_written_once, office_with_everything, stranger
from ratings.verify import verify

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no roles"),
    pytest.mark.servers,
]
ROLE = f"application_{os.getpid()}"
REFUSED = psycopg.errors.InsufficientPrivilege
BEYOND = [
    "ALTER TABLE ratings_fact DISABLE TRIGGER ALL",
    "ALTER TABLE ratings_fact DISABLE TRIGGER USER",
    "DROP TRIGGER players_decision_no_update ON players_decision",
    "CREATE OR REPLACE FUNCTION players_decision_is_frozen() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END'",
    "SET session_replication_role = replica",
    "ALTER TABLE ratings_fact OWNER TO CURRENT_USER",
    "ALTER TABLE ratings_fact ADD COLUMN other text",
    "CREATE RULE nothing AS ON INSERT TO players_decision DO INSTEAD NOTHING",
    "CREATE TRIGGER other BEFORE INSERT ON ratings_fact EXECUTE FUNCTION players_decision_is_frozen()",
    "DROP TABLE ratings_listrow",
    "DROP SCHEMA public CASCADE",
    "CREATE TABLE other (id int)",
    "CREATE INDEX other ON ratings_fact (kind)",
    "TRUNCATE players_player",
    "UPDATE django_migrations SET name = 'another'",
    "DELETE FROM django_migrations",
    "SELECT setval('ratings_fact_id_seq', 1)",
    "CREATE ROLE other SUPERUSER",
    "ALTER ROLE CURRENT_USER SUPERUSER",
    "ALTER SYSTEM SET session_replication_role = replica",
    "COPY players_decision FROM PROGRAM 'true'",
]
"""Ways around the triggers, and into what migrations alone may do."""


@pytest.fixture
def told() -> dict[str, Any]:
    """The application's role of this test, with a password that the server here does not ask for."""
    return {"USER": ROLE, "PASSWORD": "of the test"}


@pytest.fixture
def application(csa: Federation, told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The role, made and granted its rights by the owner."""
    with connection.cursor() as cursor:
        database.make_role(cursor, ROLE, told["PASSWORD"])
        database.replace_grants(cursor, ROLE)
    yield told
    forget_role()


def forget_role() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE])
        if cursor.fetchone():
            cursor.execute(f"DROP OWNED BY {ROLE}")
            cursor.execute(f"DROP ROLE {ROLE}")


def test_the_office_does_its_work_with_the_applications_role(
    csa: Federation, application: dict[str, Any], tmp_path: Path
) -> None:
    with database.connected_as(application):
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_user")
            assert cursor.fetchone() == (ROLE,)
        office_with_everything(csa)
        forget_name(player=Player.objects.get(number="101000001"), by=None, on=Decision.objects.all()[0].on)
        take_stock(Player)
        assert backup.copy_database(tmp_path)[1][0].decisions == Decision.objects.count()
        assert verify(csa).lists > 0


def test_statistics_are_renewed_by_a_role_that_owns_no_table(
    csa: Federation, application: dict[str, Any]
) -> None:
    query = "SELECT count(*) FROM pg_stats WHERE tablename = 'players_federation'"
    with database.connected_as(application), connection.cursor() as cursor:
        cursor.execute(query)
        assert cursor.fetchone() == (0,)
        take_stock(Federation)
        cursor.execute(query)
        assert cursor.fetchone() != (0,)


def test_the_applications_role_alters_nothing_that_is_written_once(
    csa: Federation, application: dict[str, Any]
) -> None:
    office_with_everything(csa)
    before = everything_written_once()
    with stranger(user=ROLE, password=application["PASSWORD"]) as database:
        for table in WRITE_ONCE:
            for statement in statements("postgresql", table):
                with pytest.raises(REFUSED):
                    database.execute(statement)
                    pytest.fail(f"not refused: {statement}")
    assert everything_written_once() == before


@pytest.mark.parametrize("statement", BEYOND)
def test_the_applications_role_gets_round_no_trigger_and_changes_no_table(
    application: dict[str, Any], statement: str
) -> None:
    with stranger(user=ROLE, password=application["PASSWORD"]) as database, pytest.raises(REFUSED):
        database.execute(statement)


def test_it_changes_the_columns_that_may_change_and_no_others(application: dict[str, Any]) -> None:
    query = "SELECT table_name, column_name FROM information_schema.column_privileges"
    with connection.cursor() as cursor:
        cursor.execute(f"{query} WHERE grantee = %s AND privilege_type = 'UPDATE'", [ROLE])
        found = set(cursor.fetchall())
    of_tables = {(table, column) for table, rule in WRITE_ONCE.items() for column in rule.changing}
    assert {(table, column) for table, column in found if table in WRITE_ONCE} == of_tables
    assert {("players_player", column) for column in columns_of("players_player")} <= found


def test_a_role_that_owns_the_tables_is_refused_for_nothing_could_be_kept_from_it() -> None:
    with connection.cursor() as cursor, pytest.raises(CommandError, match="Name another there"):
        database.make_role(cursor, connection.settings_dict["USER"], "")


# ---------------------------------------------------------------- commands, as real processes


class Installation:
    """An office in a database of its own, whose owner is no superuser but may make roles."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.owner = folder, f"owner_{os.getpid()}"
        server = connection.settings_dict
        self.address = f"{server['HOST']}:{server['PORT']}/{self.owner}"

    def manage(self, *arguments: str, owner: bool = False) -> subprocess.CompletedProcess[str]:
        """Run a command of `manage.py` with the application's role, and with the owner's beside it."""
        environment = os.environ | {
            "DATABASE_URL": f"postgres://{ROLE}:secret@{self.address}",
            "DATABASE_OWNER_URL": f"postgres://{self.owner}@{self.address}" if owner else "",
            "VAR_DIR": str(self.folder),
            "NO_BOOTSTRAP": "1",
        }
        environment.pop("DJANGO_SETTINGS_MODULE", None)
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)

    def done(self, *arguments: str, owner: bool = False) -> str:
        process = self.manage(*arguments, owner=owner)
        assert process.returncode == 0, process.stderr
        return process.stdout

    def refused(self, *arguments: str) -> str:
        process = self.manage(*arguments)
        assert process.returncode != 0, process.stdout
        return process.stderr


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    made = Installation(tmp_path)
    with stranger(dbname="postgres") as server:
        server.execute(f"CREATE ROLE {made.owner} LOGIN CREATEROLE")
        server.execute(f"CREATE DATABASE {made.owner} OWNER {made.owner}")
        try:
            yield made
        finally:
            server.execute(f"DROP DATABASE {made.owner} WITH (FORCE)")
            server.execute(f"DROP ROLE IF EXISTS {ROLE}")
            server.execute(f"DROP ROLE {made.owner}")


def test_an_office_is_migrated_and_restored_by_the_owner_and_served_by_the_other_role(
    installation: Installation, tmp_path: Path
) -> None:
    installation.done("migrate", "--verbosity=0", owner=True)  # makes the role
    installation.done("createcachetable", owner=True)
    installation.done("create_office", "csa", "--official", "nomsa@example.org")
    assert "no differences" in installation.done("verify", "csa")
    installation.done("migrate", "--verbosity=0")  # nothing is to be done
    assert "Only the tables’ owner migrates" in installation.refused("migrate", "ratings", "zero")
    installation.done("backup", str(tmp_path / "backups"))
    [kept] = (tmp_path / "backups").glob("*.zip")
    assert "must be owner" in installation.refused("restore", str(kept), "--replace")
    assert "no differences" in installation.done("verify", "csa")
    installation.done("restore", str(kept), "--replace", owner=True)
    assert "no differences" in installation.done("verify", "csa")
    with stranger(dbname=installation.owner, user=ROLE) as database, pytest.raises(REFUSED):
        database.execute("UPDATE players_decision SET about = 'another'")


def test_without_an_owner_of_its_own_migrate_makes_no_role(csa: Federation) -> None:
    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE])
        assert cursor.fetchone() is None
