"""Rows that are written once cannot be altered or taken away, whoever is connected."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from io import StringIO

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection

from players.models import Federation
from players.record import WRITE_ONCE, create_trigger_statements, drop_trigger_statements, unprotected_tables
from ratings.tests.written_once import (
    columns_of,
    everything_written_once,
    model_of,
    office_with_everything,
    rows_of,
    stranger,
)
from ratings.verify import verify
from tests.built_once import built_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.servers]
REFUSED = (sqlite3.IntegrityError, psycopg.errors.RaiseException)


def unique_columns(table: str) -> list[str]:
    """A unique key of the table other than its id; empty if it has none."""
    options = model_of(table)._meta
    for constraint in options.total_unique_constraints:
        return [str(options.get_field(name).column) for name in constraint.fields]  # type: ignore[union-attr]
    return [str(field.column) for field in options.local_concrete_fields if field.unique][1:2]


def copied(table: str, *, into: str, but: str = "") -> str:
    """The statement that inserts a copy of a row; `but`: a column that gets a number of its own."""
    columns = [f'"{each}"' for each in columns_of(table)]
    values = [str(10**9) if each == f'"{but}"' else each for each in columns]
    newest = f"{table} WHERE id = (SELECT max(id) FROM {table})"
    return f"{into} INTO {table} ({', '.join(columns)}) SELECT {', '.join(values)} FROM {newest}"


def statements(vendor: str, table: str) -> Iterator[str]:
    """Everything that would alter a row that is written once, or take one away."""
    rule = WRITE_ONCE[table]
    for column in columns_of(table):
        if column not in rule.changing:
            yield f'UPDATE {table} SET "{column}" = "{column}"'
    if not rule.deletable:
        yield f"DELETE FROM {table}"
        yield f"DELETE FROM {table} WHERE id = (SELECT max(id) FROM {table})"
    if vendor == "postgresql":
        yield f"TRUNCATE {table} CASCADE"  # without it, PostgreSQL refuses tables that others point to itself
        yield copied(table, into="INSERT") + " ON CONFLICT (id) DO UPDATE SET id = excluded.id"
        return
    for key in ("id", "rowid", "_rowid_", "oid"):
        yield f"UPDATE OR REPLACE {table} SET {key} = {key} + 1"
    for into in ("INSERT OR REPLACE", "REPLACE", "INSERT OR IGNORE"):
        yield copied(table, into=into)
    upsert = " ON CONFLICT (id) DO UPDATE SET id = excluded.id"
    yield copied(table, into="INSERT") + upsert
    if unique := unique_columns(table):
        yield copied(table, into="REPLACE", but="id")
        columns = ", ".join(f'"{each}"' for each in unique)
        some = columns_of(table)[-1]
        change = f' ON CONFLICT ({columns}) DO UPDATE SET "{some}" = excluded."{some}"'
        yield copied(table, into="INSERT", but="id") + change


@pytest.fixture
@built_once
def office(csa: Federation) -> Federation:
    return office_with_everything(csa)


def test_every_table_of_the_office_that_is_written_once_refuses_whatever_alters_its_rows(
    office: Federation,
) -> None:
    before = everything_written_once()
    assert [table for table, rows in before.items() if not rows] == []
    with stranger() as database:
        for table in WRITE_ONCE:
            for statement in statements(connection.vendor, table):
                with pytest.raises(REFUSED, match=f"{table} is written once and never changed"):
                    database.execute(statement)
                    pytest.fail(f"not refused: {statement}")
    assert everything_written_once() == before


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no TRUNCATE")
@pytest.mark.parametrize(
    "parent", ["players_federation", "players_user", "players_player", "tournaments_section"]
)
def test_a_table_that_others_point_to_is_not_truncated_with_them(office: Federation, parent: str) -> None:
    before = everything_written_once()
    with stranger() as database, pytest.raises(REFUSED, match="is written once and never changed"):
        database.execute(f"TRUNCATE {parent} CASCADE")
    assert everything_written_once() == before


def test_columns_that_say_where_work_stands_may_change_and_words_may_go(office: Federation) -> None:
    with stranger() as database:
        for column in WRITE_ONCE["ratings_fact"].changing:
            database.execute(f'UPDATE ratings_fact SET "{column}" = "{column}"')
        for table in ("players_decisionwords", "players_sealedname"):
            database.execute("UPDATE tournaments_remark SET sealed_words_id = NULL")  # as Django does
            database.execute(f"DELETE FROM {table}")
            assert rows_of(table) == []


def test_a_new_row_is_refused_by_no_trigger(office: Federation) -> None:
    before = len(rows_of("ratings_statedpre"))
    with stranger() as database:
        told = "INSERT INTO ratings_statedpre (federation_id, player, line, pre) SELECT id, '9', 4, 1500 FROM"
        database.execute(f"{told} players_federation")
    assert len(rows_of("ratings_statedpre")) == before + 1


# ---------------------------------------------------------------- databases of earlier versions


def triggers() -> set[str]:
    """The triggers that the database has on tables that are written once."""
    catalogue = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
    if connection.vendor == "sqlite":
        catalogue = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    with connection.cursor() as cursor:
        cursor.execute(catalogue)
        return {name for (name,) in cursor.fetchall()}


def expected() -> set[str]:
    told = (line for table in WRITE_ONCE for line in create_trigger_statements(connection.vendor, table))
    return {line.split()[2] for line in told if line.startswith("CREATE TRIGGER")}


def test_a_migrated_database_has_every_trigger() -> None:
    assert triggers() == expected()


def test_triggers_that_were_taken_off_are_named_by_verify_and_put_back_by_migrate(office: Federation) -> None:
    off = drop_trigger_statements(connection.vendor, "ratings_fact")
    if connection.vendor == "postgresql":
        off.append("ALTER TABLE players_decision DISABLE TRIGGER USER")
    else:
        off += drop_trigger_statements("sqlite", "players_decision")
    with stranger() as database:
        for line in off:
            database.execute(line)
    found = [words for words in verify(office).differences if "its triggers are off" in words]
    assert [words.split()[0] for words in found] == ["players_decision", "ratings_fact"]
    said = StringIO()
    call_command("migrate", verbosity=0, stderr=said)
    assert "ratings_fact could be altered: its triggers were gone, and are back." in said.getvalue()
    assert unprotected_tables() == []


def test_a_trigger_that_refuses_nothing_is_named_and_put_back_as_it_was(office: Federation) -> None:
    """Under the name of the one that refuses; on PostgreSQL the function that all of a table's call, too."""
    if connection.vendor == "postgresql":
        harmless = [
            "CREATE OR REPLACE FUNCTION ratings_fact_is_frozen() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RETURN NEW; END $$",
            "DROP TRIGGER players_decision_no_update ON players_decision",
            "CREATE TRIGGER players_decision_no_update BEFORE UPDATE OF id ON players_decision"
            " FOR EACH ROW EXECUTE FUNCTION players_decision_is_frozen()",
        ]
    else:
        harmless = [
            f"{word} TRIGGER {table}_no_update{rest}"
            for table in ("ratings_fact", "players_decision")
            for word, rest in (
                ("DROP", ""),
                ("CREATE", f" BEFORE UPDATE OF id ON {table} BEGIN SELECT 1; END"),
            )
        ]
    with stranger() as database:
        for line in harmless:
            database.execute(line)
        database.execute("UPDATE players_decision SET about = about")
    assert unprotected_tables() == ["players_decision", "ratings_fact"]
    call_command("migrate", verbosity=0, stderr=StringIO())
    assert unprotected_tables() == []
    with stranger() as database, pytest.raises(REFUSED, match="is written once"):
        database.execute("UPDATE players_decision SET about = about")


def test_a_table_without_its_triggers_can_be_altered_so_the_refusals_are_theirs(office: Federation) -> None:
    with stranger() as database:
        for line in drop_trigger_statements(connection.vendor, "players_decision"):
            database.execute(line)
        try:
            database.execute("UPDATE players_decision SET about = 'another'")
        finally:
            for line in create_trigger_statements(connection.vendor, "players_decision"):
                database.execute(line)
    assert {row[columns_of("players_decision").index("about")] for row in rows_of("players_decision")} == {
        "another"
    }
