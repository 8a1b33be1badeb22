"""Backups of the whole office, each in one file, and restoring an office from one.

A backup holds a copy of the database as of one moment, the signing keys and checkpoints and, if wanted, the
secret key. The parts of this module are the file's format, copies of an SQLite or PostgreSQL database, the
rule by which old backups are deleted, the daily backup, and the restore. What killed processes left
unfinished in the office's folders is deleted here too.
"""

from __future__ import annotations

import io
import json
import logging
import os
import re
import shutil
import sqlite3
import subprocess
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
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
from django.db.backends.postgresql.client import DatabaseClient
from django.db.migrations.loader import MigrationLoader
from django.db.models import Exists, OuterRef

from federation_site.database import FIRST_LINES, words_on
from federation_site.models import Message
from federation_site.watch import BACKUP, give
from players.models import Federation, Ledger, User
from players.storage import alone_in, clear_unfinished, unfinished_folder, whole_file
from ratings import transparency_log
from ratings.models import LogKey
from ratings.program import version_of

# ---- What killed processes left unfinished in the office's folders, deleted at the start of each program.
FORMER_TEMPORARY = (".moving-*",)
FORMER = (".office-*.part", ".restore-*", ".writing-*", *FORMER_TEMPORARY)
"""Names under which versions up to 0.1.0rc1 wrote, without a lock; in the system's folder of temporary files,
which other programs use too, under the first alone.
"""
A_DAY = 24 * 60 * 60


def clear_after_the_dead() -> None:
    """Delete unfinished backups, dumps, archives and other copies whose writer is gone, and log which."""
    for folder in set(own_folders()):
        clear_unfinished(folder)
        former = FORMER if folder != Path(gettempdir()) else FORMER_TEMPORARY
        for left in (path for pattern in former for path in folder.glob(pattern)):
            with suppress(OSError):
                found = left.lstat()
                if found.st_uid == os.geteuid() and found.st_mtime < time.time() - A_DAY:
                    shutil.rmtree(left) if left.is_dir() else left.unlink()


def own_folders() -> Iterator[Path]:
    """The folders in which the office's programs write without being told one."""
    yield from (settings.VAR, settings.VAR / "backups", Path(gettempdir()))
    yield from (Path(settings.KEYS_DIR), Path(settings.JOURNALS_DIR), Path(settings.DUMPS_DIR))
    yield from Path(settings.DUMPS_DIR).glob("*/")
    if settings.BACKUP_DIR is not None:
        yield settings.BACKUP_DIR
    if connection.vendor == "sqlite":
        yield Path(connection.settings_dict["NAME"]).parent


# ---- The file of a backup: a zip of parts, and at its end the manifest that says what they are.
#
# A zip's index stands at its end, and the manifest is written last: a file that was cut short has neither.
FORM = 1
MANIFEST = "manifest.json"
_AT_ONCE = 1 << 20
_OWNER_ALONE = 0o600 << 16


class Damaged(Exception):
    """A file that is no whole backup; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Part:
    """A file in a backup's zip, as its manifest lists it."""

    name: str
    says: str
    """Words on what it is, for whoever opens the zip."""
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class OfficeState:
    """The numbers that tell how far an office's journal and record had come when it was backed up."""

    code: str
    name: str
    lines: int
    root: str
    """The head of the tree of its journal's lines, in hexadecimal (docs/proof.md)."""
    decisions: int
    newest: str | None
    """The newest day in the journal."""


@dataclass(slots=True)
class Manifest:
    """The list of what is in a backup, and of which office and version; stored as the zip's last file."""

    made: datetime
    version: str
    vendor: str
    """The database's kind: sqlite or postgresql."""
    migrations: list[str]
    """The schema: each migration as `app.name`."""
    offices: list[OfficeState]
    secrets: bool
    parts: list[Part] = field(default_factory=list)

    def written(self) -> bytes:
        told = {"form": FORM, **asdict(self), "made": self.made.astimezone(UTC).isoformat(timespec="seconds")}
        return json.dumps(told, ensure_ascii=False, indent=1).encode()

    def part(self, name: str) -> Part | None:
        return next((part for part in self.parts if part.name == name), None)


class ArchiveWriter:
    """Writes a backup: its parts, one after the other, and the manifest last."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        self.parts: list[Part] = []

    def add(self, name: str, says: str, source: BinaryIO, *, compressed: bool = False) -> None:
        """Copy a file into the zip, and note it for the manifest with words on what it is (`says`).

        Bytes that are `compressed` already are stored as they are.
        """
        digest, size = sha256(), 0
        with self._zip.open(_entry(name, compressed), "w", force_zip64=True) as target:
            while some := source.read(_AT_ONCE):
                digest.update(some)
                size += len(some)
                target.write(some)
        self.parts.append(Part(name, says, size, digest.hexdigest()))

    def finish(self, manifest: Manifest) -> None:
        manifest.parts = self.parts
        self._zip.writestr(_entry(MANIFEST, False), manifest.written())
        self._zip.close()


def _entry(name: str, compressed: bool) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, datetime.now(UTC).timetuple()[:6])
    entry.compress_type = zipfile.ZIP_STORED if compressed else zipfile.ZIP_DEFLATED
    entry.external_attr = _OWNER_ALONE
    return entry


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a backup's zip. Raises `Damaged`, or OSError where the file cannot be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, EOFError, zipfile.zlib.error) as error:  # type: ignore[attr-defined]
        raise Damaged(f"{path} was cut short, or is no backup: {error}") from None


def checked(path: Path) -> Manifest:
    """Read a backup from its first byte to its last and return its manifest.

    Raises `Damaged` where a part is missing, is another or has another checksum than the manifest says.
    """
    with opened(path) as archive:
        manifest = _manifest(archive, path)
        there = set(archive.namelist()) - {MANIFEST}
        named = {part.name for part in manifest.parts}
        if there != named:
            raise Damaged(f"{path}: {', '.join(sorted(there ^ named))}: not there, or not in its manifest")
        for part in manifest.parts:
            digest, size = sha256(), 0
            with archive.open(part.name) as source:
                while some := source.read(_AT_ONCE):
                    digest.update(some)
                    size += len(some)
            if (size, digest.hexdigest()) != (part.size, part.sha256):
                raise Damaged(f"{path}: {part.name} is not what its manifest says: its checksum differs")
    return manifest


def extract(path: Path, name: str, target: Path) -> None:
    """Write one part of a backup to `target`."""
    with opened(path) as archive, archive.open(name) as source, target.open("wb") as file:
        shutil.copyfileobj(cast(BinaryIO, source), file, _AT_ONCE)


def text_of(path: Path, name: str) -> str:
    with opened(path) as archive:
        return archive.read(name).decode()


def _manifest(archive: zipfile.ZipFile, path: Path) -> Manifest:
    try:
        told: dict[str, Any] = json.loads(archive.read(MANIFEST))
        form = told.pop("form")
    except (KeyError, ValueError):
        raise Damaged(f"{path} is no backup of an office: it has no manifest") from None
    if form != FORM:
        raise Damaged(f"{path}: a backup in form {form}, and this version reads form {FORM}")
    try:
        return Manifest(
            **{
                **told,
                "made": datetime.fromisoformat(told["made"]),
                "offices": [OfficeState(**office) for office in told["offices"]],
                "parts": [Part(**part) for part in told["parts"]],
            }
        )
    except (KeyError, TypeError, ValueError) as error:
        raise Damaged(f"{path}: its manifest cannot be read: {error}") from None


# ---- Copies of the database as of one moment, while the office works, and a database put back from a copy.
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
        self.tree = transparency_log.Tree()
        self.newest: str | None = None

    def take(self, line: str, on: object) -> None:
        self.tree.append(transparency_log.leaf_hash(transparency_log.entry_of(line)))
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


# ---- Names of backups, and the rule by which old ones are deleted: so many days, weeks, months and years.
DEFAULT_RULE = "7 daily, 4 weekly, 12 monthly"
_STAMP = "%Y-%m-%dT%H%M%SZ"
_NAME = re.compile(r"office-(\d{4}-\d\d-\d\dT\d{6}Z)\.backup\.zip")
_SPANS: dict[str, Callable[[datetime], object]] = {
    "daily": lambda at: at.date(),
    "weekly": lambda at: at.isocalendar()[:2],
    "monthly": lambda at: (at.year, at.month),
    "yearly": lambda at: at.year,
}


class BadRule(ValueError):
    """A rule that cannot be read; the message says how one is written."""


def parse_rule(text: str) -> dict[str, int]:
    """Read a rule like `7 daily, 4 weekly`: by each word, how many days, weeks … keep their newest backup."""
    rule: dict[str, int] = {}
    for each in text.split(","):
        found = re.fullmatch(rf"\s*(\d+)\s+({'|'.join(_SPANS)})\s*", each)
        if not found:
            raise BadRule(f"“{text}” is no rule: write “{DEFAULT_RULE}”, with any of {', '.join(_SPANS)}.")
        rule[found[2]] = int(found[1])
    if not any(rule.values()):
        raise BadRule("A rule keeps one backup at least.")
    return rule


def name_of(made: datetime) -> str:
    return f"office-{made.astimezone(UTC):{_STAMP}}.backup.zip"


def backups_in(folder: Path) -> dict[datetime, Path]:
    """The backups in a folder by the moment at which each was made, oldest first."""
    found = {
        datetime.strptime(match[1], _STAMP).replace(tzinfo=UTC): path
        for path in folder.glob("office-*.backup.zip")
        if (match := _NAME.fullmatch(path.name))
    }
    return dict(sorted(found.items()))


def kept(moments: Iterable[datetime], rule: dict[str, int]) -> set[datetime]:
    """The moments whose backups the rule keeps: the newest of each of the last days, weeks … with one."""
    newest_first = sorted(moments, reverse=True)
    keep = set(newest_first[:1])
    for unit, count in rule.items():
        newest: dict[object, datetime] = {}
        for moment in newest_first:
            newest.setdefault(_SPANS[unit](moment), moment)
        keep |= set(list(newest.values())[:count])
    return keep


def delete_old(folder: Path, rule: dict[str, int]) -> list[Path]:
    """Delete the backups that the rule does not keep, and return them."""
    there = backups_in(folder)
    gone = [there[moment] for moment in there.keys() - kept(there, rule)]
    for path in gone:
        path.unlink(missing_ok=True)
    return sorted(gone)


KEYS, SECRET_KEY = "keys/", "secret_key"
_SAYS = {
    ".key": "a private key that signs an office's journal",
    ".checkpoint": "the newest checkpoint that was signed",
}


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was written and read back."""

    path: Path
    manifest: Manifest

    @property
    def size(self) -> int:
        return self.path.stat().st_size


def make_backup(folder: Path, *, secrets: bool, now: datetime) -> Backup:
    """Write a backup into `folder`, readable by its owner only, and read it back.

    Raises `CannotCopy` where the database cannot be copied whole, `Damaged` where the file is not what was
    written, OSError where there is no room or no right; then nothing is left.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / name_of(now)
    with unfinished_folder(folder) as scratch:
        beside = _beside(secrets=secrets)  # before the database: no checkpoint is newer than its lines
        copy = copied(scratch)
        with whole_file(path) as file:
            writer = ArchiveWriter(file)
            with copy.path.open("rb") as source:
                compressed = connection.vendor == "postgresql"
                writer.add(copy.path.name, "the database", source, compressed=compressed)
            for name, says, content in beside:
                writer.add(name, says, io.BytesIO(content))
            writer.finish(
                Manifest(
                    made=now,
                    version=version_of(settings.ROOT),
                    vendor=connection.vendor,
                    migrations=copy.migrations,
                    offices=copy.offices,
                    secrets=secrets,
                )
            )
    try:
        return Backup(path, checked(path))
    except Damaged:
        path.unlink()
        raise


def _beside(*, secrets: bool) -> list[tuple[str, str, bytes]]:
    """The files that a backup has beside the database: checkpoints, and with `secrets` the keys.

    Each is its name in the zip, words on what it is, and its bytes.
    """
    found = [
        (f"{KEYS}{path.name}", _SAYS[path.suffix], path.read_bytes())
        for path in sorted(Path(settings.KEYS_DIR).glob("*"))
        if path.suffix == ".checkpoint" or (secrets and path.suffix == ".key")
    ]
    if secrets:
        says = "SECRET_KEY, by which sessions and links hold"
        found.append((SECRET_KEY, says, str(settings.SECRET_KEY).encode()))
    return found


# ---- Backups by the clock: the first look of a day makes that day's, and every later look if it failed.
log = logging.getLogger(__name__)


def back_up_when_due(now: datetime) -> None:
    """Make today's backup in BACKUP_DIR, unless it is there or another process makes it; delete old ones."""
    folder = settings.BACKUP_DIR
    if folder is None or made_today(folder, now):
        return
    try:
        rule = parse_rule(settings.BACKUP_KEEP)
        with alone_in(folder) as alone:
            if alone and not made_today(folder, now):
                note(make_backup(folder, secrets=settings.BACKUP_SECRETS, now=now))
                delete_old(folder, rule)
    except (BadRule, CannotCopy, Damaged, OSError) as error:
        log.error("no backup was made: %s", error)


def made_today(folder: Path, now: datetime) -> bool:
    """Whether a backup of today (UTC) is there."""
    return any(made.date() == now.date() for made in backups_in(folder))


def note(made: Backup) -> None:
    """Note a backup among the signs of life, for those who watch the office: its file, its size, and the room
    on its disk, which other machines cannot see.
    """
    disk = shutil.disk_usage(made.path.parent)
    give(BACKUP, file=made.path.name, size=made.size, free=disk.free, total=disk.total)


# ---- Words on a backup for whoever made or restored it.
def backup_words(made: Backup) -> str:
    return f"{made.path}: {made.size / 1e6:.1f} MB, written and read back"


def state_words(office: OfficeState) -> str:
    """A sentence on the lines and decisions that an office had, to compare with its pages or a checkpoint."""
    newest = f", the newest of {office.newest}" if office.newest else ""
    return (
        f"{office.code}: {office.lines} lines{newest}, their head {office.root[:12]}; "
        f"{office.decisions} decisions"
    )


def secrets_words(manifest: Manifest) -> str:
    """Words on which secrets are in a backup, and where those lie that are not."""
    if not manifest.secrets:
        return (
            f"Without secrets: SECRET_KEY and the keys in {settings.KEYS_DIR} are not in it, and without "
            "them no log goes on after a restore. Births, addresses and passwords' hashes are in it."
        )
    signing = [Path(part.name).name for part in manifest.parts if part.name.startswith(KEYS)]
    signing = [name for name in signing if name.endswith(".key")]
    keys = ", ".join(signing) if signing else f"no key, for there is none in {settings.KEYS_DIR}"
    return f"In it are the database, SECRET_KEY, and of the keys that sign: {keys}. Keep it as a secret."


# ---- Puts an office back from a backup: checked first, whole or not at all, and never two histories of a
# log.
Say = Callable[[str], object]


class CannotRestore(Exception):
    """A refusal to restore a backup that does not fit here; the message says why. Nothing was changed."""


def restore(path: Path, *, replace: bool, now: datetime, say: Say) -> Manifest:
    """Put the database and the keys of a backup in their places, and migrate up if it is older.

    Raises `Damaged`, `CannotRestore` or `CannotCopy`: then whatever was here is as it was.
    """
    manifest = checked(path)
    part = PART[manifest.vendor]
    refuse_unfit(manifest, replace=replace)
    empty = not what_is_here()
    with unfinished_folder(_scratch()) as scratch:
        copy = scratch / part
        extract(path, part, copy)
        if words := journals_of_another_form(copy):
            raise CannotRestore(words)
        refuse_other_schema(manifest)
        if manifest.vendor == "sqlite":
            aside = sqlite_file().with_name(f"before-restore-{now:%Y-%m-%dT%H%M%SZ}.sqlite3")
            # Put a copy in the database's place; what was there lies in `aside` then. Raises `CannotCopy`.
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
            put_back_postgresql(copy)
    call_command("migrate", verbosity=0, interactive=False)
    call_command("createcachetable", verbosity=0)
    hold(now)
    put_back_keys(path, manifest, say)
    put_back_secret_key(path, manifest, say)
    if states_of(selected) != manifest.offices:
        raise CannotRestore("What was restored is not what the backup's manifest says.")
    return manifest


def _scratch() -> Path | None:
    """The folder in which a backup is unpacked: that of SQLite's file, so that a rename puts the copy in its
    place; None for the machine's own.
    """
    if connection.vendor != "sqlite":
        return None
    folder = sqlite_file().parent
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


# ---------------------------------------------------------------- what does not fit
def refuse_unfit(manifest: Manifest, *, replace: bool) -> None:
    """Raise `CannotRestore` for another kind of database, or an office that is here."""
    if manifest.vendor != connection.vendor:
        raise CannotRestore(
            f"This backup is of {manifest.vendor}, and DATABASE_URL names {connection.vendor}. "
            "Restore it into a database of its own kind."
        )
    if not replace and (here := what_is_here()):
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


def what_is_here() -> str:
    """A sentence on the office that is in the database already; empty where there is none."""
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


# ---------------------------------------------------------------- after it is in place
@transaction.atomic
def hold(now: datetime) -> None:
    """Sign everybody out, and hold each office that signs its journal: it decides nothing until its operator
    has said what was signed after the backup.
    """
    keys = LogKey.objects.filter(federation=OuterRef("federation"))
    Ledger.objects.update(restored_at=now)
    Ledger.objects.filter(Exists(keys)).update(held=True)
    UserSession.objects.all().delete()
    Session.objects.all().delete()
    Message.objects.all().delete()
    for each in caches.all():
        each.clear()


def put_back_keys(path: Path, manifest: Manifest, say: Say) -> None:
    """Write a backup's signing keys and checkpoints into KEYS_DIR.

    A key that is there already stays; of two checkpoints, the one of more lines.
    """
    folder = Path(settings.KEYS_DIR)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for part in manifest.parts:
        if not part.name.startswith(KEYS):
            continue
        target, text = folder / Path(part.name).name, text_of(path, part.name)
        if target.exists() and target.suffix == ".key" and target.read_text() != text:
            say(f"{target} is another key than the backup's, and stays.")
        if not target.exists() or _continues(text, target.read_text()):
            with whole_file(target) as file:
                file.write(text.encode())


def _continues(text: str, here: str) -> bool:
    """Whether the checkpoint `text` is of the same log as the checkpoint `here`, and covers more lines."""
    try:
        new, old = transparency_log.read_checkpoint(text), transparency_log.read_checkpoint(here)
    except ValueError:
        return False
    return new.origin == old.origin and new.size > old.size


def put_back_secret_key(path: Path, manifest: Manifest, say: Say) -> None:
    """Write the secret key into its file; where SECRET_KEY is set, say whether it is the backup's."""
    if manifest.part(SECRET_KEY) is None:
        return
    text = text_of(path, SECRET_KEY)
    if not os.environ.get("SECRET_KEY"):
        with whole_file(settings.VAR / "secret_key") as file:
            file.write(text.encode())
    elif text not in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        say(
            "SECRET_KEY is another than in the backup, by which second factors are read and links hold. "
            f"Put that one (unzip -p FILE {SECRET_KEY}) into SECRET_KEY, or into SECRET_KEY_FALLBACKS."
        )
