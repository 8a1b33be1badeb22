"""Finds and ends the processes that an earlier start left behind."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from federation_site.processes.folder_lock import GONE_SECONDS, LOCK


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
