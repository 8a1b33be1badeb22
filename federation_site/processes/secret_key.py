"""A secret key that the embedded default makes and keeps, so that a newcomer need not invent one."""

import contextlib
import os
import secrets
from pathlib import Path
from tempfile import NamedTemporaryFile


def kept_secret_key(path: Path) -> str:
    """Return the key kept at `path`, made on first use and readable by its owner only."""
    if not path.exists():
        with NamedTemporaryFile("w", dir=path.parent) as fresh:
            fresh.write(secrets.token_urlsafe(60))
            fresh.flush()
            # A link appears whole or not at all: of two processes that start together, one key wins.
            with contextlib.suppress(FileExistsError):
                os.link(fresh.name, path)
    return path.read_text()
