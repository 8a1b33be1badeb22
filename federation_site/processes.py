"""Processes of an office that runs on one machine: one office on a folder, its programs, their end.

`supervise` starts the programs together, starts them again when they die, and stops them in good order. A
lock keeps a second office off the folder, and what an earlier start left behind is ended first. `child_main`
runs each program, so that it ends with its parent.
"""

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

# ---- One open office on a folder: a lock that ends with its holder, and an end to what an earlier one left.
LOCK = "up.lock"
GONE_SECONDS = 10.0


class OpenAlready(Exception):
    """A refusal to open an office's folder that another process holds; `pid`: the number of that process."""

    def __init__(self, pid: str) -> None:
        super().__init__(pid)
        self.pid = pid


@contextmanager
def alone_on(folder: Path) -> Iterator[int]:
    """Hold the folder for this process. Raises `OpenAlready`, or OSError where nothing can be written.

    Yields a descriptor for every process of the office to inherit: by it `processes_on` finds them. It does
    not hold the folder, so whoever is left over does not either.
    """
    with (folder / LOCK).open("a+") as file, (folder / LOCK).open() as mark:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OpenAlready(mark.read().strip()) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield mark.fileno()


# ---- Finds and ends the processes that an earlier start left behind.
def end_orphans(folder: Path) -> int:
    """Kill every process that an earlier office on this folder left behind; return how many there were.

    Call it while holding the folder. Linux alone tells what processes hold: elsewhere none are found.
    """
    found = len(processes_on(folder))
    deadline = time.monotonic() + GONE_SECONDS
    while (left := processes_on(folder)) and time.monotonic() < deadline:
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
    return found


def processes_on(folder: Path) -> list[int]:
    """The numbers of the other processes that have this folder's lock open: those of its office."""
    lock = str(folder / LOCK)
    pids = (int(name) for name in _names("/proc") if name.isdecimal())
    return [pid for pid in pids if pid != os.getpid() and _has_open(pid, lock)]


def _has_open(pid: int, path: str) -> bool:
    folder = f"/proc/{pid}/fd"
    return any(_target(f"{folder}/{number}") == path for number in _names(folder))


def _target(link: str) -> str:
    """Destination of a link; empty where the file was closed meanwhile, which says nothing of the others."""
    with suppress(OSError):
        return os.readlink(link)
    return ""


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # it has ended, or is somebody else's; or this is no Linux
        return []


ROOT = Path(__file__).resolve().parent.parent
LOOK_SECONDS = 0.3
STEADY_SECONDS = 15.0
"""A child that lived for so long did not die at its start."""
LONGEST_PAUSE = 10.0
"""Programs that are killed over and over are back within it: work waits for at most a minute."""
PATIENCE_SECONDS = 30.0
"""The time that children have to end in good order."""
CHILD_GONE_SECONDS = 2.0
"""The time to wait for processes that were killed."""

Say = Callable[[str], None]


def supervise(commands: Mapping[str, Sequence[str]], *, on_change: Say, inherit: Sequence[int] = ()) -> None:
    """Run each named program until this process is asked to stop (SIGINT or SIGTERM), then stop them all.

    `commands`: a module and its arguments for each name. `on_change` gets a sentence when a program ended,
    and when the end begins. `inherit`: descriptors that every program keeps open.
    """
    stops, on_change = _stop_requests(), _where_it_can_be_said(on_change)
    children = [Child(name, command, on_change, inherit) for name, command in commands.items()]
    while not stops:
        for child in children:
            child.look()
        time.sleep(LOOK_SECONDS)
    on_change("Closing. What is being done is finished first; Ctrl-C again ends it at once.")
    _stop(children, stops)


class Child:
    """A supervised program and all that it starts; it is started again when it ends, ever later if early."""

    def __init__(self, name: str, command: Sequence[str], say: Say, inherit: Sequence[int]) -> None:
        self.name, self._command, self._say, self._inherit = name, command, say, inherit
        self._early_deaths = 0
        self._due = self._born = 0.0
        self._process: subprocess.Popen[bytes] | None = None
        self._start()

    def look(self) -> None:
        """Look, now and then, whether the program ended; plan its next start, and start it when due."""
        if self._process is None:
            if time.monotonic() >= self._due:
                self._start()
        elif (code := self._process.poll()) is not None:
            end_group(self._process.pid)
            self._process = None
            self._plan_next_start(code)

    def ask_to_end(self) -> None:
        """Ask the program's main process to end, but no child of it: a worker's would drop their work."""
        if self._process:
            self._process.terminate()

    def ended(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def kill(self) -> None:
        """Kill the program and whatever it started."""
        if self._process:
            end_group(self._process.pid)
            self._process.wait()

    def _start(self) -> None:
        launcher = [sys.executable, "-m", "federation_site.child_main", str(os.getpid())]
        self._born = time.monotonic()
        # A group of its own, to be killed as one; no session of its own: between sessions Linux shares the
        # processors alike, whatever priority a worker's long fold has given itself.
        self._process = subprocess.Popen(
            [*launcher, *self._command],
            cwd=ROOT,
            pass_fds=self._inherit,
            process_group=0,
            stdin=subprocess.DEVNULL,
        )

    def _plan_next_start(self, code: int) -> None:
        early = time.monotonic() - self._born < STEADY_SECONDS
        self._early_deaths = self._early_deaths + 1 if early else 0
        pause = pause_before_start(self._early_deaths)
        self._due = time.monotonic() + pause
        if self._early_deaths < 2:
            self._say(f"The {self.name} ended with {code}; starting it again.")
        else:
            self._say(
                f"The {self.name} ended with {code} soon after its start,"
                f" {self._early_deaths} times in a row. What it wrote above may say why."
                f" It is started again in {pause:.0f} s."
            )


def pause_before_start(early_deaths: int) -> float:
    """The seconds before a program starts again that ended soon after its start so many times in a row."""
    return min(LONGEST_PAUSE, 2.0 ** (early_deaths - 1)) if early_deaths else 0.0


def end_group(leader: int) -> None:
    """Kill whatever is left of the group that a process led: its children may have outlived it."""
    deadline = time.monotonic() + CHILD_GONE_SECONDS
    with suppress(ProcessLookupError, PermissionError):  # nobody is left; on macOS, nobody but the dead
        while time.monotonic() < deadline:
            os.killpg(leader, signal.SIGKILL)
            time.sleep(0.02)


def _where_it_can_be_said(say: Say) -> Say:
    """Let words be lost where nothing can be written, on a full disk or a terminal that is gone: no reason to
    end.
    """

    def quietly(words: str) -> None:
        with suppress(OSError, ValueError):
            say(words)

    return quietly


def _stop_requests() -> list[int]:
    """A list that gets an entry each time somebody asks this process to stop."""
    requests: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        requests.append(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, note)
    return requests


def _stop(children: Sequence[Child], stops: Sequence[int]) -> None:
    """Ask each child to end and wait; kill what is left when patience runs out, or is asked for once more."""
    asked, deadline = len(stops), time.monotonic() + PATIENCE_SECONDS
    for child in children:
        child.ask_to_end()
    while not all(child.ended() for child in children):
        if time.monotonic() > deadline or len(stops) > asked:
            break
        time.sleep(0.05)
    for child in children:
        child.kill()


# ---- Processes that end with their parent.
#
# A thread looks twice a second whether the parent is still there. The kernel's own signal at a parent's
# death (PR_SET_PDEATHSIG) follows the parent's thread, and Celery forks from threads that end before its
# children do.
PARENT_LOOK_SECONDS = 0.5
OWN_END_SECONDS = 30.0
"""The time that a program has to end in good order."""
_own_pid = os.getpid()


def end_with(parent: int, end: Callable[[], None]) -> None:
    """Call `end` in a thread of this process soon after the process `parent` is no longer its parent."""
    threading.Thread(target=_watch, args=(parent, end), name="parent watch", daemon=True).start()


def end_with_whoever_forked() -> None:
    """End this process, just forked, as soon as the one that forked it has died; called after each fork."""
    global _own_pid
    parent, _own_pid = _own_pid, os.getpid()
    end_with(parent, end_at_once)


def close() -> None:
    """Ask this process to end; end its whole group when it does not in time."""
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(OWN_END_SECONDS)
    os.killpg(os.getpgrp(), signal.SIGKILL)


def end_at_once() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _watch(parent: int, end: Callable[[], None]) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_LOOK_SECONDS)
    end()
