"""A restore rehearsed: backups while an office works, the office thrown away, and everything taken back.

    python -m tests.rehearsal            # SQLite; with DATABASE_URL=postgres://… a database of its own there

Real commands in processes of their own, as an operator types them. At the end the office is what the public
knows of it, and its log is one history.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from tests.kill import decide, office_of_its_own, prepare

ROOT = Path(__file__).resolve().parent.parent
BACKUPS = 3


def command(*arguments: str | Path, refused: bool = False) -> str:
    """Run a command of `manage.py` and return what it said; it has to succeed, or to be `refused`."""
    typed = [sys.executable, "manage.py", *map(str, arguments)]
    done = subprocess.run(typed, cwd=ROOT, capture_output=True, text=True)
    said = done.stdout + done.stderr
    if bool(done.returncode) is not refused:
        raise SystemExit(f"manage.py {' '.join(map(str, arguments))} ended with {done.returncode}:\n{said}")
    return said


@contextmanager
def at_work() -> Iterator[list[str]]:
    """Officials who decide one thing after the other, and the worker's recompute, until the block ends."""
    import random

    from django.db import connection
    from django.utils import timezone

    from players.models import Federation
    from ratings.recompute import recompute
    from ratings.signing import sign_due_checkpoints

    done, stop = list[str](), threading.Event()

    def work() -> None:
        office, rng = Federation.objects.get(), random.Random(7)
        for n in range(10_000):
            if stop.is_set():
                break
            done.append(decide(office, rng, date(2024, 6, 1) + timedelta(days=n)))
            recompute(office)
            sign_due_checkpoints(office, at=timezone.now())
        connection.close()

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield done
    finally:
        stop.set()
        worker.join()


def back_up_while_at_work(folder: Path) -> tuple[list[Path], int]:
    """Backups made while the office works; and how many decisions were made meanwhile."""
    made = []
    with at_work() as decided:
        while len(decided) < 2:
            time.sleep(0.05)
        for _each in range(BACKUPS):
            command("backup", folder)
            made.append(max(folder.glob("*.backup.zip")))
            time.sleep(1)  # a backup is named by its second
    return made, len(decided)


def throw_away() -> None:
    """Delete the folder with keys and secret, and the database."""
    from django.db import connections

    connections.close_all()
    shutil.rmtree(os.environ["VAR_DIR"])
    Path(os.environ["VAR_DIR"]).mkdir()
    if os.environ["DATABASE_URL"].startswith("postgres"):
        import psycopg

        address = urlsplit(os.environ["DATABASE_URL"])
        name = address.path.strip("/")
        with psycopg.connect(address._replace(path="/postgres").geturl(), autocommit=True) as server:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")
            server.execute(f"CREATE DATABASE {name}")


def run(folder: Path) -> None:
    prepare()
    from django.utils import timezone

    from players.models import Federation, Ledger
    from ratings.models import Checkpoint
    from ratings.signing import get_or_create_first_key, sign_due_checkpoints

    command("createcachetable")
    get_or_create_first_key(Federation.objects.get(), at=timezone.now())
    made, decided = back_up_while_at_work(folder)
    office = Federation.objects.get()
    sign_due_checkpoints(office, at=timezone.now() + timedelta(hours=36))
    copy, note = folder / "public.ndjson", folder / "checkpoint"
    command("export_journal", "csa", "-o", copy)
    newest = Checkpoint.objects.of(office).newest_first()[0]
    note.write_text(newest.served)
    throw_away()

    said = command("restore", made[1])
    assert "no differences" in said, said
    lines = Ledger.objects.get().facts
    assert lines < newest.size, "the office did nothing after the backup"
    command("log", "csa", "status", refused=True)
    command("log", "csa", "resume", note, refused=True)
    print(command("take_lines", "csa", copy, "--checkpoint", note).splitlines()[0])
    command("verify")
    again = folder / "again.ndjson"
    command("export_journal", "csa", "-o", again)
    assert again.read_bytes() == copy.read_bytes(), "the journal is not what the public knows"

    decide_more(office)
    command("recompute", "--pending")
    command("log", "csa", "sign")
    command("verify")
    command("export_journal", "csa", "-o", again)
    check = [sys.executable, "-m", "ratings.check", again, "--since", note, "--key", newest.key.vkey]
    subprocess.run(list(map(str, check)), cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    print(f"{len(made)} backups under {decided} decisions; restored, taken back, one history")


def decide_more(office: object) -> None:
    """Another day, with a list: something new to sign."""
    from players.models import Federation
    from ratings import publication

    publication.publish_list(federation=Federation.objects.get(), by=None, on=date(2100, 1, 1))


if __name__ == "__main__":
    with office_of_its_own(), tempfile.TemporaryDirectory() as place:
        os.environ["NO_BOOTSTRAP"] = "1"
        run(Path(place))
        print("OK")
