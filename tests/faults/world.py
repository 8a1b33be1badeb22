"""An office of its own with everything around it that a fault can hurt."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.faults.servers import OFFICE, Postgres, Redis, Wire
from tests.kill import office_of_its_own, prepare
from tests.kill_up import ROOT, House

if TYPE_CHECKING:
    from players.models import Federation
    from tests.faults.clerk import Clerk

RIGHTS = "-dac_override,-dac_read_search,-fowner"
"""What lets root write where nobody may; without it the office is held to the rights of its files."""
ROOM = 200
"""Megabytes of a disk that is to be full."""
FOLD_PAUSE = "0.01"
DECIDED = {
    "killed_unrating": ("unrate",),
    "killed_correcting": ("correct",),
    "killed_publishing_again": ("correct", "revise"),
}
"""What the clerk decides of rated sections where kills are to meet the last of these kinds of decisions."""


class NotHere(Exception):
    """This machine, or this database, cannot show the fault."""


@dataclass
class World:
    folder: Path
    rng: random.Random
    house: House
    office: Federation
    clerk: Clerk
    redis: Redis | None = None
    postgres: Postgres | None = None
    wire: Wire | None = None
    clock: Path | None = None
    """A file that says by how much the office's clock is ahead."""
    room: Path | None = None
    """A folder on the disk that is to be full."""

    def verify(self) -> list[str]:
        """Verify by the office's own clock, two days on: what was signed while it was ahead is past then."""
        assert self.clock is not None
        set_clock(self.clock, 2 * 24 * 60 * 60)
        command = [sys.executable, str(ROOT / "manage.py"), "verify", self.office.code]
        told = {**os.environ, **self.house.settings}
        done = subprocess.run(command, cwd=ROOT, env=told, capture_output=True, text=True, check=False)
        return done.stderr.splitlines() if done.returncode else []

    def now(self, low: float, high: float) -> float:
        return self.rng.uniform(low, high)


@contextmanager
def world(kind: str, seed: int, without: str) -> Iterator[World]:
    """Open an office that is ready for faults of a kind."""
    from tests.faults.clerk import Clerk

    with ExitStack() as stack:
        on_servers = os.environ.get("DATABASE_URL", "").startswith("postgres")
        room = _room_for_tables(stack) if on_servers and kind == "disk_full" else None
        stack.enter_context(office_of_its_own())
        folder = Path(os.environ["VAR_DIR"])
        postgres = Postgres() if on_servers else None
        if room:
            Postgres().move_to(room)
        elif kind == "disk_full":
            room = _mount(stack, folder)
        redis = _redis(stack, folder) if on_servers else None
        house = House(folder, without=without, within=60.0)
        wire = Wire(postgres.url) if postgres else None
        house.settings = {"FOLD_PAUSE": "0.3" if kind == "killed_in_the_last_fold" else FOLD_PAUSE}
        if wire:
            house.settings |= {"DATABASE_URL": wire.url, "PGAPPNAME": OFFICE}
        clock = _clock(house, folder) if kind == "clock" else None
        if kind == "read_only" and not on_servers and os.geteuid() == 0:
            house.launcher = ("setpriv", f"--bounding-set={RIGHTS}", f"--inh-caps={RIGHTS}")
        office = prepare()
        kinds = DECIDED.get(kind, ("unrate",))
        clerk = Clerk(office, house.port, random.Random(seed + 1), kinds)
        stack.callback(house.end)
        stack.callback(clerk.end)
        house.start()
        yield World(folder, random.Random(seed), house, office, clerk, redis, postgres, wire, clock, room)


def _redis(stack: ExitStack, folder: Path) -> Redis:
    if shutil.which("redis-server") is None:
        raise NotHere("redis-server is not installed")
    server = Redis(folder)
    os.environ["CELERY_BROKER_URL"] = server.url
    stack.callback(server.stop)
    return server


def _clock(house: House, folder: Path) -> Path:
    """Have the office go by a clock that can be set (`clock.c`); return the file of its lead."""
    source, library, clock = Path(__file__).with_name("clock.c"), folder / "clock.so", folder / "clock"
    if shutil.which("cc") is None:
        raise NotHere("there is no C compiler (cc), nor a clock that may be set")
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, source], check=True)
    set_clock(clock, 0)
    house.settings |= {"LD_PRELOAD": str(library), "CLOCK_AHEAD": str(clock)}
    return clock


def set_clock(clock: Path, ahead: int) -> None:
    """Set the office's clock ahead by so many seconds, in all its processes at once."""
    with clock.open("r+b" if clock.exists() else "wb") as file:
        file.write(ahead.to_bytes(8, sys.byteorder, signed=True))


def _room_for_tables(stack: ExitStack) -> Path:
    """Mount a small disk on which PostgreSQL can keep tables."""
    room = _mount(stack, Path(tempfile.mkdtemp()))
    os.chown(room, Postgres().owner(), -1)
    return room


def _mount(stack: ExitStack, folder: Path) -> Path:
    """Mount a small disk over a folder."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}m,mode=700", "tmpfs", str(folder)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode:
        raise NotHere(f"no disk can be mounted: {mounted.stderr.strip()}")
    stack.callback(lambda: subprocess.run(["umount", "--lazy", folder], check=True))
    return folder
