"""The processes of an office that `up` runs on one machine: the lock of its folder, and supervision.

`up` loads the program once and forks what serves from itself, so that all share its memory and start at once.
"""

import ctypes
import fcntl
import multiprocessing
import os
import runpy
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.context import ForkProcess
from pathlib import Path
from types import FrameType

# ---- The lock of a folder
LOCK_FILE = "up.lock"
GONE_SECONDS = 10.0


class OpenAlready(Exception):
    """The process `pid` has locked the folder."""

    def __init__(self, pid: str) -> None:
        super().__init__(pid)
        self.pid = pid


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock the folder for this process. Raises `OpenAlready`, or OSError if it cannot be written.

    What this process forks keeps the file open without holding the lock: `pids_with_lock_open` finds it, and
    what is left over does not lock the folder.
    """
    with (folder / LOCK_FILE).open("a+") as file, (folder / LOCK_FILE).open() as mark:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OpenAlready(mark.read().strip()) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        os.register_at_fork(after_in_child=file.close)
        yield
        fcntl.flock(file, fcntl.LOCK_UN)  # at once, though what was just forked may not have closed it yet


def end_orphans(folder: Path) -> int:
    """Kill all processes that an earlier office on this folder left behind; return their number.

    Call it while holding the lock. It works on Linux only.
    """
    count = len(pids_with_lock_open(folder))
    deadline = time.monotonic() + GONE_SECONDS
    while (pids := pids_with_lock_open(folder)) and time.monotonic() < deadline:
        for pid in pids:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
    return count


def pids_with_lock_open(folder: Path) -> list[int]:
    """The ids of the other processes that have this folder's lock file open."""
    pids = [int(name) for name in _list_folder("/proc") if name.isdecimal()]
    return [pid for pid in pids if pid != os.getpid() and _has_open(pid, str(folder / LOCK_FILE))]


def _has_open(pid: int, path: str) -> bool:
    for number in _list_folder(f"/proc/{pid}/fd"):
        with suppress(OSError):  # closed meanwhile
            if os.readlink(f"/proc/{pid}/fd/{number}") == path:
                return True
    return False


def _list_folder(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # the process has ended, or is another account's; or this is not Linux
        return []


# ---- Supervision
LOOK_SECONDS = 0.3
STEADY_SECONDS = 15.0
"""A child that lived for so long did not die at its start."""
LONGEST_PAUSE = 10.0
"""The longest pause before a program is started again."""
PATIENCE_SECONDS = 30.0
"""The time that children have to terminate before they are killed."""
CHILD_GONE_SECONDS = 2.0
"""The time to wait for killed processes."""

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)

Say = Callable[[str], None]


def supervise(
    commands: Mapping[str, Sequence[str]], *, on_change: Say, look: Callable[[], object] = lambda: None
) -> None:
    """Run programs, restarting those that end, until this process gets SIGINT or SIGTERM; then stop them.

    `commands`: a module and its arguments for each name. `on_change` is called with messages, `look` a few
    times a second. This process must have one thread and no connection to a database: it forks.
    """

    def say(words: str) -> None:
        with suppress(OSError, ValueError):  # a full disk or a closed terminal must not stop the office
            on_change(words)

    stops = _stop_requests()
    children = list[Child]()
    try:
        children.extend(Child(name, command, say) for name, command in commands.items())
        while not stops:
            for child in children:
                child.check()
            with suppress(OSError, ValueError):
                look()
            time.sleep(LOOK_SECONDS)
        say("Closing. What is being done is finished first; Ctrl-C again ends it at once.")
    finally:  # a supervisor that fails would wait for its programs for ever
        _stop(children, stops)


class Child:
    """A supervised program and its processes; it is restarted when it ends, with pauses if that was early."""

    def __init__(self, name: str, command: Sequence[str], say: Say) -> None:
        self.name, self._command, self._say = name, command, say
        self._early_deaths = 0
        self._due = self._born = 0.0
        self._pid = 0
        self._process: ForkProcess | None = None
        self._start()

    def check(self) -> None:
        """Check whether the program ended, and restart it when that is due."""
        if self._process is None:
            if time.monotonic() >= self._due:
                self._start()
        elif (code := self._process.exitcode) is not None:
            end_group(self._pid)
            self._process = None
            self._plan_next_start(code)

    def terminate(self) -> None:
        """Terminate the program's main process, but not its children: a worker's would drop their work."""
        if self._process:
            self._process.terminate()

    def has_ended(self) -> bool:
        return self._process is None or self._process.exitcode is not None

    def kill(self) -> None:
        if self._process:
            end_group(self._pid)
            self._process.join()

    def _start(self) -> None:
        self._born = time.monotonic()
        process = multiprocessing.get_context("fork").Process(
            target=run_program, name=self.name, args=(self._command, os.getpid())
        )
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)  # until the program has handlers of its own
        try:
            process.start()
            assert process.pid
            self._pid, self._process = process.pid, process
            with suppress(OSError):  # it has done so itself, or has ended
                os.setpgid(self._pid, self._pid)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

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
    """The seconds before a program is restarted that ended early so many times in a row."""
    return min(LONGEST_PAUSE, 2.0 ** (early_deaths - 1)) if early_deaths else 0.0


def end_group(leader: int) -> None:
    """Kill what is left of a process group, whose leader may have ended."""
    deadline = time.monotonic() + CHILD_GONE_SECONDS
    with suppress(ProcessLookupError, PermissionError):  # nobody is left; on macOS, only zombies
        while time.monotonic() < deadline:
            os.killpg(leader, signal.SIGKILL)
            time.sleep(0.02)


def _stop_requests() -> list[int]:
    """A list that gets an entry for each signal to stop."""
    requests: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        requests.append(number)

    for number in STOP_SIGNALS:
        signal.signal(number, note)
    return requests


def _stop(children: Sequence[Child], stops: Sequence[int]) -> None:
    """Terminate each child and wait; kill them after `PATIENCE_SECONDS` or another request to stop."""
    asked, deadline = len(stops), time.monotonic() + PATIENCE_SECONDS
    for child in children:
        child.terminate()
    while not all(child.has_ended() for child in children):
        if time.monotonic() > deadline or len(stops) > asked:
            break
        time.sleep(0.05)
    for child in children:
        child.kill()


# ---- Programs, in processes that were just forked
_PR_SET_NAME = 15
_M_ARENA_MAX = -8


def run_program(command: Sequence[str], parent: int) -> None:
    """Run a module with its arguments as `python -m` does, until it or the process `parent` ends.

    It has a group, to be killed as one, but not a session of its own: Linux shares the processors equally
    between sessions, whatever priority a worker's long work has.
    """
    global _own_pid
    _own_pid = os.getpid()
    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _write_from_behind()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    name_process(multiprocessing.current_process().name)
    share_one_arena()
    call_when_parent_ends(parent, close)
    os.register_at_fork(after_in_child=end_with_whoever_forked)
    sys.modules["__main__"] = sys.modules[__name__]  # what it spawns runs the last lines below
    if sys.platform == "darwin":  # as the web server does there; elsewhere it forks too
        multiprocessing.set_start_method("spawn", force=True)
    sys.argv = list(command)
    runpy.run_module(command[0], run_name="__main__")


def _write_from_behind() -> None:
    """Go on when this process writes: a terminal may stop those in the background that do."""
    if hasattr(signal, "SIGTTOU"):
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)


def name_process(name: str) -> None:
    """Give this process the name that `ps` and `top` show, its first 15 letters; on Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_NAME, name.encode()[:15], 0, 0, 0)


def share_one_arena() -> None:
    """Have the threads of this process allocate from one arena: they hold Python's lock anyway, and glibc
    gives each an arena that it keeps.
    """
    if sys.platform == "linux":
        with suppress(AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def run_and_wait(work: Callable[[], object]) -> None:
    """Do work in a forked process, whose memory is given back. Raises SystemExit if it fails, as it said.

    It has a group of its own, so that it is interrupted once, by a terminal's Ctrl-C and by a signal alike.
    """
    process = multiprocessing.get_context("fork").Process(target=_work_beside, args=(work, os.getpid()))
    process.start()
    assert process.pid
    with suppress(OSError):  # it has done so itself, or has ended
        os.setpgid(process.pid, process.pid)
    while process.exitcode is None:
        try:
            process.join()
        except KeyboardInterrupt:
            with suppress(ProcessLookupError, PermissionError):  # it has ended; on macOS, is a zombie
                os.killpg(process.pid, signal.SIGINT)
    if process.exitcode:
        raise SystemExit(process.exitcode if process.exitcode > 0 else 128 - process.exitcode)


def _work_beside(work: Callable[[], object], parent: int) -> None:
    os.setpgid(0, 0)
    _write_from_behind()
    call_when_parent_ends(parent, end_at_once)
    work()


# ---- Processes that end with their parent
#
# A thread checks twice a second whether the parent lives. The kernel's signal (PR_SET_PDEATHSIG) is bound to
# the parent's thread, and Celery forks from threads that end before its children do.
PARENT_LOOK_SECONDS = 0.5
OWN_END_SECONDS = 30.0
"""The time that a program has to terminate before its group is killed."""
_own_pid = os.getpid()


def call_when_parent_ends(parent: int, end: Callable[[], None]) -> None:
    """Call `end` in a thread soon after the process `parent` is no longer the parent of this one."""
    threading.Thread(target=_watch, args=(parent, end), name="parent watch", daemon=True).start()


def end_with_whoever_forked() -> None:
    """End this process, which was just forked, when the process that forked it has died."""
    global _own_pid
    parent, _own_pid = _own_pid, os.getpid()
    call_when_parent_ends(parent, end_at_once)


def close() -> None:
    """Terminate this process; kill its group if that takes too long."""
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(OWN_END_SECONDS)
    os.killpg(os.getpgrp(), signal.SIGKILL)


def end_at_once() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _watch(parent: int, end: Callable[[], None]) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_LOOK_SECONDS)
    end()


if __name__ == "__mp_main__":  # in a process that a program spawned
    call_when_parent_ends(os.getppid(), end_at_once)
