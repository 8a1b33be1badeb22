"""The worker's tasks in filing. The row of an upload or an archive is the job: a message only wakes the
worker, and the sweep finds jobs whose message was lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from celery import shared_task
from django.conf import settings
from django.db.models import QuerySet

from players import models
from players.jobs import wake
from tournaments.box import BoxDied, read_boxed
from tournaments.filing import block_unaccepted_kind
from tournaments.models import Upload
from tournaments.review import save_sheet_summary
from tournaments.uploads import (
    ARCHIVE_JOBS,
    READ_ARCHIVE,
    READ_UPLOAD,
    UPLOAD_JOBS,
    Job,
    State,
    _country,
    _read_archive,
    _read_upload,
    _work,
    jobs_of_same_region,
    log,
    oldest_job_of_each_region,
)

TURN = 5.0
"""Seconds for which one region's files are read before it is another region's turn."""


@shared_task
def read_upload(upload_id: int) -> None:
    """Read one upload, unless another worker has it, then more of its region for some seconds. If it is
    killed, the section is unchanged.
    """
    _take_turn(UPLOAD_JOBS, upload_id, _read_upload, READ_UPLOAD)


@shared_task
def read_archive(archive_id: int) -> None:
    """Unpack an archive and read each file, unless another worker has it. If it is killed, it can go on."""
    _take_turn(ARCHIVE_JOBS, archive_id, _read_archive, READ_ARCHIVE)


@shared_task
def read_sheet(upload_id: int) -> None:
    """Save the summary of an upload that was read before summaries were kept; nothing else changes."""
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
    taken = block_unaccepted_kind(reading, upload.section.event.federation.ruleset)
    if taken.sheet is not None:
        save_sheet_summary(upload, taken.sheet, taken.quotes)


@shared_task
def sweep() -> None:
    """Read jobs that no message announced or that a dead worker left, one of each region in turn, until the
    next sweep is due.
    """
    until = time.monotonic() + settings.SWEEP_SECONDS
    tried_uploads: list[int] = []
    tried_archives: list[int] = []
    while True:
        uploads = oldest_job_of_each_region(UPLOAD_JOBS.exclude(pk__in=tried_uploads))
        archives = oldest_job_of_each_region(ARCHIVE_JOBS.exclude(pk__in=tried_archives))
        for key in uploads:
            _work(UPLOAD_JOBS, key, _read_upload)
        for key in archives:
            _work(ARCHIVE_JOBS, key, _read_archive)
        if time.monotonic() > until or not (uploads or archives):
            return
        tried_uploads += uploads
        tried_archives += archives


def _take_turn(jobs: QuerySet[Job], key: int, read: Callable[[Job], None], task: str) -> None:
    """Read a file and further ones of its region for `TURN` seconds; then announce the next one."""
    until = time.monotonic() + TURN
    waiting, tried = jobs_of_same_region(jobs, key), [key]
    _work(jobs, key, read)
    while following := models.free(waiting).exclude(pk__in=tried).first():
        if time.monotonic() > until:
            wake(task, following.pk)
            return
        _work(jobs, following.pk, read)
        tried.append(following.pk)
