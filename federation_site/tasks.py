"""The worker's own tasks: signs of life, backups, and the work of each night.

At night it sends reminders, clears away what has run out, lets files go, and verifies what the offices store.
"""

from __future__ import annotations

from datetime import time, timedelta
from pathlib import Path
from time import time as now_seconds
from typing import Any

import structlog
from celery import shared_task
from django.conf import settings
from django.core.cache import caches
from django.core.cache.backends.db import DatabaseCache
from django.db import connection, transaction
from django.utils import timezone

from federation_site import watch
from federation_site.backup import back_up_when_due
from federation_site.sign_in import delete_old_sign_ins, forget_expired, order_as_asked_by_message
from players.models import Federation, SentForm
from players.record import Refused
from players.settings import today
from players.storage import take_stock_of_sqlite
from ratings.letters import remind_of_deadlines
from ratings.verify import verify
from tournaments.cases import close_answered, delete_closed, delete_unconfirmed
from tournaments.retention import let_go

# ---- Clearing away each night what has run out: counters with addresses, letters kept as files, free pages.
LETTER_DAYS = 7
"""Days for which a letter is kept as a file; the links in it are good for three."""
MARK_DAYS = 30
"""Days for which a form that is sent again is known."""
PAGES = 1000
"""Free pages of the database that one transaction gives back."""


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


A_MONTH = 30 * 24 * 60 * 60
log = structlog.get_logger("federation_site.verify")


@shared_task(name="federation_site.tasks.give_sign")
def give_sign() -> None:
    """Note, as a sign of life, that the worker does what it is told."""
    watch.give(watch.WORKER)


@shared_task(name="federation_site.tasks.give_sign_of_files")
def give_sign_of_files() -> None:
    """Note, as a sign of life, that the worker of files and tables does what it is told."""
    watch.give(watch.FILES)


@shared_task(name="federation_site.tasks.note_start")
def note_start(program: str) -> None:
    """Note that a program (`worker of ratings`, `clock` …) has started."""
    watch.give(watch.START + program)


@shared_task(name="federation_site.tasks.look_at_the_night")
def look_at_the_night() -> None:
    """Have done what is due each night: at its hour or, where the office was closed or its broker away then,
    at the first look after it.
    """
    for task, hour in NIGHTLY:
        if watch.begin_nightly(task.name.rpartition(".")[2], hour):
            task.delay()


@shared_task(name="federation_site.tasks.forget_sessions")
def forget_sessions() -> None:
    """Delete sessions that ran out, counters that are over, sign-ins, letters and marks of forms that are
    old, and reports whose mail address nobody confirmed; have SQLite count its tables.
    """
    forget_expired()
    delete_old_sign_ins(timezone.now())
    # Delete rows of caches in the database that are over: in their keys stand people's addresses.
    for cache in caches.all(initialized_only=False):
        if isinstance(cache, DatabaseCache):
            table = connection.ops.quote_name(cache._table)  # type: ignore[attr-defined]
            now = connection.ops.adapt_datetimefield_value(timezone.now().replace(microsecond=0))
            with connection.cursor() as cursor:
                cursor.execute(f"DELETE FROM {table} WHERE expires < %s", [now])
    delete_old_letters()
    SentForm.objects.filter(at__lt=timezone.now() - timedelta(days=MARK_DAYS)).delete()
    delete_unconfirmed(timezone.now())
    take_stock_of_sqlite()


@shared_task(name="federation_site.tasks.remind")
def remind() -> None:
    """Remind of the deadlines that are near, in all offices, each by its own day."""
    for office in Federation.objects.all():
        try:
            remind_of_deadlines(office, today(office))
        except Refused as refused:
            log.warning("nobody was reminded", office=office.code, reason=str(refused))
        except Exception:
            log.exception("nobody was reminded; the next night tries again", office=office.code)


@shared_task(name="federation_site.tasks.send_password_letter")
def send_password_letter(email: str, site: str) -> None:
    """Order a letter for a forgotten password that a web server of 0.1.0rc1 asked for by a message, which lay
    in the broker while the office was upgraded.
    """
    order_as_asked_by_message(email, site)


@shared_task(name="federation_site.tasks.let_go_files")
def let_go_files() -> None:
    """Delete the bytes of filed files that are due and cases that were closed a year ago, close those that
    were answered long ago, in all offices, and give the room back to the disk.
    """
    if _clock_may_be_ahead():
        log.error("a month has passed since files were let go: is the clock right? They go the next night")
        return
    found: dict[str, int] = {}
    failed = False
    for office in Federation.objects.all():
        try:
            found[office.code] = len(let_go(office, today(office)))
            close_answered(office, today(office), timezone.now())
            delete_closed(office, today(office))
        except Refused as refused:
            log.warning("no file was let go", office=office.code, reason=str(refused))
        except Exception:
            log.exception("no file was let go; the next night tries again", office=office.code)
            failed = True
    give_room_back()
    if not failed:
        watch.give(watch.LET_GO, **found)
        watch.forget(watch.LET_GO_PUT_OFF)


def _clock_may_be_ahead() -> bool:
    """Whether nothing was let go for a month, and nobody was told: the office was closed, or the clock leapt.
    What is deleted does not come back, so whoever is told has a day to set the clock.
    """
    last = watch.age(watch.LET_GO)
    if last is None or last < A_MONTH or watch.forget(watch.LET_GO_PUT_OFF):
        return False
    watch.give(watch.LET_GO_PUT_OFF)
    return True


@shared_task(name="federation_site.tasks.back_up")
def back_up() -> None:
    """Make today's backup, if the office is set to make one and there is none yet."""
    back_up_when_due(timezone.now())


@shared_task(name="federation_site.tasks.verify_offices")
def verify_offices() -> None:
    """Compare all that offices store with replays; log each difference as an error, and note their number."""
    found: dict[str, int] = {}
    for office in Federation.objects.all():
        report = verify(office)
        found[office.code] = len(report.differences) + report.more
        for words in report.differences:
            log.error("stored is not what a replay gives", office=office.code, difference=words)
    watch.give(watch.VERIFY, **found)


NIGHTLY = (
    (remind, time(3, 5)),
    (forget_sessions, time(3, 10)),
    (let_go_files, time(3, 15)),
    (verify_offices, time(3, 20)),
)
"""The tasks of each night, with the hour of each (UTC)."""
