"""A region's file is read while the public's dump is drawn up: `python -m tests.lanes up`, or `servers`.

`up` runs `manage.py up` on a SQLite file of its own; `servers` the worker of files by its unit's command, on
the database of DATABASE_URL and a Redis of its own. The process that draws the dump is stopped in the middle,
as if the dump took for ever; with `--players 100000` it takes long enough by itself, and goes on. Meanwhile
another dump is asked for, and a file is uploaded. It has to be read within seconds, and afterwards both dumps
are drawn up.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tests.faults.servers import Redis
from tests.kill import office_of_its_own
from tests.ports import free_port

if TYPE_CHECKING:
    from players.models import Federation
    from tournaments.models import Section

ROOT = Path(__file__).resolve().parent.parent
READ_WITHIN = 5.0
"""The seconds within which a file is read, whatever the public asked for."""
BUSY = 12.0
"""The factor by which a machine that runs other tests too may be slower."""
STARTED_WITHIN, DRAWN_WITHIN = 240.0, 1800.0
LONG = 50_000
"""The players from which on a dump takes so long that nobody has to stop it."""


def until(what: str, holds: Callable[[], object], seconds: float, pause: float = 0.05) -> float:
    """Wait until something holds; return after how many seconds."""
    begun = time.monotonic()
    while not holds():
        if time.monotonic() - begun > seconds:
            raise SystemExit(f"not so, within {seconds:.0f} s: {what}")
        time.sleep(pause)
    return time.monotonic() - begun


# ------------------------------------------------------------------ the offices


def office(code: str, players: int) -> Federation:
    """An office with players, a rated section and a list, whose dump is due."""
    from players.models import Federation, Ledger, Player, Region
    from ratings.tests.office import approved, published, register, submitted

    made = Federation.objects.create(code=code, name=f"Office {code}", ruleset_slug="csa")
    Region.objects.create(federation=made, code="GAU", name="Gauteng")
    Ledger.objects.create(federation=made)
    some = register(made, 20)
    others = (
        Player(
            federation=made,
            number=str(102000000 + n),
            surname=f"Invented{n}",
            first_name="Person",
            sex="fm"[n % 2],
            born=1950 + n % 50,
            nation="RSA",
            region=some[0].region,
            name_key=f"invented{n}",
        )
        for n in range(players)
    )
    Player.objects.bulk_create(others, batch_size=2_000)
    day = date(2024, 3, 1)
    for number in (1, 2):
        approved(submitted(made, some, number=f"2024-00{number}", ends=day, seed=number))
    published(made, day + timedelta(days=31))
    return made


def section_to_file(of: Federation) -> Section:
    """A section that was played yesterday, for which the region has uploaded nothing yet."""
    from tournaments.models import Event, Section, Stage

    day = date.today() - timedelta(days=1)
    event = Event.objects.create(
        federation=of,
        number="2099-001",
        name="Soweto Open",
        region=of.regions.get(),
        starts=day,
        ends=day,
        registered_on=day - timedelta(days=30),
    )
    told = {"platform": "otb", "time_controls": [{"minutes": [90], "increment": 30}]}
    about = {"starts": day, "ends": day, "format": "swiss", "particulars": told}
    return Section.objects.create(event=event, code="A", name="A", stage=Stage.REGISTERED, **about)


# ------------------------------------------------------------------ the programs


@contextmanager
def started(command: list[str], environment: dict[str, str]) -> Iterator[int]:
    """A program in a group of its own; yield its number. Nothing of it is left behind."""
    told = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
    with (Path(os.environ["VAR_DIR"]) / "log").open("ab") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, env=told | environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        yield process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(60)
        for pid in (process.pid, *drawing_at(process.pid)):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
        process.wait()


def up() -> list[str]:
    return [sys.executable, "manage.py", "up", "--no-demo", "--port", str(free_port())]


def unit_of_files() -> list[str]:
    """The command line of the unit, with this Python."""
    unit = (ROOT / "deploy/systemd/office-files.service").read_text().replace("\\\n", " ")
    [line] = [each for each in unit.splitlines() if each.startswith("ExecStart=")]
    return [sys.executable, *shlex.split(line.partition("=")[2].replace("%%", "%"))[1:]]


def below(pid: int) -> list[int]:
    """The numbers of all processes that a process started, and those started."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, task.read_text().split()):
                found += [child, *below(child)]
    return found


def drawing_at(pid: int) -> list[int]:
    """The processes below one that have a dump in hand."""
    dumps = str(Path(os.environ["VAR_DIR"]) / "dumps")
    return [each for each in below(pid) if any(_opened(each, f"{dumps}/", "/dump.zip"))]


def _opened(pid: int, beginning: str, end: str) -> Iterator[bool]:
    with suppress(OSError):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                target = os.readlink(link)
                yield target.startswith(beginning) and target.endswith(end)


# ------------------------------------------------------------------ what is looked at


def run(players: int) -> None:
    """Look at the lanes of the office that DATABASE_URL and CELERY_BROKER_URL name."""
    from django.utils import timezone

    from ratings.dumps import find_dump
    from tournaments.models import Upload
    from tournaments.tests.event_files import open_file
    from tournaments.uploads import receive_file

    first, second = office("csa", players), office("second", 20)
    section = section_to_file(first)
    serving = "redis" in os.environ["CELERY_BROKER_URL"]
    with started(unit_of_files() if serving else up(), {"NO_BOOTSTRAP": "1", "WEB_PROCESSES": "1"}) as pid:
        until("the worker of files has begun", has_signed, STARTED_WITHIN)
        ask("draw_dump", first.pk)
        until("a dump is being drawn up", lambda: drawing_at(pid) or find_dump(first), DRAWN_WITHIN, 0.002)
        drawing = drawing_at(pid)
        if players < LONG:
            for each in drawing:
                os.kill(each, signal.SIGSTOP)
        if len(drawing) != 1 or find_dump(first):
            raise SystemExit(f"the dump was drawn before anybody could look: {drawing}")
        ask("draw_dump", second.pk)
        time.sleep(1)
        upload, _known = receive_file(
            section=section, by=None, at=timezone.now(), on=date.today(), name="a.txt", data=open_file()
        )
        read = Upload.objects.filter(pk=upload.pk, state=Upload.State.READ)
        waited = until("the file is read", read.exists, READ_WITHIN * BUSY)
        if drawing_at(pid) != drawing or find_dump(first):
            raise SystemExit("the dump was drawn up first")
        if find_dump(second):
            raise SystemExit("what the public asked for took the process that files wait for")
        print(
            f"a file was read in {waited:.1f} s while a dump of {players + 20} players was drawn up",
            flush=True,
        )
        for each in drawing:
            os.kill(each, signal.SIGCONT)
        took = until("the dump is drawn up", lambda: find_dump(first), DRAWN_WITHIN, 0.5)
        print(f"the dump was drawn up {took:.1f} s later", flush=True)
        if not find_dump(second):
            ask("draw_dump", second.pk)  # as the next sweep does
        until("the second dump is drawn up", lambda: find_dump(second), 60.0, 0.5)
    print("the second dump followed")


def ask(task: str, key: int) -> None:
    from celery import current_app as app

    app.send_task(f"ratings.tasks.{task}", args=(key,))


def has_signed() -> bool:
    from federation_site.watch import FILES, seconds_since_sign

    return seconds_since_sign(FILES) is not None


def main(how: str, players: int) -> None:
    with office_of_its_own():
        folder = Path(os.environ["VAR_DIR"])
        redis = Redis(folder) if how == "servers" else None
        os.environ["CELERY_BROKER_URL"] = redis.url if redis else "djangodb://localhost"
        os.environ |= {"OFFICE_LANGUAGE": "en", "SECRET_KEY": "a-key-of-this-run-alone-" * 3}
        try:
            import django
            from django.core.management import call_command

            django.setup()
            call_command("migrate", verbosity=0)
            call_command("createcachetable", verbosity=0)
            run(players)
        except SystemExit:
            print((folder / "log").read_text(errors="replace")[-4000:] if (folder / "log").exists() else "")
            raise
        finally:
            from django.db import connections

            connections.close_all()
            if redis:
                redis.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("how", choices=("up", "servers"))
    parser.add_argument("--players", type=int, default=3_000)
    options = parser.parse_args()
    main(options.how, options.players)
