"""Taking a past in: event files read in boxes and matched with the register, then written and rated.

    python -m benchmarks.history [FILES …]                         SQLite; default: 50 100 200
    python -m benchmarks.history --world FILES                     a past like the world's archive of othello
    DATABASE_URL=postgres://… python -m benchmarks.history

Each file is a section of 40 players and 9 rounds, drawn from a register of 20,000; one entry in twenty is
misspelt, one in ten has no id. Each size runs in a process of its own.

The world's past (`benchmarks.world_past`) goes in by the command in three batches, the newest first; what
blocks a file leaves it out, the likeliest answers are taken, and each game in the database is held against
the play.

Before each step, and at the end, a fixed loop is timed; on an idle machine it takes the same each time. Its
slowest time by its quickest, and the processor's seconds of writing and rating, tell a busy machine apart.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from benchmarks.scratch import database, peak_megabytes
from benchmarks.world_past import WorldFile, make_files, make_table
from tournaments.formats import trf_writer
from tournaments.formats.sheet import Sheet, SheetGame, SheetPlayer

PLAYERS, ENTRIES, ROUNDS = 20_000, 40, 9
FIRST = date(2021, 1, 2)
SYLLABLES = ("ba", "do", "ka", "le", "mo", "ni", "pu", "ra", "so", "tse", "vi", "zu")
COLUMNS = b"file,region,platform\r\n*,GAU,otb\r\n"


def name_of(number: int) -> tuple[str, str]:
    """An invented surname and first name: some 5,000 surnames, each with a few bearers."""
    rng = random.Random(number % 5_000)
    surname = "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(3, 4))).capitalize()
    own = random.Random(number)
    return surname, "".join(own.choice(SYLLABLES) for _ in range(3)).capitalize()


def fill_register(players: int) -> None:
    """An empty office with a register."""
    from django.utils import timezone

    from players.appointments import create_office
    from players.models import Identifier, Player
    from players.names import fold

    office = create_office(
        ruleset_slug="csa", code="csa", official_email="nomsa@example.org", on=timezone.localdate()
    )
    region = office.regions.get(code="GAU")
    rows = []
    for n in range(players):
        surname, first_name = name_of(n)
        particulars = {"sex": "mf"[n % 2], "born": 1950 + n % 60, "nation": "RSA", "region": region}
        rows.append(
            Player(
                federation=office,
                number=str(101_000_001 + n),
                surname=surname,
                first_name=first_name,
                name_key=fold(surname),
                **particulars,
            )
        )
    Player.objects.bulk_create(rows, 2_000)
    Identifier.objects.bulk_create(
        (
            Identifier(federation=office, player=row, kind="fide", value=str(14_000_000 + n))
            for n, row in enumerate(rows)
        ),
        2_000,
    )


def archive(files: int) -> bytes:
    """A ZIP of so many event files, with the table beside them."""
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as written:
        written.writestr("table.csv", COLUMNS)
        for number in range(files):
            written.writestr(f"{number // 100:03}/{number:05}.trf", event_file(number))
    return packed.getvalue()


def event_file(number: int) -> bytes:
    """A TRF16 of a section of invented results; the same number gives the same bytes."""
    rng = random.Random(number)
    day = FIRST + timedelta(days=number * 1_900 // 1_000)
    people = rng.sample(range(PLAYERS), ENTRIES)
    games: list[SheetGame] = []
    points = dict.fromkeys(range(1, ENTRIES + 1), Decimal(0))
    for round_ in range(1, ROUNDS + 1):
        seats = list(range(1, ENTRIES + 1))
        rng.shuffle(seats)
        for one, other in zip(seats[::2], seats[1::2], strict=True):
            result, scored = rng.choice((("1-0", (1, 0)), ("0-1", (0, 1)), ("1/2", (0.5, 0.5))))
            games.append(SheetGame(round_, one, other, result))  # type: ignore[arg-type]
            points[one] += Decimal(str(scored[0]))
            points[other] += Decimal(str(scored[1]))
    rows = tuple(replace(_row(rng, seat, who), points=points[seat]) for seat, who in enumerate(people, 1))
    sheet = Sheet(
        dialect="TRF16",
        family="trf",
        name=f"Open {number}",
        city="Soweto",
        federation="RSA",
        starts=day,
        ends=day,
        kind="Individual: Swiss-System",
        time_text="90 minutes + 30 seconds per move",
        rounds=ROUNDS,
        rounds_played=ROUNDS,
        round_dates=(day,) * ROUNDS,
        rows=rows,
        games=tuple(games),
    )
    return trf_writer.write(sheet)


def _row(rng: random.Random, seat: int, who: int) -> SheetPlayer:
    surname, first_name = name_of(who)
    if rng.random() < 0.05:
        surname = surname[:-1] + rng.choice("aeiou") + surname[-1]
    known = rng.random() < 0.9
    return SheetPlayer(
        seat,
        f"{surname}, {first_name}",
        surname,
        first_name,
        sex="f" if who % 2 else "m",
        identifier=str(14_000_000 + who) if known else None,
        born=1950 + who % 60,
    )


REFERENCES: list[float] = []
"""Seconds that the fixed loop took, each time."""


def refer() -> None:
    """Time a loop that never changes."""
    begun = time.perf_counter()
    sum(number * number % 7 for number in range(1_000_000))
    REFERENCES.append(time.perf_counter() - begun)


def seconds(deed: Callable[[], object]) -> float:
    refer()
    begun = time.perf_counter()
    deed()
    return time.perf_counter() - begun


def both_seconds(deed: Callable[[], object]) -> tuple[float, float]:
    """The seconds of a deed by the clock, and of this process's processor."""
    begun = time.process_time()
    return seconds(deed), time.process_time() - begun


def measure(files: int) -> Iterator[float]:
    """Yield seconds: read; matched and checked; written, and of the processor; rated, and of the processor.
    Then megabytes: this process, and its largest child; how many entries were left to be asked about; and
    how many times as long as the quickest the slowest fixed loop took.
    """
    from django.utils import timezone

    from players import jobs
    from players.models import Federation
    from ratings.recompute import recompute
    from tournaments.history import answer, confirm_history, read_history, receive_history
    from tournaments.models import HistoryAnswer, HistoryState

    fill_register(PLAYERS)
    office, on, at = Federation.objects.get(), timezone.localdate(), timezone.now()
    data = archive(files)
    history = receive_history(
        federation=office, by=None, at=at, on=on, name="past.zip", data=data, source="past", own_line=None
    )
    job = jobs.claim_step("histories", history.pk)
    assert job is not None
    yield seconds(lambda: read_history(job))
    yield seconds(lambda: jobs.run("histories", history.pk))
    history.refresh_from_db()
    asked = len(history.outcome.get("asked", []))  # type: ignore[arg-type]
    answer(
        history=history,
        by=None,
        at=at,
        on=on,
        answers=[HistoryAnswer(kind="person", subject="*", value="best")],
    )
    jobs.run("histories", history.pk)
    history.refresh_from_db()
    confirm_history(history=history, by=None, on=on, digest=history.digest)
    yield from both_seconds(lambda: jobs.run("histories", history.pk))
    yield from both_seconds(lambda: recompute(office))
    history.refresh_from_db()
    assert history.state == HistoryState.WRITTEN, history.outcome
    yield peak_megabytes()
    yield resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    yield asked
    refer()
    yield max(REFERENCES) / min(REFERENCES)


BATCHES = 3
MANAGE = Path(__file__).parent.parent / "manage.py"


def take_world_in(count: int) -> None:
    """Take the world's past in by the command, and print of each call the processor's seconds, with those of
    its boxes, and the peak of its memory.
    """
    from django.utils import timezone

    from players.appointments import create_office
    from tournaments.models import Game, History

    def take(what: str, folder: Path, batch: list[WorldFile], out: set[str], *options: str) -> None:
        (folder / "table.csv").write_bytes(make_table(batch, out))
        command = [sys.executable, str(MANAGE), "take_history", "pfo", str(folder), *options]
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _pid, status, used = os.wait4(child.pid, 0)
        if status:
            raise SystemExit(f"{what}: the command failed")
        print(f"{what}: {used.ru_utime + used.ru_stime:.0f} CPU s, {used.ru_maxrss // 1024} MB", flush=True)

    office = create_office(
        ruleset_slug="pfo", code="pfo", official_email="nomsa@example.org", on=timezone.localdate()
    )
    files = list(make_files(count))
    size = -(-count // BATCHES)
    with tempfile.TemporaryDirectory() as there:
        batches = {
            Path(there) / f"from-{at}": files[at : at + size] for at in reversed(range(0, count, size))
        }
        for folder, batch in batches.items():
            for each in batch:
                (folder / each.name).parent.mkdir(parents=True, exist_ok=True)
                (folder / each.name).write_bytes(each.content)
            take(f"read and check {len(batch)}", folder, batch, set(), "--dry-run", "--answer", "person=best")
        outcome: Any = History.objects.get().outcome
        for cause in outcome["causes"]:
            print(f"{cause['level']:7} {cause['count']:6} × {cause['key']}: {cause['words'][:90]}")
        out = {file.rpartition("/")[2] for cause in outcome["causes"] for file in cause["files"]}
        *others, last = batches
        for folder in others:
            take("check again", folder, batches[folder], out, "--dry-run")
        take("check again and write", last, batches[last], out)
    read: dict[str, Counter[tuple[int, int, str]]] = defaultdict(Counter)
    columns = ("section__uploads__name", "first__filed_id", "second__filed_id", "result")
    rows = Game.objects.filter(section__event__federation=office).values_list(*columns)
    for name, first, second, result in rows.iterator(10_000):
        read[name.rpartition("/")[2]][int(first), int(second), result] += 1
    differ = sum(read[each.bare_name] != Counter(each.games) for each in files if each.readable)
    print(f"{len(read)} of {count} files, {len(out)} left out; {differ} have another game than was played")


def run_here(files: int, world: int) -> None:
    with database(os.environ.get("DATABASE_URL")) as address:
        os.environ["DATABASE_URL"] = address
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        if world:
            take_world_in(world)
            return
        print(" ".join(f"{value:.1f}" for value in measure(files)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history", description=__doc__)
    parser.add_argument("files", type=int, nargs="*", default=[50, 100, 200])
    parser.add_argument("--world", type=int, default=0, metavar="FILES")
    parser.add_argument("--here", action="store_true", help="one size, in this process")
    given = parser.parse_args()
    if given.here or given.world:
        run_here(given.files[0], given.world)
        return
    columns = ("files", "read s", "check s", "write s", "CPU s", "rate s", "CPU s", "MB", "MB of a box")
    print(" | ".join((*columns, "asked", "busy")))
    for files in given.files:
        command = [sys.executable, "-m", "benchmarks.history", str(files), "--here"]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        print(" | ".join([str(files), *told]), flush=True)


if __name__ == "__main__":
    main()
