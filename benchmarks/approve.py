"""Approving one section of 200 players and 9 rounds, in a small office and in a large one.

    python -m benchmarks.approve                    SQLite, and the worker that the embedded default has
    DATABASE_URL=postgres://… CELERY_BROKER_URL=redis://… python -m benchmarks.approve

Prints, for an office of 10,000 games and one of 1,000,000 with 100,000 players, medians of several sections:
the work of the recompute alone, and the time from approval until the ratings are visible with an idle worker.
The ratio of the two offices says whether the cost grows.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import time
from datetime import date, timedelta
from typing import TYPE_CHECKING

from benchmarks.scratch import database, fill

if TYPE_CHECKING:
    from players.models import Federation
    from tournaments.models import Section

SECTIONS = 5
PLAYERS, ROUNDS = 200, 9
LONGEST = 60.0
"""Seconds after which a worker that does nothing is no measurement."""


def submitted(office: Federation, number: int, day: date) -> Section:
    from players.models import Player
    from ratings.tests.office import submitted

    rng = random.Random(number)
    numbers = list(Player.objects.filter(federation=office).values_list("pk", flat=True))
    players = list(Player.objects.filter(pk__in=rng.sample(numbers, PLAYERS)))
    return submitted(office, players, number=f"{day.year}-9{number:04}", ends=day, rounds=ROUNDS, seed=number)


def measure(games: int, players: int) -> tuple[float, float]:
    """Measure an office of that size: median seconds of the recompute alone, and from approval to visible."""
    office = fill(games, players)
    from players.models import Ledger
    from ratings import approval
    from ratings.models import Fact
    from ratings.recompute import recompute

    recompute(office)
    office.players.update(born=1990)  # no journal tells it, and approval would ask
    newest = Fact.objects.filter(on__isnull=False).latest("number").on
    if newest is None:
        raise LookupError("a generated journal has days")
    day = newest + timedelta(days=1)
    alone, visible = [], []
    for number in range(SECTIONS):
        section = submitted(office, number, day)
        approval.approve(section=section, by=None, on=day, version=0)
        begun = time.perf_counter()
        recompute(office)
        alone.append(time.perf_counter() - begun)
    worker = subprocess.Popen(
        [sys.executable, "-m", "celery", "-A", "federation_site", "worker", "-c", "2", "-l", "ERROR"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        time.sleep(10)
        for number in range(SECTIONS, 2 * SECTIONS):
            section = submitted(office, number, day)
            begun = time.perf_counter()
            approval.approve(section=section, by=None, on=day, version=0)
            while Ledger.objects.pending().exists():
                if worker.poll() is not None or time.perf_counter() - begun > LONGEST:
                    raise SystemExit("the worker did not do it")
                time.sleep(0.005)
            visible.append(time.perf_counter() - begun)
    finally:
        worker.terminate()
        worker.wait()
    return statistics.median(alone), statistics.median(visible)


def run(games: int, players: int, server: str | None) -> tuple[float, float]:
    """Run `measure` in a process of its own, so that no two offices share memory, and print its times."""
    with database(server) as address:
        os.environ["DATABASE_URL"] = address
        command = [sys.executable, "-m", "benchmarks.approve", "--measure", str(games), str(players)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    alone, visible = map(float, done.stdout.split())
    print(
        f"{games:>9,} games, {players:>7,} players: recompute {alone * 1000:5.0f} ms, approve to visible "
        f"{visible * 1000:5.0f} ms",
        flush=True,
    )
    return alone, visible


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--measure", type=int, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(*measure(*options.measure))
    else:
        given = os.environ.get("DATABASE_URL", "")
        server = given if given.startswith("postgres") else None
        print("PostgreSQL" if server else "SQLite")
        small, large = run(10_000, 1_000, server), run(1_000_000, 100_000, server)
        print(f"large : small = {large[0] / small[0]:.2f} (recompute), {large[1] / small[1]:.2f} (visible)")
