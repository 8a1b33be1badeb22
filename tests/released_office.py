"""The office of a former release, brought up to this version as an operator does it, for tests to look at.

`tests/releases` keeps its backup and what it served. Each test has a database of its own, a copy of the
upgraded one, on which this process works meanwhile.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from django.conf import settings
from django.db import connection

RELEASES = Path(__file__).parent / "releases"
POSTGRESQL = "postgresql" in settings.DATABASES["default"]["ENGINE"]
KIND = "postgresql" if POSTGRESQL else "sqlite"
_BACKUP = f".{KIND}.backup.zip"
VERSIONS = sorted(path.name.removesuffix(_BACKUP) for path in RELEASES.glob(f"*{_BACKUP}"))
RESTORE, MIGRATE = "restored", "migrated"
"""The two ways up: its backup restored by this version, and its database migrated where it lies."""


class ReleasedOffice:
    """The office of a release in a folder and a database of its own; `said`: what its way up said."""

    def __init__(self, version: str, way: str, folder: Path) -> None:
        self.version, self.way, self.folder = version, way, folder
        self.backup = RELEASES / f"{version}{_BACKUP}"
        self.told: dict[str, Any] = json.loads((RELEASES / f"{version}.{KIND}.json").read_text())
        self.served: dict[str, str] = self.told["served"]
        self.people: dict[str, str] = self.told["people"]
        self.var = folder / "var"
        self.database = OwnDatabase(f"release_{os.getpid()}_{way}", self.var)

    def bring_up(self) -> None:
        self.database.make()
        if self.way == RESTORE:
            self.said = self.command("restore", self.backup)
            return
        self._lay_out()
        self.said = self.command("migrate") + self.command("createcachetable")

    def _lay_out(self) -> None:
        """Put database, keys and secret key where the release had them."""
        with zipfile.ZipFile(self.backup) as archive:
            archive.extractall(self.var)
        self.database.fill(self.var)

    def command(self, *arguments: str | Path) -> str:
        """Run a command of this version on the office, which has to succeed, and return what it said."""
        done = subprocess.run(
            [sys.executable, "manage.py", *map(str, arguments)],
            cwd=settings.ROOT,
            env={**os.environ, "NO_BOOTSTRAP": "1", "SECRET_KEY": "", **self.variables},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    @property
    def variables(self) -> dict[str, str]:
        return {"VAR_DIR": str(self.var), "DATABASE_URL": self.database.url}


class OwnDatabase:
    """A database of an office's own: a file in its folder, or one on the server of this run."""

    def __init__(self, name: str, var: Path) -> None:
        self.name = name if POSTGRESQL else str(var / "db.sqlite3")
        self.server = os.environ.get("DATABASE_URL", "")
        on_server = urlsplit(self.server)._replace(path=f"/{name}").geturl()
        self.url = on_server if POSTGRESQL else f"sqlite:///{self.name}"

    def make(self) -> None:
        if POSTGRESQL:
            self._tell(f"CREATE DATABASE {self.name}")

    def fill(self, folder: Path) -> None:
        """Put the database of an unpacked backup in place."""
        if not POSTGRESQL:
            (folder / "database.sqlite3").rename(self.name)
            return
        told = ["pg_restore", "--no-owner", "--no-privileges", f"--dbname={self.url}"]
        subprocess.run([*told, str(folder / "database.pgdump")], check=True)

    @contextmanager
    def copied(self, folder: Path) -> Iterator[str]:
        """The name of a copy of this database, for as long as the block lasts."""
        if not POSTGRESQL:
            yield shutil.copy(self.name, str(folder / "db.sqlite3"))
            return
        copy = f"{self.name}_copy"
        self._tell(f"CREATE DATABASE {copy} TEMPLATE {self.name}")
        try:
            yield copy
        finally:
            self._tell(f"DROP DATABASE {copy} WITH (FORCE)")

    def drop(self) -> None:
        if POSTGRESQL:
            self._tell(f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)")

    def _tell(self, statement: str) -> None:
        with psycopg.connect(self.server, autocommit=True) as server:
            server.execute(statement.encode())


@contextmanager
def working_on(database: str) -> Iterator[None]:
    """Let this process work on another database of the same kind for a while."""
    always = connection.settings_dict
    connection.close()
    connection.settings_dict = {**always, "NAME": database}
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict = always


def tables() -> dict[str, list[str]]:
    """The columns, keys, indexes and checks of each table, as the database tells them; keys by no name."""
    look = connection.introspection
    with connection.cursor() as cursor:
        return {
            table: sorted(
                [
                    *map(_column, look.get_table_description(cursor, table)),
                    *map(_key, look.get_constraints(cursor, table).values()),
                ]
            )
            for table in look.table_names(cursor)
        }


def _column(found: Any) -> str:
    null = "null" if found.null_ok else "not null"
    return f"{found.name} {found.type_code} {found.internal_size} {null} default {found.default}"


def _key(found: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={found[name]}" for name in sorted(found) if name != "definition")
