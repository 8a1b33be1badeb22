"""A mixed load on a real office, at a given rate.

    python -m benchmarks.load --rate 100 --seconds 120          SQLite, as `up` runs it
    DATABASE_URL=postgres://… CELERY_BROKER_URL=redis://… python -m benchmarks.load --rate 100
    … --games 100000                            an office with that many games is rated again meanwhile
    … --folder var/load                         keeps the office for the next run

Visitors come at random moments, so many a second on the average, and wait for nobody: each from an address of
their own, on a connection of their own. One in fifty is the official, who approves a section or takes one
back; one in ten asks for a search or a filter that was never asked before; all others read a public page of a
demo office, drawn from 300 addresses and more. Printed are the times until the whole answer, from the moment
when the visitor came, what was shed and what failed, and the time from an approval until its ratings are on
pages. The visitors share the machine with the office.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from benchmarks import load_office
from benchmarks.http_requests import Answer, Figures, ask, percentile
from benchmarks.load_office import LARGE, Pages, Work

ROOT = Path(__file__).resolve().parent.parent
ADDRESSES = 360
OPEN_WITHIN = 120.0
LOOK_SECONDS = 0.02
SLOWEST = 60.0
"""Seconds after which an approval that nobody sees is an error."""


@dataclass
class Load:
    """One run: who comes, and what came of it."""

    port: int
    rng: random.Random
    pages: Pages
    names: list[str]
    session: str
    work: list[Work]
    figures: dict[str, Figures] = field(
        default_factory=lambda: {kind: Figures() for kind in ("page", "search", "staff")}
    )
    visible: list[float] = field(default_factory=list)
    late: float = 0.0
    """Seconds by which this program itself came late to a visitor, at most."""
    rerated: int = 0

    async def run(self, rate: float, seconds: float) -> None:
        """Let visitors come for so many seconds, and wait until all have their answers."""
        begun = due = time.monotonic()
        visits: list[asyncio.Future[None]] = []
        while due < begun + seconds:
            await asyncio.sleep(due - time.monotonic())
            self.late = max(self.late, time.monotonic() - due)
            visits.append(asyncio.ensure_future(self.visit(len(visits), due)))
            due += self.rng.expovariate(rate)
        await asyncio.gather(*visits)

    async def visit(self, number: int, due: float) -> None:
        if number % 50 == 25 and self.work:
            await self.decide(self.work.pop(0), due)
            return
        address = f"127.{1 + number // 62500 % 250}.{1 + number // 250 % 250}.{1 + number % 250}"
        kind = "search" if number % 10 == 5 else "page"
        path = self.search(number) if kind == "search" else self.rng.choice(self.pages.fixed)
        self.figures[kind].note(await ask(self.port, path, address=address, due=due))

    def search(self, number: int) -> str:
        """A search that nobody made before: a name's beginning, and a word that nobody has."""
        name = self.rng.choice(self.names)
        text = name[: self.rng.randint(2, 6)] if self.rng.random() < 0.5 else f"{name} {number}"
        return f"{self.rng.choice(self.pages.searches)}{quote(text)}&n={number}"

    async def decide(self, work: Work, due: float) -> None:
        """Approve a section, or take it back; then wait until its ratings are what pages show."""
        form = {"version": str(work.version), "despite_hints": "a benchmark"}
        if work.rated:
            form |= {"reason": "result", "words": "a benchmark", "after_list": "on"}
            form |= {"seen": await asyncio.to_thread(load_office.effects_shown, work.address)}
        path = work.address + ("unrate/" if work.rated else "approve/")
        answer = await ask(self.port, path, session=self.session, form=form, due=due)
        self.figures["staff"].note(_refused(answer))
        if answer.status == 302:
            await self.note_decided(work, due)
        self.work.append(work)

    async def note_decided(self, work: Work, due: float) -> None:
        code = work.address.split("/")[1]
        number = await asyncio.to_thread(load_office.wanted, code)
        while await asyncio.to_thread(load_office.done, code) < number:
            if time.monotonic() - due > SLOWEST:
                break
            await asyncio.sleep(LOOK_SECONDS)
        self.visible.append(time.monotonic() - due)
        work.version, work.rated = work.version + 1, not work.rated
        if not work.rated:
            await asyncio.to_thread(load_office.submit_again, work.section)

    async def rerate(self) -> None:
        """Have the large office rated again from its first section on, over and over."""
        while True:
            await asyncio.to_thread(load_office.take_back_first)
            number = await asyncio.to_thread(load_office.wanted, LARGE)
            while await asyncio.to_thread(load_office.done, LARGE) < number:
                await asyncio.sleep(0.5)
            self.rerated += 1

    def report(self) -> None:
        for kind, figures in self.figures.items():
            print(f"{kind:>8}: {figures.line()}")
        if self.visible:
            found = ", ".join(
                f"p{100 * part:.0f} {percentile(self.visible, part):.2f} s" for part in (0.5, 0.99)
            )
            print(f" visible: {len(self.visible)} decisions; {found}, most {max(self.visible):.2f} s")
        print(f"the visitors' own program was late by {1000 * self.late:.0f} ms at most", flush=True)


def _refused(answer: Answer) -> Answer:
    """A decision that was not taken is a failure here: nobody else works on these sections."""
    refused = 400 <= answer.status < 500
    return Answer(599, answer.seconds, answer.body) if refused else answer


@contextmanager
def office_open(folder: Path, port: int) -> Iterator[None]:
    """The office of a folder, opened by `up` as anybody opens it; closed at the end."""
    command = [sys.executable, "manage.py", "up", "--no-demo", "--port", str(port)]
    with (folder / "up.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
    try:
        asyncio.run(_opened(port, process))
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


async def _opened(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until web and worker are there; an earlier run may have left work that takes minutes."""
    deadline = time.monotonic() + OPEN_WITHIN
    while (answer := await ask(port, "/readyz")).status != 200 or b'"worker_seen": null' in answer.body:
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit("the office did not open: up.log in its folder says why")
        await asyncio.sleep(0.3)


async def measure(load: Load, rate: float, seconds: float, *, rerate: bool) -> None:
    """Warm the pages up by one visit each; then let the visitors come."""
    for path in load.pages.fixed:
        await ask(load.port, path, address="127.0.0.2")
    again = asyncio.ensure_future(load.rerate()) if rerate else None
    cpu, begun = time.process_time(), time.monotonic()
    await load.run(rate, seconds)
    if again:
        again.cancel()
    took, own = time.monotonic() - begun, time.process_time() - cpu
    print(
        f"{rate:g} a second for {seconds:g} s, {len(load.pages.fixed)} addresses and searches,"
        f" {os.cpu_count()} cores"
    )
    load.report()
    print(f"all answered after {took:.1f} s; the visitors took {100 * own / took:.0f} % of a core")
    if rerate:
        print(f"the large office was rated again {load.rerated} times, and once more in part")


def run(options: argparse.Namespace, folder: Path) -> int:
    """Measure each rate in turn on one office; returns the number of errors."""
    os.environ |= {"VAR_DIR": str(folder), "NO_BOOTSTRAP": "1", "LOG_LEVEL": "ERROR"}
    os.environ["DJANGO_SETTINGS_MODULE"] = "federation_site.settings"
    load_office.set_up(options.offices, options.scale, options.games)
    rng, errors = random.Random(options.seed), 0
    pages, names = load_office.pages(ADDRESSES, rng), load_office.names()
    session, work = load_office.staff_work()
    print(f"seed {options.seed}", flush=True)
    with office_open(folder, options.port):
        for rate in options.rate:
            load = Load(options.port, rng, pages, names, session, work)
            asyncio.run(measure(load, rate, options.seconds, rerate=bool(options.games)))
            errors += sum(figures.errors for figures in load.figures.values())
    return errors


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rate", type=float, nargs="+", default=[100.0], help="visitors a second")
    parser.add_argument("--seconds", type=float, default=600.0, help="of each rate")
    parser.add_argument("--games", type=int, default=0, help="of the office that is rated again meanwhile")
    parser.add_argument("--folder", type=Path, help="keep the office there")
    parser.add_argument("--offices", nargs="*", default=[], help="demo offices (default: all)")
    parser.add_argument("--scale", type=float, default=1.0, help="of the demo offices")
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    kept = nullcontext(options.folder) if options.folder else tempfile.TemporaryDirectory()
    with kept as place:
        Path(place).mkdir(parents=True, exist_ok=True)
        raise SystemExit(1 if run(options, Path(place)) else 0)
