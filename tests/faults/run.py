"""One run of faults of a kind on an office of its own, and what must be so after each of them."""

from __future__ import annotations

import json
import re
import statistics
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta

from tests.faults import kills, surroundings
from tests.faults.world import World, world
from tests.kill import is_whole

WITHIN = 60.0
"""Seconds after a fault in which all must run, be decided and be worked out."""
FAILED_FOLD = re.compile(r"recompute of \w+ failed at .*")
"""What a worker logs of a fold whose failure it puts down to the rules."""
LOOK_EVERY = 15
"""Rounds after which what is stored is compared with a replay."""

FAULTS: dict[str, Callable[[World], int]] = {
    **kills.FAULTS,
    **{
        fault.__name__: fault
        for fault in (
            surroundings.redis_flushed,
            surroundings.redis_stalled,
            surroundings.redis_gone,
            surroundings.database_ended,
            surroundings.database_ended_at_rest,
            surroundings.database_stalled,
            surroundings.database_slow,
            surroundings.database_locked,
            surroundings.read_only,
            surroundings.disk_full,
            surroundings.clock,
            surroundings.worker_stopped,
            surroundings.answers_dropped,
        )
    },
}
ON_SERVERS_ALONE = {name for name in FAULTS if name.startswith("redis")} | {
    "database_ended",
    "database_ended_at_rest",
    "database_stalled",
    "database_slow",
}


@dataclass
class Figures:
    """What one run measured."""

    fault: str
    database: str
    seed: int
    faults: int = 0
    decisions: int = 0
    statuses: dict[str, int] = field(default_factory=dict)
    stored_though_refused: int = 0
    seconds: list[float] = field(default_factory=list)
    """From the end of each round's faults until all was whole and worked out."""
    starts: list[float] = field(default_factory=list)
    """From each start of `up` until the office answered."""

    def line(self) -> str:
        told = {**self.__dict__, "longest": max(self.seconds, default=0.0)}
        told["median"] = statistics.median(self.seconds) if self.seconds else 0.0
        told["starts"], told["longest_start"] = len(self.starts), max(self.starts, default=0.0)
        del told["seconds"]
        return json.dumps(
            {key: round(each, 1) if isinstance(each, float) else each for key, each in told.items()}
        )


def run(fault: str, *, count: int, seed: int, without: str = "", limit: float = 3600.0) -> Figures:
    """Do faults of a kind until there were `count`, or for `limit` seconds; SystemExit says what is wrong."""
    with world(fault, seed, without) as here:
        figures = Figures(fault, "PostgreSQL" if here.postgres else "SQLite", seed)
        try:
            do(here, figures, count, limit)
        except SystemExit:
            print(here.house.log()[-6000:], flush=True)
            raise
    return figures


def do(here: World, figures: Figures, count: int, limit: float) -> None:
    rounds = 0
    settle(here, "the start")
    until = time.monotonic() + limit
    while figures.faults < count and time.monotonic() < until:
        rounds += 1
        publish(here, rounds)
        here.clerk.work()
        figures.faults += FAULTS[figures.fault](here)
        figures.seconds.append(settle(here, figures.fault))
        print(f"{figures.faults:>4} {figures.fault}: whole after {figures.seconds[-1]:.1f} s", flush=True)
        if rounds % LOOK_EVERY == 0:
            look(here)
    end(here, figures)


def publish(here: World, rounds: int) -> None:
    """Publish a list of a new day now and then, so that there are some that later decisions alter."""
    from players.record import Refused
    from ratings import publication

    if rounds % 4 == 1:
        try:
            publication.publish_list(
                federation=here.office, by=None, on=date.today() + timedelta(days=rounds // 4 + 2)
            )
        except Refused as refused:
            raise SystemExit(f"no list could be published: {refused}") from refused


def settle(here: World, fault: str) -> float:
    """Wait until the office is whole, the clerk's decision is taken and all is worked out."""
    from players.models import Ledger

    began = time.monotonic()

    def left() -> float:
        return WITHIN - (time.monotonic() - began)

    here.house.wait(f"whole, after {fault}", WITHIN, here.house.is_whole)
    here.house.wait(f"each worker does what it is told, after {fault}", left(), told())
    if not here.clerk.rest(left()):
        ledger = Ledger.objects.filter(federation=here.office).values().first()
        told_last = f"{dict(here.clerk.statuses)}, {here.clerk.last_refusal!r}, {ledger}"
        raise SystemExit(f"a decision is not taken {WITHIN:.0f} s after {fault}: {told_last}")
    while Ledger.objects.pending().exists():
        if left() < 0:
            raise SystemExit(f"not worked out {WITHIN:.0f} s after {fault}: {Ledger.objects.values()[0]}")
        time.sleep(0.1)
    if words := Ledger.objects.get().last_error:
        raise SystemExit(f"{fault} is told as a failing rule: {words}")
    # A worker whose work another has done meanwhile writes nothing to the ledger, wherever it failed.
    if failures := FAILED_FOLD.findall(here.house.log()):
        raise SystemExit(f"a fold failed in {fault}: {failures[-1]}")
    return time.monotonic() - began


def told() -> Callable[[], bool]:
    """Tell each worker to give a sign of life, and again; return whether each has given one since."""
    from django.db import DatabaseError

    from federation_site.celery import app
    from federation_site.models import SignOfLife
    from federation_site.watch import FILES, WORKER

    names = (WORKER, FILES)

    def signs() -> dict[str, object]:
        return dict(SignOfLife.objects.filter(name__in=names).values_list("name", "at"))

    before, asked = signs(), 0.0

    def given() -> bool:
        nonlocal asked
        if time.monotonic() - asked > 2:
            asked = time.monotonic()
            with suppress(DatabaseError, OSError):
                app.send_task("federation_site.tasks.give_sign")
                app.send_task("federation_site.tasks.give_sign_of_files")
        now = signs()
        return all(now.get(name) != before.get(name) for name in names)

    return given


def look(here: World) -> None:
    if problems := is_whole(here.office):
        raise SystemExit(f"what is stored is not what the fold makes of it: {problems}")
    if (made := here.clerk.made) != (recorded := here.clerk.recorded()):
        first = next(
            (n for n, pair in enumerate(zip(made, recorded, strict=False)) if len(set(pair)) > 1), -1
        )
        raise SystemExit(
            f"{len(made)} decisions were acknowledged, {len(recorded)} are stored; first to differ: {first}"
        )


def end(here: World, figures: Figures) -> None:
    from ratings.verify import verify

    look(here)
    figures.decisions, figures.starts = len(here.clerk.made), here.house.starts
    figures.statuses = {str(status): count for status, count in sorted(here.clerk.statuses.items())}
    figures.stored_though_refused = here.clerk.stored_though_refused
    if differences := here.verify() if here.clock else verify(here.office).differences:
        raise SystemExit(f"what is stored is not what a replay gives: {differences}")
    if here.clerk.stored_though_refused:
        print(f"{here.clerk.stored_though_refused} decisions were stored though an error was answered")
