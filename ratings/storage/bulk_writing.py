"""Writes rows by the million: spooled beside the fold, then sent by COPY or `executemany`.

The ORM's row-by-row writing is forty times slower than COPY; everything that the fold writes goes here.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from itertools import islice
from typing import Any

from django.db import connection, models

from ratings.storage.decimal_field import encode

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
