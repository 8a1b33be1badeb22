"""Waking the worker. The row in the database is the job: a lost message costs the wait for a sweep."""

from __future__ import annotations

import structlog
from celery import current_app
from django.db import transaction

log = structlog.get_logger("players.office.wake")
failed = 0
"""How many messages of this process could not be sent since it started."""


def wake(task: str, key: int) -> None:
    """Once the transaction is committed, tell the worker that there is work for a task on a row."""
    transaction.on_commit(lambda: _send(task, key))


def _send(task: str, key: int) -> None:
    global failed
    try:
        current_app.send_task(task, args=(key,))
    except Exception as error:  # whatever ails the broker, the deed itself is done
        failed += 1
        log.warning("could not wake the worker", task=task, error=type(error).__name__, failed=failed)
