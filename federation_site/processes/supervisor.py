"""Child processes: started together, restarted when they die, stopped in good order."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from types import FrameType

PR_SET_PDEATHSIG = 1
PATIENCE_SECONDS = 30.0


def supervise(commands: dict[str, Sequence[str]], *, on_change: Callable[[str], None]) -> None:
    """Run each named command until this process is asked to stop (SIGINT or SIGTERM), then stop them all.

    `on_change` gets a sentence when a child ended and is started again, and when the end begins.
    """
    stopping = _stop_requests()
    children = {name: _start(command) for name, command in commands.items()}
    born = dict.fromkeys(commands, time.monotonic())
    while not stopping:
        time.sleep(0.3)
        for name, child in children.items():
            if child.poll() is None or stopping:
                continue
            on_change(f"The {name} ended with {child.returncode}; starting it again.")
            time.sleep(max(0.0, 2 - (time.monotonic() - born[name])))
            children[name], born[name] = _start(commands[name]), time.monotonic()
    on_change("Closing. What is being done is finished first.")
    _stop(children.values())


def _stop_requests() -> list[int]:
    """A list that fills when somebody asks this process to stop."""
    requests: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        requests.append(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, note)
    return requests


def _start(command: Sequence[str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(command, start_new_session=True, preexec_fn=die_with_parent)


def die_with_parent() -> None:
    """Have the kernel end this process when its parent dies; on Linux only, elsewhere a person must."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _stop(children: Iterable["subprocess.Popen[bytes]"]) -> None:
    """Ask each child's main process alone to end (a worker's own would drop their work); kill the late."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    waiting = list(children)
    for child in waiting:
        child.terminate()
    for child in waiting:
        try:
            child.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
