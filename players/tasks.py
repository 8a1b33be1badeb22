"""Tasks that wake the worker for tables of the register. A message carries a key; the row says what to do."""

from __future__ import annotations

from celery import shared_task

from players.importing import worker


@shared_task(name="players.tasks.import_register")
def import_register(key: int) -> None:
    """Do the work that a table of the register waits for: its dry run, or its writing."""
    worker.run(key)


@shared_task(name="players.tasks.sweep_register")
def sweep_register() -> None:
    """Do the work of tables of the register whose message was lost or whose worker died."""
    worker.sweep()
