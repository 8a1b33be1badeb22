"""Hurts an office in every way that the documents name, and looks at what is left: `python -m tests.faults`.

    python -m tests.faults                            everything that docs/faults.md names; hours
    python -m tests.faults kills --count 60 --seed 7  one kind, some of it
    .ci/with-servers python -m tests.faults …         the same on PostgreSQL and Redis

With `--log FILE` each run's figures are added to a file, and a later start goes on from there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from tests.guards_off.sitecustomize import GUARDS

PIECE = 50
"""Faults of one run, each on an office of its own."""
KILLS, OF_EACH = 500, 100
"""Faults of the whole: kills, and of every other kind."""


def everything(log: Path, seed: int) -> int:
    """Run what is still to be run on this database, piece by piece; return how many kinds failed."""
    from tests.faults.run import FAULTS, ON_SERVERS_ALONE

    on_servers = os.environ.get("DATABASE_URL", "").startswith("postgres")
    database = "PostgreSQL" if on_servers else "SQLite"
    failed = 0
    for fault in FAULTS:
        if on_servers or fault not in ON_SERVERS_ALONE:
            wanted = KILLS if fault == "kills" else OF_EACH
            failed += not all_of(fault, wanted, database, log, seed)
    return failed


def all_of(fault: str, wanted: int, database: str, log: Path, seed: int) -> bool:
    """Do faults of a kind until the log has as many as wanted; return whether all went well."""
    while (made := counted(log, fault, database)) < wanted:
        seed += 1
        count = min(PIECE, wanted - made)
        options = ("--count", str(count), "--seed", str(seed), "--log", str(log))
        done = subprocess.run([sys.executable, "-m", "tests.faults", fault, *options], check=False)
        if done.returncode:
            return False
        if counted(log, fault, database) == made:  # this machine cannot show it, and has said why
            break
    return True


def counted(log: Path, fault: str, database: str) -> int:
    """Count the faults of a kind that went well already."""
    lines = log.read_text().splitlines() if log.exists() else []
    told = [json.loads(line) for line in lines]
    return sum(each["faults"] for each in told if (each["fault"], each["database"]) == (fault, database))


def one(options: argparse.Namespace) -> None:
    from tests.faults.run import run
    from tests.faults.world import NotHere

    print(f"seed {options.seed}", flush=True)
    try:
        figures = run(
            options.fault,
            count=options.count,
            seed=options.seed,
            without=options.without,
            limit=options.limit,
        )
    except NotHere as why:
        print(f"left out, {options.fault}: {why}")
        return
    print(figures.line(), flush=True)
    if options.log:
        with options.log.open("a") as log:
            log.write(figures.line() + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("fault", nargs="?", help="one kind alone")
    parser.add_argument("--count", type=int, default=PIECE)
    parser.add_argument("--limit", type=float, default=3600.0, help="seconds after which no round begins")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--without", choices=sorted(GUARDS), default="", help="switch one guard off")
    parser.add_argument("--log", type=Path, help="a file for the figures")
    given = parser.parse_args()
    if given.fault:
        one(given)
    else:
        sys.exit(everything(given.log or Path("faults.jsonl"), given.seed))
