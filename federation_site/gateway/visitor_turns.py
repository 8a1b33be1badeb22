"""Turns of visitors, told apart by address or sign-in, so that nobody takes all threads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from federation_site.gateway.limits import QUEUE_PATIENCE, TURNS, WAITING_TURNS, share
from federation_site.gateway.refusals import TooMany

Scope = dict[str, Any]


@dataclass(slots=True)
class _Turns:
    free: asyncio.Semaphore
    inside: int = 0


class Turns:
    """The requests of each visitor to this process that are answered now, and those that wait their turn.

    `processes`: the number of web processes, which share what one visitor may have.
    """

    def __init__(self, processes: int = 1) -> None:
        self._at_once = share(TURNS, processes)
        self._most = self._at_once + share(WAITING_TURNS, processes)
        self._of: dict[str, _Turns] = {}

    @asynccontextmanager
    async def turn(self, visitor: str) -> AsyncIterator[None]:
        """Wait until one of a visitor's requests may be answered, and hold that turn until the block ends.

        `visitor`: session or address. Raises `TooMany` where too many wait, or no turn comes free in time.
        """
        turns = self._of.setdefault(visitor, _Turns(asyncio.Semaphore(self._at_once)))
        if turns.inside >= self._most:
            raise TooMany
        turns.inside += 1
        try:
            await _in_time(turns.free)
            try:
                yield
            finally:
                turns.free.release()
        finally:
            turns.inside -= 1
            if not turns.inside:
                self._of.pop(visitor, None)


async def _in_time(free: asyncio.Semaphore) -> None:
    try:
        async with asyncio.timeout(QUEUE_PATIENCE):
            await free.acquire()
    except TimeoutError:
        raise TooMany from None
