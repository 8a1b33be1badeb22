"""A worker whose processes share one queue ends as a whole when one of them is killed.

Without Redis the processes of a worker read what they are to do from one pipe. The one that waits for it
holds its lock, and a lock of somebody killed is held for ever: the others, and those started in its place,
would wait too, while everything seemed to run. So the worker ends, and whoever started it starts it again.
"""

from __future__ import annotations

import os
import signal
from typing import Any

import structlog
from billiard.pool import Pool
from celery import bootsteps

log = structlog.get_logger("federation_site.worker")


class WholePool(bootsteps.StartStopStep):
    """A step of a worker's start: from then on a process of its that is killed ends it."""

    requires = ("celery.worker.components:Pool",)

    def start(self, worker: Any) -> None:
        """Begin to look, where the processes share one queue; with Redis each has a pipe of its own."""
        pool = worker.pool._pool
        if type(pool) is Pool:
            vars(pool)["on_process_down"] = end_if_killed


def end_if_killed(process: Any) -> None:
    """End this worker and all its processes at once if one of them was ended by a signal."""
    if (process.exitcode or 0) < 0:
        log.warning("a process of this worker was killed; it ends, to be started again")
        os.kill(os.getpid(), signal.SIGKILL)
