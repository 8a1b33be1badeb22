"""The worker's part in filing. The row of an upload or an archive is the job: a message only wakes the
worker, and the sweep finds the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import structlog
from celery import shared_task
from django.conf import settings
from django.db.models import QuerySet

from players.office import job_lease
from players.office.models import Federation
from players.office.wake_worker import wake
from tournaments.box.run_box import BoxDied, read_boxed, unpack_boxed
from tournaments.events.file_job_model import FileJob
from tournaments.events.file_models import Archive, ArchivedFile, Upload
from tournaments.events.file_turns import of_region_of, one_of_each_region
from tournaments.events.models import Event, Section
from tournaments.filing.accepted_files import taken_here
from tournaments.filing.archives import (
    READ_ARCHIVE,
    become_archive,
    close_archive,
    keep_files,
    look_at,
    of_several,
    with_origin,
)
from tournaments.filing.receive_file import READ_UPLOAD
from tournaments.filing.store_reading import ReadingSuperseded, as_reason, store_reading
from tournaments.formats.common.reading_result import FileFinding, Reading
from tournaments.review.filed_sheets import keep_sheet

log = structlog.get_logger("tournaments.tasks")
MOST_LOOKING = 120.0
"""Seconds for all files of an archive together; files looked at by then need not be again."""
TURN = 5.0
"""Seconds for which a region's files are read one after the other before those of others have their turn."""
Job = TypeVar("Job", bound=FileJob)
State = FileJob.State
UNREAD = (State.WAITING, State.READING)
HELD = Federation.objects.filter(ledger__held=True)
"""Offices put back from a backup: they take in nothing until they go on, and their jobs wait."""
UPLOADS = (
    Upload.objects.filter(state__in=UNREAD)
    .exclude(section__in=Section.objects.filter(event__federation__in=HELD))
    .select_related("section__event__federation")
)
ARCHIVES = (
    Archive.objects.filter(state__in=UNREAD)
    .exclude(event__in=Event.objects.filter(federation__in=HELD))
    .select_related("event__federation")
)


@shared_task
def read_upload(upload_id: int) -> None:
    """Read one upload, unless another reader has it, then more of its region for some seconds. Killed
    anywhere, it leaves the section as it was.
    """
    _take_turn(UPLOADS, upload_id, _read_upload, READ_UPLOAD)


@shared_task
def read_archive(archive_id: int) -> None:
    """Unpack an archive and look at each file, unless another reader has it. Killed, it goes on there."""
    _take_turn(ARCHIVES, archive_id, _read_archive, READ_ARCHIVE)


@shared_task
def read_sheet(upload_id: int) -> None:
    """Read a file again that was taken in before the office kept what files say, and keep that. Nothing else
    changes.
    """
    files = Upload.objects.filter(state=State.READ, sheet=None).exclude(content=None)
    upload = files.select_related("section__event__federation").filter(pk=upload_id).first()
    if upload is None:
        return
    try:
        reading = read_boxed(
            bytes(upload.content or b""), upload.name, country=_country(upload.section.event)
        )
    except BoxDied as died:
        log.warning("the box died", job="sheet", key=upload_id, reason=died.reason)
        return
    taken = taken_here(reading, upload.section.event.federation.ruleset)
    if taken.sheet is not None:
        keep_sheet(upload, taken.sheet, taken.quotes)


@shared_task
def sweep() -> None:
    """Read jobs that no message announced, and jobs that a dead reader left behind: one of each region in
    turn, until the next sweep is due.
    """
    until = time.monotonic() + settings.SWEEP_SECONDS
    uploads: list[int] = []
    archives: list[int] = []
    while True:
        of_uploads = one_of_each_region(UPLOADS.exclude(pk__in=uploads))
        of_archives = one_of_each_region(ARCHIVES.exclude(pk__in=archives))
        for key in of_uploads:
            _work(UPLOADS, key, _read_upload)
        for key in of_archives:
            _work(ARCHIVES, key, _read_archive)
        if time.monotonic() > until or not (of_uploads or of_archives):
            return
        uploads += of_uploads
        archives += of_archives


def _take_turn(jobs: QuerySet[Job], key: int, read: Callable[[Job], None], task: str) -> None:
    """Read a file, and further ones of its region as long as its turn lasts; announce the next one then."""
    until = time.monotonic() + TURN
    waiting, tried = of_region_of(jobs, key), [key]
    _work(jobs, key, read)
    while following := job_lease.free(waiting).exclude(pk__in=tried).first():
        if time.monotonic() > until:
            wake(task, following.pk)
            return
        _work(jobs, following.pk, read)
        tried.append(following.pk)


# ---------------------------------------------------------------- read


def _read_upload(upload: Upload) -> None:
    data = bytes(upload.content or b"")
    reading = read_boxed(
        data, upload.name, country=_country(upload.section.event), on_progress=partial(_creep, upload)
    )
    job_lease.beat(upload, progress=60)
    if not (of_several(reading) and become_archive(upload)):
        store_reading(upload, with_origin(upload, reading))


def _read_archive(archive: Archive) -> None:
    if not archive.files.exists():
        data = bytes(archive.content or b"")
        keep_files(archive, *unpack_boxed(data, on_progress=lambda seconds: _creep(archive, seconds / 9)))
    _look_at_files(archive)
    close_archive(archive)


def _country(event: Event) -> str:
    """The country of the office that gets a file: its language is the likelier one."""
    return event.federation.ruleset.country


def _creep(job: FileJob, seconds: float) -> None:
    """Give a sign of life while the box reads; progress creeps from 10 towards 55 per cent."""
    job_lease.beat(job, progress=10 + int(45 * seconds / (seconds + 5)))


def _look_at_files(archive: Archive) -> None:
    """Read each file of an archive in a box of its own, so that a bad one spoils none of the others."""
    files = list(archive.files.filter(seen=False))
    started = time.monotonic()
    for number, file in enumerate(files):
        if time.monotonic() - started > MOST_LOOKING:
            raise BoxDied("box-time")
        job_lease.beat(archive, progress=15 + 80 * number // len(files))
        look_at(file, taken_here(_read_alone(archive, file), archive.federation.ruleset))


def _read_alone(archive: Archive, file: ArchivedFile) -> Reading:
    try:
        return read_boxed(
            bytes(file.content or b""),
            file.name,
            country=_country(archive.event),
            on_progress=lambda _: job_lease.beat(archive),
        )
    except BoxDied as died:
        log.warning("the box died", archive=archive.pk, file=file.number, reason=died.reason)
        return Reading(None, (FileFinding("blocks", died.reason),))


# ---------------------------------------------------------------- the row is the job


def claim(key: int) -> Upload | None:
    """Lease an upload to this process, to be read; None if another has it or it does not wait."""
    return _claim(UPLOADS, key)


def _claim(jobs: QuerySet[Job], key: int) -> Job | None:
    """Lease an upload or archive to this worker, or give up one that killed its readers. None: not leased."""
    job = job_lease.claim(jobs, key, state=State.READING, progress=10, reason="")
    if job is not None and job.attempts > job_lease.MOST_ATTEMPTS:
        _give_up(job, "box-crash")
        return None
    return job


def _work(jobs: QuerySet[Job], key: int, read: Callable[[Job], None]) -> None:
    """Lease an upload or archive and `read` it, if nobody else does; account for whatever goes wrong."""
    job = _claim(jobs, key)
    if job is None or job.content is None:
        return
    again = partial(_work, jobs, key, read)
    about = {"job": job._meta.label, "key": key, "attempt": job.attempts}
    try:
        read(job)
    except ReadingSuperseded:
        log.info("superseded", **about)
        _give_up(job, "section-closed")
    except job_lease.DATABASE_TROUBLE:  # the sweep comes back for the job
        job_lease.give_back(job, state=State.WAITING, progress=0)
    except BoxDied as died:
        log.warning("the box died", reason=died.reason, **about)
        _fail(job, died.reason, again)
    except Exception:
        log.exception("a file could not be taken in", **about)
        _fail(job, "box-crash", again)


def _fail(job: FileJob, reason: str, again: Callable[[], None]) -> None:
    """After a failure, have the file read once `again`, or give it up for `reason` after the last attempt."""
    if job.attempts >= job_lease.MOST_ATTEMPTS:
        _give_up(job, reason)
    else:
        job_lease.release(job, state=State.WAITING, progress=0)
        again()


def _give_up(job: FileJob, reason: str) -> None:
    job_lease.release(job, state=State.UNREADABLE, reason=_reason_of(reason), progress=100)


def _reason_of(reason: str) -> str:
    return as_reason(Reading(None, (FileFinding("blocks", reason),)).findings)
