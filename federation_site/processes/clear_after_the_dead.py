"""What killed processes left unfinished in the office's folders, deleted at the start of each program."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir

from django.conf import settings
from django.db import connection

from ratings.storage.unfinished import clear_unfinished

FORMER_TEMPORARY = (".moving-*",)
FORMER = (".office-*.part", ".restore-*", ".writing-*", *FORMER_TEMPORARY)
"""Names under which versions up to 0.1.0rc1 wrote, without a lock; in the system's folder of temporary files,
which other programs use too, under the first alone.
"""
A_DAY = 24 * 60 * 60


def clear_after_the_dead() -> None:
    """Delete unfinished backups, dumps, archives and other copies whose writer is gone, and log which."""
    for folder in set(own_folders()):
        clear_unfinished(folder)
        former = FORMER if folder != Path(gettempdir()) else FORMER_TEMPORARY
        for left in (path for pattern in former for path in folder.glob(pattern)):
            with suppress(OSError):
                found = left.lstat()
                if found.st_uid == os.geteuid() and found.st_mtime < time.time() - A_DAY:
                    shutil.rmtree(left) if left.is_dir() else left.unlink()


def own_folders() -> Iterator[Path]:
    """The folders in which the office's programs write without being told one."""
    yield from (settings.VAR, settings.VAR / "backups", Path(gettempdir()))
    yield from (Path(settings.KEYS_DIR), Path(settings.JOURNALS_DIR), Path(settings.DUMPS_DIR))
    yield from Path(settings.DUMPS_DIR).glob("*/")
    if settings.BACKUP_DIR is not None:
        yield settings.BACKUP_DIR
    if connection.vendor == "sqlite":
        yield Path(connection.settings_dict["NAME"]).parent
