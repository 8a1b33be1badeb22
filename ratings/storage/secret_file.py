"""Secrets that an installation makes and keeps, so that a newcomer need not invent any."""

import contextlib
import os
from pathlib import Path

from ratings.storage.unfinished import unfinished_file


def kept_secret(path: Path, fresh: str) -> str:
    """Return the secret kept at `path`, which is `fresh` on first use; its owner alone may read it."""
    if not path.exists():
        with unfinished_file(path.parent) as file:
            file.write(fresh.encode())
            file.flush()
            # A link appears whole or not at all: of two processes that start together, one secret wins.
            with contextlib.suppress(FileExistsError):
                os.link(file.name, path)
    return path.read_text()
