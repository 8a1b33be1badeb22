"""One open office on a folder: a lock that ends with its holder, and an end to what an earlier one left."""

import fcntl
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

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
    with suppress(OSError):  # closed meanwhile
        return any(os.readlink(f"{folder}/{number}") == path for number in _names(folder))
    return False


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # it has ended, or is somebody else's; or this is no Linux
        return []
