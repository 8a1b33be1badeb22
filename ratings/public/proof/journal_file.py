"""The journal's public form as a file: written once for each state of the record, then only read."""

from __future__ import annotations

import hashlib
import os
import tempfile
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
from ratings.law.journal import with_end

_writing = Lock()
"""Held while a file is written: readers who ask meanwhile wait for it, and none writes it again."""


def open_journal(federation: Federation) -> IO[bytes]:
    """The whole journal as it stands now, open for reading; the caller closes it.

    Raises OSError where there is no room for the file.
    """
    path = _folder() / f"{federation.code}-{_state(federation)}.ndjson"
    with suppress(FileNotFoundError):
        return path.open("rb")
    with _writing:
        if not path.exists():
            _write(federation, path)
        return path.open("rb")


def journal_bytes(federation: Federation) -> Iterator[bytes]:
    """The lines as of the reading of the ledger: a line that comes meanwhile is the next reader's."""
    return with_end(islice(journal_lines(federation), max(federation.ledger.facts, 1)))


def _state(federation: Federation) -> str:
    """A digest of the record's state: lines are added, and decisions may hide or show names in older ones.

    The newest of both are part of it, so that a database put in place of another is never taken for it.
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


def _write(federation: Federation, path: Path) -> None:
    """Write beside the place and rename, so that nobody reads a part; then drop the office's older files."""
    handle, written = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(journal_bytes(federation))
        os.replace(written, path)
    except BaseException:
        Path(written).unlink(missing_ok=True)
        raise
    for older in path.parent.glob(f"{federation.code}-*.ndjson"):
        if older != path and older.stem.rpartition("-")[0] == federation.code:
            older.unlink(missing_ok=True)
