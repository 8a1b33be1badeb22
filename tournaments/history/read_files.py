"""The worker's first step: a history is unpacked, and each of its files read in a box of its own.

Each reading is stored by itself, so that a worker that was killed goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import PurePosixPath

import structlog
from django.db import transaction

from players.office import job_lease
from players.office.decision_record import lock_ledger
from players.office.stored_bytes import refuse_beyond_room
from ratings.law.ruleset import Ruleset
from tournaments.box.run_box import BoxDied, read_boxed, unpack_boxed
from tournaments.filing.accepted_files import taken_here
from tournaments.filing.store_reading import as_reason
from tournaments.formats.common import reading_as_json
from tournaments.formats.common.reading_result import FileFinding, Reading, Sheet
from tournaments.formats.zip.unpack import Listed
from tournaments.history.models import History, HistoryFile
from tournaments.history.receive import MOST_TABLE, TABLES
from tournaments.history.table import read_table

log = structlog.get_logger("tournaments.history")
BOXES = 2
"""The number of boxes that read at once: the smallest machine has two cores."""
AHEAD = 4 * BOXES
"""The number of files taken out of the database for boxes to come."""


class NotUnpacked(Exception):
    """The archive cannot be unpacked; `reason` as `store_reading.as_reason` writes it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read_history(job: History) -> None:
    """Unpack a history, read its table and each file that was not read yet. Raises `NotUnpacked`, `Refused`
    for its table, and `BoxDied` where the archive's own box died.
    """
    if not job.files.exists():
        _unpack(job)
    _read_table(job)
    _read_files(job)


def _unpack(job: History) -> None:
    data = bytes(History.objects.values_list("content", flat=True).get(pk=job.pk) or b"")
    listing, contents = unpack_boxed(data, history=True, on_progress=lambda _s: job_lease.beat(job))
    if listing.findings:
        raise NotUnpacked(as_reason(listing.findings))
    follow = iter(contents)
    files = [(listed, b"" if listed.reason else next(follow)) for listed in listing.files]
    tables = [(listed, content) for listed, content in files if _is_table(listed)]
    with transaction.atomic():
        lock_ledger(job.federation)
        if not job_lease.hold(job):
            return
        refuse_beyond_room(sum(map(len, contents)), job.federation)
        kept = [each for each in files if not _is_table(each[0])]
        HistoryFile.objects.bulk_create(
            (_file(job, number, *each) for number, each in enumerate(kept, 1)), batch_size=200
        )
        if tables and not job.table_name:
            job.table_name = tables[0][0].name
            job_lease.beat(job, table=tables[0][1][:MOST_TABLE], table_name=job.table_name)


def _is_table(listed: Listed) -> bool:
    return PurePosixPath(listed.name).name.casefold() in TABLES


def _file(job: History, number: int, listed: Listed, content: bytes) -> HistoryFile:
    reading = Reading(None, (FileFinding("blocks", listed.reason),)) if listed.reason else None
    return HistoryFile(
        history=job,
        number=number,
        name=listed.name,
        size=listed.size,
        sha256="" if listed.reason else hashlib.sha256(content).hexdigest(),
        content=None if listed.reason else content,
        reading=packed(reading) if reading else None,
    )


def _read_table(job: History) -> None:
    """Read the table that came with the archive, once."""
    table = History.objects.values_list("table", flat=True).get(pk=job.pk)
    if table is not None and not job.rows:
        job.rows = read_table(bytes(table), job.table_name, job.federation.ruleset)
        job_lease.beat(job, rows=job.rows, table=None)


def _read_files(job: History) -> None:
    todo = list(job.files.filter(reading=None).values_list("pk", flat=True))
    known = job.files.count() - len(todo)
    pulse = job_lease.Pulse(job)
    for done, (key, reading) in enumerate(_readings(todo, job.federation.ruleset, pulse.beat), known + 1):
        HistoryFile.objects.filter(pk=key, reading=None).update(reading=packed(reading))
        pulse.beat(progress=95 * done // (known + len(todo)))


def _readings(keys: list[int], ruleset: Ruleset, beat: Callable[[], object]) -> Iterator[tuple[int, Reading]]:
    """Yield the readings of files by key, as boxes finish; a few boxes work at once."""
    waiting, running = iter(keys), dict[Future[Reading], int]()
    with ThreadPoolExecutor(BOXES) as boxes:
        while True:
            while len(running) < AHEAD and (key := next(waiting, None)) is not None:
                name, content = HistoryFile.objects.values_list("name", "content").get(pk=key)
                running[boxes.submit(_read_alone, bytes(content or b""), name)] = key
            if not running:
                return
            done, _running = wait(running, timeout=1, return_when=FIRST_COMPLETED)
            beat()
            for future in done:
                yield running.pop(future), taken_here(future.result(), ruleset)


def _read_alone(content: bytes, name: str) -> Reading:
    """Read one file in its box; a file at which the box died has that for its reading."""
    try:
        return read_boxed(content, name)
    except BoxDied as died:
        log.warning("the box died", reason=died.reason)
        return Reading(None, (FileFinding("blocks", died.reason),))


def reason_of(key: str) -> str:
    """Store the key of one message as the reason why a history could not be worked on."""
    return as_reason([FileFinding("blocks", key)])


def packed(reading: Reading) -> bytes:
    """A reading as the history keeps it: its page quotes no lines."""
    reading = replace(reading, quotes={})
    return zlib.compress(reading_as_json.dump(reading).encode(), 1)


def reading_of(file: HistoryFile) -> Reading:
    """A file's stored reading; LookupError where it was not read yet."""
    if file.reading is None:
        raise LookupError(f"file {file.number} of history {file.history_id} was not read yet")
    return reading_as_json.load(zlib.decompress(bytes(file.reading)).decode())


def sheets_of(history: History) -> dict[str, Sheet | None]:
    """The sheet of each file that was read, by the file's name; None: it is no event file."""
    files = history.files.exclude(reading=None).defer("content")
    return {file.name: reading_of(file).sheet for file in files.iterator(chunk_size=50)}
