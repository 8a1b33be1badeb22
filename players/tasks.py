"""The workers' tasks for jobs of every kind (`players.jobs`)."""

from celery import shared_task

from players import jobs


@shared_task(name=jobs.WORK_TASK)
def work(kind: str, key: int) -> None:
    """Do what one row waits for, unless another worker does."""
    jobs.take_turn(kind, key)


@shared_task(name="players.tasks.sweep_files")
def sweep_files() -> None:
    """Do the jobs of the worker of files that no message announced or a dead worker left."""
    jobs.sweep("files")
