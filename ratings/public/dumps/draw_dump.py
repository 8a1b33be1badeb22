"""Draws up an office's dump: as of one moment, row by row, and put in place when it is whole."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from django.db import connection, transaction

from players.office.models import Federation
from ratings.equipment.downloads import disarmed
from ratings.public.common.disclosure_limits import limits_of
from ratings.public.dumps.kept_dump import (
    FORM,
    MANIFEST,
    Dump,
    DumpFile,
    folder_of,
    is_computing,
    is_due,
    newest_decision,
    write_manifest,
)
from ratings.public.dumps.tables import TABLES, Column, Row, Table
from ratings.recompute.rests import Rests
from ratings.storage.alone_in_folder import alone_in
from ratings.storage.unfinished import unfinished_folder

LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the archive, so that the same state gives the same bytes."""
README = "README.txt"
RESTS_OF_A_TABLE = 60.0
"""Seconds at most: one transaction reads all tables."""
ROWS_BETWEEN_RESTS = 2_000
"""Rows that are written before the drawing looks whether the machine is busy: a tenth of a second's work."""


def draw_when_due(office: Federation, at: datetime) -> Dump | None:
    """Draw up an office's dump if it is due; None if it is not, or for one of the reasons of `draw_now`."""
    with alone_in(folder_of(office)) as alone:
        return _draw(office, at) if alone and is_due(office) else None


def draw_now(office: Federation, at: datetime) -> Dump | None:
    """Draw up an office's dump; None if another process is at it, or while ratings are computed. Raises
    OSError where there is no room.
    """
    with alone_in(folder_of(office)) as alone:
        return _draw(office, at) if alone else None


@contextmanager
def one_moment() -> Iterator[None]:
    """Read everything as of one moment, without a lock that writers wait for."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")  # Django's own transactions hold SQLite's one write lock
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
    else:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield


def _draw(office: Federation, at: datetime) -> Dump | None:
    """Write the files under other names, put them in their places, the manifest last, and delete the older
    ones. The caller holds the folder's lock. None while ratings are computed: what is stored would be of
    neither state.
    """
    folder = folder_of(office)
    with unfinished_folder(folder) as place:
        with one_moment():
            if is_computing(office):
                return None
            number, hash_ = newest_decision(office)
            until = limits_of(office).until
            _write(office, place, f"{number} ({hash_[:16]})" if number else "0")
        files = {end: _named(place / f"dump.{end}", end) for end in ("zip", "sqlite")}
        dump = Dump(FORM, number, hash_, until, at.isoformat(), files)
        write_manifest(place, dump)
        for file in (*files.values(), None):
            written = MANIFEST if file is None else file.name
            os.replace(place / written, folder / written)
    kept = {MANIFEST, *(file.name for file in files.values())}
    for older in folder.glob("[!.]*"):
        if older.name not in kept:
            older.unlink(missing_ok=True)
    return dump


def _named(path: Path, end: str) -> DumpFile:
    """Name a file by its checksum: a reader who opens an older one never gets half of a newer one."""
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    named = path.rename(path.with_name(f"{sha256}.{end}"))
    return DumpFile(named.name, named.stat().st_size, sha256)


def _write(office: Federation, place: Path, decision: str) -> None:
    """Write both files at once: each row is read once."""
    with (
        closing(sqlite3.connect(place / "dump.sqlite")) as database,
        zipfile.ZipFile(place / "dump.zip", "w") as archive,
    ):
        database.execute("PRAGMA journal_mode = OFF")
        database.execute("PRAGMA synchronous = OFF")
        database.execute(f"PRAGMA user_version = {FORM:d}")
        with archive.open(_member(README), "w") as file:
            file.write(readme(office, decision).encode())
        for table in TABLES:
            with archive.open(_member(f"{table.name}.csv"), "w", force_zip64=True) as file:
                page = io.TextIOWrapper(file, encoding="utf-8", newline="")
                _write_table(office, table, page, database)
                page.flush()
                page.detach()
        database.commit()


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, LONG_AGO)
    member.compress_type, member.create_system, member.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
    return member


def _write_table(
    office: Federation, table: Table, page: io.TextIOWrapper, database: sqlite3.Connection
) -> None:
    columns = ", ".join(f'"{each.name}" {"INTEGER" if each.whole else "TEXT"}' for each in table.columns)
    marks = ", ".join("?" * len(table.columns))
    database.execute(f"CREATE TABLE {table.name} ({columns})")
    database.executemany(f"INSERT INTO {table.name} VALUES ({marks})", _through(office, table, page))


def _through(office: Federation, table: Table, page: io.TextIOWrapper) -> Iterator[Row]:
    """Yield the rows of a table for the database, each written into the CSV on its way. On a busy machine it
    rests now and then: nobody waits for a dump.
    """
    writer = csv.writer(page, lineterminator="\r\n")
    writer.writerow(each.name for each in table.columns)
    rests = Rests(left=RESTS_OF_A_TABLE)
    for number, row in enumerate(table.rows(office), start=1):
        writer.writerow([_cell(*each) for each in zip(row, table.columns, strict=True)])
        yield row
        if number % ROWS_BETWEEN_RESTS == 0:
            rests.rest_anywhere()


def _cell(value: str | int | None, column: Column) -> str | int | None:
    return disarmed(value) if column.typed and isinstance(value, str) else value


def readme(office: Federation, decision: str) -> str:
    """The text in the archive that names each table, each column and its unit."""
    parts = [
        f"{office.name} ({office.code}): everything public of this rating office.",
        f"Drawn up from its record as of decision {decision}.",
        "CSV: UTF-8, commas, CRLF, the columns' names first; an empty cell is no value. Texts that\n"
        "somebody typed have an apostrophe before what a spreadsheet would take for a formula.",
        "Ratings are points, written with every digit. Nothing of anybody's birth or sex is told, and\n"
        "nobody who asked not to be named: their rows have the number alone. Who asks for it later still\n"
        "stands in older copies: fetch this file anew before each use.",
    ]
    for table in TABLES:
        wide = max(len(each.name) for each in table.columns)
        rows = [f"  {each.name:{wide}}  {each.words}" for each in table.columns]
        parts.append("\n".join([f"{table.name}.csv: {table.words}", *rows]))
    return "\n\n".join(parts) + "\n"
