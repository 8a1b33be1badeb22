"""Background work: waking the worker, and doing long work at a low priority, with rests.

Whoever waits for an answer gets the processors first.
"""

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
from ratings.rulesets.ruleset import with_room

# ---- Rests of long work: on a busy machine it leaves the processors to those who wait for an answer.
SHARE = 2.0
"""The time of a rest, in the time that was worked before it …"""
LONGEST = 1.0
"""… and at most so many seconds: a worker that is silent for longer seems dead."""


@dataclass(slots=True)
class Rests:
    """The rests of one piece of work, each in the measure of the work since the one before."""

    since: float = field(default_factory=lambda: time.monotonic())
    left: float = inf
    """The seconds for which it may still rest, in all."""

    def rest(self) -> None:
        """Rest where the machine is busy; in no transaction, whose locks others may wait for."""
        if not connection.in_atomic_block:
            self.rest_anywhere()

    def rest_anywhere(self) -> None:
        """Rest where the machine is busy, also in a transaction that only reads. That one holds up clearing
        away what others write meanwhile: give its rests an end.
        """
        if busy():
            rest = min(LONGEST, SHARE * (time.monotonic() - self.since), self.left)
            time.sleep(rest)
            self.left -= rest
        self.since = time.monotonic()


def busy() -> bool:
    """Whether more programs wanted to run in the last minute than the machine has processors."""
    if not hasattr(os, "getloadavg"):  # Windows
        return False
    return os.getloadavg()[0] > (os.cpu_count() or 1)


NICE = 10
"""The niceness of long work: a tenth of what a program gets that runs at the usual one."""
SECONDS_BETWEEN = 0.5


def at_low_priority(work: Callable[[], object], meanwhile: Callable[[], object] = lambda: None) -> None:
    """Do long work in a thread to which others are preferred, with a connection of its own, and wait for it.

    A program that lowered its own priority could not raise it for the next office again: only root may.
    Linux gives each thread its own; elsewhere the work is done as it is. So it is within a transaction, whose
    rows another connection would not see.

    `meanwhile`: is called here now and then, at the usual priority: it gives the signs of life of work that
    others keep from the processors for longer than a worker may be silent. Where the database fails it, it is
    called again.
    """
    if sys.platform != "linux" or connection.in_atomic_block:
        work()
        return
    failures: list[BaseException] = []
    thread = threading.Thread(target=_aside, args=(work, failures), name="long work", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(SECONDS_BETWEEN)
            try:
                meanwhile()
            except DATABASE_TROUBLE:
                connection.close_if_unusable_or_obsolete()
    except Exception:
        thread.join()  # what it works on is not taken from under it
        raise
    if failures:
        raise failures[0]


def _aside(work: Callable[[], object], failures: list[BaseException]) -> None:
    try:
        with suppress(OSError):  # a system that refuses: then it is done at the usual priority
            own = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, own, max(NICE, os.getpriority(os.PRIO_PROCESS, own)))
        with_room(work)
    except BaseException as failure:
        failures.append(failure)
    finally:
        connections.close_all()


# ---- Wake the worker. The row in the database is the job: a lost message only delays it until the next
# sweep.
log = structlog.get_logger("players.jobs")
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
