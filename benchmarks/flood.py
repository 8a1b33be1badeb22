"""Slow visitors and floods at a real office, and its staff's pages meanwhile.

    python -m benchmarks.flood                          SQLite, as `up` runs it
    … --seconds 20                                      of each kind of flood
    … --folder var/load                                 keeps the office for the next run

One kind after the other comes from addresses of this machine, and then all together: bodies that arrive a
byte at a time, readers who take a few bytes a second, connections on which nothing comes, and heavy pages for
which a few addresses ask without an end. Meanwhile an official asks for pages of the office twice a second,
and so does one stranger from an address of their own. Every kind is bounded in connections and in time.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import load_office
from benchmarks.http_requests import Answer, Figures, ask
from benchmarks.load import office_open

SLOW_BODIES, SLOW_READERS, SILENT = 200, 200, 1000
"""The connections of each kind that are open at once."""
HEAVY_ADDRESSES, HEAVY_EACH = 4, 40
"""The addresses that ask for heavy pages, and the requests of each that are under way at once."""
ADDRESSES = 50
"""The addresses that slow visitors share."""
PAUSE = 0.5
"""Seconds from one request of the official, and of the stranger, to the next."""


@dataclass
class Flood:
    """One kind of flood: its visitors go on until its end, each with a connection at a time."""

    port: int
    pages: list[str]
    """Heavy public pages: answers that no cache has."""
    ends: float
    seen: Counter[str] = field(default_factory=Counter)
    """What came of their connections."""

    async def connect(self, number: int, receive: int = 0) -> socket.socket:
        made = socket.socket()
        made.setblocking(False)
        if receive:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        made.bind((f"127.9.{1 + number % ADDRESSES}.1", 0))
        async with asyncio.timeout(20):
            await asyncio.get_running_loop().sock_connect(made, ("127.0.0.1", self.port))
        self.seen["connections"] += 1
        return made

    async def over_and_over(self, visit: Callable[[int], Awaitable[None]], number: int) -> None:
        await asyncio.sleep(random.random())  # they do not come all at once
        while (left := self.ends - time.monotonic()) > 0:
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(left):
                    await visit(number)
            await asyncio.sleep(0.1)

    async def slow_body(self, number: int) -> None:
        """Send a form a byte a second."""
        with await self.connect(number) as made:
            head = "POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n"
            await self.send(made, head.encode())
            while True:
                await self.send(made, b"x")
                with suppress(TimeoutError):
                    async with asyncio.timeout(1.0):
                        await self.receive(made)
                        return

    async def slow_reader(self, number: int) -> None:
        """Ask for a page and take a few bytes of it a second."""
        with await self.connect(number, receive=2048) as made:
            page = self.pages[number % len(self.pages)]
            await self.send(made, f"GET {page} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            while await self.receive(made, 64):
                await asyncio.sleep(1.0)

    async def silent(self, number: int) -> None:
        """Open a connection and say nothing until the office ends it."""
        with await self.connect(number) as made:
            await self.receive(made)

    async def heavy(self, number: int) -> None:
        """Ask for a heavy page as fast as the office lets an address."""
        page = random.choice(self.pages)
        address = f"127.8.{1 + number % HEAVY_ADDRESSES}.1"
        answer = await ask(self.port, f"{page}&n={random.random()}", address=address)
        self.seen[str(answer.status)] += 1

    async def send(self, made: socket.socket, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(made, data)

    async def receive(self, made: socket.socket, most: int = 65536) -> bytes:
        part = await asyncio.get_running_loop().sock_recv(made, most)
        if part.startswith(b"HTTP/1.1 "):
            self.seen[part[9:12].decode()] += 1
        return part


KINDS: dict[str, tuple[int, Callable[[Flood], Callable[[int], Awaitable[None]]]]] = {
    "nobody": (0, lambda flood: flood.silent),
    "slow bodies": (SLOW_BODIES, lambda flood: flood.slow_body),
    "slow readers": (SLOW_READERS, lambda flood: flood.slow_reader),
    "silent connections": (SILENT, lambda flood: flood.silent),
    "heavy pages": (HEAVY_ADDRESSES * HEAVY_EACH, lambda flood: flood.heavy),
}


async def ask_on(port: int, pages: list[str], ends: float, *, session: str, address: str) -> Figures:
    """Ask for pages one after the other, each `PAUSE` after the one before was due."""
    found, due = Figures(), time.monotonic()
    while due < ends:
        await asyncio.sleep(due - time.monotonic())
        answer = await ask(port, random.choice(pages), session=session, address=address)
        # An official who is sent to sign in sees no page.
        found.note(Answer(599, answer.seconds, answer.body) if session and answer.status == 302 else answer)
        due = max(due + PAUSE, time.monotonic())
    return found


async def measure(port: int, kinds: list[str], pages: Pages, session: str, seconds: float) -> list[Figures]:
    """Let visitors of these kinds come for so many seconds; returns what the staff and a stranger got."""
    flood = Flood(port, pages.heavy, time.monotonic() + seconds)
    visits = [
        flood.over_and_over(visit(flood), number)
        for most, visit in (KINDS[kind] for kind in kinds)
        for number in range(most)
    ]
    staff = ask_on(port, pages.staff, flood.ends, session=session, address="127.0.0.1")
    stranger = ask_on(port, pages.public, flood.ends, session="", address="127.7.1.1")
    asked = asyncio.gather(staff, stranger)
    await asyncio.gather(*visits)
    figures = list(await asked)
    print(f"{' and '.join(kinds)}: {dict(sorted(flood.seen.items()))}")
    for name, found in zip(("staff", "stranger"), figures, strict=True):
        print(f"{name:>9}: {found.line()}", flush=True)
    return figures


@dataclass(frozen=True)
class Pages:
    """Pages of the first office, for its staff and for everybody, and heavy ones that take a query."""

    staff: list[str]
    public: list[str]
    heavy: list[str]


def pages_of_office() -> tuple[Pages, str]:
    """The pages to ask for, and the session of an official."""
    session, work = load_office.staff_work()
    at = f"/{work[0].address.split('/')[1]}/"
    reviews = [f"{each.address}review/" for each in work if not each.rated][:5]
    every = load_office.pages(200, random.Random(1)).fixed
    public = [page for page in every if page.startswith(at)]
    lists = [page for page in public if page.startswith(f"{at}lists/20")]
    players = [page for page in public if page.startswith(f"{at}players/1")]
    heavy = [f"{page}?q=" for page in lists] + [f"{page}?on=2025-06-01" for page in players]
    return Pages([f"{at}desk/", f"{at}players/", *reviews], public, heavy), session


def run(options: argparse.Namespace, folder: Path) -> int:
    """Measure each kind, then all; returns the number of the staff's requests that failed."""
    os.environ |= {"VAR_DIR": str(folder), "NO_BOOTSTRAP": "1", "LOG_LEVEL": "ERROR"}
    os.environ["DJANGO_SETTINGS_MODULE"] = "federation_site.settings"
    load_office.set_up(["csa"], options.scale, 0)
    pages, session = pages_of_office()
    errors = 0
    with office_open(folder, options.port):
        for kinds in (*([kind] for kind in KINDS), list(KINDS)[1:]):
            staff, _stranger = asyncio.run(measure(options.port, kinds, pages, session, options.seconds))
            errors += staff.errors + len(staff.shed)
    return errors


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=30.0, help="of each kind of flood")
    parser.add_argument("--folder", type=Path, help="keep the office there")
    parser.add_argument("--scale", type=float, default=1.0, help="of the demo office")
    parser.add_argument("--port", type=int, default=8766)
    options = parser.parse_args()
    kept = nullcontext(options.folder) if options.folder else tempfile.TemporaryDirectory()
    with kept as place:
        Path(place).mkdir(parents=True, exist_ok=True)
        sys.exit(1 if run(options, Path(place)) else 0)
