"""Backups by the clock: the first look of a day makes that day's, and every later look if it failed."""

from __future__ import annotations

import logging
import shutil
from datetime import datetime
from pathlib import Path

from django.conf import settings

from federation_site.backup.archive import Damaged
from federation_site.backup.database_copy import CannotCopy
from federation_site.backup.making import Backup, make_backup
from federation_site.backup.retention import BadRule, backups_in, delete_old, parse_rule
from federation_site.watch.signs_of_life import BACKUP, give
from ratings.storage.alone_in_folder import alone_in

log = logging.getLogger(__name__)


def back_up_when_due(now: datetime) -> None:
    """Make today's backup in BACKUP_DIR, unless it is there or another process makes it; delete old ones."""
    folder = settings.BACKUP_DIR
    if folder is None or made_today(folder, now):
        return
    try:
        rule = parse_rule(settings.BACKUP_KEEP)
        with alone_in(folder) as alone:
            if alone and not made_today(folder, now):
                note(make_backup(folder, secrets=settings.BACKUP_SECRETS, now=now))
                delete_old(folder, rule)
    except (BadRule, CannotCopy, Damaged, OSError) as error:
        log.error("no backup was made: %s", error)


def made_today(folder: Path, now: datetime) -> bool:
    """Whether a backup of today (UTC) is there."""
    return any(made.date() == now.date() for made in backups_in(folder))


def note(made: Backup) -> None:
    """Note a backup among the signs of life, for those who watch the office: its file, its size, and the room
    on its disk, which other machines cannot see.
    """
    disk = shutil.disk_usage(made.path.parent)
    give(BACKUP, file=made.path.name, size=made.size, free=disk.free, total=disk.total)
