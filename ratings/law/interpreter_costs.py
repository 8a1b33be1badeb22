"""Costs of Python itself in long work and deep calls, and what spares them: its collector, and its stack."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

WORDS = 1 << 15
"""The words that the frame of `with_room` claims and never touches. They do not fit into what is left of a
chunk, so that a new one of 512 kB is made for it; of that all that it calls get the other half.
"""


@contextmanager
def uncollected() -> Iterator[None]:
    """Run a block without Python's garbage collector, which looks for cycles; reference counting still frees
    memory. Long folds make millions of objects and no cycles.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def with_room(work: Callable[[], T]) -> T:
    """Do work, with room in one piece for the frames of its calls: some thousand of them.

    CPython keeps the frames of a thread's calls in chunks of 16 kB. A loop that comes to run just below the
    end of one has each of its calls take a new chunk from the system, and give it back: a page with thousands
    of calls at that depth takes a fifth longer. Later releases of Python 3.13 and 3.14 keep one chunk at hand
    (gh-142183).
    """
    return work()


if sys.version_info < (3, 15):  # how a frame claims its words is the interpreter's own affair, and may change
    with_room.__code__ = with_room.__code__.replace(co_stacksize=WORDS)
