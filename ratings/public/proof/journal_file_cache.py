"""The journal's public form as a file: written once for each state of the record, then only read."""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import IO

from django.conf import settings

from players.office.models import Federation
from ratings.journal.export import journal_lines
from ratings.journal.models import Fact
from ratings.storage.unfinished import unfinished_file

PACKING = 6
"""The level of gzip: it packs a journal to a tenth, at 30 MB a second."""

_writing = Lock()
"""Held while a file is written: readers who ask meanwhile wait for it, and none writes it again."""


def open_journal(federation: Federation, *, packed: bool = False) -> IO[bytes]:
    """Open the file with the journal's public form as it stands now, written first if it is not there; the
    caller closes it. `packed`: the same, compressed by gzip.

    Raises OSError where there is no room for the file.
    """
    plain = _folder() / f"{federation.code}-{_state(federation)}.ndjson"
    path = _packed(plain) if packed else plain
    with suppress(FileNotFoundError):
        return path.open("rb")
    with _writing:
        if not path.exists():
            _write(federation, plain)
        return path.open("rb")


def journal_bytes(federation: Federation) -> Iterator[bytes]:
    """The journal's public form as bytes, a line each, up to the number of lines that the ledger had when it
    was read; later lines are left to the next reader.
    """
    lines = islice(journal_lines(federation), max(federation.ledger.facts, 1))
    return (f"{line}\n".encode() for line in lines)


def _state(federation: Federation) -> str:
    """A digest that names the file: it changes when a line is added, or when a decision hides or shows names
    in older lines.

    It covers the newest line and decision themselves, so that another database in the same place (a restored
    one) never gets this one's file.
    """
    ledger = federation.ledger
    line = Fact.objects.filter(federation=federation, number=ledger.facts).values_list("line", flat=True)
    decided = federation.decisions.filter(number=ledger.decisions).values_list("hash", flat=True)
    said = f"{ledger.facts} {ledger.decisions} {line.first()} {decided.first()}"
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def _folder() -> Path:
    folder = Path(settings.JOURNALS_DIR)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _packed(path: Path) -> Path:
    return path.with_name(f"{path.name}.gz")


def _write(federation: Federation, path: Path) -> None:
    """Write the journal's file, plain and packed, under other names and rename both, so that nobody reads
    half of it; then delete the office's older files.
    """
    with unfinished_file(path.parent) as plain, unfinished_file(path.parent) as packed:
        with gzip.GzipFile("", "wb", PACKING, packed) as packer:
            for line in journal_bytes(federation):
                plain.write(line)
                packer.write(line)
        files = {path: plain, _packed(path): packed}
        for name, written in files.items():
            written.flush()
            os.replace(written.name, name)
    for older in path.parent.glob(f"{federation.code}-*.ndjson*"):
        if older not in files and older.name.rpartition("-")[0] == federation.code:
            older.unlink(missing_ok=True)
