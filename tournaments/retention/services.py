"""Letting go of files: their bytes are deleted, their rows stay, and the record says which ones went."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import islice

from django.db import transaction

from players.importing.models import RegisterImport
from players.office.decision_record import decide, lock_ledger
from players.office.models import Federation
from tournaments.events.file_models import Upload
from tournaments.history.models import History
from tournaments.history.receive import empty_history
from tournaments.retention.days_kept import DaysKept, KeptFile
from tournaments.review.models import FiledSheet

KIND, ABOUT = "let-go", "files"
AT_ONCE = 100
"""The number of files that one transaction lets go and one decision names."""


def due(federation: Federation, on: date) -> Iterator[KeptFile]:
    """Yield the files whose bytes go on that day or should have gone before."""
    return (file for file in DaysKept(federation).files() if file.until < on)


def let_go(federation: Federation, on: date) -> list[KeptFile]:
    """Delete the bytes of all files that are due, and record their checksums by reason; return the files.

    Some at a time, so that nobody waits long for the database. Raises `Refused` in an office that was put
    back from a backup and may record nothing yet.
    """
    gone: list[KeptFile] = []
    while some := _let_some_go(federation, on):
        gone += some
    return gone


@transaction.atomic
def _let_some_go(federation: Federation, on: date) -> list[KeptFile]:
    lock_ledger(federation)
    files = list(islice(due(federation, on), AT_ONCE))
    for file in files:
        _delete_bytes(file, on)
    if files:
        _record(federation, on, files)
    return files


def _delete_bytes(file: KeptFile, on: date) -> None:
    row = file.row
    gone: dict[str, object] = dict.fromkeys(row.byte_columns)
    if isinstance(row, RegisterImport):
        row.lines.all().delete()
        if row.state == RegisterImport.State.PLANNED:
            gone["state"] = RegisterImport.State.DISCARDED
    if isinstance(row, History):
        gone |= empty_history(row)
    if isinstance(row, Upload):
        FiledSheet.objects.filter(upload=row).delete()
    rows = type(row)._default_manager.filter(pk=row.pk)
    rows.update(**gone, let_go_on=on, let_go_because=file.reason)


def _record(federation: Federation, on: date, files: Sequence[KeptFile]) -> None:
    hashes: defaultdict[str, list[str]] = defaultdict(list)
    for file in files:
        hashes[file.reason].append(file.row.sha256)
    decide(
        federation,
        kind=KIND,
        by=None,
        on=on,
        about=ABOUT,
        number=len(files),
        sha256={reason: sorted(each) for reason, each in hashes.items()},
    )
