"""Long folds make millions of objects and no cycles: looking for cycles only costs them time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Run a block without Python's garbage collector, which looks for cycles; reference counting still frees
    memory.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
