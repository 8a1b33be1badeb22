"""The locks of the box: what a process gives up for good once it has all that it needs.

Each holds without the others. Which of them there are depends on the system; `open_ways.py` asks by trying.
"""

import importlib
import os
from contextlib import suppress

from tournaments.box.landlock import refuse_files
from tournaments.box.seccomp import refuse_calls

resource = importlib.import_module("resource") if os.name == "posix" else None


def confine() -> None:
    """Keep this process from opening files and sockets and from starting or touching processes, for good."""
    for lock in (refuse_files, refuse_descriptors_and_processes, refuse_calls):
        with suppress(OSError):  # not every system has it
            lock()


def refuse_descriptors_and_processes() -> None:
    """Allow no further file, socket or process: on any Unix. What is open stays open; root may fork on."""
    if resource is None:
        return
    for what in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC):
        with suppress(ValueError, OSError):
            resource.setrlimit(what, (0, 0))
