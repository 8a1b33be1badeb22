"""Kills the worker at random moments and looks at what is left: `python -m tests.kill --rounds 50`.

Real processes on a database of its own: one that decides (this one), and a Celery worker with two children
that is killed with all of them (`kill -9` of its process group). After every kill what is stored must be
exactly what the fold makes of the facts marked as folded; at the end the office drains and equals a replay.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from players.models import Federation

SECTIONS = 40
RATED_AT_FIRST = 20
PLAYERS = 24
DRAINED_WITHIN = 90.0
"""Seconds: a claim that died counts for some, and the sweep comes every 30."""


@contextmanager
def office_of_its_own() -> Iterator[None]:
    """Settings for a scratch database: a new SQLite file, or a new database on the server of DATABASE_URL."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VAR_DIR"] = folder
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "federation_site.settings")
        server = os.environ.get("DATABASE_URL", "")
        if not server.startswith("postgres"):
            os.environ["DATABASE_URL"] = f"sqlite:///{folder}/db.sqlite3"
            yield
            return
        import psycopg

        name = f"kill_{os.getpid()}"
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
            os.environ["DATABASE_URL"] = urlsplit(server)._replace(path=f"/{name}").geturl()
            try:
                yield
            finally:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


class Worker:
    """A Celery worker as `up` starts it, in a session of its own."""

    def __init__(self) -> None:
        command = [
            sys.executable,
            "-m",
            "celery",
            "-A",
            "federation_site",
            "worker",
            "-c",
            "2",
            "-l",
            "ERROR",
        ]
        self.process = subprocess.Popen(
            [*command, "--without-gossip", "--without-mingle"],
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def kill(self) -> None:
        if self.process.returncode is not None:
            return
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def prepare(sections: int = SECTIONS, rated: int = RATED_AT_FIRST) -> Federation:
    """An office with submitted sections, of which some are approved; nothing is computed yet."""
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    from players.models import Federation, Ledger, Region
    from ratings import approval
    from ratings.tests.office import FIRST, register, submitted

    office = Federation.objects.create(code="csa", name="Chess South Africa", ruleset_slug="csa")
    Region.objects.create(federation=office, code="GAU", name="Gauteng")
    Ledger.objects.create(federation=office)
    players = register(office, PLAYERS)
    for n in range(sections):
        section = submitted(
            office, players, number=f"2024-{n:03}", ends=FIRST + timedelta(days=n), rounds=9, seed=n
        )
        if n < rated:
            approval.approve(section=section, by=None, on=FIRST + timedelta(days=n), version=0)
    return office


def decide(office: Federation, rng: random.Random, on: date) -> str:
    """One random decision of an official: approve, un-rate, or publish."""
    from players.record import Refused
    from ratings import approval, publication
    from ratings.tests.office import submit_again
    from tournaments.models import Section, Stage

    kind = rng.choice(("approve", "approve", "approve", "unrate", "unrate", "publish"))
    stage = Stage.RATED if kind == "unrate" else Stage.SUBMITTED
    sections = list(Section.objects.filter(stage=stage).select_related("event__federation").order_by("pk"))
    try:
        if kind == "publish":
            publication.publish_list(federation=office, by=None, on=on)
        elif sections and kind == "approve":
            section = sections[0]
            approval.approve(section=section, by=None, on=on, version=section.version, despite_hints="a test")
        elif sections:
            section = rng.choice(sections)
            approval.unrate(
                section=section,
                by=None,
                on=on,
                version=section.version,
                reason="result",
                words="a test",
                after_list=True,
            )
            submit_again(section, on)
    except Refused:
        return f"{kind} refused"
    return kind


def is_whole(office: Federation) -> list[str]:
    """What is stored against the fold of the facts marked as folded, read in one snapshot."""
    from django.db import connection, transaction

    from ratings.journal import build_foldable_fact
    from ratings.models import Change, Fact, Standing
    from ratings.rulesets.facts import State

    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        rows = Fact.objects.filter(federation=office).exclude(folded="").select_related("takes", "federation")
        facts = [build_foldable_fact(row) for row in rows.order_by("order")]
        stored = {
            (number, track): (rating, text)
            for number, track, rating, text in Standing.objects.values_list(
                "player__number", "track", "rating", "state"
            )
        }
        changes = Change.objects.count()
    state: State[Any] = State()
    made = 0
    for _fact, moved, after in office.ruleset.fold(facts):
        state, made = after, made + len(moved)
    dump = office.ruleset.storage.dump
    expected = {key: (standing.rating, dump(standing)) for key, standing in state.standings.items()}
    problems = [] if stored == expected else [f"{len(stored)} standings are not the fold's {len(expected)}"]
    return problems if changes == made else [*problems, f"{changes} changes stored, {made} made"]


def wait_until_drained() -> float:
    from players.models import Ledger

    begun = time.monotonic()
    while Ledger.objects.pending().exists():
        if time.monotonic() - begun > DRAINED_WITHIN:
            raise SystemExit(f"still pending after {DRAINED_WITHIN:.0f} s: {Ledger.objects.get()}")
        time.sleep(0.2)
    return time.monotonic() - begun


def run(rounds: int, seed: int) -> int:
    """Returns how many kills found work under way; raises SystemExit with what is wrong."""
    rng, office, midway = random.Random(seed), prepare(), 0
    from players.models import Ledger
    from ratings.verify import verify

    worker = Worker()
    try:
        for n in range(rounds):
            on = date(2024, 6, 1) + timedelta(days=n)
            decisions = [decide(office, rng, on) for _ in range(rng.randint(1, 3))]
            time.sleep(rng.uniform(0.5, 4.5))
            worker.kill()
            pending = Ledger.objects.pending().exists()
            midway += pending
            problems = is_whole(office)
            when = "midway" if pending else "idle"
            print(f"{n + 1}: {', '.join(decisions)}; killed {when}; {problems or 'whole'}", flush=True)
            if problems:
                raise SystemExit(f"seed {seed}, round {n + 1}: {problems}")
            worker = Worker()
        waited = wait_until_drained()
    finally:
        worker.kill()
    report = verify(office)
    if report.differences:
        raise SystemExit(f"seed {seed}: {report.differences}")
    print(f"{rounds} kills, {midway} with work pending; drained in {waited:.1f} s")
    print(f"{report.changes} changes equal a replay")
    return midway


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with office_of_its_own():
        run(options.rounds, options.seed)
