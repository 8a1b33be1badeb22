"""Kills every kind of process of a real `manage.py up`, and looks at what runs afterwards:
`python -m tests.kill_up --rounds 50 --seed 3`.

Before each fault an official decides something. After it there must be, within seconds, one web server and
one worker of each queue, all of them of the office that was started last; the port answers, and what was
decided is computed. After the end nothing runs, no decision is lost or doubled, and what is stored equals a
replay.
`--without` switches one of the guards off (`tests/guards_off`), which must be seen.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from federation_site.processes import pids_with_lock_open
from tests.guards_off.sitecustomize import GUARDS
from tests.kill import decide, office_of_its_own, prepare, wait_until_drained
from tests.ports import free_port

ROOT = Path(__file__).resolve().parent.parent
MAINS = {
    "web": ("web server", "granian"),
    "worker": ("worker", "ratings@"),
    "files": ("worker of files", "files@"),
}
"""The name of each main process, and the word in its command line where setproctitle has replaced both."""
FIRST_DAY = date(2024, 6, 1)
OPEN = "the office is open"
OPEN_WITHIN, SETTLED_WITHIN, GONE_WITHIN = 90.0, 45.0, 40.0
"""Seconds, on a machine that is busy with other things."""
TRIES = 3


class Process(NamedTuple):
    pid: int
    parent: int
    name: str
    command: str

    def is_main(self, kind: str) -> bool:
        name, word = MAINS[kind]
        return self.name == name or word in self.command


@dataclass
class House:
    """An office on a folder of its own, and the processes that run for it."""

    folder: Path
    without: str = ""
    within: float = SETTLED_WITHIN
    port: int = field(default_factory=free_port)
    settings: dict[str, str] = field(default_factory=dict)
    """Further settings, for the office alone."""
    launcher: tuple[str, ...] = ()
    """A program that starts the office's, with less than its own rights."""

    starts: list[float] = field(default_factory=list)
    """Seconds from each start until the office answered."""

    def start(self) -> None:
        self.up = self.another(self.port)
        self.starts.append(self.wait(OPEN, OPEN_WITHIN, self.answers))
        self.wait(OPEN, OPEN_WITHIN, self.is_whole)

    def another(self, port: int) -> subprocess.Popen[bytes]:
        """Start `up` on this folder, from a folder that is not the project's."""
        environment = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
        environment |= {"NO_BOOTSTRAP": "1", "GUARD_OFF": self.without, "WEB_PROCESSES": "2"}
        environment |= {"PYTHONPATH": f"{ROOT / 'tests/guards_off'}:{ROOT}", **self.settings}
        command = [
            *self.launcher,
            sys.executable,
            str(ROOT / "manage.py"),
            "up",
            "--no-demo",
            "--port",
            str(port),
        ]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(command, cwd="/", env=environment, stdout=log, stderr=log)

    def processes(self) -> list[Process]:
        """What runs for this office, whoever its parent is; but `up` itself."""
        found = [_process(pid) for pid in pids_with_lock_open(self.folder) if pid != self.up.pid]
        return [each for each in found if each]

    def mains(self, kind: str, found: Sequence[Process] | None = None) -> list[Process]:
        found = self.processes() if found is None else found
        return [each for each in found if each.parent == self.up.pid and each.is_main(kind)]

    def children(self, kind: str, found: Sequence[Process] | None = None) -> list[Process]:
        found = self.processes() if found is None else found
        mains = {main.pid for main in self.mains(kind, found)}
        return [each for each in found if each.parent in mains]

    def is_whole(self) -> bool:
        """One main process of each kind with children, nothing else, and an answer at the port."""
        found = self.processes()
        mains = {kind: self.mains(kind, found) for kind in MAINS}
        children = {kind: self.children(kind, found) for kind in MAINS}
        ours = sum(len(each) for each in (*mains.values(), *children.values()))
        return (
            all(len(mains[kind]) == 1 and children[kind] for kind in MAINS)
            and len(children["web"]) == 2
            and ours == len(found)
            and self.answers()
        )

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def wait(self, what: str, seconds: float, holds: Callable[[], bool]) -> float:
        begun = time.monotonic()
        while not holds():
            if time.monotonic() - begun > seconds or (self.up.poll() and what == OPEN):
                found = "\n".join(map(str, self.processes()))
                raise SystemExit(f"not so, within {seconds:.0f} s: {what}\n{found}\n{self.log()[-3000:]}")
            time.sleep(0.3)
        return time.monotonic() - begun

    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def kill(self, *processes: Process | subprocess.Popen[bytes]) -> None:
        for process in processes:
            with suppress(ProcessLookupError):  # dead already
                os.kill(process.pid, signal.SIGKILL)
        if self.up in processes:
            self.up.wait()

    def nothing_runs(self) -> bool:
        return not self.processes()

    def end(self) -> None:
        """Whatever happened, leave nothing behind."""
        if self.up.poll() is None:
            self.kill(self.up)
        for process in self.processes():
            self.kill(process)


def _process(pid: int) -> Process | None:
    folder = Path(f"/proc/{pid}")
    try:
        parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
        command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
        return Process(pid, int(parent), (folder / "comm").read_text().strip(), command)
    except OSError:
        return None


# ------------------------------------------------------------------ the faults


def kill_main(house: House, kind: str) -> None:
    house.kill(*house.mains(kind))


def kill_child(house: House, kind: str) -> None:
    house.kill(house.children(kind)[0])


def hang_behind(house: House, kind: str, *, with_up: bool = False) -> None:
    """Kill a main process, or it and `up`, and stop a child of it as soon as they are dead. Were it stopped
    before, the kernel would wake it up: it lets no group of processes stand still that nobody is left to
    look after. A web server's child looks after itself twice a second: where it was faster, all is done
    anew. A worker's may end at once, with the pipe from its main process.
    """
    for _ in range(TRIES):
        child, mains = house.children(kind)[0], house.mains(kind)
        house.kill(*mains, *([house.up] if with_up else []))
        deadline = time.monotonic() + GONE_WITHIN
        while any(_lives(each) for each in mains) and time.monotonic() < deadline:
            pass
        if _stopped(child) or kind != "web":
            return
        if with_up:
            house.start()
        else:
            house.wait("whole again", house.within, house.is_whole)
    raise SystemExit(f"a child ended before it could be stopped, {TRIES} times in a row")


def _stopped(process: Process) -> bool:
    """Stop a process; return whether it stands still, all its threads, and is not dead or dying."""
    with suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGSTOP)
    deadline = time.monotonic() + 1
    while (states := _states(process)) - set("TZX") and time.monotonic() < deadline:
        pass
    return states == {"T"}


def _lives(process: Process) -> bool:
    """Whether any of its threads does: a process whose first thread is dead may have others for a moment."""
    return bool(_states(process) - set("ZX"))


def _states(process: Process) -> set[str]:
    """The letters of the states of a process's threads, as `ps` has them; none where it is gone."""
    found = set()
    for task in Path(f"/proc/{process.pid}/task").glob("*/stat"):
        with suppress(OSError):  # the thread has ended
            found.add(task.read_text().rpartition(")")[2].split()[0])
    return found


def kill_main_of_a_stopped_child(house: House, kind: str) -> None:
    """A child that hangs cannot look after itself."""
    hang_behind(house, kind)


def kill_up(house: House, kind: str) -> None:
    house.kill(house.up)
    house.wait("all have ended with `up`", GONE_WITHIN, house.nothing_runs)
    house.start()


def kill_up_and_main(house: House, kind: str) -> None:
    house.kill(*house.mains(kind), house.up)
    house.wait("all have ended with their parents", GONE_WITHIN, house.nothing_runs)
    house.start()


def kill_up_and_main_of_a_stopped_child(house: House, kind: str) -> None:
    """What hangs outlives everybody: the next start ends it."""
    hang_behind(house, kind, with_up=True)
    house.start()


def kill_everything(house: House, kind: str) -> None:
    house.kill(house.up, *house.processes())
    house.start()


def open_a_second_time(house: House, kind: str) -> None:
    second = house.another(free_port())
    try:
        said = second.wait(OPEN_WITHIN)
    except subprocess.TimeoutExpired:
        second.kill()
        raise SystemExit("a second `up` on the folder goes on") from None
    if not said or "is open already" not in house.log():
        raise SystemExit(f"a second `up` on the folder ended with {said}:\n{house.log()[-2000:]}")


FAULTS: dict[str, Callable[[House, str], None]] = {
    fault.__name__: fault
    for fault in (
        kill_main,
        kill_child,
        kill_main_of_a_stopped_child,
        kill_up,
        kill_up_and_main,
        kill_up_and_main_of_a_stopped_child,
        kill_everything,
        open_a_second_time,
    )
}


@contextmanager
def house_in(folder: Path, without: str, within: float) -> Iterator[House]:
    house = House(folder, without, within)
    try:
        house.start()
        yield house
    finally:
        house.end()


def run(faults: list[tuple[str, str]], *, seed: int, without: str, within: float) -> None:
    """Do each fault (its name, and the kind of process that it meets); SystemExit says what is wrong."""
    office, rng = prepare(), random.Random(seed)
    from players.models import Decision
    from ratings.verify import verify

    # Words on open hints belong to an approval, submitting again to un-rating; the clock itself reminds.
    counted = Decision.objects.exclude(kind__in=("leave-hints", "submit", "remind"))
    made = counted.count()
    with house_in(Path(os.environ["VAR_DIR"]), without, within) as house:
        for number, (fault, kind) in enumerate(faults, start=1):
            decisions = [
                decide(office, rng, FIRST_DAY + timedelta(days=number)) for _ in range(rng.randint(1, 3))
            ]
            made += sum(not decision.endswith("refused") for decision in decisions)
            meet(house, fault, kind)
            print(f"drained {wait_until_drained():.1f} s later: {number}, {fault}, {kind}", flush=True)
        end_in_good_order(house)
    if (stored := counted.count()) != made:
        raise SystemExit(f"{made} decisions were made, {stored} are stored")
    if differences := verify(office).differences:
        raise SystemExit(f"what is stored is not what a replay gives: {differences}")
    print(
        f"{len(faults)} faults; Ctrl-C ended all; {made} decisions, none lost or doubled; equal to a replay"
    )


def meet(house: House, fault: str, kind: str) -> None:
    begun = time.monotonic()
    FAULTS[fault](house, kind)
    house.wait(f"one web server, one worker of each queue, after {fault}", house.within, house.is_whole)
    print(f"whole after {time.monotonic() - begun:.1f} s", end="; ")


def end_in_good_order(house: House) -> None:
    house.up.send_signal(signal.SIGINT)
    code = house.up.wait(GONE_WITHIN)
    house.wait("Ctrl-C ends all", 2, house.nothing_runs)
    if code or "Traceback" in house.log().rpartition("Closing.")[2]:
        raise SystemExit(f"`up` ended with {code}:\n{house.log()[-3000:]}")


def drawn(rounds: int, seed: int) -> list[tuple[str, str]]:
    """Every fault in turn, each round of them in another order, on kinds of processes drawn by lot."""
    rng, found = random.Random(seed), list[tuple[str, str]]()
    while len(found) < rounds:
        names = rng.sample(sorted(FAULTS), len(FAULTS))
        found += [(name, rng.choice(sorted(MAINS))) for name in names]
    return found[:rounds]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fault", choices=sorted(FAULTS), help="this one alone")
    parser.add_argument("--kind", choices=sorted(MAINS), default="web", help="… on this kind of process")
    parser.add_argument("--without", choices=sorted(GUARDS), default="", help="switch one guard off")
    parser.add_argument("--within", type=float, default=SETTLED_WITHIN, help="seconds to be whole again")
    options = parser.parse_args()
    one = [(options.fault, options.kind)] if options.fault else drawn(options.rounds, options.seed)
    with office_of_its_own():
        run(one, seed=options.seed, without=options.without, within=options.within)
