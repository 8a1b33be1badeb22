"""One open office on a folder: a lock that ends with its holder, and an end to what an earlier one left."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
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
