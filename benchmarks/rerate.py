"""Re-rating everything on PostgreSQL, against bare COPY of the rows it writes.

    DATABASE_URL=postgres://… python -m benchmarks.rerate [GAMES …]        default: 10000 100000 1000000

For each size, in one run: a generated office is computed, its first section is un-rated, and the recompute
that follows (everything after it) is timed and its memory read, in a process of its own. Then the very rows
that it wrote go by bare COPY into empty tables of the same shape with the same indexes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from benchmarks.scratch import database, fill, peak_megabytes

TABLES = ("ratings_change", "ratings_standing")
COLUMNS = (
    "SELECT column_name FROM information_schema.columns WHERE table_name = %s AND column_name <> 'id' "
    "ORDER BY ordinal_position"
)
INDEXES = "SELECT indexdef FROM pg_indexes WHERE tablename = %s"


def prepare(games: int) -> None:
    """Compute a generated office, and un-rate its first section; `rerate` does the recompute."""
    office = fill(games, None)
    from ratings import approval
    from ratings.models import Fact
    from ratings.recompute import recompute

    recompute(office)
    first = (
        Fact.objects.filter(kind="rated").select_related("section__event__federation").order_by("number")[0]
    )
    newest = Fact.objects.filter(on__isnull=False).latest("number").on
    if first.section is None or newest is None:
        raise LookupError("a generated journal begins with a rated section")
    approval.unrate(
        section=first.section,
        by=None,
        on=newest + timedelta(days=1),
        version=first.section.version,
        reason="result",
        words="a benchmark",
        after_list=True,
    )


def rerate() -> None:
    """Do the recompute that `prepare` left to do; print its seconds, peak megabytes and number of changes."""
    import django

    django.setup()
    from players.models import Federation
    from ratings.models import Change
    from ratings.recompute import recompute

    begun = time.perf_counter()
    recompute(Federation.objects.get())
    print(time.perf_counter() - begun, peak_megabytes(), Change.objects.count())


def floor(address: str) -> tuple[float, float]:
    """Seconds to write the recomputed rows by bare COPY: into tables with indexes, and indexed afterwards."""
    import psycopg

    live = after = 0.0
    with psycopg.connect(address, autocommit=True) as connection, tempfile.TemporaryDirectory() as folder:
        for table in TABLES:
            rows = Path(folder, table)
            columns = ", ".join(f'"{name}"' for (name,) in connection.execute(COLUMNS, [table]))
            with (
                rows.open("wb") as file,
                connection.cursor().copy(f"COPY {table} ({columns}) TO STDOUT") as copy,
            ):
                file.writelines(copy)
            live += _copied(connection, table, columns, rows, "INCLUDING ALL", [])
            indexes = [definition for (definition,) in connection.execute(INDEXES, [table])]
            after += _copied(
                connection, table, columns, rows, "INCLUDING IDENTITY INCLUDING DEFAULTS", indexes
            )
    return live, after


def _copied(connection, table, columns, rows, including, indexes) -> float:  # type: ignore[no-untyped-def]
    connection.execute(f"CREATE TABLE floor (LIKE {table} {including})")
    begun = time.perf_counter()
    with connection.transaction():
        with rows.open("rb") as file, connection.cursor().copy(f"COPY floor ({columns}) FROM STDIN") as copy:
            while chunk := file.read(1 << 20):
                copy.write(chunk)
        for number, definition in enumerate(indexes):
            words = definition.replace(f"public.{table} ", "public.floor ", 1).split(" INDEX ", 1)
            connection.execute(f"{words[0]} INDEX floor_{number} ON {words[1].split(' ON ', 1)[1]}")
    seconds = time.perf_counter() - begun
    connection.execute("DROP TABLE floor")
    return seconds


def run(games: int, server: str) -> None:
    with database(server) as address:
        os.environ["DATABASE_URL"] = address
        subprocess.run([sys.executable, "-m", "benchmarks.rerate", "--prepare", str(games)], check=True)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.rerate", "--rerate"],
            check=True,
            capture_output=True,
            text=True,
        )
        seconds, megabytes, changes = map(float, done.stdout.split())
        live, after = floor(address)
    print(
        f"{games:>9,} games: {seconds:7.2f} s, {changes:>9,.0f} changes, {games / seconds:7,.0f} games/s, "
        f"peak {megabytes:5.0f} MB; bare COPY {live:6.2f} s with indexes in place (ratio "
        f"{seconds / live:.1f}), {after:6.2f} s with indexes after (ratio {seconds / after:.1f})",
        flush=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--prepare", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--rerate", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.prepare:
        prepare(options.prepare)
    elif options.rerate:
        rerate()
    else:
        address = os.environ.get("DATABASE_URL", "")
        if not address.startswith("postgres"):
            parser.error("set DATABASE_URL to a PostgreSQL server on which databases may be made")
        for size in options.games:
            run(size, address)
