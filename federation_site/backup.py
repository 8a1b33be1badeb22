"""Making backups, each in one file, deleting old ones, and restoring.

A backup has a copy of the database as of one moment, the signed checkpoints and, with secrets, the signing
keys and the secret key. Files that killed processes left unfinished are deleted here too.
"""

import io
import json
import logging
import os
import re
import shutil
import sqlite3
import subprocess
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from typing import IO, Any, BinaryIO, cast

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.cache import caches
from django.core.management import call_command
from django.db import DatabaseError, connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.postgresql.client import DatabaseClient
from django.db.migrations.loader import MigrationLoader
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext_noop

from federation_site.database import SELECT_FIRST_LINES, journal_form_problem
from federation_site.models import Message
from federation_site.watch import BACKUP, give
from players import kept_pages
from players.models import Federation, Ledger, User
from players.writing import atomic_file, delete_abandoned_files, make_unfinished_folder, try_lock_folder
from ratings import transparency_log
from ratings.models import LogKey
from ratings.program import get_version


# ---- Unfinished files of killed processes, deleted at the start of each program
def delete_unfinished() -> None:
    """Delete unfinished backups, dumps, archives and other copies whose writer is gone, and log that."""
    for folder in set(own_folders()):
        delete_abandoned_files(folder)


def own_folders() -> Iterator[Path]:
    """The folders in which the office's programs write by default."""
    yield from (settings.VAR, settings.VAR / "backups", Path(gettempdir()))
    yield from (Path(settings.KEYS_DIR), Path(settings.JOURNALS_DIR), Path(settings.DUMPS_DIR))
    yield from Path(settings.DUMPS_DIR).glob("*/")
    if settings.BACKUP_DIR is not None:
        yield settings.BACKUP_DIR
    if connection.vendor == "sqlite":
        yield Path(connection.settings_dict["NAME"]).parent


# ---- The file of a backup: a zip of parts
#
# The manifest and the zip's index are written last, so that a file that was cut short has neither.
FORM = 1
MANIFEST = "manifest.json"
_CHUNK = 1 << 20


class DamagedBackup(Exception):
    """A file is no complete backup; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Part:
    """A file in a backup's zip, as its manifest lists it."""

    name: str
    says: str
    """What it is, for people who open the zip."""
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class OfficeState:
    """The size of an office's journal and record when it was backed up."""

    code: str
    name: str
    lines: int
    root: str
    """The Merkle root of the journal's lines, in hexadecimal (docs/journal.md)."""
    decisions: int
    newest: str | None
    """The newest day in the journal."""


@dataclass(slots=True)
class Manifest:
    """What is in a backup; stored as JSON in the zip's last file."""

    made: datetime
    version: str
    vendor: str
    """`sqlite` or `postgresql`."""
    migrations: list[str]
    """Each as `app.name`."""
    offices: list[OfficeState]
    secrets: bool
    parts: list[Part] = field(default_factory=list)

    def as_json(self) -> bytes:
        made = self.made.astimezone(UTC).isoformat(timespec="seconds")
        return json.dumps({"form": FORM, **asdict(self), "made": made}, ensure_ascii=False, indent=1).encode()

    def part(self, name: str) -> Part | None:
        return next((part for part in self.parts if part.name == name), None)


class BackupWriter:
    """Writes a backup: its parts one by one, and the manifest last."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        self.parts: list[Part] = []

    def add(self, name: str, says: str, source: BinaryIO, *, compressed: bool = False) -> None:
        """Add a file as a part. `says`: as in `Part`; `compressed`: whether it already is."""
        with self._zip.open(_entry(name, compressed), "w", force_zip64=True) as target:
            size, digest = _measure(source, target)
        self.parts.append(Part(name, says, size, digest))

    def finish(self, manifest: Manifest) -> None:
        manifest.parts = self.parts
        self._zip.writestr(_entry(MANIFEST, False), manifest.as_json())
        self._zip.close()


def _entry(name: str, compressed: bool) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, datetime.now(UTC).timetuple()[:6])
    entry.compress_type = zipfile.ZIP_STORED if compressed else zipfile.ZIP_DEFLATED
    entry.external_attr = 0o600 << 16  # readable by its owner only
    return entry


def _measure(source: IO[bytes], target: IO[bytes] | None = None) -> tuple[int, str]:
    """Read a file, copy it to `target` if there is one, and return its size and SHA-256."""
    digest, size = sha256(), 0
    while chunk := source.read(_CHUNK):
        digest.update(chunk)
        size += len(chunk)
        if target is not None:
            target.write(chunk)
    return size, digest.hexdigest()


@contextmanager
def open_backup(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a backup's zip. Raises `DamagedBackup`, or OSError if the file cannot be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, EOFError, zipfile.zlib.error) as error:  # type: ignore[attr-defined]
        raise DamagedBackup(f"{path} was cut short, or is no backup: {error}") from None


def verify_backup(path: Path) -> Manifest:
    """Read a whole backup and return its manifest; raise `DamagedBackup` if the two do not agree."""
    with open_backup(path) as archive:
        manifest = _read_manifest(archive, path)
        differences = {part.name for part in manifest.parts} ^ (set(archive.namelist()) - {MANIFEST})
        if differences:
            raise DamagedBackup(
                f"{path}: {', '.join(sorted(differences))}: not there, or not in its manifest"
            )
        for part in manifest.parts:
            with archive.open(part.name) as source:
                measured = _measure(source)
            if measured != (part.size, part.sha256):
                raise DamagedBackup(
                    f"{path}: {part.name} is not what its manifest says: its checksum differs"
                )
    return manifest


def extract_part(path: Path, name: str, target: Path) -> None:
    """Write one part of a backup to `target`."""
    with open_backup(path) as archive, archive.open(name) as source, target.open("wb") as file:
        shutil.copyfileobj(cast(BinaryIO, source), file, _CHUNK)


def read_part(path: Path, name: str) -> str:
    with open_backup(path) as archive:
        return archive.read(name).decode()


def _read_manifest(archive: zipfile.ZipFile, path: Path) -> Manifest:
    try:
        content: dict[str, Any] = json.loads(archive.read(MANIFEST))
        form = content.pop("form")
    except (KeyError, ValueError):
        raise DamagedBackup(f"{path} is no backup of an office: it has no manifest") from None
    if form != FORM:
        raise DamagedBackup(f"{path}: a backup in form {form}, and this version reads form {FORM}")
    try:
        return Manifest(
            **{
                **content,
                "made": datetime.fromisoformat(content["made"]),
                "offices": [OfficeState(**office) for office in content["offices"]],
                "parts": [Part(**part) for part in content["parts"]],
            }
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedBackup(f"{path}: its manifest cannot be read: {error}") from None


# ---- Copying and restoring the database
Rows = Callable[[str], Iterable[Any]]
"""A function that runs a SELECT and returns its rows."""


class CannotCopy(Exception):
    """The database could not be copied or restored, and is unchanged; the message says why."""


DatabaseCopy = tuple[Path, list[OfficeState], list[str]]
"""A copy of the database in a file, with the states of its offices and its migrations."""
SILENT_FOR = 600.0
"""Seconds without output after which pg_dump is killed, because the server hangs."""
QUIETLY = ("--no-psqlrc", "--quiet", "--output=/dev/null", "--single-transaction", "--set=ON_ERROR_STOP=1")
"""psql's options for a script that is run whole or not at all."""
DATABASE_PART_NAMES = {"sqlite": "database.sqlite3", "postgresql": "database.pgdump"}
"""The name of the database's part in a backup."""


def copy_database(folder: Path) -> DatabaseCopy:
    """Copy the database into `folder` as of one moment, while others read and write."""
    return _copy_sqlite(folder) if connection.vendor == "sqlite" else _dump_postgresql(folder)


def describe_unreadable_journals(copy: Path) -> str:
    """Say which journals in a copy this version does not read; empty if it reads all.

    Raises `CannotCopy` if the copy is damaged.
    """
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(copy)) as database:
            refuse_damaged(database)
            return journal_form_problem(line for (line,) in database.execute(SELECT_FIRST_LINES))
    facts = copy.with_suffix(".facts")
    run_postgresql_program(
        "pg_restore", "--data-only", "--table=ratings_fact", f"--file={facts}", str(copy), connect=False
    )
    with facts.open(encoding="utf-8") as rows:
        return journal_form_problem(rows)


def compute_office_states(select: Rows) -> list[OfficeState]:
    """The states of all offices, by code."""
    trees = {key: transparency_log.Tree() for (key,) in select("SELECT id FROM players_federation")}
    newest: dict[int, str] = {}
    for key, line, on in select(
        'SELECT federation_id, line, "on" FROM ratings_fact ORDER BY federation_id, number'
    ):
        trees[key].append(transparency_log.leaf_hash(transparency_log.log_entry(line)))
        if on:
            newest[key] = str(on)
    heads = select(
        "SELECT f.id, f.code, f.name, l.decisions FROM players_federation f"
        " JOIN players_ledger l ON l.federation_id = f.id ORDER BY f.code"
    )
    return [
        OfficeState(code, name, trees[key].size, trees[key].root().hex(), decisions, newest.get(key))
        for key, code, name, decisions in heads
    ]


def _migrations(rows: Rows) -> list[str]:
    return sorted(f"{app}.{name}" for app, name in rows("SELECT app, name FROM django_migrations"))


# ---- SQLite
def sqlite_file() -> Path:
    return Path(connection.settings_dict["NAME"])


def _copy_sqlite(folder: Path) -> DatabaseCopy:
    """Copy with SQLite's backup in one step, which reads one moment and keeps no writer waiting."""
    path = folder / DATABASE_PART_NAMES["sqlite"]
    with (
        closing(sqlite3.connect(sqlite_file(), timeout=20)) as source,
        closing(sqlite3.connect(path)) as target,
    ):
        try:
            source.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")
            refuse_damaged(target)
            return path, compute_office_states(target.execute), _migrations(target.execute)
        except sqlite3.DatabaseError as error:
            raise CannotCopy(f"{sqlite_file()}: {error}") from None


def refuse_damaged(database: sqlite3.Connection) -> None:
    """Raise `CannotCopy` if SQLite finds a damaged page or index."""
    problems = [row[0] for row in database.execute("PRAGMA integrity_check")]
    if problems != ["ok"]:
        raise CannotCopy("the database is damaged: " + "; ".join(problems[:3]))


def _close_log(target: Path) -> None:
    """Write SQLite's write-ahead log into the database file.

    Raises `CannotCopy` if there are other connections, because the office is open.
    """
    with closing(sqlite3.connect(target, timeout=1)) as database:
        try:
            [mode] = database.execute("PRAGMA journal_mode=DELETE").fetchone()
        except sqlite3.OperationalError:
            mode = "wal"
        except sqlite3.DatabaseError:
            return  # damaged; it is moved as it is
    if mode == "wal":
        raise CannotCopy("The office is open. Close it first (Ctrl-C, or stop web and workers).")


# ---- PostgreSQL
def _dump_postgresql(folder: Path) -> DatabaseCopy:
    """Copy with pg_dump, as of the snapshot in which the offices' states are read too."""
    path = folder / DATABASE_PART_NAMES["postgresql"]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_export_snapshot()")
        [snapshot] = cursor.fetchone()
        offices, migrations = compute_office_states(select_rows), _migrations(select_rows)
        options = ("--format=custom", "--no-owner", "--lock-wait-timeout=60s")
        run_postgresql_program(
            "pg_dump", *options, f"--snapshot={snapshot}", f"--file={path}", output_file=path
        )
    run_postgresql_program("pg_restore", "--file=/dev/null", str(path), connect=False)
    return path, offices, migrations


def select_rows(query: str, *, database: BaseDatabaseWrapper | None = None) -> Iterator[Any]:
    """Yield the rows of a SELECT, a few thousand at a time. `database`: another than the office's."""
    with (database or connection).chunked_cursor() as rows:
        rows.execute(query)
        while chunk := rows.fetchmany(2_000):
            yield from chunk


def restore_postgresql(dump: Path) -> None:
    """Replace all tables with those of a dump, in one transaction. Raises `CannotCopy`."""
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
    run_postgresql_program("pg_restore", *options, f"--file={script}", str(dump), connect=False)
    quoted = [connection.ops.quote_name(table) for table in tables]
    drop.write_text(f"DROP TABLE IF EXISTS {', '.join(quoted)} CASCADE;" if quoted else "")
    run_postgresql_program("psql", *QUIETLY, f"--file={drop}", f"--file={script}")


def run_postgresql_program(
    program: str, *arguments: str, connect: bool = True, output_file: Path | None = None, database: str = ""
) -> None:
    """Run one of PostgreSQL's programs on the office's database, or on another of its server. Raises
    `CannotCopy` with its error message.

    `output_file`: the file that the program writes; the program is killed if it does not grow for
    `SILENT_FOR`.
    """
    executable = shutil.which(program)
    if executable is None:
        raise CannotCopy(
            f"{program} is not on this machine. It comes with PostgreSQL's client programs "
            "(apt-get install postgresql-client), of the server's version or newer."
        )
    environment = {**os.environ, "PGOPTIONS": "", "PGCONNECT_TIMEOUT": "15"}
    if connect:
        there = {**connection.settings_dict, **({"NAME": database} if database else {})}
        command, own = DatabaseClient.settings_to_cmd_args_env(there, arguments)
        environment |= own or {}
        # Django puts the database's name last, where psql and pg_dump take it.
        command[0] = executable
    else:
        command = [executable, *arguments]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(
        command, env=environment, stdin=nothing, stdout=nothing, stderr=pipe, text=True
    ) as child:
        errors = _wait_for(child, program, output_file)
    if child.returncode:
        raise CannotCopy(f"{program}: {errors.strip() or child.returncode}")


def _wait_for(child: subprocess.Popen[str], program: str, grows: Path | None) -> str:
    """Wait for a program and return its error output, or kill it if its file does not grow."""
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


# ---- Names of backups, and the rule for deleting old ones
DEFAULT_RULE = "7 daily, 4 weekly, 12 monthly"
_STAMP = "%Y-%m-%dT%H%M%SZ"
_NAME = re.compile(r"office-(\d{4}-\d\d-\d\dT\d{6}Z)\.backup\.zip")
_PERIODS: dict[str, Callable[[datetime], object]] = {
    "daily": lambda at: at.date(),
    "weekly": lambda at: at.isocalendar()[:2],
    "monthly": lambda at: (at.year, at.month),
    "yearly": lambda at: at.year,
}


class BadRule(ValueError):
    """A rule is invalid; the message says how one is written."""


def parse_rule(text: str) -> dict[str, int]:
    """Parse a rule like `7 daily, 4 weekly`: the number of days, weeks … that keep their newest backup."""
    rule: dict[str, int] = {}
    for part in text.split(","):
        match = re.fullmatch(rf"\s*(\d+)\s+({'|'.join(_PERIODS)})\s*", part)
        if not match:
            raise BadRule(f"“{text}” is no rule: write “{DEFAULT_RULE}”, with any of {', '.join(_PERIODS)}.")
        rule[match[2]] = int(match[1])
    if not any(rule.values()):
        raise BadRule("A rule keeps one backup at least.")
    return rule


def backup_name(made: datetime) -> str:
    return f"office-{made.astimezone(UTC):{_STAMP}}.backup.zip"


def backups_in(folder: Path) -> dict[datetime, Path]:
    """The backups in a folder by their times, oldest first."""
    found = {
        datetime.strptime(match[1], _STAMP).replace(tzinfo=UTC): path
        for path in folder.glob("office-*.backup.zip")
        if (match := _NAME.fullmatch(path.name))
    }
    return dict(sorted(found.items()))


def select_kept(moments: Iterable[datetime], rule: dict[str, int]) -> set[datetime]:
    """The times of the backups that the rule keeps: the newest of each of the last days, weeks … with any."""
    newest_first = sorted(moments, reverse=True)
    keep = set(newest_first[:1])
    for unit, count in rule.items():
        newest: dict[object, datetime] = {}
        for moment in newest_first:
            newest.setdefault(_PERIODS[unit](moment), moment)
        keep |= set(list(newest.values())[:count])
    return keep


def delete_old(folder: Path, rule: dict[str, int]) -> list[Path]:
    """Delete the backups that the rule does not keep, and return them."""
    backups = backups_in(folder)
    old = [backups[moment] for moment in backups.keys() - select_kept(backups, rule)]
    for path in old:
        path.unlink(missing_ok=True)
    return sorted(old)


KEYS_PREFIX, SECRET_KEY_PART = "keys/", "secret_key"
_DESCRIPTIONS = {
    ".key": "a private key that signs an office's journal",
    ".checkpoint": "the newest checkpoint that was signed",
}


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was written and verified."""

    path: Path
    manifest: Manifest

    @property
    def size(self) -> int:
        return self.path.stat().st_size


def make_backup(folder: Path, *, secrets: bool, now: datetime) -> Backup:
    """Write a backup into `folder`, readable by its owner only, and verify it.

    Raises `CannotCopy` if the database cannot be copied, `DamagedBackup` if the file is not what was written,
    and OSError; then no file is left.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / backup_name(now)
    with make_unfinished_folder(folder) as scratch:
        # Before the database, so that no checkpoint is newer than its lines.
        key_files = [
            (f"{KEYS_PREFIX}{each.name}", _DESCRIPTIONS[each.suffix], each.read_bytes())
            for each in sorted(Path(settings.KEYS_DIR).glob("*"))
            if each.suffix == ".checkpoint" or (secrets and each.suffix == ".key")
        ]
        if secrets:
            says = "SECRET_KEY, by which sessions and links hold"
            key_files.append((SECRET_KEY_PART, says, str(settings.SECRET_KEY).encode()))
        copy, offices, migrations = copy_database(scratch)
        with atomic_file(path) as file:
            writer = BackupWriter(file)
            with copy.open("rb") as source:
                compressed = connection.vendor == "postgresql"
                writer.add(copy.name, "the database", source, compressed=compressed)
            for name, says, content in key_files:
                writer.add(name, says, io.BytesIO(content))
            writer.finish(
                Manifest(
                    made=now,
                    version=get_version(settings.ROOT),
                    vendor=connection.vendor,
                    migrations=migrations,
                    offices=offices,
                    secrets=secrets,
                )
            )
    try:
        return Backup(path, verify_backup(path))
    except DamagedBackup:
        path.unlink()
        raise


ABANDONED_REHEARSALS = """
    SELECT datname FROM pg_database AS one
    WHERE starts_with(datname, %s) AND pg_get_userbyid(datdba) = current_user
    AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE datid = one.oid)
"""


def rehearse_restore(made: Backup, scratch: Path) -> bool:
    """Restore a backup beside the office and compare its offices with the manifest; nothing of it stays.
    Returns False where the role may not make a database. Raises `CannotCopy` and `DamagedBackup`.
    """
    copy = scratch / DATABASE_PART_NAMES[connection.vendor]
    extract_part(made.path, copy.name, copy)
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(copy)) as database:
            refuse_damaged(database)
            states = compute_office_states(database.execute)
    else:
        rehearsals = f"{connection.settings_dict['NAME']}"[:40] + "_rehearsal"
        name = f"{rehearsals}_{os.getpid()}"
        quoted = connection.ops.quote_name(name)
        with connection.cursor() as cursor:
            cursor.execute("SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user")
            if not cursor.fetchone()[0]:
                return False
            cursor.execute(ABANDONED_REHEARSALS, [rehearsals])
            for (left,) in cursor.fetchall():
                cursor.execute(f"DROP DATABASE IF EXISTS {connection.ops.quote_name(left)}")
            cursor.execute(f"CREATE DATABASE {quoted} TEMPLATE template0")
        beside = connection.copy("rehearsal")
        beside.settings_dict["NAME"] = name
        try:
            beside.ensure_connection()  # so that no other run takes it for abandoned
            with connection.cursor() as cursor:
                cursor.execute(f"REVOKE CONNECT ON DATABASE {quoted} FROM PUBLIC")
            script = copy.with_suffix(".sql")
            options = ("--no-owner", "--no-privileges", f"--file={script}")
            run_postgresql_program("pg_restore", *options, str(copy), connect=False)
            run_postgresql_program("psql", *QUIETLY, f"--file={script}", database=name)
            states = compute_office_states(partial(select_rows, database=beside))
        finally:
            beside.close()
            with connection.cursor() as cursor:
                cursor.execute(f"DROP DATABASE IF EXISTS {quoted} WITH (FORCE)")
    if states != made.manifest.offices:
        raise DamagedBackup("What was restored beside the office is not what the backup's manifest says.")
    return True


# ---- Daily backups
log = logging.getLogger(__name__)


def back_up_when_due(now: datetime) -> None:
    """Make today's backup in BACKUP_DIR unless it exists or another process makes it, and delete old ones."""
    folder = settings.BACKUP_DIR
    if folder is None or has_backup_of_today(folder, now):
        return
    try:
        rule = parse_rule(settings.BACKUP_KEEP)
        with try_lock_folder(folder) as alone:
            if alone and not has_backup_of_today(folder, now):
                note_backup(make_backup(folder, secrets=settings.BACKUP_SECRETS, now=now))
                delete_old(folder, rule)
    except (BadRule, CannotCopy, DamagedBackup, OSError) as error:
        log.error(
            "no backup was made: %s",
            error,
            extra={
                "mend": gettext_noop(
                    "Run “manage.py backup”: it says what is wrong. The worker tries again every half hour."
                )
            },
        )


def has_backup_of_today(folder: Path, now: datetime) -> bool:
    """Whether there is a backup of today (UTC)."""
    return any(made.date() == now.date() for made in backups_in(folder))


def note_backup(made: Backup) -> None:
    """Store a backup's name and size, and the room on its disk, which other machines cannot see."""
    disk = shutil.disk_usage(made.path.parent)
    give(BACKUP, file=made.path.name, size=made.size, free=disk.free, total=disk.total)


# ---- Messages
def describe_office_state(office: OfficeState) -> str:
    """An office's lines and decisions, to compare with its pages or a checkpoint."""
    newest = f", the newest of {office.newest}" if office.newest else ""
    return (
        f"{office.code}: {office.lines} lines{newest}, their head {office.root[:12]}; "
        f"{office.decisions} decisions"
    )


def describe_secrets(manifest: Manifest) -> str:
    """Which secrets are in a backup."""
    if not manifest.secrets:
        return (
            f"Without secrets: SECRET_KEY and the keys in {settings.KEYS_DIR} are not in it, and without "
            "them no log goes on after a restore. Births, addresses and passwords' hashes are in it."
        )
    names = (part.name for part in manifest.parts)
    signing = [Path(name).name for name in names if name.startswith(KEYS_PREFIX) and name.endswith(".key")]
    keys = ", ".join(signing) if signing else f"no key, for there is none in {settings.KEYS_DIR}"
    return f"In it are the database, SECRET_KEY, and of the keys that sign: {keys}. Keep it as a secret."


# ---- Restoring
Say = Callable[[str], object]


class CannotRestore(Exception):
    """A backup cannot be restored here, and nothing was changed; the message says why."""


def restore(path: Path, *, replace: bool, now: datetime, say: Say) -> Manifest:
    """Restore the database and the keys of a backup, and migrate if it is older.

    Raises `DamagedBackup`, `CannotRestore` or `CannotCopy`; then nothing was changed.
    """
    manifest = verify_backup(path)
    part = DATABASE_PART_NAMES[manifest.vendor]
    refuse_unfit(manifest, replace=replace)
    empty = not describe_present_office()
    with make_unfinished_folder(_scratch()) as scratch:
        copy = scratch / part
        extract_part(path, part, copy)
        if words := describe_unreadable_journals(copy):
            raise CannotRestore(words)
        refuse_other_schema(manifest)
        if manifest.vendor == "sqlite":
            aside = sqlite_file().with_name(f"before-restore-{now:%Y-%m-%dT%H%M%SZ}.sqlite3")
            connections.close_all()
            target = sqlite_file()
            if target.exists():
                _close_log(target)
                os.replace(target, aside)
            for rest in ("-wal", "-shm"):
                Path(f"{target}{rest}").unlink(missing_ok=True)
            os.replace(copy, target)
            if empty:
                aside.unlink(missing_ok=True)
            elif aside.exists():
                say(f"What was here before lies in {aside}: delete it when all is well.")
        else:
            restore_postgresql(copy)
    call_command("migrate", verbosity=0, interactive=False)
    call_command("createcachetable", verbosity=0)
    hold_offices_and_end_sessions(now)
    restore_keys(path, manifest, say)
    restore_secret_key(path, manifest, say)
    kept_pages.forget()
    if compute_office_states(select_rows) != manifest.offices:
        raise CannotRestore("What was restored is not what the backup's manifest says.")
    return manifest


def _scratch() -> Path | None:
    """The folder for unpacking a backup: SQLite's own, so that the copy can be renamed; None: any."""
    if connection.vendor != "sqlite":
        return None
    folder = sqlite_file().parent
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def refuse_unfit(manifest: Manifest, *, replace: bool) -> None:
    """Raise `CannotRestore` for another kind of database, or if there is an office here already."""
    if manifest.vendor != connection.vendor:
        raise CannotRestore(
            f"This backup is of {manifest.vendor}, and DATABASE_URL names {connection.vendor}. "
            "Restore it into a database of its own kind."
        )
    if not replace and (here := describe_present_office()):
        raise CannotRestore(
            f"{here} Say --replace to put the backup in its place; make a backup of what is here first."
        )


def refuse_other_schema(manifest: Manifest) -> None:
    """Raise `CannotRestore` for a backup whose database has migrations that this version does not know."""
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    if others := sorted(set(manifest.migrations) - known):
        raise CannotRestore(
            f"This backup was made by version {manifest.version}, whose database is another: it has "
            f"{others[0]}. Install that version and restore with it."
        )


def describe_present_office() -> str:
    """A sentence about the office that is in the database already; empty if there is none."""
    if connection.vendor == "sqlite" and not sqlite_file().exists():
        return ""
    try:
        tables = connection.introspection.table_names()
        if Federation._meta.db_table not in tables:
            return ""
        codes = list(Federation.objects.values_list("code", flat=True))
        people = User.objects.count()
    except DatabaseError:
        return "There is a database here already, and it cannot be read."
    if not codes and not people:
        return ""
    return f"There is an office here already: {', '.join(codes) or 'none'}, with {people} people who sign in."


@transaction.atomic
def hold_offices_and_end_sessions(now: datetime) -> None:
    """Sign everybody out, and hold each office that signs its journal.

    A held office decides nothing until its operator has said what was signed after the backup.
    """
    keys = LogKey.objects.filter(federation=OuterRef("federation"))
    Ledger.objects.update(restored_at=now)
    Ledger.objects.filter(Exists(keys)).update(held=True)
    UserSession.objects.all().delete()
    Session.objects.all().delete()
    Message.objects.all().delete()
    for each in caches.all():
        each.clear()


def restore_keys(path: Path, manifest: Manifest, say: Say) -> None:
    """Write a backup's signing keys and checkpoints into KEYS_DIR.

    Existing keys stay, and of two checkpoints the one with more lines.
    """
    folder = Path(settings.KEYS_DIR)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for part in manifest.parts:
        if not part.name.startswith(KEYS_PREFIX):
            continue
        target, text = folder / Path(part.name).name, read_part(path, part.name)
        if target.exists() and target.suffix == ".key" and target.read_text() != text:
            say(f"{target} is another key than the backup's, and stays.")
        if not target.exists() or _continues(text, target.read_text()):
            with atomic_file(target) as file:
                file.write(text.encode())


def _continues(text: str, here: str) -> bool:
    """Whether the checkpoint `text` is of the same log as `here` and has more lines."""
    try:
        new, old = transparency_log.read_checkpoint(text), transparency_log.read_checkpoint(here)
    except ValueError:
        return False
    return new.origin == old.origin and new.size > old.size


def restore_secret_key(path: Path, manifest: Manifest, say: Say) -> None:
    """Write the secret key into its file; if SECRET_KEY is set, say so if it is another."""
    if manifest.part(SECRET_KEY_PART) is None:
        return
    text = read_part(path, SECRET_KEY_PART)
    if not (os.environ.get("SECRET_KEY") or os.environ.get("SECRET_KEY_FILE")):
        with atomic_file(settings.VAR / "secret_key") as file:
            file.write(text.encode())
    elif text not in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        say(
            "SECRET_KEY is another than in the backup, by which second factors are read and links hold. "
            f"Put that one (unzip -p FILE {SECRET_KEY_PART}) into SECRET_KEY, or into SECRET_KEY_FALLBACKS."
        )
