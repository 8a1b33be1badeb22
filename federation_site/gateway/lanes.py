"""Lanes: threads for the public, for the staff and for signing in; none waits for another's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from federation_site.gateway.limits import QUEUE_PATIENCE
from federation_site.gateway.refusals import Busy, Gone
from ratings.law.interpreter_costs import with_room

T = TypeVar("T")


class Lane:
    """The threads for one kind of visitor, and a queue of limited length before them."""

    def __init__(self, name: str, threads: int, queue: int, *, patience: float = QUEUE_PATIENCE) -> None:
        self.name = name
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._most = threads + queue
        self._patience = patience
        self.inside = 0
        """The requests that run or wait."""

    async def run(self, job: Callable[[], T], left: Callable[[], bool] = lambda: False) -> T:
        """Run a job in a thread of this lane. `left`: whether the visitor has gone meanwhile.

        Raises `Busy` at once where the queue is full, and as soon as the wait for a thread is too long;
        `Gone` where nobody waits any more. The job does not run then.
        """
        if self.inside >= self._most:
            raise Busy
        self.inside += 1

        def begin() -> T:
            if left():
                raise Gone
            return with_room(job)

        waiting = self._pool.submit(begin)
        late = asyncio.get_running_loop().call_later(self._patience, waiting.cancel)  # not once it runs
        try:
            return await asyncio.wrap_future(waiting)
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) and task.cancelling():
                raise
            raise Busy from None
        finally:
            late.cancel()
            self.inside -= 1
