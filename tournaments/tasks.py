"""The worker's part in filing. The row of an upload or an archive is the job: a message only wakes the
worker, and the sweep finds the rest.
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
from tournaments.filing import taken_here
from tournaments.models import Upload
from tournaments.review import keep_sheet
from tournaments.uploads import (
    ARCHIVES,
    READ_ARCHIVE,
    READ_UPLOAD,
    UPLOADS,
    Job,
    State,
    _country,
    _read_archive,
    _read_upload,
    _work,
    log,
    of_region_of,
    one_of_each_region,
)

TURN = 5.0
"""Seconds for which a region's files are read one after the other before those of others have their turn."""


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
    while following := models.free(waiting).exclude(pk__in=tried).first():
        if time.monotonic() > until:
            wake(task, following.pk)
            return
        _work(jobs, following.pk, read)
        tried.append(following.pk)
