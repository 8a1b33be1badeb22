"""Work that nobody in an office waits for, such as what the public asks for: one piece of it at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from ratings.recompute.low_priority import at_low_priority
from ratings.storage.alone_in_folder import alone_in


def in_background(work: Callable[[], object]) -> bool:
    """Do a piece of such work at a low priority, unless another process is at one; return whether it was so.

    The worker of files has two processes at least. So one of them is always left for the files that regions
    wait for, however long a dump takes.
    """
    with alone_in(Path(settings.DUMPS_DIR)) as alone:
        if alone:
            at_low_priority(work)
        return alone
