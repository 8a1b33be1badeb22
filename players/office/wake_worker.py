"""Wake the worker. The row in the database is the job: a lost message only delays it until the next sweep."""

from __future__ import annotations

from typing import Any

import structlog
from celery import current_app
from django.db import transaction

from players.office.models import Federation

log = structlog.get_logger("players.office.wake_worker")
failed = 0
"""The number of messages that this process could not send since it started."""


def wake(task: str, key: int, **options: Any) -> None:
    """Tell the worker, once the transaction is committed, that a task has work on a row; `options` are those
    of Celery's messages.
    """
    transaction.on_commit(lambda: _send(task, key, **options))


def wake_recompute(federation: Federation) -> None:
    """Tell the worker, once a decision is committed, that an office's ratings are to be recomputed."""
    wake("ratings.tasks.recompute", federation.pk)


def _send(task: str, key: int, **options: Any) -> None:
    global failed
    try:
        current_app.send_task(task, args=(key,), **options)
    except Exception as error:  # whatever the broker's fault, the thing decided is committed
        failed += 1
        log.warning("could not wake the worker", task=task, error=type(error).__name__, failed=failed)
