"""The office of a former release as its operator has it, for tests: its backup, and what it served."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from django.conf import settings
from django.db import connection

RELEASES = Path(__file__).parent / "releases"
POSTGRESQL = "postgresql" in settings.DATABASES["default"]["ENGINE"]
KIND = "postgresql" if POSTGRESQL else "sqlite"
_BACKUP = f".{KIND}.backup.zip"
VERSIONS = sorted(path.name.removesuffix(_BACKUP) for path in RELEASES.glob(f"*{_BACKUP}"))
OF_FORM_2 = [version for version in VERSIONS if version == "0.1.0rc1"]
UPGRADED = [version for version in VERSIONS if version not in OF_FORM_2]


class ReleasedOffice:
    """The office of a release in a folder and a database of its own."""

    def __init__(self, version: str, folder: Path) -> None:
        self.version, self.folder = version, folder
        self.backup = RELEASES / f"{version}{_BACKUP}"
        told: dict[str, Any] = json.loads((RELEASES / f"{version}.{KIND}.json").read_text())
        self.served: dict[str, str] = told["served"]
        self.shown: dict[str, list[str]] = told.get("shown", {})
        self.people: dict[str, str] = told["people"]
        self.waiting: str = told["waiting"]
        self.at = datetime.fromisoformat(told["at"])
        """When it was made: what pages say of the present is of that day."""
        self.var = folder / "var"
        self.database = OwnDatabase(f"release_{os.getpid()}", self.var)

    def lay_out(self) -> None:
        """Put database, keys and secret key where the release had them."""
        self.database.make()
        with zipfile.ZipFile(self.backup) as archive:
            archive.extractall(self.var)
        self.database.fill(self.var)

    def run(self, *program: str | Path, of: Path = settings.ROOT) -> subprocess.CompletedProcess[str]:
        """Run a program on the office, of this version or of that in another folder, and return how it ended
        and what it said.
        """
        return subprocess.run(
            [sys.executable, *map(str, program)],
            cwd=of,
            env={**os.environ, "NO_BOOTSTRAP": "1", "SECRET_KEY": "", **self.variables},
            capture_output=True,
            text=True,
            timeout=120,
        )

    def command(self, *words: str | Path, of: Path = settings.ROOT) -> str:
        """Have a command of manage.py do its work, and return what it said."""
        done = self.run("manage.py", *words, of=of)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def lay_out_program(self) -> Path:
        """The release's own program in a folder; skips the test where this repository has not its tag."""
        if self.version == settings.VERSION:
            return Path(settings.ROOT)
        place = self.folder / "program"
        place.mkdir(exist_ok=True)
        packed = subprocess.run(
            ["git", "archive", f"v{self.version}"], cwd=settings.ROOT, capture_output=True, check=False
        )
        if packed.returncode:
            pytest.skip(f"no tag v{self.version} here: git fetch --tags")
        subprocess.run(["tar", "-x"], cwd=place, input=packed.stdout, check=True)
        return place

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

    def content(self) -> str:
        """Everything in the database, as text."""
        if not POSTGRESQL:
            with closing(sqlite3.connect(self.name)) as database:
                return "\n".join(database.iterdump())
        done = subprocess.run(["pg_dump", f"--dbname={self.url}"], check=True, capture_output=True, text=True)
        return re.sub(r"^\\(un)?restrict .*$", "", done.stdout, flags=re.M)  # of each run

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
