"""The lease of a job. The row is the job; its lease says which worker has it, and how many have tried.

A worker claims the row, which counts the attempt; beats while it works; and releases the row together with
what came of it. A worker that is silent for too long has died, and the next one takes the row over. A job at
which `MOST_ATTEMPTS` workers died is at fault itself, and whoever claims it next gives it up. A database that
is busy or away is the fault of no job: the worker gives the attempt back.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any, ClassVar, TypeVar
from uuid import uuid4

import structlog
from django.db import InterfaceError, OperationalError, connection, models, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

log = structlog.get_logger("players.office.job_lease")
MOST_ATTEMPTS = 2
DATABASE_TROUBLE = (OperationalError, InterfaceError)
"""Errors that Django raises where the database is busy, full or away."""
PATIENCE = 300.0
"""Seconds for which an attempt is given back again and again: no transaction may hang longer (`settings`)."""
PAUSE = 1.0
"""Seconds between two tries to give an attempt back."""
AHEAD = timedelta(seconds=30)
"""A sign of life that lies further ahead is of a clock that was set since: nobody would ever outwait it."""
_BEAT = timedelta(seconds=0.5)


class LeasedJob(models.Model):
    """A row that one worker at a time works on."""

    silence: ClassVar[timedelta]
    """A worker silent for longer is dead, unless its transaction holds the row (`hold`)."""
    holder = models.UUIDField(null=True)
    """The number that the worker drew at its claim; None while nobody works on it."""
    heartbeat = models.DateTimeField(null=True)
    """The worker's last sign of life; None while nobody works on it."""
    attempts = models.PositiveSmallIntegerField(default=0)
    """The number of claims, counted before the work, so that a worker that was killed counts too."""

    class Meta:
        abstract = True


Job = TypeVar("Job", bound=LeasedJob)


def free(jobs: QuerySet[Job]) -> QuerySet[Job]:
    """Keep the jobs that nobody works on: not begun, given back, or left behind by a dead worker."""
    now = timezone.now()
    silent, ahead = Q(heartbeat__lt=now - jobs.model.silence), Q(heartbeat__gt=now + AHEAD)
    return jobs.filter(Q(heartbeat=None) | silent | ahead)


def claim(jobs: QuerySet[Job], key: int, *, queue: bool = False, **fields: Any) -> Job | None:
    """Take the job with this key, if it is one of `jobs` and free; None if it cannot be had.

    One statement decides between all who want it, counts the attempt and sets `fields`. A row that another
    transaction holds is not to be had either, unless the caller queues behind it.
    """
    holder = uuid4()
    wanted = free(jobs).filter(pk=key)
    with transaction.atomic():
        if not queue:
            rows = jobs.model._default_manager.select_for_update(skip_locked=True)
            wanted = wanted.filter(pk__in=rows.filter(pk=key).values("pk"))
        attempts = F("attempts") + 1
        wanted.update(holder=holder, heartbeat=timezone.now(), attempts=attempts, **fields)
    return jobs.filter(pk=key, holder=holder).first()


def mine(job: Job) -> QuerySet[Job]:
    """The row of a job, as long as it is this worker's: nobody else claimed it and it was not released."""
    rows: QuerySet[Job] = type(job)._default_manager.all()
    return rows.filter(pk=job.pk, holder=job.holder, heartbeat__isnull=False)


def hold(job: LeasedJob) -> bool:
    """Whether a job is still this worker's; if so its row is locked until the transaction ends."""
    return mine(job).select_for_update().values_list("pk").first() is not None


def beat(job: LeasedJob, **fields: Any) -> None:
    """Give a worker's sign of life for a job, and set `fields`, if the job is still this worker's."""
    mine(job).update(heartbeat=timezone.now(), **fields)


class Pulse:
    """Gives the signs of life of one job, twice a second at most, for work that reports far more often."""

    def __init__(self, job: LeasedJob) -> None:
        self.job, self.last = job, timezone.now()

    def beat(self, **fields: Any) -> bool:
        """Give a sign of life and set `fields`, if the last is half a second ago; return whether it was."""
        now = timezone.now()
        if now - self.last < _BEAT:
            return False
        self.last = now
        beat(self.job, **fields)
        return True


def release(job: LeasedJob, **fields: Any) -> bool:
    """End a worker's lease, and set `fields`; return False, with nothing set, if it is another's by now."""
    return bool(mine(job).update(holder=None, heartbeat=None, **fields))


def give_back(job: LeasedJob, **fields: Any) -> None:
    """Release a job that the database failed, and take the attempt off its count.

    A database that is still busy or away is asked until it answers, for as long as `PATIENCE`: an attempt
    that stays counted would be held against the job.
    """
    log.warning(
        "the database failed a job", job=job._meta.label, key=job.pk, attempt=job.attempts, exc_info=True
    )
    until = time.monotonic() + PATIENCE
    while True:
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
        try:
            return _return_attempt(job, fields)
        except DATABASE_TROUBLE:
            if time.monotonic() > until:
                raise
            time.sleep(PAUSE)


@transaction.atomic
def _return_attempt(job: LeasedJob, fields: dict[str, Any]) -> None:
    # Whoever took the job over meanwhile took this worker for dead: the attempt goes back there too.
    rows = type(job)._default_manager.filter(pk=job.pk, attempts__gt=0)
    rows.update(attempts=F("attempts") - 1)
    release(job, **fields)
