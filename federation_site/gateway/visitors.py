"""Visitors, told apart by address or sign-in, and their turns, so that nobody takes them all."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from federation_site.gateway.limits import QUEUE_PATIENCE, TURNS, WAITING_TURNS
from federation_site.gateway.refusals import TooMany

Scope = dict[str, Any]


def header(scope: Scope, name: bytes) -> str:
    """A request's header, its lines joined by commas; empty where there is none."""
    return ",".join(value.decode("latin1") for key, value in scope["headers"] if key.lower() == name)


def address_of(scope: Scope, proxies: int) -> str:
    """The visitor's address: what the outermost of our own proxies saw; an IPv6 visitor is a /64 network.

    Without proxies the header is a stranger's word, and the connection alone counts.
    """
    seen = scope["client"][0] if scope.get("client") else ""
    if proxies:
        passed = [each.strip() for each in header(scope, b"x-forwarded-for").split(",") if each.strip()]
        seen = passed[-proxies] if len(passed) >= proxies else seen
    try:
        address = ipaddress.ip_address(seen)
    except ValueError:
        return seen
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


@dataclass(slots=True)
class _Turns:
    free: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(TURNS))
    inside: int = 0


class Turns:
    """The requests of each visitor to this process that are answered now, and those that wait their turn."""

    def __init__(self) -> None:
        self._of: dict[str, _Turns] = {}

    @asynccontextmanager
    async def turn(self, visitor: str) -> AsyncIterator[None]:
        """Wait until one of a visitor's requests may be answered, and hold that turn until the block ends.

        `visitor`: session or address. Raises `TooMany` where too many wait, or no turn comes free in time.
        """
        turns = self._of.setdefault(visitor, _Turns())
        if turns.inside >= TURNS + WAITING_TURNS:
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
