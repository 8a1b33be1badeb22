"""Long work at a low priority: whoever waits for an answer gets the processors first."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

from django.db import connection, connections

from players.office.job_lease import DATABASE_TROUBLE
from ratings.law.interpreter_costs import with_room

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
