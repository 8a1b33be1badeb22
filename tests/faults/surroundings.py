"""Faults of what an office stands on: broker, database, disk, clock, and the pace of a worker.

Each function does one fault or some of a kind, ends them, and returns how many they were.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import date
from typing import TYPE_CHECKING

from tests.faults.kills import wait_for_fold
from tests.faults.servers import Postgres, Redis
from tests.faults.world import NotHere, World, set_clock

if TYPE_CHECKING:
    from tournaments.models import Section

AT_ONCE = 4
"""Faults of a kind in one round."""
DAY = 24 * 60 * 60


def redis_flushed(world: World) -> int:
    for _ in range(AT_ONCE):
        time.sleep(world.now(0.1, 1.0))
        redis_of(world).flush()
    return AT_ONCE


def redis_stalled(world: World) -> int:
    """Stop Redis until something was decided all the same: nobody waits for it for long."""
    for _ in range(AT_ONCE):
        time.sleep(world.now(0.1, 0.6))
        with redis_of(world).stalled():
            _decided_meanwhile(world, "Redis hangs")
            time.sleep(world.now(0.0, 2.0))
    return AT_ONCE


def redis_gone(world: World) -> int:
    """End Redis until something was decided all the same; of the last of these decisions no message told."""
    for made in range(1, AT_ONCE + 1):
        time.sleep(world.now(0.1, 0.6))
        redis_of(world).stop()
        _decided_meanwhile(world, "Redis is gone")
        if made == AT_ONCE:
            world.clerk.rest(30.0)
        redis_of(world).start()
    return AT_ONCE


def _decided_meanwhile(world: World, what: str) -> None:
    if not world.clerk.take(1, within=15.0):
        raise SystemExit(f"nothing is decided while {what}")


def database_ended(world: World) -> int:
    """End all connections to the database, at random moments and while something is folded."""
    for _ in range(AT_ONCE):
        time.sleep(world.now(0.1, 0.6))
        if world.rng.random() < 0.5:
            wait_for_fold(world)
        postgres_of(world).end_connections()
    return AT_ONCE


def database_ended_at_rest(world: World) -> int:
    """End all connections while nobody asks for anything: whoever comes next must not notice."""
    if not world.clerk.rest(30.0):
        raise SystemExit("the clerk's decision is not taken")
    refused = _refused(world)
    postgres_of(world).end_connections()
    time.sleep(0.5)
    world.clerk.work()
    if not world.clerk.take(6):
        raise SystemExit("nothing is decided after the connections' end")
    if (more := _refused(world) - refused) > 0:
        raise SystemExit(f"{more} requests were refused after the connections' end")
    return 1


def _refused(world: World) -> int:
    return sum(count for status, count in world.clerk.statuses.items() if status >= 500)


def database_stalled(world: World) -> int:
    for _ in range(AT_ONCE):
        time.sleep(world.now(0.1, 0.6))
        with postgres_of(world).stalled():
            time.sleep(world.now(0.3, 6.0))
    return AT_ONCE


def database_slow(world: World) -> int:
    wire = world.wire
    if wire is None:
        raise NotHere("SQLite has no connections")
    for _ in range(AT_ONCE):
        time.sleep(world.now(0.1, 0.6))
        wire.delay = world.now(0.01, 0.1)
        time.sleep(world.now(1.0, 5.0))
        wire.delay = 0.0
    return AT_ONCE


def database_locked(world: World) -> int:
    """Have another program hold what every decision locks; on SQLite now and then for longer than anybody
    waits for it.
    """
    for _ in range(AT_ONCE):
        time.sleep(world.now(0.1, 0.6))
        long = world.postgres is None and world.rng.random() < 0.05
        with _lock(world):
            time.sleep(world.now(20.5, 23.0) if long else world.now(0.3, 4.0))
    return AT_ONCE


@contextmanager
def _lock(world: World) -> Iterator[None]:
    if world.postgres is None:
        with closing(sqlite3.connect(world.folder / "db.sqlite3", timeout=30, isolation_level=None)) as held:
            held.execute(world.rng.choice(("BEGIN IMMEDIATE", "BEGIN EXCLUSIVE")))
            yield
            held.execute("ROLLBACK")
        return
    import psycopg

    with psycopg.connect(world.postgres.url) as held_by, held_by.transaction(force_rollback=True):
        held_by.execute("LOCK TABLE players_ledger IN ACCESS EXCLUSIVE MODE")
        yield


def read_only(world: World) -> int:
    for _ in range(AT_ONCE):
        time.sleep(world.now(0.1, 0.6))
        with _writing_refused(world):
            time.sleep(world.now(0.3, 4.0))
    return AT_ONCE


@contextmanager
def _writing_refused(world: World) -> Iterator[None]:
    if world.postgres is None:
        files = sorted(world.folder.glob("db.sqlite3*"))
        with suppress(FileNotFoundError):
            for path in files:
                path.chmod(0o400)
        world.folder.chmod(0o500)
        try:
            yield
        finally:
            world.folder.chmod(0o700)
            for path in files:
                with suppress(FileNotFoundError):
                    path.chmod(0o600)
        return
    world.postgres.ask("ALTER SYSTEM SET default_transaction_read_only = on")
    world.postgres.ask("SELECT pg_reload_conf()")
    try:
        yield
    finally:
        world.postgres.ask("ALTER SYSTEM RESET default_transaction_read_only")
        world.postgres.ask("SELECT pg_reload_conf()")


def disk_full(world: World) -> int:
    room = world.room
    assert room is not None
    for _ in range(AT_ONCE):
        time.sleep(world.now(0.1, 0.6))
        filler = room / "filler"
        try:
            _fill(filler)
            time.sleep(world.now(0.3, 4.0))
        finally:
            filler.unlink()
    return AT_ONCE


def _fill(path: os.PathLike[str]) -> None:
    with open(path, "wb", buffering=0) as file, suppress(OSError):
        for size in (1 << 20, 1 << 12):
            with suppress(OSError):
                while True:
                    file.write(b"x" * size)


def clock(world: World) -> int:
    """Set the office's clock a day forth or back, and right again; a worker may die in between."""
    place = world.clock
    assert place is not None
    for _ in range(AT_ONCE // 2):
        for ahead in (world.rng.choice((DAY, -DAY)), 0):
            time.sleep(world.now(0.3, 1.5))
            if world.rng.random() < 0.4:
                wait_for_fold(world)
                for each in world.house.children("worker"):
                    with suppress(ProcessLookupError):
                        os.kill(each.pid, signal.SIGKILL)
            world.clerk.ahead = ahead
            set_clock(place, ahead)
    return AT_ONCE


def worker_stopped(world: World) -> int:
    """Stop a worker's process in a fold for longer than it is waited for; another takes its work over, and
    then it wakes up.

    What it folded is of the past by then: another official rates a section before, and un-rates it meanwhile.
    """
    section = world.rng.choice(_of_others(world))
    _rate_anew(section)
    wait_for_fold(world, moment=0.2)
    found = world.house.children("worker")
    if not found:
        return 0
    stopped = world.rng.choice(found).pid
    with suppress(ProcessLookupError):
        os.kill(stopped, signal.SIGSTOP)
        time.sleep(world.now(5.5, 7.0))
        _unrate(section)
        world.clerk.take(4, within=8.0)  # the other process has something to do
        os.kill(stopped, signal.SIGCONT)
    return 1


def _of_others(world: World) -> list[Section]:
    """The sections that were rated once and are not the clerk's."""
    from tournaments.models import Section, Stage

    rated = Section.objects.filter(stage__in=(Stage.RATED, Stage.UNRATED), event__federation=world.office)
    others = rated.exclude(pk__in=[duty.pk for duty in world.clerk.duties])
    return list(others.select_related("event__federation"))


def _unrate(section: Section) -> None:
    """Un-rate a section as soon as no list is being drawn up."""
    from players.record import Refused

    for _ in range(150):
        with suppress(Refused):
            _unrate_at_once(section)
            return
        time.sleep(0.2)
    raise SystemExit(f"{section} cannot be un-rated: a list is being drawn up for half a minute")


def _unrate_at_once(section: Section) -> None:
    from ratings import approval

    approval.unrate(
        section=section,
        by=None,
        on=date.today(),
        version=section.version,
        reason="result",
        words="a test",
        after_list=True,
    )


def _rate_anew(section: Section) -> None:
    from ratings import approval
    from ratings.tests.office import submit_again
    from tournaments.models import Stage

    if section.stage == Stage.RATED:
        _unrate(section)
    submit_again(section, date.today())
    approval.approve(
        section=section, by=None, on=date.today(), version=section.version, despite_hints="a test"
    )
    section.refresh_from_db()


def answers_dropped(world: World) -> int:
    """Have the official press twice, and be gone before the first answer."""
    before = len(world.clerk.made)
    world.clerk.hasty = True
    world.clerk.take(AT_ONCE, within=60.0)
    world.clerk.hasty = False
    return len(world.clerk.made) - before


def redis_of(world: World) -> Redis:
    if world.redis is None:
        raise NotHere("the office has its broker in its database")
    return world.redis


def postgres_of(world: World) -> Postgres:
    if world.postgres is None:
        raise NotHere("SQLite has no connections")
    return world.postgres
