"""Long work at a low priority: whoever waits for an answer gets the processors first."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

from django.db import connection, connections

NICE = 10
"""The niceness of long work: a tenth of what a program gets that runs at the usual one."""


def at_low_priority(work: Callable[[], object]) -> None:
    """Do long work in a thread to which others are preferred, with a connection of its own, and wait for it.

    A program that lowered its own priority could not raise it for the next office again: only root may.
    Linux gives each thread its own; elsewhere the work is done as it is. So it is within a transaction, whose
    rows another connection would not see.
    """
    if sys.platform != "linux" or connection.in_atomic_block:
        work()
        return
    failures: list[BaseException] = []
    thread = threading.Thread(target=_aside, args=(work, failures), name="long work", daemon=True)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


def _aside(work: Callable[[], object], failures: list[BaseException]) -> None:
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
    try:
        work()
    except BaseException as failure:
        failures.append(failure)
    finally:
        connections.close_all()
