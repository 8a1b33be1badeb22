"""One event file, from its bytes to findings: read in its box, matched against a large register, checked.

    python -m benchmarks.reading                              SQLite
    DATABASE_URL=postgres://… python -m benchmarks.reading    a scratch database on that server

500 players and 11 rounds in TRF16, an office of 100,000 players. Of the 500, a quarter come with their FIDE
id, the others by name and birth, some misspelt, some nobody yet. Prints medians, beside the bare parse of the
same bytes in the same run, and the most memory that a reading child held.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from benchmarks.scratch import database
from tournaments.formats import read_any, trf_writer
from tournaments.formats.sheet import Result, Sex, Sheet, SheetGame, SheetPlayer

if TYPE_CHECKING:
    from players.models import Federation, Player
    from tournaments.models import Section, Upload

REGISTERED, PLAYERS, ROUNDS, RUNS = 100_000, 500, 11, 5
DAY = date(2026, 3, 6)
STARTS = ("B", "D", "F", "G", "K", "L", "M", "N", "P", "R", "S", "T", "V", "Ch", "Mk", "Nd", "Ng", "Sh", "Zw")
VOWELS = "aeiou"
MIDDLES = ("b", "d", "k", "l", "m", "n", "r", "s", "t", "nd", "ng", "rt", "st", "th")
ENDS = ("", "a", "e", "i", "o", "er", "son", "ský", "ović", "wa", "ile", "sen")


def invented(rng: random.Random, parts: int) -> str:
    middle = "".join(rng.choice(MIDDLES) + rng.choice(VOWELS) for _ in range(parts))
    return rng.choice(STARTS) + rng.choice(VOWELS) + middle + rng.choice(ENDS)


def fill_register(office: Federation) -> None:
    """Register invented people: a few surnames are common, most are rare; one in four has a FIDE id."""
    from players.models import BirthDate, Identifier, Player
    from players.names import fold

    rng = random.Random(1)
    surnames = [invented(rng, 2) for _ in range(8_000)]
    weights = [1 / (rank + 3) for rank in range(len(surnames))]
    first_names = [invented(rng, 1) for _ in range(900)]
    named = rng.choices(surnames, weights, k=REGISTERED)
    people = [
        Player(
            federation=office,
            number=str(102_000_000 + n),
            surname=surname,
            first_name=rng.choice(first_names),
            sex=rng.choice("mmf"),
            born=rng.randint(1940, 2017),
            nation="RSA",
            name_key=fold(surname),
        )
        for n, surname in enumerate(named)
    ]
    made = Player.objects.bulk_create(people, batch_size=2_000)
    births = (BirthDate(player=p, day=date(p.born or 0, 1 + p.pk % 12, 1 + p.pk % 28)) for p in made)
    BirthDate.objects.bulk_create(births, batch_size=2_000)
    ids = (
        Identifier(federation=office, player=p, kind="fide", value=str(14_300_000 + n))
        for n, p in enumerate(made)
        if n % 4 == 0
    )
    Identifier.objects.bulk_create(ids, batch_size=2_000)


def event_file(office: Federation, seed: int) -> bytes:
    """The file of a Swiss of 500 players drawn from the register; every twentieth is not in it."""
    from players.models import Player

    rng = random.Random(seed)
    keys = list(Player.objects.filter(federation=office).values_list("pk", flat=True))
    chosen = Player.objects.filter(pk__in=rng.sample(keys, PLAYERS)).prefetch_related("identifiers")
    rows = [row_of(rng, number, player) for number, player in enumerate(chosen, 1)]
    games = [game for number in range(1, ROUNDS + 1) for game in round_of(rng, number)]
    halves = Counter(game.first if game.result == "1-0" else game.second for game in games)
    sheet = Sheet(
        name=f"Benchmark {seed}",
        starts=DAY,
        ends=DAY + timedelta(days=5),
        kind="Individual: Swiss-System",
        rounds=ROUNDS,
        rounds_played=ROUNDS,
        round_dates=tuple(DAY + timedelta(days=n // 2) for n in range(ROUNDS)),
        rows=tuple(replace(row, points=Decimal(halves[row.start_number])) for row in rows),
        games=tuple(games),
    )
    return trf_writer.write(sheet, "TRF16")


def row_of(rng: random.Random, number: int, player: Player) -> SheetPlayer:
    fide = next((known.value for known in player.identifiers.all()), None)
    surname, first_name, born = player.surname, player.first_name, player.born
    if number % 10 == 0:
        surname = surname[:2] + surname[3:]
    if number % 20 == 1:
        surname, fide, born = f"Newcomer{surname}", None, 2018
    sex: Sex = "f" if player.sex == "f" else "m"
    name = f"{surname}, {first_name}"
    return SheetPlayer(number, name, surname, first_name, sex, federation="RSA", identifier=fide, born=born)


def round_of(rng: random.Random, number: int) -> list[SheetGame]:
    seats = list(range(1, PLAYERS + 1))
    rng.shuffle(seats)
    results: tuple[Result, ...] = ("1-0", "0-1")
    pairs = zip(seats[::2], seats[1::2], strict=True)
    return [SheetGame(number, first, second, rng.choice(results)) for first, second in pairs]


def uploaded(office: Federation, data: bytes) -> Upload:
    """Store the file as an upload to a section registered for it, for the worker to claim."""
    from django.utils import timezone

    from tournaments.models import Event, Section, Upload

    number = f"2026-{Event.objects.count() + 1:03}"
    region = office.regions.first()
    assert region is not None
    days = {"starts": DAY, "ends": DAY + timedelta(days=5)}
    event = Event.objects.create(
        federation=office, number=number, name=number, region=region, registered_on=DAY, **days
    )
    particulars = {"platform": "otb", "time_controls": [{"minutes": [90], "increment": 30}]}
    section = Section.objects.create(
        event=event, code="A", name="A", format="swiss", rounds=ROUNDS, particulars=particulars, **days
    )
    return Upload.objects.create(
        federation=office,
        section=section,
        at=timezone.now(),
        on=DAY,
        name="section.trf",
        size=len(data),
        sha256=number,
        content=data,
    )


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and seconds of processors including child processes."""
    begun, worked = time.perf_counter(), processors()
    work()
    return time.perf_counter() - begun, processors() - worked


def processors() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def measure() -> None:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    from players import jobs
    from players.appointments import create_office
    from tournaments.box import read_boxed
    from tournaments.models import Section

    office = create_office(ruleset_slug="csa", official_email="nomsa@example.org", on=DAY)
    fill_register(office)
    bare: list[tuple[float, float]] = []
    boxed: list[tuple[float, float]] = []
    whole: list[tuple[float, float]] = []
    for run in range(RUNS + 1):
        data = event_file(office, run)
        upload = uploaded(office, data)
        figures = (
            timed(lambda: read_any(data)),  # noqa: B023 - called at once
            timed(lambda: read_boxed(data)),  # noqa: B023
            timed(lambda: jobs.run("uploads", upload.pk)),  # noqa: B023
        )
        if run:  # the first warms the database's cache
            for kept, figure in zip((bare, boxed, whole), figures, strict=True):
                kept.append(figure)
    tell(bare, boxed, whole, data=data)
    tell_matches(Section.objects.latest("pk"))


def tell(*measured: list[tuple[float, float]], data: bytes) -> None:
    clock = [statistics.median(seconds for seconds, _spent in kept) for kept in measured]
    spent = [statistics.median(spent for _seconds, spent in kept) for kept in measured]
    names = ("bare parse", "read in its box", "read, matched and checked")
    for name, seconds, of_processors in zip(names, clock, spent, strict=True):
        ratio = f"{seconds / clock[0]:.1f} times the parse"
        print(f"{name:<25} {seconds:6.2f} s, {of_processors:6.2f} s of processors, {ratio}")
    print(f"the reading child's peak  {peak_of_child(data):.0f} MB")


def peak_of_child(data: bytes) -> float:
    """Peak memory of a child that reads `data`. Its parent is small, as shared memory would count."""
    done = subprocess.run([sys.executable, "-c", READS], input=data, capture_output=True, check=True)
    return float(done.stdout)


READS = """
import resource, sys
from tournaments.box import read_boxed
assert read_boxed(sys.stdin.buffer.read()).sheet
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10))
"""


def tell_matches(section: Section) -> None:
    matches = Counter(section.entries.values_list("match", flat=True))
    print(", ".join(f"{count} {match}" for match, count in matches.most_common()))


if __name__ == "__main__":
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    given = os.environ.get("DATABASE_URL", "")
    server = given if given.startswith("postgres") else None
    print("PostgreSQL" if server else "SQLite", flush=True)
    with database(server) as address:
        os.environ["DATABASE_URL"] = address
        measure()
        if server:
            from django.db import connection

            connection.close()
    sys.exit()
