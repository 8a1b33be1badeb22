"""Kills whoever takes a past in: `python -m tests.history_kills --kills 100`.

Pasts of a few files go into offices on a database of its own, each into one, some by the worker and some by
the command. A child of this program takes one in and is killed (`kill -9`): before one of its writes
or commits, drawn by lot, or at a random moment; the next child goes on. After each kill the record is what it
was, or has the whole past; at the end each past stands in it once, and is what a replay gives.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.kill import office_of_its_own
from tests.pasts.people import SURNAMES, WOMEN
from tests.write_kills import killed_at

if TYPE_CHECKING:
    from players.models import Federation

FILES, PEOPLE = 3, 6
KNOWN = SURNAMES[:5]
"""Those who play in every section; a sixth comes anew."""
FIRST = date(2021, 1, 2)
LATEST_WRITE, LONGEST = 40, 2.5
"""The last write, and the seconds, within which a child is killed."""
MOST_TRIES = 60
Counts = dict[str, int]


def furnish() -> None:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def open_office(number: int) -> Federation:
    from players.appointments import create_office

    code, first = f"office-{number}", date(2020, 7, 1)
    return create_office(ruleset_slug="csa", code=code, official_email=f"nomsa{number}@example.org", on=first)


def counts() -> Counts:
    """The number of rows of each table that a past is written into; of its decision too."""
    from players.models import Decision, Ledger, Player
    from ratings.models import Fact, StatedPre
    from tournaments.models import Entry, Event, FiledSheet, Game, Section, Upload

    tables = (Player, Fact, StatedPre, Event, Section, Entry, Game, Upload, FiledSheet)
    found = {table.__name__: table.objects.count() for table in tables}
    found["lines that the ledger counts"] = sum(Ledger.objects.values_list("facts", flat=True))
    found["decisions"] = Decision.objects.filter(kind="take-history").count()
    return found


def past(number: int) -> dict[str, bytes]:
    """Event files of one month, behind that of the past before: the same people again, and new ones."""
    from tournaments.formats.sheet import SheetPlayer
    from tournaments.tests.histories import table, trf

    files = {}
    for place in range(FILES):
        day = FIRST.replace(year=FIRST.year + number // 12, month=1 + number % 12) + timedelta(days=3 * place)
        people = [
            SheetPlayer(0, f"{name}, {first}", name, first, sex="f", birth=date(1960 + at, 1 + at, 2))
            for at, (name, first) in enumerate(zip(KNOWN, WOMEN, strict=False))
        ]
        new, first = (
            SURNAMES[len(KNOWN) + (FILES * number + place) % 50],
            WOMEN[len(KNOWN) + (number + place) % 20],
        )
        birth = date(1970 + number, 1 + place, 3)
        people.append(SheetPlayer(0, f"{new}, {first}", new, first, sex="f", birth=birth))
        files[f"{place}.trf"] = trf(f"Open {number} {place}", day, people)
    every = {"file": "*", "region": "GAU", "platform": "otb"}
    files["table.csv"] = table(tuple(every), every)
    return files


def by_command(office: Federation, there: Path) -> None:
    from django.core.management import call_command

    with open(os.devnull, "w") as nowhere:
        call_command("take_history", office.code, str(there), stdout=nowhere)


def by_worker(office: Federation, there: Path) -> None:
    """What an official's upload, the worker and the official's word do, one after the other."""
    from django.utils import timezone

    from players import jobs
    from ratings.recompute import recompute
    from tournaments.history import confirm_history, pack_folder, receive_history

    on = timezone.localdate()
    history = receive_history(
        federation=office,
        by=None,
        at=timezone.now(),
        on=on,
        name=there.name,
        data=pack_folder(there),
        source="a test",
        own_line=None,
        table=("table.csv", (there / "table.csv").read_bytes()),
    )
    jobs.sweep("files")
    history.refresh_from_db()
    assert not history.outcome.get("open"), history.outcome["causes"]
    confirm_history(history=history, by=None, on=on, digest=history.digest)
    jobs.sweep("files")
    recompute(office)


def begun(deed: Callable[[], None], write: int, within: float) -> bool:
    """Have a child take a past in, killed before a write or after some seconds; return whether it was."""
    from django.db import connections

    connections.close_all()
    child = os.fork()
    if not child:
        status = 1
        try:
            if within:
                signal.setitimer(signal.ITIMER_REAL, within)  # nobody handles it: it ends a program at once
            with killed_at(write):
                deed()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended not in (0, -signal.SIGKILL, -signal.SIGALRM):
        raise SystemExit("a past could not be taken in, though nobody killed that child")
    return ended != 0


def free_leases() -> None:
    """Let nobody wait a minute for the dead: whoever held a lease is known to be gone."""
    from players.models import Ledger
    from tournaments.models import History

    Ledger.objects.update(heartbeat=None)
    History.objects.update(heartbeat=None, attempts=0)


def take(number: int, office: Federation, there: Path, rng: random.Random) -> int:
    """Take one past in, whatever happens; return how many kills there were."""
    from tournaments.tests.histories import folder

    folder(there, past(number))
    before, kills = counts(), 0
    deed = partial(rng.choice((by_command, by_worker)), office, there)
    for tried in range(MOST_TRIES):
        at_a_moment = rng.random() < 0.3
        last = tried == MOST_TRIES - 1
        write = 10**9 if at_a_moment or last else rng.randint(1, LATEST_WRITE)
        killed = begun(deed, write, rng.uniform(0.01, LONGEST) if at_a_moment and not last else 0.0)
        kills += killed
        free_leases()
        look(before, whole := counts(), number)
        if not killed:
            break
    assert whole["Section"] == before["Section"] + FILES, "a past is not in, though nobody was killed"
    return kills


def look(before: Counts, after: Counts, number: int) -> None:
    """SystemExit where a past is half in the record, or twice."""
    if after == before:
        return
    wanted = {
        "Section": FILES,
        "Event": FILES,
        "Upload": FILES,
        "FiledSheet": FILES,
        "Entry": FILES * PEOPLE,
        "Game": FILES * PEOPLE * (PEOPLE - 1) // 2,
        "decisions": 1,
    }
    grown = {name: after[name] - before[name] for name in wanted}
    if grown != wanted:
        raise SystemExit(f"past {number} is half written, or twice: {grown}")
    if after["Fact"] != after["lines that the ledger counts"]:
        raise SystemExit(f"past {number}: {after['Fact']} lines, and the ledger counts others")


def run(kills: int, seed: int) -> None:
    furnish()
    from ratings.verify import verify

    rng, made, offices, began = random.Random(seed), 0, list["Federation"](), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        while made < kills:
            offices.append(open_office(len(offices)))
            made += take(len(offices), offices[-1], Path(folder) / offices[-1].code, rng)
    for office in offices:
        if differences := verify(office).differences:
            raise SystemExit(f"what is stored is not what a replay gives: {differences}")
    print(
        f"seed {seed}: {made} kills, {len(offices)} pasts, each in the record once; equal to a replay; "
        f"{time.monotonic() - began:.0f} s",
        flush=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    if sys.platform == "win32":
        sys.exit("Windows forks nobody")
    with office_of_its_own():
        run(given.kills, given.seed)
