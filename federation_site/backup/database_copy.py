"""Copies of the database as of one moment, while the office works, and a database put back from a copy."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import connection, connections, transaction
from django.db.backends.postgresql.client import DatabaseClient

from federation_site.backup.archive import OfficeState
from federation_site.startup_checks.journal_form import FIRST_LINES, words_on
from ratings.proof.log import merkle_tree

Rows = Callable[[str], Iterable[Any]]
"""A function that runs a SELECT and gives its rows."""


class CannotCopy(Exception):
    """The database could not be copied or put back; the message says why. What was there before stays."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of the database in a file, with the point that each office had reached and the migrations."""

    path: Path
    offices: list[OfficeState]
    migrations: list[str]


CONNECT_WITHIN = "15"
"""Seconds that PostgreSQL's own programs wait for a server that does not speak."""
LOCKED_FOR = "60s"
"""The time for which pg_dump waits for a table that somebody else holds."""
SILENT_FOR = 600.0
"""Seconds in which pg_dump writes nothing, after which it is given up: the server hangs."""
PART = {"sqlite": "database.sqlite3", "postgresql": "database.pgdump"}
"""The name of the database's part in a backup."""


def copied(folder: Path) -> Copy:
    """Copy the database into `folder`, whole and as of one moment, while others read and write."""
    return _copied_sqlite(folder) if connection.vendor == "sqlite" else _dumped_postgresql(folder)


def journals_of_another_form(copy: Path) -> str:
    """Say which journals in a copy this version does not read; empty if it reads all. Raises `CannotCopy`
    where the copy is damaged.
    """
    if connection.vendor == "sqlite":
        return words_on(_first_lines_in_sqlite(copy))
    facts = copy.with_suffix(".facts")
    run("pg_restore", "--data-only", "--table=ratings_fact", f"--file={facts}", str(copy), connect=False)
    with facts.open(encoding="utf-8") as rows:
        return words_on(rows)


def states_of(rows: Rows) -> list[OfficeState]:
    """The point that each office has reached: lines, their tree's head, decisions, the newest day."""
    offices = {key: _Counted() for (key,) in rows("SELECT id FROM players_federation")}
    for key, line, on in rows(
        'SELECT federation_id, line, "on" FROM ratings_fact ORDER BY federation_id, number'
    ):
        offices[key].take(line, on)
    heads = rows(
        "SELECT f.id, f.code, f.name, l.decisions FROM players_federation f"
        " JOIN players_ledger l ON l.federation_id = f.id ORDER BY f.code"
    )
    return [
        OfficeState(
            code, name, offices[key].tree.size, offices[key].tree.root().hex(), decisions, offices[key].newest
        )
        for key, code, name, decisions in heads
    ]


class _Counted:
    def __init__(self) -> None:
        self.tree = merkle_tree.Tree()
        self.newest: str | None = None

    def take(self, line: str, on: object) -> None:
        self.tree.append(merkle_tree.leaf_hash(merkle_tree.entry_of(line)))
        self.newest = str(on) if on else self.newest


def _migrations(rows: Rows) -> list[str]:
    return sorted(f"{app}.{name}" for app, name in rows("SELECT app, name FROM django_migrations"))


# ---------------------------------------------------------------- SQLite


def sqlite_file() -> Path:
    return Path(connection.settings_dict["NAME"])


def _copied_sqlite(folder: Path) -> Copy:
    """Copy by SQLite's own backup in one step, which reads one moment and keeps no writer waiting."""
    path = folder / PART["sqlite"]
    with (
        closing(sqlite3.connect(sqlite_file(), timeout=20)) as source,
        closing(sqlite3.connect(path)) as target,
    ):
        try:
            source.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")
            refuse_damaged(target)
            return Copy(path, states_of(target.execute), _migrations(target.execute))
        except sqlite3.DatabaseError as error:
            raise CannotCopy(f"{sqlite_file()}: {error}") from None


def refuse_damaged(database: sqlite3.Connection) -> None:
    """Raise `CannotCopy` where SQLite finds a page or an index that is not whole."""
    found = [row[0] for row in database.execute("PRAGMA integrity_check")]
    if found != ["ok"]:
        raise CannotCopy("the database is damaged: " + "; ".join(found[:3]))


def _first_lines_in_sqlite(copy: Path) -> list[str]:
    with closing(sqlite3.connect(copy)) as database:
        refuse_damaged(database)
        return [line for (line,) in database.execute(FIRST_LINES)]


def put_back_sqlite(copy: Path, aside: Path) -> None:
    """Put a copy in the database's place; what was there lies in `aside` then. Raises `CannotCopy`."""
    connections.close_all()
    target = sqlite_file()
    if target.exists():
        _close_log(target)
        os.replace(target, aside)
    for rest in ("-wal", "-shm"):
        Path(f"{target}{rest}").unlink(missing_ok=True)
    os.replace(copy, target)


def _close_log(target: Path) -> None:
    """Write SQLite's write-ahead log into the database file, as its last connection can.

    Raises `CannotCopy` where others are connected: then the office is open.
    """
    with closing(sqlite3.connect(target, timeout=1)) as database:
        try:
            [mode] = database.execute("PRAGMA journal_mode=DELETE").fetchone()
        except sqlite3.OperationalError:
            mode = "wal"
        except sqlite3.DatabaseError:
            return  # damaged: it is laid aside as it is
    if mode == "wal":
        raise CannotCopy("The office is open. Close it first (Ctrl-C, or stop web and workers).")


# ---------------------------------------------------------------- PostgreSQL


def _dumped_postgresql(folder: Path) -> Copy:
    """Copy by pg_dump, as of the moment of a transaction in which the offices' states are read too."""
    path = folder / PART["postgresql"]
    with _one_moment() as (moment, rows):
        offices, migrations = states_of(rows), _migrations(rows)
        options = ("--format=custom", "--no-owner", f"--lock-wait-timeout={LOCKED_FOR}")
        run("pg_dump", *options, f"--snapshot={moment}", f"--file={path}", grows=path)
    run("pg_restore", "--file=/dev/null", str(path), connect=False)
    return Copy(path, offices, migrations)


@contextmanager
def _one_moment() -> Iterator[tuple[str, Rows]]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_export_snapshot()")
        yield cursor.fetchone()[0], selected


def selected(query: str) -> Iterator[Any]:
    """Yield the rows of a SELECT by Django's own connection, a few thousand at a time."""
    with connection.chunked_cursor() as rows:
        rows.execute(query)
        while some := rows.fetchmany(2_000):
            yield from some


def put_back_postgresql(dump: Path) -> None:
    """Replace all tables by those of a dump, in one transaction. Raises `CannotCopy`."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        if others := cursor.fetchone()[0]:
            raise CannotCopy(
                f"The office is open: {others} other connections use its database. "
                "Stop web and workers first, then restore."
            )
        tables = connection.introspection.table_names(cursor)
    connections.close_all()
    script, drop = dump.with_suffix(".sql"), dump.with_suffix(".drop.sql")
    options = ("--clean", "--if-exists", "--no-owner", "--no-privileges")  # roles are the server's own
    run("pg_restore", *options, f"--file={script}", str(dump), connect=False)
    quoted = [connection.ops.quote_name(table) for table in tables]
    drop.write_text(f"DROP TABLE IF EXISTS {', '.join(quoted)} CASCADE;" if quoted else "")
    run(
        "psql",
        "--no-psqlrc",
        "--quiet",
        "--output=/dev/null",
        "--single-transaction",
        "--set=ON_ERROR_STOP=1",
        f"--file={drop}",
        f"--file={script}",
    )


def run(program: str, *arguments: str, connect: bool = True, grows: Path | None = None) -> None:
    """Run one of PostgreSQL's programs, on the office's database. Raises `CannotCopy` with what it said.

    `grows`: the file that the program writes; while it stays as it is for too long, nobody waits any more.
    """
    found = shutil.which(program)
    if found is None:
        raise CannotCopy(
            f"{program} is not on this machine. It comes with PostgreSQL's client programs "
            "(apt-get install postgresql-client), of the server's version or newer."
        )
    environment = {**os.environ, "PGOPTIONS": "", "PGCONNECT_TIMEOUT": CONNECT_WITHIN}
    if connect:
        command, own = DatabaseClient.settings_to_cmd_args_env(connection.settings_dict, arguments)
        environment |= own or {}
        # Django puts the database's name last, where psql and pg_dump take it.
        command[0] = found
    else:
        command = [found, *arguments]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(
        command, env=environment, stdin=nothing, stdout=nothing, stderr=pipe, text=True
    ) as child:
        said = _waited_for(child, program, grows)
    if child.returncode:
        raise CannotCopy(f"{program}: {said.strip() or child.returncode}")


def _waited_for(child: subprocess.Popen[str], program: str, grows: Path | None) -> str:
    """Wait for a program, and give what it said. Ends it where its file stays as it is: `CannotCopy`."""
    while True:
        before = _size(grows)
        try:
            return child.communicate(timeout=SILENT_FOR if grows else None)[1]
        except subprocess.TimeoutExpired:
            if _size(grows) == before:
                child.kill()
                raise CannotCopy(
                    f"{program} has written nothing for {SILENT_FOR:.0f} seconds, and was ended: does the "
                    "database answer? Nothing was kept of this copy."
                ) from None
        except BaseException:
            child.kill()
            raise


def _size(path: Path | None) -> int:
    return path.stat().st_size if path and path.exists() else 0
