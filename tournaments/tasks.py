"""The worker's part in filing. The row of an upload or an archive is the job: a message only wakes the
worker, and the sweep finds the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

import structlog
from celery import shared_task
from django.db import OperationalError
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from tournaments.box.run_box import BoxDied, read_boxed, unpack_boxed
from tournaments.events.file_jobs import FileJob
from tournaments.events.file_models import Archive, ArchivedFile, Upload
from tournaments.filing.archives import (
    become_archive,
    close_archive,
    keep_files,
    look_at,
    of_several,
    with_origin,
)
from tournaments.filing.reading import ReadingSuperseded, as_reason, store_reading, taken_here
from tournaments.formats.common.sheet import FileFinding, Reading

log = structlog.get_logger("tournaments.tasks")
MOST_ATTEMPTS = 2
SILENCE = timedelta(seconds=30)
"""A reader silent for so long is dead: it gives two signs a second, and storing takes a few seconds."""
MOST_LOOKING = 120.0
"""Seconds for all files of an archive together; files looked at by then need not be again."""
Job = TypeVar("Job", bound=FileJob)
UPLOADS = Upload.objects.select_related("section__event__federation")
ARCHIVES = Archive.objects.select_related("event__federation")


@shared_task
def read_upload(upload_id: int) -> None:
    """Read one upload, unless another reader has it. Killed anywhere, it leaves the section as it was."""
    upload = claim(upload_id)
    if upload is None or upload.content is None:
        return
    try:
        reading = read_boxed(
            bytes(upload.content), upload.name, on_progress=lambda seconds: beat(upload, seconds)
        )
    except BoxDied as died:
        log.warning("the box died", upload=upload.pk, attempt=upload.attempts, reason=died.reason)
        give_back(upload, died.reason, read_upload)
        return
    advance(upload, 60)
    try:
        if of_several(reading) and become_archive(upload):
            return
        store_reading(upload, with_origin(upload, reading))
    except ReadingSuperseded:
        log.info("superseded", upload=upload.pk)
        close_superseded(upload)
    except OperationalError:  # the database's own trouble: the sweep comes back for the job
        raise
    except Exception:
        log.exception("a reading could not be stored", upload=upload.pk, attempt=upload.attempts)
        give_back(upload, "box-crash", read_upload)


@shared_task
def read_archive(archive_id: int) -> None:
    """Unpack an archive and look at each file, unless another reader has it. Killed, it goes on there."""
    archive = _claim(ARCHIVES, archive_id)
    if archive is None or archive.content is None:
        return
    try:
        if not archive.files.exists():
            data = bytes(archive.content)
            keep_files(archive, *unpack_boxed(data, on_progress=lambda seconds: beat(archive, seconds / 9)))
        _look_at_files(archive)
        close_archive(archive)
    except BoxDied as died:
        log.warning("the box died", archive=archive.pk, attempt=archive.attempts, reason=died.reason)
        give_back(archive, died.reason, read_archive)
    except ReadingSuperseded:
        log.info("superseded", archive=archive.pk)
    except OperationalError:
        raise
    except Exception:
        log.exception("an archive could not be taken in", archive=archive.pk, attempt=archive.attempts)
        give_back(archive, "box-crash", read_archive)


def _look_at_files(archive: Archive) -> None:
    """Look at each file in a box of its own, so that a bad one spoils none of the others."""
    files = list(archive.files.filter(seen=False))
    started = time.monotonic()
    for number, file in enumerate(files):
        if time.monotonic() - started > MOST_LOOKING:
            raise BoxDied("box-time")
        advance(archive, 15 + 80 * number // len(files))
        look_at(file, taken_here(_read_alone(archive, file), archive.federation.ruleset))


def _read_alone(archive: Archive, file: ArchivedFile) -> Reading:
    try:
        return read_boxed(
            bytes(file.content or b""), file.name, on_progress=lambda seconds: give_sign(archive)
        )
    except BoxDied as died:
        log.warning("the box died", archive=archive.pk, file=file.number, reason=died.reason)
        return Reading(None, (FileFinding("blocks", died.reason),))


@shared_task
def sweep() -> None:
    """Read jobs that no message announced, and jobs that a dead reader left behind."""
    _sweep(UPLOADS, read_upload)
    _sweep(ARCHIVES, read_archive)


def _sweep(jobs: QuerySet[Job], read: Callable[[int], None]) -> None:
    for key in jobs.filter(_free()).values_list("pk", flat=True):
        read(key)


def _free() -> Q:
    """Jobs that wait, and jobs whose reader has been silent too long."""
    lost = Q(state=FileJob.State.READING, heartbeat__lt=timezone.now() - SILENCE)
    return Q(state=FileJob.State.WAITING) | lost


def claim(key: int) -> Upload | None:
    return _claim(UPLOADS, key)


def _claim(jobs: QuerySet[Job], key: int) -> Job | None:
    """Take the job, counting the attempt before anything can go wrong; None if it cannot be had."""
    free = jobs.filter(_free(), pk=key)
    tired = free.filter(attempts__gte=MOST_ATTEMPTS)
    if tired.update(state=FileJob.State.UNREADABLE, reason=died_reason("box-crash"), progress=100):
        return None
    taken = free.update(
        state=FileJob.State.READING,
        attempts=F("attempts") + 1,
        heartbeat=timezone.now(),
        progress=10,
        reason="",
    )
    return jobs.get(pk=key) if taken else None


def beat(job: FileJob, seconds: float) -> None:
    """Give a sign of life from the box: half the bar is the file's, a long one creeps towards it."""
    advance(job, 10 + int(45 * seconds / (seconds + 5)))


def advance(job: FileJob, progress: int) -> None:
    _mine(job).update(heartbeat=timezone.now(), progress=progress)


def give_sign(job: FileJob) -> None:
    _mine(job).update(heartbeat=timezone.now())


def give_back(job: FileJob, reason: str, read: Callable[[int], None]) -> None:
    """Return a job after its reader died: once more, or unreadable."""
    again = job.attempts < MOST_ATTEMPTS
    state = FileJob.State.WAITING if again else FileJob.State.UNREADABLE
    _mine(job).update(state=state, reason=died_reason(reason), progress=0 if again else 100)
    if again:
        read(job.pk)


def close_superseded(upload: Upload) -> None:
    _mine(upload).update(state=FileJob.State.UNREADABLE, reason=died_reason("section-closed"), progress=100)


def _mine(job: FileJob) -> QuerySet[FileJob]:
    """The job's row, only if no later attempt has claimed it."""
    jobs: QuerySet[FileJob] = type(job)._default_manager.all()
    return jobs.filter(pk=job.pk, state=FileJob.State.READING, attempts=job.attempts)


def died_reason(key: str) -> str:
    return as_reason(Reading(None, (FileFinding("blocks", key),)).findings)
