"""The bytes that the site's database and files take, and those left on its disks."""

from __future__ import annotations

import shutil
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

from federation_site.operators.watched import WatchedFigure
from federation_site.watch.models import SignOfLife
from players.office.models import Federation
from players.office.stored_bytes import use_of_office

LEAST_FREE = 1024**3
"""The bytes that must be free on a disk whatever the database's size."""


def room(backup: SignOfLife | None) -> list[WatchedFigure]:
    """Sizes of database and files, and each disk that is seen: by this machine, or by who made the backup."""
    database = database_bytes()
    files = sum(use_of_office(office).used for office in Federation.objects.all())
    figures = [
        WatchedFigure(_("Database"), filesizeformat(database)),
        WatchedFigure(_("Files of events and tables, in the database"), filesizeformat(files)),
    ]
    if connection.vendor == "sqlite":  # PostgreSQL's disk is its server's; the folder then holds copies alone
        figures.append(disk(_("Disk of the database"), settings.VAR, database))
    if settings.BACKUP_DIR is not None:
        figures.append(disk(_("Disk of backups"), settings.BACKUP_DIR, database, backup))
    return figures


def database_bytes() -> int:
    """The bytes of the database, with what SQLite has not merged into its file yet."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return sum(file.stat().st_size for file in (Path(name), Path(f"{name}-wal")) if file.exists())
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def disk(label: str, folder: Path, database: int, told: SignOfLife | None = None) -> WatchedFigure:
    """The room on a folder's disk: a backup needs a gigabyte, and the database twice over.

    `told`: the sign of whoever looked at that disk, for a folder that another machine has.
    """
    try:
        found = shutil.disk_usage(folder)
        free, total = found.free, found.total
    except OSError:
        if told is None or "free" not in told.details:
            return WatchedFigure(label, _("not seen from this machine"))
        free, total = told.details["free"], told.details["total"]
    value = _("%(free)s free of %(all)s") % {"free": filesizeformat(free), "all": filesizeformat(total)}
    needed = max(LEAST_FREE, 2 * database)
    if free >= needed:
        return WatchedFigure(label, value)
    mend = _("Make room in %(folder)s, or take a larger disk: a backup may need %(needed)s.")
    return WatchedFigure(label, value, mend % {"folder": folder, "needed": filesizeformat(needed)})
