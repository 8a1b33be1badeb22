"""The number of processes that this machine can run, by its cores and its memory."""

import os
from contextlib import suppress
from pathlib import Path

from django.conf import settings

MOST_WEB = 4
WEB_MEGABYTES = 160
"""The memory of a web process with warm caches (125 were measured), and some spare."""
OTHERS_MEGABYTES = 640
"""The memory left to the supervisor, the workers and the system before web processes are counted."""
SMALL_MEGABYTES = 1500
"""Below this, one recompute at a time is enough."""


def web_processes() -> int:
    """The number of web processes: WEB_PROCESSES, or one for each core, as memory allows; to `MOST_WEB`.

    `up` starts so many, and each of them shares the office's limits with the others.
    """
    if settings.WEB_PROCESSES:
        return int(settings.WEB_PROCESSES)
    fitting = (memory_megabytes() - OTHERS_MEGABYTES) // WEB_MEGABYTES
    return max(1, min(cores(), fitting, MOST_WEB))


def rating_processes() -> int:
    """The number of worker processes to start: as many offices are recomputed at once."""
    return 1 if memory_megabytes() < SMALL_MEGABYTES else 2


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_megabytes(limit: Path = Path("/sys/fs/cgroup/memory.max")) -> int:
    """The machine's memory in megabytes, or what a container may have of it."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with suppress(OSError, ValueError):  # no container, or one without a limit: “max”
        total = min(total, int(limit.read_text()))
    return total // 2**20
