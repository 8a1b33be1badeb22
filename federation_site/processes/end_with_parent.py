"""Processes that end with their parent.

A thread looks twice a second whether the parent is still there. The kernel's own signal at a parent's death
(PR_SET_PDEATHSIG) follows the parent's thread, and Celery forks from threads that end before its children do.
"""

import os
import signal
import threading
import time
from collections.abc import Callable

LOOK_SECONDS = 0.5
PATIENCE_SECONDS = 30.0
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
    time.sleep(PATIENCE_SECONDS)
    os.killpg(os.getpgrp(), signal.SIGKILL)


def end_at_once() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _watch(parent: int, end: Callable[[], None]) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    end()
