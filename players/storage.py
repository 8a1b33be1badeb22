"""How the office writes: files whole or not at all, exact decimals, and rows by the million.

Rows are spooled and then sent by COPY or `executemany`, since the ORM's row-by-row writing is forty times
slower than COPY; everything that the fold writes goes here.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from decimal import Context, Decimal
from itertools import islice
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

# ---- Files and folders that are being written, held by their writer: what a dead writer left is deleted.
#
# Whoever is killed in the middle may leave the whole register, births too. So whatever is renamed or packed
# once it is whole is written here: under a name that nothing else has, locked until its writer is done. The
# system lets that lock go when the writer dies, on other machines that share the folder too. What nobody
# holds is deleted by whoever writes in that folder next, and at the next start of the office.
log = logging.getLogger(__name__)
NAME = ".unfinished-"
"""The beginning of the names under which files and folders are being written."""
LOCK, CONTENT = "lock", "content"
"""What such a folder holds: the file that is locked, and the folder that is written."""


@contextmanager
def unfinished_file(folder: Path) -> Iterator[IO[bytes]]:
    """Open a new file in `folder`, for its owner alone. Flush and rename it (`file.name`) within the block;
    what is not renamed by its end is deleted.
    """
    clear_unfinished(folder)
    with _new_file(folder) as file:
        try:
            yield file
        finally:
            Path(file.name).unlink(missing_ok=True)


@contextmanager
def unfinished_folder(beside: Path | None = None) -> Iterator[Path]:
    """Make a folder, for its owner alone, that is deleted at the end of the block. It lies in `beside`, so
    that what it holds can be renamed to there; None: in the machine's own folder for such.
    """
    beside = beside or Path(gettempdir())
    clear_unfinished(beside)
    top, lock = _new_folder(beside)
    with lock:
        try:
            yield top / CONTENT
        finally:
            shutil.rmtree(top, ignore_errors=True)


def _new_file(folder: Path) -> IO[bytes]:
    while True:
        file = NamedTemporaryFile("w+b", prefix=NAME, dir=folder, delete=False)  # noqa: SIM115 - the caller's
        if _held(file, Path(file.name)):
            return file
        file.close()
        Path(file.name).unlink(missing_ok=True)


def _new_folder(beside: Path) -> tuple[Path, IO[bytes]]:
    """Make a folder with the file that holds it, open and locked."""
    while True:
        top = Path(mkdtemp(prefix=NAME, dir=beside))
        with suppress(FileNotFoundError):  # somebody who clears was there before its lock was
            lock = (top / LOCK).open("ab")
            if _held(lock, top / LOCK):
                (top / CONTENT).mkdir(mode=0o700)
                return top, lock
            lock.close()
        shutil.rmtree(top, ignore_errors=True)


def _held(file: IO[bytes], path: Path) -> bool:
    """Lock a file for as long as it is open; False where somebody who clears took it for left over first."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # no locks on this disk: nobody else gets one either, and so nobody deletes
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def clear_unfinished(folder: Path) -> None:
    """Delete what processes that are gone were writing in a folder, and log it. What somebody holds stays,
    and so does what is another account's.
    """
    gone = [path.name for path in folder.glob(f"{NAME}*") if _cleared(path)]
    if gone:
        log.warning("deleted from %s what a process that ended left unfinished: %s", folder, ", ".join(gone))


def _cleared(path: Path) -> bool:
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


# ---- Writes a file whole or not at all: beside its place first, and renamed when it is on the disk.
@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that takes its place at `path` when the block ends well; only its owner may
    read it.

    Until then, and for good if the block fails, whatever was at `path` stays.
    """
    with unfinished_file(path.parent) as file:
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
def alone_in(folder: Path) -> Iterator[bool]:
    """Try to lock the folder, made if need be for its owner alone, until the block ends; yield whether this
    process alone may write there.
    """
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / ".lock").open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        except OSError:  # no locks on this disk: nobody else gets one either
            pass
        yield True


# ---- A decimal field that keeps 16 places exactly on both databases.
#
# SQLite's decimal column holds 15 significant digits and alters a rating in silence. There the number is
# kept as text of fixed width, moved up by an offset, so that text sorts as numbers do, negative ones too.
if TYPE_CHECKING:
    Base = models.Field[Any, Any]
else:
    Base = models.Field

_OFFSET = Decimal(10_000_000)
_PLACES = Decimal(1).scaleb(-16)
_EXACT = Context(prec=60)
_LOOKUPS = frozenset({"exact", "in", "lt", "lte", "gt", "gte", "range", "isnull"})


def encode(value: Decimal, vendor: str) -> Decimal | str:
    """The value that the database stores for a rating: a decimal, on SQLite text; ValueError where it does
    not fit exactly. `vendor`: the database's, as Django names it.
    """
    if not value.is_finite() or abs(value) >= _OFFSET:
        raise ValueError(f"{value} does not fit a rating column")
    exact = _EXACT.quantize(value, _PLACES)
    if exact != value:
        raise ValueError(f"{value} has more than 16 decimal places; the rules round, the database never")
    if vendor == "sqlite":
        return f"{_EXACT.add(exact, _OFFSET):025.16f}"
    return exact


def decode(value: Any, vendor: str) -> Decimal:
    """The rating that `encode` made a database value of."""
    return _EXACT.subtract(Decimal(value), _OFFSET) if vendor == "sqlite" else Decimal(value)


class ExactDecimalField(Base):
    """A model field for ratings: `numeric(24,16)`, on SQLite text of 25 characters. Sorts and compares; any
    other look-up raises TypeError.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "varchar(25)" if connection.vendor == "sqlite" else "numeric(24, 16)"

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Decimal | None:
        return None if value is None else decode(value, connection.vendor)

    def to_python(self, value: Any) -> Decimal | None:
        return None if value is None else Decimal(value)

    def get_db_prep_value(self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False) -> Any:
        if value is None or not isinstance(value, (Decimal, int, str)):
            return value
        return encode(Decimal(value), connection.vendor)

    def get_lookup(self, lookup_name: str) -> Any:
        if lookup_name not in _LOOKUPS:
            raise TypeError(f"a rating is not looked up by {lookup_name}")
        return super().get_lookup(lookup_name)

    def get_transform(self, lookup_name: str) -> Any:
        raise TypeError(f"a rating is not looked up by {lookup_name}")


# ---- Rows by the million: spooled beside the fold, then sent by COPY or `executemany`.
_IN_MEMORY = 8 * 1024 * 1024
_BATCH = 5_000
_ROOM_KB = 32 * 1024
MANY = 20_000
"""The number of rows, written at once, from which on the database needs fresh statistics (`take_stock`)."""
COUNTED_IN_SQLITE = (
    *("players_player", "players_nameword", "players_identifier", "players_birthdate"),
    *("ratings_change", "ratings_standing"),
)
"""The tables on which SQLite has statistics: register and results, where a search or a section's page goes by
the wrong index without. With those of the journal it would sort all lines of a kind to find the newest.
"""
LARGE = 5_000
"""The highest key in a table from which on SQLite needs statistics on it."""
_LOOKED_AT = 1000
"""The rows of an index by which SQLite judges it."""
NULL = r"\N"
INSERT = "INSERT OR FAIL"
"""SQLite's statement for one row: without `OR FAIL` it writes down how to undo it, where a trigger stands."""


def rating_text() -> Callable[[Decimal | None], str]:
    """A function that writes ratings as text for this database's rating columns; it raises ValueError if one
    does not fit exactly.
    """
    vendor = connection.vendor

    def exact(value: Decimal | None) -> str:
        return NULL if value is None else str(encode(value, vendor))

    def plain(value: Decimal | None) -> str:
        if value is None:
            return NULL
        text = str(value)
        if len(text.partition(".")[2]) > 16 or "E" in text or text[-1] > "9":
            return exact(value)  # refuses what PostgreSQL would round silently
        return text

    def moved_up(value: Decimal | None) -> str:
        """The text that `encode` writes for SQLite, by the digits alone where they are plain."""
        if value is None:
            return NULL
        text = str(value)
        whole, _point, places = text.partition(".")
        if len(whole) > 7 or len(places) > 16 or not text.replace(".", "", 1).isdecimal():
            return exact(value)
        return f"1{whole:0>7}.{places:0<16}"

    return moved_up if vendor == "sqlite" else plain


def escaped(text: str) -> str:
    """Escape a text's backslashes, tabs and line ends, so that it can stand in a line of COPY."""
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
    """Collects rows for one table and writes them at once; in memory while few, in a temporary file when
    many.
    """

    def __init__(self, model: type[models.Model], columns: Sequence[str]) -> None:
        self.table = connection.ops.quote_name(model._meta.db_table)
        self.columns = ", ".join(connection.ops.quote_name(column) for column in columns)
        self.width = len(columns)
        self.rows = 0
        self._file = tempfile.SpooledTemporaryFile(  # noqa: SIM115 - it lives as long as the spool
            max_size=_IN_MEMORY, mode="w+", encoding="utf-8", newline="\n"
        )
        self.add_line = self._file.write

    def add(self, *values: str) -> None:
        """Add one row; each value is text already: of `rating_text()`, `escaped` or `str(int)`, or NULL."""
        self.rows += 1
        self.add_line("\t".join(values) + "\n")

    def write(self) -> None:
        """Insert all rows that were added."""
        self._write(self.table, "")

    def upsert(self, *, key: Sequence[str], update: Sequence[str]) -> None:
        """Insert all rows that were added; of one whose `key` columns are there already, update the columns
        `update`.
        """
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
                # Django's cursor passes `copy` on as it is: its errors would be the driver's own, and
                # a full disk or an ended connection would look like a fault of the work.
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
    """Insert rows that are all at hand, of numbers, None and texts (of ratings: as `rating_text` writes
    them), with no spool between.
    """
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
def room_for_many() -> Iterator[None]:
    """Give SQLite room to keep the indexes of large tables at hand while many rows go in."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        [usual] = cursor.execute("PRAGMA cache_size").fetchone()
        cursor.execute(f"PRAGMA cache_size = -{_ROOM_KB}")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA cache_size = {usual}")


def take_stock(*written: type[models.Model]) -> None:
    """Let the database renew its statistics on these tables after very many rows; until then it reads whole
    tables for a few rows.

    PostgreSQL's own autovacuum comes a minute later, too late for an approval right after an import. SQLite
    has nobody else who does it but the night (`take_stock_of_sqlite`).
    """
    tables = [model._meta.db_table for model in written]
    if connection.vendor == "sqlite":
        take_stock_of_sqlite([each for each in COUNTED_IN_SQLITE if each in tables])
        return
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute("SELECT take_stock(%s::regclass)", [table])


def take_stock_of_sqlite(tables: Iterable[str] = COUNTED_IN_SQLITE) -> None:
    """Let SQLite renew its statistics on these tables by some rows of each index: milliseconds, however large
    they are. Small tables need none, and on PostgreSQL this does nothing.
    """
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA analysis_limit = {_LOOKED_AT}")
        for table in tables:
            [highest] = cursor.execute(f'SELECT MAX("id") FROM "{table}"').fetchone()
            if (highest or 0) >= LARGE:
                cursor.execute(f'ANALYZE "{table}"')


def batches(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Split rows into lists of at most `size`."""
    rows = iter(rows)
    while batch := list(islice(rows, size)):
        yield batch


def kept_secret(path: Path, fresh: str) -> str:
    """Return the secret kept at `path`, which is `fresh` on first use; its owner alone may read it."""
    if not path.exists():
        with unfinished_file(path.parent) as file:
            file.write(fresh.encode())
            file.flush()
            # A link appears whole or not at all: of two processes that start together, one secret wins.
            with contextlib.suppress(FileExistsError):
                os.link(file.name, path)
    return path.read_text()


# ---- Whole rows of a model by the million, past the ORM's statements, which cost most of an import.
class RowSpool(Spool):
    """Collects new rows of a model and writes them at once. Their keys are given out by the database, and the
    rows do not learn them.
    """

    def __init__(self, model: type[models.Model]) -> None:
        columns = [each for each in model._meta.local_concrete_fields if not each.primary_key]
        super().__init__(model, [str(each.column) for each in columns])
        self.texts = [(each, _text_of(each)) for each in columns]

    def add_row(self, row: models.Model) -> None:
        self.add(*(text(column.pre_save(row, True)) for column, text in self.texts))


def write_rows(model: type[models.Model], rows: Iterable[models.Model]) -> None:
    """Write new rows of a model, without learning their keys."""
    spool = RowSpool(model)
    try:
        for row in rows:
            spool.add_row(row)
        spool.write()
    finally:
        spool.close()


def _text_of(column: models.Field[Any, Any]) -> Callable[[Any], str]:
    """A function that writes a column's values as a spool takes them."""
    text = _of_kind(column)
    return lambda value: NULL if value is None else text(value)


def _of_kind(column: models.Field[Any, Any]) -> Callable[[Any], str]:
    if isinstance(column, models.BooleanField):
        return lambda value: "1" if value else "0"
    if isinstance(column, models.JSONField):
        return lambda value: escaped(json.dumps(value, cls=column.encoder))
    if isinstance(column, models.CharField | models.TextField):
        return escaped
    if isinstance(column, models.IntegerField | models.ForeignKey):
        return str
    return lambda value: escaped(str(column.get_db_prep_save(value, connection)))


cache: BaseCache = ConnectionProxy(caches, "pages")  # type: ignore[assignment]


class CreateTables(Operation):
    """Creates tables with their keys, indexes and constraints, none of which may be there.

    One `CreateModel` after the other works out all models of the project anew for each table: ten seconds
    of a fresh database. Here they are worked out once, when the last table is known.
    """

    def __init__(self, tables: Sequence[CreateModel]) -> None:
        self.tables = tables

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.__dict__.pop("apps", None)  # Django's cache: while it is empty, nothing is worked out
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
