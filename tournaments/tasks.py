"""The worker's part in filing. The upload's row is the job: a message wakes, and the sweep finds the rest."""

from __future__ import annotations

from datetime import timedelta

import structlog
from celery import shared_task
from django.db import OperationalError
from django.db.models import F, Q
from django.utils import timezone

from tournaments.box import BoxDied, read_boxed
from tournaments.formats.sheet import Reading, Remark
from tournaments.models import Upload
from tournaments.reading import Superseded, as_reason, store_reading

log = structlog.get_logger("tournaments.tasks")
MOST_ATTEMPTS = 2
SILENCE = timedelta(seconds=30)
"""A reader that gave no sign for so long is dead: it gives two a second, and storing takes a few seconds."""


@shared_task
def read_upload(upload_id: int) -> None:
    """Read one upload, if nobody else does. Killed anywhere, it leaves the section as it was."""
    upload = claim(upload_id)
    if upload is None or upload.content is None:
        return
    try:
        reading = read_boxed(
            bytes(upload.content), upload.name, on_progress=lambda seconds: beat(upload, seconds)
        )
    except BoxDied as died:
        log.warning("the box died", upload=upload.pk, attempt=upload.attempts, reason=died.reason)
        give_back(upload, died.reason)
        return
    advance(upload, 60)
    try:
        store_reading(upload, reading)
    except Superseded:
        log.info("superseded", upload=upload.pk)
        close_superseded(upload)
    except OperationalError:  # the database's own trouble: the sweep comes back for the job
        raise
    except Exception:
        log.exception("a reading could not be stored", upload=upload.pk, attempt=upload.attempts)
        give_back(upload, "box-crash")


@shared_task
def sweep() -> None:
    """Read what no message announced, and what a dead reader left behind."""
    lost = Q(state=Upload.State.READING, heartbeat__lt=timezone.now() - SILENCE)
    for key in Upload.objects.filter(Q(state=Upload.State.WAITING) | lost).values_list("pk", flat=True):
        read_upload(key)


def claim(key: int) -> Upload | None:
    """Take the job, and count the attempt before anything can go wrong. None where it is not to be had."""
    now = timezone.now()
    free = Q(state=Upload.State.WAITING) | Q(state=Upload.State.READING, heartbeat__lt=now - SILENCE)
    jobs = Upload.objects.filter(free, pk=key)
    tired = jobs.filter(attempts__gte=MOST_ATTEMPTS)
    if tired.update(state=Upload.State.UNREADABLE, reason=died_reason("box-crash"), progress=100):
        return None
    taken = jobs.update(
        state=Upload.State.READING, attempts=F("attempts") + 1, heartbeat=now, progress=10, reason=""
    )
    return Upload.objects.select_related("section__event__federation").get(pk=key) if taken else None


def beat(upload: Upload, seconds: float) -> None:
    """A sign of life from the box: half the bar is the file's, a long one creeps towards it."""
    advance(upload, 10 + int(45 * seconds / (seconds + 5)))


def advance(upload: Upload, progress: int) -> None:
    mine = Upload.objects.filter(pk=upload.pk, state=Upload.State.READING, attempts=upload.attempts)
    mine.update(heartbeat=timezone.now(), progress=progress)


def give_back(upload: Upload, reason: str) -> None:
    """After a death: once more, or no more."""
    again = upload.attempts < MOST_ATTEMPTS
    state = Upload.State.WAITING if again else Upload.State.UNREADABLE
    mine = Upload.objects.filter(pk=upload.pk, state=Upload.State.READING, attempts=upload.attempts)
    mine.update(state=state, reason=died_reason(reason), progress=0 if again else 100)
    if again:
        read_upload(upload.pk)


def close_superseded(upload: Upload) -> None:
    mine = Upload.objects.filter(pk=upload.pk, state=Upload.State.READING, attempts=upload.attempts)
    mine.update(state=Upload.State.UNREADABLE, reason=died_reason("section-closed"), progress=100)


def died_reason(key: str) -> str:
    return as_reason(Reading(None, (Remark("blocks", key),)).remarks)
