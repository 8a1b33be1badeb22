"""Writing: files that appear whole or not at all, exact decimals, and rows by the million.

Rows are spooled and then sent by COPY or `executemany`, since the ORM is forty times slower than COPY.
"""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from decimal import Context, Decimal
from itertools import islice
from operator import attrgetter
from pathlib import Path
from tempfile import NamedTemporaryFile, gettempdir, mkdtemp
from typing import IO, TYPE_CHECKING, Any

from django.core.cache import caches
from django.core.cache.backends.base import BaseCache
from django.db import connection, models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.utils.connection import ConnectionProxy

# ---- Unfinished files and folders
#
# A process that is killed may leave the whole register, with births, in an unfinished file. So such files
# have names of their own and are locked until they are done. The system releases the lock when the writer
# dies, on other machines that share the folder too; the next writer in that folder deletes the files without
# a lock, and so does the start of the office.
log = logging.getLogger(__name__)
UNFINISHED_PREFIX = ".unfinished-"
"""The prefix of unfinished files and folders."""
LOCK, CONTENT = "lock", "content"
"""What an unfinished folder holds: the locked file, and the folder that is written."""


@contextmanager
def open_unfinished_file(folder: Path) -> Iterator[IO[bytes]]:
    """Open a new private file in `folder`; it is deleted at the end of the block, unless renamed by then."""
    delete_abandoned_files(folder)
    with _new_file(folder) as file:
        try:
            yield file
        finally:
            Path(file.name).unlink(missing_ok=True)


@contextmanager
def make_unfinished_folder(beside: Path | None = None) -> Iterator[Path]:
    """Make a private folder in `beside` (default: the system's temporary folder), deleted after the block."""
    beside = beside or Path(gettempdir())
    delete_abandoned_files(beside)
    top, lock = _new_folder(beside)
    with lock:
        try:
            yield top / CONTENT
        finally:
            shutil.rmtree(top, ignore_errors=True)


def _new_file(folder: Path) -> IO[bytes]:
    while True:
        file = NamedTemporaryFile("w+b", prefix=UNFINISHED_PREFIX, dir=folder, delete=False)  # noqa: SIM115 - the caller's
        if _lock_new(file, Path(file.name)):
            return file
        file.close()
        Path(file.name).unlink(missing_ok=True)


def _new_folder(beside: Path) -> tuple[Path, IO[bytes]]:
    """Make a folder with the file that holds it, open and locked."""
    while True:
        top = Path(mkdtemp(prefix=UNFINISHED_PREFIX, dir=beside))
        with suppress(FileNotFoundError):  # `delete_abandoned_files` deleted it before it was locked
            lock = (top / LOCK).open("ab")
            if _lock_new(lock, top / LOCK):
                (top / CONTENT).mkdir(mode=0o700)
                return top, lock
            lock.close()
        shutil.rmtree(top, ignore_errors=True)


def _lock_new(file: IO[bytes], path: Path) -> bool:
    """Lock a new file while it is open; False if `delete_abandoned_files` of another process was faster."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # no locks on this disk: no other process gets one either, so none deletes
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def delete_abandoned_files(folder: Path) -> None:
    """Delete and log this account's unfinished files in a folder whose writers have ended."""
    gone = [path.name for path in folder.glob(f"{UNFINISHED_PREFIX}*") if _delete_abandoned(path)]
    if gone:
        log.warning("deleted from %s what a process that ended left unfinished: %s", folder, ", ".join(gone))


def _delete_abandoned(path: Path) -> bool:
    try:
        if path.lstat().st_uid != os.geteuid():
            return False
        is_folder = path.is_dir()
        with (path / LOCK).open("ab") if is_folder else path.open("r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path) if is_folder else path.unlink()
    except OSError:  # its writer lives, or has just renamed or deleted it
        return False
    return True


# ---- Atomic files
@contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a private file for writing that replaces the one at `path` once the block succeeds."""
    with open_unfinished_file(path.parent) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
        os.replace(file.name, path)
    # Have the disk keep the folder's new entry too, so that the file is there after a power cut.
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def try_lock_folder(folder: Path) -> Iterator[bool]:
    """Lock a folder (created if missing, private) for the block; yield whether it could be locked."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / ".lock").open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        except OSError:  # no locks on this disk: no other process gets one either
            pass
        yield True


# ---- A decimal field with exactly 16 places on both databases
#
# SQLite's decimal column holds 15 significant digits and alters a rating in silence. There the number is kept
# as text of fixed width, with an offset added, so that text sorts as numbers do, negative ones too.
if TYPE_CHECKING:
    Base = models.Field[Any, Any]
else:
    Base = models.Field

_OFFSET = Decimal(10_000_000)
_PLACES = Decimal(1).scaleb(-16)
_EXACT = Context(prec=60)
_LOOKUPS = frozenset({"exact", "in", "lt", "lte", "gt", "gte", "range", "isnull"})


def encode_rating(value: Decimal, vendor: str) -> Decimal | str:
    """The database value of a rating: a decimal, on SQLite text. Raises ValueError if it does not fit."""
    if not value.is_finite() or abs(value) >= _OFFSET:
        raise ValueError(f"{value} does not fit a rating column")
    exact = _EXACT.quantize(value, _PLACES)
    if exact != value:
        raise ValueError(f"{value} has more than 16 decimal places; the rules round, the database never")
    if vendor == "sqlite":
        return f"{_EXACT.add(exact, _OFFSET):025.16f}"
    return exact


def decode_rating(value: Any, vendor: str) -> Decimal:
    """The rating that `encode_rating` made a database value of."""
    return _EXACT.subtract(Decimal(value), _OFFSET) if vendor == "sqlite" else Decimal(value)


class ExactDecimalField(Base):
    """A rating: `numeric(24,16)`, on SQLite text. Lookups that do not sort or compare raise TypeError."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "varchar(25)" if connection.vendor == "sqlite" else "numeric(24, 16)"

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Decimal | None:
        return None if value is None else decode_rating(value, connection.vendor)

    def to_python(self, value: Any) -> Decimal | None:
        return None if value is None else Decimal(value)

    def get_db_prep_value(self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False) -> Any:
        if value is None or not isinstance(value, (Decimal, int, str)):
            return value
        return encode_rating(Decimal(value), connection.vendor)

    def get_lookup(self, lookup_name: str) -> Any:
        if lookup_name not in _LOOKUPS:
            raise TypeError(f"a rating is not looked up by {lookup_name}")
        return super().get_lookup(lookup_name)

    def get_transform(self, lookup_name: str) -> Any:
        raise TypeError(f"a rating is not looked up by {lookup_name}")


# ---- Bulk writing by COPY or `executemany`
_MEMORY_BYTES = 8 * 1024 * 1024
_BATCH = 5_000
_CACHE_KB = 32 * 1024
MANY = 20_000
"""The number of rows written at once from which the database needs new statistics (`take_stock`)."""
SQLITE_STATISTICS_TABLES = (
    *("players_player", "players_nameword", "players_identifier", "players_birthdate"),
    *("ratings_change", "ratings_standing"),
)
"""The tables on which SQLite has statistics, without which searches and section pages use the wrong index.
With statistics on the journal it would sort all lines of a kind to find the newest.
"""
LARGE = 5_000
"""The highest key from which SQLite needs statistics on a table."""
NULL = r"\N"
INSERT = "INSERT OR FAIL"
"""Without `OR FAIL`, SQLite keeps an undo log for each row of a table that has a trigger."""


def spool_rating_formatter() -> Callable[[Decimal | None], str]:
    """A function that writes ratings for a spool. It raises ValueError if one does not fit exactly."""
    vendor = connection.vendor

    def exact(value: Decimal | None) -> str:
        return NULL if value is None else str(encode_rating(value, vendor))

    def plain(value: Decimal | None) -> str:
        if value is None:
            return NULL
        text = str(value)
        if len(text.partition(".")[2]) > 16 or "E" in text or text[-1] > "9":
            return exact(value)  # refuses what PostgreSQL would round silently
        return text

    def moved_up(value: Decimal | None) -> str:
        """The text that `encode_rating` writes for SQLite, by the digits alone where they are plain."""
        if value is None:
            return NULL
        text = str(value)
        whole, _point, places = text.partition(".")
        if len(whole) > 7 or len(places) > 16 or not text.replace(".", "", 1).isdecimal():
            return exact(value)
        return f"1{whole:0>7}.{places:0<16}"

    return moved_up if vendor == "sqlite" else plain


def escape_copy_text(text: str) -> str:
    """Escape a text's backslashes, tabs and line ends for COPY."""
    if "\\" in text or "\t" in text or "\n" in text or "\r" in text:
        return text.replace("\\", r"\\").replace("\t", r"\t").replace("\n", r"\n").replace("\r", r"\r")
    return text


def _unescaped(text: str) -> str | None:
    if "\\" not in text:
        return text
    if text == NULL:
        return None
    return (
        text.replace(r"\\", "\0")
        .replace(r"\t", "\t")
        .replace(r"\n", "\n")
        .replace(r"\r", "\r")
        .replace("\0", "\\")
    )


class Spool:
    """Collects rows for one table, in memory or in a temporary file, and writes them at once."""

    def __init__(self, model: type[models.Model], columns: Sequence[str]) -> None:
        self.table = connection.ops.quote_name(model._meta.db_table)
        self.columns = ", ".join(connection.ops.quote_name(column) for column in columns)
        self.width = len(columns)
        self.rows = 0
        self._file = tempfile.SpooledTemporaryFile(  # noqa: SIM115 - it lives as long as the spool
            max_size=_MEMORY_BYTES, mode="w+", encoding="utf-8", newline="\n"
        )

    def add(self, *values: str) -> None:
        """Add a row of texts: each by `rating_text()`, `escape_copy_text` or `str(int)`, or NULL."""
        self.rows += 1
        self._file.write("\t".join(values) + "\n")

    def write(self) -> None:
        """Insert all rows that were added."""
        self._write(self.table, "")

    def upsert(self, *, key: Sequence[str], update: Sequence[str]) -> None:
        """Insert the rows; where the `key` columns are in the table already, set the `update` columns."""
        quote = connection.ops.quote_name
        assignments = ", ".join(f"{quote(column)} = excluded.{quote(column)}" for column in update)
        conflict = f" ON CONFLICT ({', '.join(map(quote, key))}) DO UPDATE SET {assignments}"
        if connection.vendor != "postgresql":
            self._write(self.table, conflict)
            return
        with connection.cursor() as cursor:
            shape = f"SELECT {self.columns} FROM {self.table} LIMIT 0"
            cursor.execute(f"CREATE TEMPORARY TABLE spooled ON COMMIT DROP AS {shape}")
            self._write("spooled", "")
            cursor.execute(
                f"INSERT INTO {self.table} ({self.columns}) SELECT {self.columns} FROM spooled{conflict}"
            )
            cursor.execute("DROP TABLE spooled")

    def _write(self, table: str, conflict: str) -> None:
        if not self.rows:
            return
        self._file.seek(0)
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                # Django does not wrap the errors of `copy`: a full disk or a lost connection would come as
                # the driver's own error and look like a fault of the work.
                copying = cursor.copy(f"COPY {table} ({self.columns}) FROM STDIN")
                with connection.wrap_database_errors, copying as copy:
                    while chunk := self._file.read(1 << 20):
                        copy.write(chunk)
                return
            places = ", ".join(["%s"] * self.width)
            verb = "INSERT" if conflict else INSERT
            statement = f"{verb} INTO {table} ({self.columns}) VALUES ({places}){conflict}"
            for batch in batches(self._lines(), _BATCH):
                cursor.executemany(statement, batch)

    def _lines(self) -> Iterator[Sequence[str | None]]:
        for line in self._file:
            values = line[:-1].split("\t")
            yield [_unescaped(value) for value in values] if "\\" in line else values

    def close(self) -> None:
        self._file.close()


def insert_rows(model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of numbers, None and texts (ratings by `spool_rating_formatter`) without a spool."""
    quote = connection.ops.quote_name
    table, names = quote(model._meta.db_table), ", ".join(map(quote, columns))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            copying = cursor.copy(f"COPY {table} ({names}) FROM STDIN")
            with connection.wrap_database_errors, copying as copy:
                for row in rows:
                    copy.write_row(row)
            return
        statement = f"{INSERT} INTO {table} ({names}) VALUES ({', '.join(['%s'] * len(columns))})"
        for batch in batches(rows, _BATCH):
            cursor.executemany(statement, batch)


@contextmanager
def enlarged_sqlite_cache() -> Iterator[None]:
    """Enlarge SQLite's cache for the block, so that it holds the indexes of large tables."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        [usual] = cursor.execute("PRAGMA cache_size").fetchone()
        cursor.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA cache_size = {usual}")


def take_stock(*written: type[models.Model]) -> None:
    """Renew the database's statistics on these tables after `MANY` rows; without, it reads whole tables.

    PostgreSQL's own autovacuum comes a minute later, too late for an approval right after an import; on
    SQLite only a nightly task does it (`renew_sqlite_statistics`).
    """
    tables = [model._meta.db_table for model in written]
    if connection.vendor == "sqlite":
        renew_sqlite_statistics([each for each in SQLITE_STATISTICS_TABLES if each in tables])
        return
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute("SELECT take_stock(%s::regclass)", [table])


def renew_sqlite_statistics(tables: Iterable[str] = SQLITE_STATISTICS_TABLES) -> None:
    """On SQLite, renew the statistics on large tables by a sample of each index: it takes milliseconds."""
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA analysis_limit = 1000")
        for table in tables:
            [highest] = cursor.execute(f'SELECT MAX("id") FROM "{table}"').fetchone()
            if (highest or 0) >= LARGE:
                cursor.execute(f'ANALYZE "{table}"')


def batches(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Split rows into lists of at most `size`."""
    rows = iter(rows)
    while batch := list(islice(rows, size)):
        yield batch


def load_or_create_secret(path: Path, fresh: str) -> str:
    """The secret stored at `path`, which is created with `fresh` if missing, readable by its owner alone."""
    if not path.exists():
        with open_unfinished_file(path.parent) as file:
            file.write(fresh.encode())
            file.flush()
            # A link is atomic: of two processes that start together, one secret wins.
            with suppress(FileExistsError):
                os.link(file.name, path)
    return path.read_text()


_STORED_AS_THEY_STAND = frozenset(
    {
        *(models.CharField, models.TextField, models.BooleanField, models.ForeignKey, models.IntegerField),
        *(models.BigIntegerField, models.PositiveIntegerField, models.PositiveSmallIntegerField),
    }
)
"""Fields whose values are those of the columns, in rows that hold values of the fields' own types."""


def insert_instances(model: type[models.Model], rows: Iterable[models.Model]) -> None:
    """Insert new rows of a model without a spool, much faster than the ORM; their keys are not set."""
    columns = [each for each in model._meta.local_concrete_fields if not each.primary_key]
    # What is stored as it stands is read at once; the others by their fields.
    others = [(at, each) for at, each in enumerate(columns) if type(each) not in _STORED_AS_THEY_STAND]
    as_they_stand = attrgetter(*(each.attname for each in columns))

    def values() -> Iterator[list[Any]]:
        for row in rows:
            found = list(as_they_stand(row))
            for at, each in others:
                found[at] = each.get_db_prep_save(each.pre_save(row, True), connection)
            yield found

    insert_rows(model, [str(each.column) for each in columns], values())


page_cache: BaseCache = ConnectionProxy(caches, "pages")  # type: ignore[assignment]


class CreateTables(Operation):
    """Creates tables with their keys, indexes and constraints, none of which may exist.

    A series of `CreateModel` renders all models of the project again for each table, which takes ten seconds
    for a new database. Here they are rendered once, after the last table.
    """

    def __init__(self, tables: Sequence[CreateModel]) -> None:
        self.tables = tables

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        with suppress(AttributeError):  # Django's cache: while it is empty, no models are rendered
            del state.apps
        for each in self.tables:
            each.state_forwards(app_label, state)

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for each in self.tables:
            each.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for each in reversed(self.tables):
            each.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return f"Create {len(self.tables)} tables"

    def deconstruct(self) -> tuple[str, Sequence[Any], dict[str, Any]]:
        return (self.__class__.__name__, [], {"tables": self.tables})
