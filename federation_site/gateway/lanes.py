"""Lanes: threads for the public, for the staff and for signing in; none waits for another's."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from federation_site.gateway.limits import QUEUE_PATIENCE
from federation_site.gateway.refusals import Busy, Gone

T = TypeVar("T")


class Lane:
    """The threads for one kind of visitor, and a queue of limited length before them."""

    def __init__(self, name: str, threads: int, queue: int) -> None:
        self.name = name
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._most = threads + queue
        self.inside = 0
        """The requests that run or wait."""

    async def run(self, job: Callable[[], T], left: Callable[[], bool] = lambda: False) -> T:
        """Run a job in a thread of this lane. `left`: whether the visitor has gone meanwhile.

        Raises `Busy` where the queue is full or the wait was too long, `Gone` where nobody waits any
        more; the job does not run then.
        """
        if self.inside >= self._most:
            raise Busy
        self.inside += 1
        latest = time.monotonic() + QUEUE_PATIENCE

        def begin() -> T:
            if left():
                raise Gone
            if time.monotonic() > latest:
                raise Busy
            return job()

        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, begin)
        finally:
            self.inside -= 1
