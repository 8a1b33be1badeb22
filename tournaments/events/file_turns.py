"""Turns of regions at the worker: a region with two hundred files keeps no other region's one file waiting.

Of each region one event file and one archive are announced at a time. Whoever read it announces the region's
next one, whose message queues up behind those of all others.
"""

from __future__ import annotations

from typing import TypeVar

from django.db import transaction
from django.db.models import Count, Min, QuerySet

from players.office import job_lease
from players.office.wake_worker import wake
from tournaments.events.file_job_model import FileJob

Job = TypeVar("Job", bound=FileJob)


def announce(job: FileJob, task: str) -> None:
    """Wake the worker for a file once it is stored, unless an older one of its region waits and brings it
    along.
    """
    transaction.on_commit(lambda: _announce(job, task))


def _announce(job: FileJob, task: str) -> None:
    model = type(job)
    region = model._default_manager.filter(pk=job.pk).values(model.to_region)
    waiting = model._default_manager.filter(state=FileJob.State.WAITING, pk__lt=job.pk)
    if not waiting.filter(**{f"{model.to_region}__in": region}).exists():
        wake(task, job.pk)


def of_region_of(jobs: QuerySet[Job], key: int) -> QuerySet[Job]:
    """Keep the jobs of the region that sent the file of this key, the oldest first; none if it is gone."""
    path = jobs.model.to_region
    region = jobs.model._default_manager.filter(pk=key).values_list(path, flat=True).first()
    return jobs.filter(**{path: region}).order_by("pk") if region else jobs.none()


def one_of_each_region(jobs: QuerySet[Job]) -> list[int]:
    """The key of each region's oldest job that nobody works on; first that of the region with the fewest."""
    regions = job_lease.free(jobs).order_by().values(jobs.model.to_region)
    oldest = regions.annotate(count=Count("pk"), oldest=Min("pk")).order_by("count", "oldest")
    return list(oldest.values_list("oldest", flat=True))
