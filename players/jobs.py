"""Background work: waking the worker, and doing long work with a low priority and rests."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import Any

import structlog
from celery import current_app
from django.db import connection, connections, transaction

from players.models import DATABASE_TROUBLE, Federation
from ratings.rulesets.ruleset import call_with_stack_room

# ---- Rests of long work, which on a busy machine leave the processors to requests
REST_FACTOR = 2.0
"""The length of a rest as a multiple of the work before it."""
LONGEST_REST = 1.0
"""The most seconds of a rest: a worker that is silent for long is taken for dead."""


@dataclass(slots=True)
class Rests:
    """The rests of one piece of work, each proportional to the work since the last one."""

    since: float = field(default_factory=lambda: time.monotonic())
    left: float = inf
    """The seconds of rest that are left in all."""

    def rest(self) -> None:
        """Rest if the machine is busy; not in a transaction, whose locks others may wait for."""
        if not connection.in_atomic_block:
            self.rest_anywhere()

    def rest_anywhere(self) -> None:
        """Rest if the machine is busy, also in a transaction that only reads.

        Limit these rests with `left`: the transaction keeps old rows of others from being cleared away.
        """
        if is_machine_busy():
            rest = min(LONGEST_REST, REST_FACTOR * (time.monotonic() - self.since), self.left)
            time.sleep(rest)
            self.left -= rest
        self.since = time.monotonic()


def is_machine_busy() -> bool:
    """Whether more programs wanted to run in the last minute than the machine has processors."""
    if not hasattr(os, "getloadavg"):  # Windows
        return False
    return os.getloadavg()[0] > (os.cpu_count() or 1)


NICE = 10
"""The niceness of long work, which gets a tenth of the processor time of usual programs."""
SECONDS_BETWEEN = 0.5


def run_at_low_priority(work: Callable[[], object], meanwhile: Callable[[], object] = lambda: None) -> None:
    """Do long work in a thread with a low priority and a database connection of its own, and wait for it.

    A thread, because a process that lowered its priority could not raise it again: only root may. Only Linux
    has priorities of threads; elsewhere the work is done directly. So it is within a transaction, whose rows
    another connection would not see.

    `meanwhile`: called now and then at the usual priority, to send heartbeats. After a database error it is
    called again.
    """
    if sys.platform != "linux" or connection.in_atomic_block:
        work()
        return
    failures: list[BaseException] = []
    thread = threading.Thread(target=_work_in_thread, args=(work, failures), name="long work", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(SECONDS_BETWEEN)
            try:
                meanwhile()
            except DATABASE_TROUBLE:
                connection.close_if_unusable_or_obsolete()
    except Exception:
        thread.join()  # its job must not be released while it works
        raise
    if failures:
        raise failures[0]


def _work_in_thread(work: Callable[[], object], failures: list[BaseException]) -> None:
    try:
        with suppress(OSError):  # a system that refuses
            own = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, own, max(NICE, os.getpriority(os.PRIO_PROCESS, own)))
        call_with_stack_room(work)
    except BaseException as failure:
        failures.append(failure)
    finally:
        connections.close_all()


# ---- Waking the worker. The job is a row: a lost message only delays it until the next sweep.
log = structlog.get_logger("players.jobs")
failed = 0
"""The number of messages that this process could not send."""


def wake(task: str, key: int, **options: Any) -> None:
    """Send a task for a row after the transaction is committed; `options` are Celery's."""
    transaction.on_commit(lambda: _send(task, key, **options))


def wake_recompute(federation: Federation) -> None:
    wake("ratings.tasks.recompute", federation.pk)


def _send(task: str, key: int, **options: Any) -> None:
    global failed
    try:
        current_app.send_task(task, args=(key,), **options)
    except Exception as error:  # whatever is wrong with the broker, the decision is committed
        failed += 1
        log.warning("could not wake the worker", task=task, error=type(error).__name__, failed=failed)
