"""Writes a file whole or not at all: beside its place first, and renamed when it is on the disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ratings.storage.unfinished import unfinished_file


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that takes its place at `path` when the block ends well; only its owner may
    read it.

    Until then, and for good if the block fails, whatever was at `path` stays.
    """
    with unfinished_file(path.parent) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
        os.replace(file.name, path)
    _keep_name(path.parent)


def _keep_name(folder: Path) -> None:
    """Have the disk keep the folder's new entry too, so that the file is there after a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
