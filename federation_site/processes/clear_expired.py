"""Clearing away each night what has run out: counters with addresses, letters kept as files, free pages."""

from __future__ import annotations

from time import time as now_seconds
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.core.cache.backends.db import DatabaseCache
from django.db import connection, transaction
from django.utils import timezone

from players.office.models import SentForm

LETTER_DAYS = 7
"""Days for which a letter is kept as a file; the links in it are good for three."""
MARK_DAYS = 30
"""Days for which a form that is sent again is known."""
PAGES = 1000
"""Free pages of the database that one transaction gives back."""


def delete_expired_counters() -> None:
    """Delete rows of caches in the database that are over: in their keys stand people's addresses."""
    for cache in caches.all(initialized_only=False):
        if isinstance(cache, DatabaseCache):
            table = connection.ops.quote_name(cache._table)  # type: ignore[attr-defined]
            now = connection.ops.adapt_datetimefield_value(timezone.now().replace(microsecond=0))
            with connection.cursor() as cursor:
                cursor.execute(f"DELETE FROM {table} WHERE expires < %s", [now])


def delete_old_marks() -> None:
    """Delete marks of forms that were sent long ago: no page stays open for so long."""
    SentForm.objects.filter(at__lt=timezone.now() - timedelta(days=MARK_DAYS)).delete()


def delete_old_letters() -> None:
    """Delete letters older than a week, where letters go to files on this machine."""
    if not settings.EMAIL_BACKEND.endswith("filebased.EmailBackend"):
        return
    oldest = now_seconds() - LETTER_DAYS * 24 * 60 * 60
    folder: str = getattr(settings, "EMAIL_FILE_PATH", "")
    for letter in Path(folder).glob("*.log"):
        if letter.stat().st_mtime < oldest:
            letter.unlink(missing_ok=True)


def give_room_back() -> None:
    """Give free pages of a SQLite file back to the disk; the file must have been made with `auto_vacuum`."""
    while connection.vendor == "sqlite" and _give_pages_back():
        pass


@transaction.atomic
def _give_pages_back() -> bool:
    """Give some pages back, so few that no writer waits long; return whether there are more."""
    with connection.cursor() as cursor:
        free = _pragma(cursor, "freelist_count")
        if _pragma(cursor, "auto_vacuum"):
            for _page in range(min(free, PAGES)):
                cursor.execute("PRAGMA incremental_vacuum(1)")  # Python's driver takes one step, one page
        return 0 < _pragma(cursor, "freelist_count") < free


def _pragma(cursor: Any, name: str) -> int:
    return int(cursor.execute(f"PRAGMA {name}").fetchone()[0])
