"""Writes a file whole or not at all: beside its place first, and renamed when it is on the disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO

PART = ".part"
"""The ending of a file's name while it is being written; one that a killed process left may be deleted."""


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its place at `path` when the block ends well; only its owner may
    read it.

    Until then, and for good if the block fails, whatever was at `path` stays.
    """
    handle, part = mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PART)  # made 0600
    try:
        with open(handle, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise
    _keep_name(path.parent)


def _keep_name(folder: Path) -> None:
    """Have the disk keep the folder's new entry too, so that the file is there after a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
