"""The dump of an office's public data, a ZIP of CSV files."""

import csv
import hashlib
import io
import json
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max, Min, Q

from players.decision_kinds import MAY_TAKE_BACK
from players.jobs import Rests
from players.models import Decision, Federation, Ledger
from players.writing import make_unfinished_folder, try_lock_folder
from ratings.disclosure import limits_of
from ratings.public_tables import TABLES, PublicTable
from ratings.rulesets.downloads import disarm_cell

# ---- The dump on the disk
DUMP_FORM = 2
"""The form of the file, to be raised with other tables or columns, so that dumps are drawn up again."""
MANIFEST = "manifest.json"
PUBLISH_KIND = "publish"
QUIET, LONG = timedelta(seconds=30), timedelta(minutes=10)
"""A dump is drawn up after `QUIET` without a correction, or after `LONG` in any case."""


@dataclass(frozen=True, slots=True)
class Dump:
    """A dump, with the state of the record from which it was drawn up. It is stored as the manifest."""

    form: int
    decision: int
    """The number of the newest decision then; 0 if there was none."""
    hash: str
    """The hash of that decision, because a restored office may have another decision under the number."""
    grown_until: int
    """The latest year of birth of people treated as adults."""
    drawn_at: str
    size: int
    sha256: str


def get_dump_folder(office: Federation) -> Path:
    return Path(settings.DUMPS_DIR) / office.code


def get_dump_path(office: Federation, dump: Dump) -> Path:
    """The path of a dump's file, which bears its checksum, so that a reader who opens an older one never gets
    half of a newer one. The file is gone once a newer one replaced it.
    """
    return get_dump_folder(office) / f"{dump.sha256}.zip"


def newest_decision(office: Federation) -> tuple[int, str]:
    """The number and hash of the newest decision of an office; 0 and an empty string if there is none."""
    newest = Decision.objects.filter(federation=office).order_by("-number")
    return newest.values_list("number", "hash").first() or (0, "")


def find_dump(office: Federation) -> Dump | None:
    """The dump on the disk, whether or not it may be served; None if there is none of this form."""
    try:
        manifest = json.loads((get_dump_folder(office) / MANIFEST).read_text(encoding="utf-8"))
        if manifest["form"] != DUMP_FORM:
            return None
        return Dump(**manifest)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_manifest(folder: Path, dump: Dump) -> None:
    (folder / MANIFEST).write_text(json.dumps(asdict(dump)), encoding="utf-8")


def find_servable_dump(office: Federation) -> Dump | None:
    """The dump that may be served now; None if something was withheld, corrected or taken back since."""
    dump = find_dump(office)
    if dump is None:
        return None
    decisions = Decision.objects.filter(federation=office)
    if dump.decision and not decisions.filter(number=dump.decision, hash=dump.hash).exists():
        return None
    outdated = decisions.filter(MAY_TAKE_BACK, number__gt=dump.decision).exists()
    return None if outdated else dump


def is_computing(office: Federation) -> bool:
    return Ledger.objects.pending().filter(federation=office).exists()


def is_dump_due(office: Federation) -> bool:
    """Whether the dump may not be served or a list was published since, and ratings are not computed."""
    if not office.lists.exists() or is_computing(office):
        return False
    dump = find_servable_dump(office)
    if dump is None or dump.grown_until != limits_of(office).until:
        return True
    since = Decision.objects.filter(federation=office, number__gt=dump.decision)
    return since.filter(kind=PUBLISH_KIND).exists()


def is_quiet_or_overdue(office: Federation, at: datetime) -> bool:
    """Whether it is time to draw up a dump that is due: nothing was corrected or published for a while, or
    the first time is long ago, so that corrections in a row cause one dump, not one each. A moment in the
    future comes from a clock that was set back since.
    """
    dump = find_dump(office)
    since = Decision.objects.filter(federation=office, number__gt=dump.decision if dump else 0)
    moments = since.filter(MAY_TAKE_BACK | Q(kind=PUBLISH_KIND)).aggregate(first=Min("at"), last=Max("at"))
    if dump is None or moments["first"] is None:
        return True
    zero = timedelta(0)
    return not (zero <= at - moments["last"] < QUIET and zero <= at - moments["first"] < LONG)


# ---- Drawing up a dump
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the archive, so that the same state gives the same bytes."""
README = "README.txt"
RESTS_OF_A_TABLE = 60.0
"""Seconds at most: one transaction reads all tables."""
ROWS_BETWEEN_RESTS = 2_000
"""Rows that are written between checks whether the machine is busy: a tenth of a second's work."""


def build_dump_if_due(office: Federation, at: datetime) -> Dump | None:
    """Draw up an office's dump if it is due; None if it is not, or for one of the reasons of `build_dump`."""
    with try_lock_folder(get_dump_folder(office)) as alone:
        return _draw(office, at) if alone and is_dump_due(office) else None


def build_dump(office: Federation, at: datetime) -> Dump | None:
    """Draw up a dump; None if another process does, or while ratings are computed. Raises OSError."""
    with try_lock_folder(get_dump_folder(office)) as alone:
        return _draw(office, at) if alone else None


@contextmanager
def consistent_snapshot() -> Iterator[None]:
    """Read a consistent snapshot of the database, without a lock that writers wait for."""
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
    """Write the archive in a temporary folder, move it into place, the manifest after it, and delete older
    files. The caller holds the folder's lock. None while ratings are computed, because what is stored then
    belongs to neither state.
    """
    folder = get_dump_folder(office)
    with make_unfinished_folder(folder) as place:
        with consistent_snapshot():
            if is_computing(office):
                return None
            number, hash_ = newest_decision(office)
            until = limits_of(office).until
            archive = place / "dump.zip"
            _write(office, archive, f"{number} ({hash_[:16]})" if number else "0")
        with archive.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        dump = Dump(DUMP_FORM, number, hash_, until, at.isoformat(), archive.stat().st_size, sha256)
        write_manifest(place, dump)
        kept = [get_dump_path(office, dump), folder / MANIFEST]
        for written, path in zip((archive, place / MANIFEST), kept, strict=True):
            os.replace(written, path)
    for older in folder.glob("[!.]*"):
        if older not in kept:
            older.unlink(missing_ok=True)
    return dump


def _write(office: Federation, path: Path, decision: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        with archive.open(_member(README), "w") as file:
            file.write(readme(office, decision).encode())
        for table in TABLES:
            with archive.open(_member(f"{table.name}.csv"), "w", force_zip64=True) as file:
                page = io.TextIOWrapper(file, encoding="utf-8", newline="")
                _write_csv(office, table, page)
                page.flush()
                page.detach()


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, LONG_AGO)
    member.compress_type, member.create_system, member.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
    return member


def _write_csv(office: Federation, table: PublicTable, page: io.TextIOWrapper) -> None:
    """Write a table's rows as CSV; rests on a busy machine, as nobody waits for it."""
    writer = csv.writer(page, lineterminator="\r\n")
    writer.writerow(each.name for each in table.columns)
    rests = Rests(left=RESTS_OF_A_TABLE)
    for count, row in enumerate(table.read(office), start=1):
        writer.writerow(
            disarm_cell(value) if column.typed and isinstance(value, str) else value
            for value, column in zip(row, table.columns, strict=True)
        )
        if count % ROWS_BETWEEN_RESTS == 0:
            rests.rest_anywhere()


def readme(office: Federation, decision: str) -> str:
    """The text in the archive on each table, each column and its unit."""
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
