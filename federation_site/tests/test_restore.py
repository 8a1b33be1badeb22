"""A restore gives the same office or changes nothing; what does not fit is refused with what to do."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from contextlib import closing, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from federation_site import backup as database_copy
from federation_site.backup import Manifest, backups_in, verify_backup

pytestmark = [pytest.mark.any_database, pytest.mark.long]

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)
NAME = "SELECT name FROM players_federation"
MIGRATIONS = "SELECT app, name FROM django_migrations ORDER BY app, name"


# ---------------------------------------------------------------- an installation of its own


class Installation:
    """A folder with an office in SQLite, driven by real commands."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        self.variables = {
            "VAR_DIR": str(folder),
            "DATABASE_URL": f"sqlite:///{folder}/db.sqlite3",
        } | variables

    def begin(self, *arguments: str | Path) -> subprocess.Popen[str]:
        """Start a command."""
        environment = {**os.environ, "NO_BOOTSTRAP": "1", "SECRET_KEY": "", **self.variables}
        command = [sys.executable, "manage.py", *map(str, arguments)]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, cwd=settings.ROOT, env=environment, stdout=pipe, stderr=pipe, text=True
        )

    def command(self, *arguments: str | Path, refused: str = "") -> str:
        """Run a command, which has to succeed or to be refused with these words, and return what it said."""
        process = self.begin(*arguments)
        said = "".join(process.communicate())
        assert bool(process.returncode) is bool(refused), said
        assert refused in said
        return said

    @property
    def database(self) -> Path:
        return self.folder / "db.sqlite3"

    def rows(self, query: str) -> list[Any]:
        with closing(sqlite3.connect(self.database)) as connection, connection:
            return connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """An office with its first people, a key that signs, and somebody's session."""
    installation = Installation(tmp_path_factory.mktemp("office") / "var")
    installation.command("migrate", "--verbosity=0")
    installation.command("createcachetable")
    installation.command("create_office", "csa", "--official", "nomsa@example.org")
    installation.rows("INSERT INTO django_session VALUES ('a', 'b', '2100-01-01')")
    return installation


@pytest.fixture(scope="module")
def backup(office: Installation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("elsewhere") / "backups"
    said = office.command("backup", folder)
    [path] = backups_in(folder).values()
    assert f"{path}: " in said
    assert (
        "In it are the database, SECRET_KEY, and of the keys that sign: csa.key. Keep it as a secret." in said
    )
    return path


ON_SQLITE = pytest.mark.skipif(
    "sqlite" not in settings.DATABASES["default"]["ENGINE"], reason="makes a SQLite office of its own"
)


@ON_SQLITE
def test_a_backup_has_database_keys_and_secret_and_is_its_owners_alone(
    office: Installation, backup: Path
) -> None:
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert stat.S_IMODE(backup.parent.stat().st_mode) == 0o700
    assert [path.name for path in backup.parent.iterdir()] == [backup.name]
    assert {part.name for part in verify_backup(backup).parts} == {
        "database.sqlite3",
        "keys/csa.key",
        "secret_key",
    }
    assert database_copy.read_part(backup, "secret_key") == (office.folder / "secret_key").read_text()


@ON_SQLITE
def test_secrets_may_be_left_out_and_are_named(office: Installation, tmp_path: Path) -> None:
    said = office.command("backup", tmp_path, "--without-secrets")
    assert f"SECRET_KEY and the keys in {office.folder}/keys are not in it" in said
    [path] = backups_in(tmp_path).values()
    assert [part.name for part in verify_backup(path).parts] == ["database.sqlite3"]


@ON_SQLITE
def test_a_backup_lies_below_var_where_nothing_else_is_said(office: Installation) -> None:
    office.command("backup")
    assert len(backups_in(office.folder / "backups")) == 1


# ---------------------------------------------------------------- killed in the middle

A_START = "from federation_site.backup import delete_unfinished as c; c()"
"""What every program of the office does when it starts."""


@pytest.fixture
def large(office: Installation, tmp_path: Path) -> Installation:
    """The office with 60 MB more, so that a backup takes a while."""
    copy = Installation(tmp_path / "large")
    copy.folder.mkdir()
    shutil.copy(office.database, copy.database)
    with closing(sqlite3.connect(copy.database)) as connection, connection:
        connection.execute("CREATE TABLE filling (bytes BLOB)")
        connection.executemany("INSERT INTO filling VALUES (randomblob(1000000))", [()] * 60)
    return copy


def stopped_in_the_middle(office: Installation, folder: Path) -> subprocess.Popen[str]:
    """A backup that is being made into the folder and was stopped while the database is copied."""
    before = copies_in(folder)
    process = office.begin("backup", folder)
    until = time.monotonic() + 120
    # The copy exists before SQLite reads the office; stopped then, it may hold a lock that all wait for.
    while not any(copy.stat().st_size for copy in copies_in(folder) - before) and time.monotonic() < until:
        time.sleep(0.002)
    process.send_signal(signal.SIGSTOP)
    assert copies_in(folder) > before, process.poll()
    return process


def copies_in(folder: Path) -> set[Path]:
    """The databases that lie in the clear below a folder."""
    return set(folder.rglob("database.sqlite3"))


@ON_SQLITE
def test_what_a_killed_backup_left_in_the_clear_goes_with_the_next_one_and_at_the_next_start(
    large: Installation, tmp_path: Path
) -> None:
    elsewhere, own = tmp_path / "elsewhere", large.folder / "backups"
    for folder in (elsewhere, own):
        killed = stopped_in_the_middle(large, folder)
        killed.kill()
        killed.communicate()
        assert copies_in(folder)
    said = large.command("backup", elsewhere)
    assert "left unfinished" in said
    assert [path.name for path in elsewhere.iterdir()] == [
        path.name for path in backups_in(elsewhere).values()
    ]
    large.command("shell", "--verbosity=0", "-c", A_START)
    assert list(own.iterdir()) == []


@ON_SQLITE
def test_a_backup_that_still_runs_is_disturbed_by_no_other_and_by_no_start(
    large: Installation, tmp_path: Path
) -> None:
    folder = large.folder / "backups"
    running = stopped_in_the_middle(large, folder)
    copies = copies_in(folder)
    try:
        time.sleep(1)  # a backup has the second of its start in its name
        large.command("backup", folder)
        large.command("shell", "--verbosity=0", "-c", A_START)
        assert copies_in(folder) == copies
    finally:
        running.send_signal(signal.SIGCONT)
        said = "".join(running.communicate(timeout=120))
    assert running.returncode == 0, said
    assert len(backups_in(folder)) == 2
    assert [verify_backup(path).vendor for path in backups_in(folder).values()] == ["sqlite", "sqlite"]
    assert copies_in(folder) == set()


def damaged(office: Installation, page: int, last_bytes: bytes, folder: Path) -> Installation:
    """A copy of the office whose database has other bytes at the end of a page."""
    copy = Installation(folder)
    copy.folder.mkdir()
    content = bytearray(office.database.read_bytes())
    content[4096 * page - len(last_bytes) : 4096 * page] = last_bytes
    copy.database.write_bytes(content)
    return copy


@ON_SQLITE
@pytest.mark.parametrize(
    ("broken", "last_bytes", "words"),
    [
        pytest.param("players_ledger", b"\xa5" * 4096, "is malformed", id="table"),
        pytest.param("players_appointment_user_id%", b"\x63", "the database is damaged: ", id="index"),
    ],
)
def test_a_database_with_a_damaged_table_or_index_is_not_backed_up(
    broken: str, last_bytes: bytes, words: str, office: Installation, tmp_path: Path
) -> None:
    [(page,)] = office.rows(f"SELECT rootpage FROM sqlite_master WHERE name LIKE '{broken}'")
    copy = damaged(office, page, last_bytes, tmp_path / "var")
    copy.command("backup", tmp_path / "backups", refused=words)
    assert not list((tmp_path / "backups").glob("*"))


@ON_SQLITE
def test_a_restore_into_an_empty_folder_gives_the_same_office(
    office: Installation, backup: Path, tmp_path: Path
) -> None:
    restored = Installation(tmp_path / "var")
    said = restored.command("restore", backup)
    assert f"Restored: the office as of {verify_backup(backup).made:%Y-%m-%d %H:%M} UTC" in said
    assert "csa: 0 lines" in said
    assert "csa: 0 facts" in said
    assert "no differences" in said
    for name in ("secret_key", "keys/csa.key"):
        assert (restored.folder / name).read_bytes() == (office.folder / name).read_bytes()
    assert restored.rows("SELECT email, password FROM players_user") == office.rows(
        "SELECT email, password FROM players_user"
    )
    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in restored.folder.rglob("*")} == {0}
    assert not list(restored.folder.glob("before-restore-*"))


@ON_SQLITE
def test_after_a_restore_everybody_signs_in_anew_and_the_office_waits(backup: Path, tmp_path: Path) -> None:
    restored = Installation(tmp_path / "var")
    said = restored.command("restore", backup)
    assert restored.rows("SELECT * FROM django_session") == []
    assert restored.rows("SELECT held, restored_at IS NOT NULL FROM players_ledger") == [(1, 1)]
    assert "Nothing is decided or signed by csa until you say what was signed since" in said
    restored.command("appoint", "csa", "--official", "a@example.org", refused="put back from a backup")
    restored.command("log", "csa", "new-origin", "--reason", "The disk was lost.")
    restored.command("appoint", "csa", "--official", "a@example.org")


@ON_SQLITE
def test_an_office_that_is_here_is_replaced_only_on_request_and_laid_aside(
    office: Installation, backup: Path, tmp_path: Path
) -> None:
    other = Installation(tmp_path / "var")
    other.command("restore", backup)
    other.rows("UPDATE players_federation SET name = 'Another'")
    refused = "There is an office here already: csa, with 1 people who sign in. Say --replace"
    other.command("restore", backup, refused=refused)
    assert other.rows(NAME) == [("Another",)]
    other.command("restore", backup, "--replace")
    assert other.rows(NAME) == office.rows(NAME)
    [aside] = other.folder.glob("before-restore-*.sqlite3")
    with closing(sqlite3.connect(aside)) as before:
        assert before.execute(NAME).fetchall() == [("Another",)]


@ON_SQLITE
def test_an_older_backup_is_brought_up_to_this_version(
    office: Installation, backup: Path, tmp_path: Path
) -> None:
    older, newer = Installation(tmp_path / "older"), Installation(tmp_path / "newer")
    older.command("restore", backup)
    older.command("migrate", "mfa", "0002", "--verbosity=0")
    older.command("backup", tmp_path / "backups")
    [path] = backups_in(tmp_path / "backups").values()
    assert "mfa.0003_authenticator_type_uniq" not in verify_backup(path).migrations
    assert "no differences" in newer.command("restore", path)
    assert newer.rows(MIGRATIONS) == office.rows(MIGRATIONS)


@ON_SQLITE
def test_an_office_that_is_open_is_not_replaced(backup: Path, tmp_path: Path) -> None:
    other = Installation(tmp_path / "var")
    other.command("restore", backup)
    with closing(sqlite3.connect(other.database)) as somebody:
        somebody.execute("PRAGMA journal_mode=WAL")
        somebody.execute("SELECT count(*) FROM players_federation").fetchone()
        other.command("restore", backup, "--replace", refused="The office is open. Close it first")
    assert other.rows("PRAGMA integrity_check") == [("ok",)]


@ON_SQLITE
def test_a_backup_cut_short_restores_nothing(backup: Path, tmp_path: Path) -> None:
    cut = tmp_path / backup.name
    cut.write_bytes(backup.read_bytes()[:-1000])
    other = Installation(tmp_path / "var")
    other.command("restore", cut, refused="was cut short, or is no backup")
    assert not other.database.exists() or not other.database.stat().st_size
    assert not (other.folder / "keys").exists()


@ON_SQLITE
def test_keys_that_are_here_stay(backup: Path, tmp_path: Path) -> None:
    other = Installation(tmp_path / "var")
    (other.folder / "keys").mkdir(parents=True)
    (other.folder / "keys" / "csa.key").write_text("another key")
    said = other.command("restore", backup, refused="What is stored is not what a replay gives")
    assert "csa.key is another key than the backup's, and stays" in said
    assert (other.folder / "keys" / "csa.key").read_text() == "another key"


@ON_SQLITE
@pytest.mark.parametrize("name", ["SECRET_KEY", "SECRET_KEY_FILE"])
def test_a_secret_key_of_the_environment_stays_and_is_compared(
    name: str, backup: Path, tmp_path: Path
) -> None:
    (tmp_path / "key").write_text("another, from the environment")
    value = (tmp_path / "key").read_text() if name == "SECRET_KEY" else str(tmp_path / "key")
    other = Installation(tmp_path / "var", **{name: value})
    said = other.command("restore", backup)
    assert "SECRET_KEY is another than in the backup" in said
    assert not (other.folder / "secret_key").exists()


@ON_SQLITE
def test_a_file_can_be_checked_without_restoring(backup: Path, tmp_path: Path) -> None:
    other = Installation(tmp_path / "var")
    assert "Whole: the office as of" in other.command("restore", backup, "--check")
    assert not (other.folder / "keys").exists()


# ---------------------------------------------------------------- what does not fit


def of(**told: Any) -> Manifest:
    vendor = "sqlite" if "sqlite" in settings.DATABASES["default"]["ENGINE"] else "postgresql"
    said: dict[str, Any] = {"made": NOON, "version": "9.9.9", "vendor": vendor, "migrations": []}
    return Manifest(**{**said, **told}, offices=[], secrets=False)


@pytest.mark.django_db
def test_a_newer_backup_is_refused_with_its_version() -> None:
    with pytest.raises(
        database_copy.CannotRestore, match=r"version 9.9.9, whose database is another: it has players.9999_x"
    ):
        database_copy.refuse_other_schema(of(migrations=["players.0001_form_3", "players.9999_x"]))
    database_copy.refuse_other_schema(of(migrations=["players.0001_form_3"]))


@pytest.mark.django_db
def test_a_backup_of_the_other_database_is_refused() -> None:
    with pytest.raises(database_copy.CannotRestore, match="This backup is of mysql"):
        database_copy.refuse_unfit(of(vendor="mysql"), replace=True)


def test_a_program_that_is_missing_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(database_copy.CannotCopy, match=r"pg_dump is not on this machine.*postgresql-client"):
        database_copy.run_postgresql_program("pg_dump", connect=False)


DUMPING = """#!/bin/sh
for _each in 1 2 3 4; do echo more >> "$1"; sleep 0.5; done
{end}
"""


@pytest.mark.parametrize(("end", "given_up"), [("exit 0", False), ("exec sleep 60", True)])
def test_a_pg_dump_that_writes_nothing_more_is_given_up_and_one_that_writes_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str, given_up: bool
) -> None:
    program, file = tmp_path / "pg_dump", tmp_path / "dump"
    program.write_text(DUMPING.format(end=end))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(database_copy, "SILENT_FOR", 1.5)
    said = pytest.raises(database_copy.CannotCopy, match=r"pg_dump has written nothing for 2 seconds")
    begun = time.monotonic()
    with said if given_up else nullcontext():
        database_copy.run_postgresql_program("pg_dump", str(file), connect=False, output_file=file)
    assert time.monotonic() - begun < 30
    assert file.read_text() == "more\n" * 4


def test_what_a_program_says_when_it_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pg_restore").write_text("#!/bin/sh\necho no such table >&2; exit 3\n")
    (tmp_path / "pg_restore").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(database_copy.CannotCopy, match=r"pg_restore: no such table"):
        database_copy.run_postgresql_program("pg_restore", connect=False)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError, match="file"):
        call_command("backup", tmp_path / "file")
