"""Tasks of the site: signs of life, backups, and the work of each night."""

from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from time import time as now_seconds
from typing import Any

import structlog
from celery import shared_task
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from federation_site import watch
from federation_site.backup import back_up_when_due
from federation_site.doctor import examine
from federation_site.sign_in import delete_expired_sessions, delete_old_sign_ins
from players import kept_pages
from players.models import Federation, SentForm
from players.record import Refused
from players.settings import today
from players.writing import renew_sqlite_statistics
from ratings.following import delete_unconfirmed_followings
from ratings.letters import record_deadline_reminders
from ratings.verify import verify
from tournaments.cases import close_silent_cases, delete_expired_cases, delete_expired_reports
from tournaments.retention import let_go

LETTER_DAYS = 7
"""Days for which a letter is kept as a file; its links are valid for three."""
MARK_DAYS = 30
"""Days for which a form that is sent again is recognised."""
BACKUP_INTERVAL = timedelta(minutes=30)
"""The time between two looks whether today's backup is missing."""
PAGES_PER_RELEASE = 1000
"""Free pages of the database that one transaction releases."""


def delete_old_letter_files() -> None:
    """Delete old letters if letters go to files."""
    if not settings.EMAIL_BACKEND.endswith("filebased.EmailBackend"):
        return
    oldest = now_seconds() - LETTER_DAYS * 24 * 60 * 60
    folder: str = getattr(settings, "EMAIL_FILE_PATH", "")
    for letter in Path(folder).glob("*.log"):
        if letter.stat().st_mtime < oldest:
            letter.unlink(missing_ok=True)


def release_free_pages() -> None:
    """Release free pages of a SQLite file that was made with `auto_vacuum`."""
    while connection.vendor == "sqlite" and _release_pages():
        pass


@transaction.atomic
def _release_pages() -> bool:
    """Release some pages, so few that no writer waits long; return whether there are more."""
    with connection.cursor() as cursor:
        free = _pragma(cursor, "freelist_count")
        if _pragma(cursor, "auto_vacuum"):
            for _page in range(min(free, PAGES_PER_RELEASE)):
                cursor.execute("PRAGMA incremental_vacuum(1)")  # Python's driver releases one page a call
        return 0 < _pragma(cursor, "freelist_count") < free


def _pragma(cursor: Any, name: str) -> int:
    return int(cursor.execute(f"PRAGMA {name}").fetchone()[0])


A_MONTH = 30 * 24 * 60 * 60
log = structlog.get_logger("federation_site.verify")


@shared_task(name="federation_site.tasks.give_sign")
def give_sign() -> None:
    """Store a sign of life of the worker of ratings."""
    watch.give(watch.WORKER)


@shared_task(name="federation_site.tasks.give_sign_of_files")
def give_sign_of_files() -> None:
    """Store a sign of life of the worker of files and tables."""
    watch.give(watch.FILES)


@shared_task(name="federation_site.tasks.note_start")
def note_start(program: str) -> None:
    """Store that a program (`worker of ratings`, `clock` …) has started."""
    watch.give(watch.START_PREFIX + program)


@shared_task(name="federation_site.tasks.look_at_the_clock")
def look_at_the_clock() -> None:
    """Send the tasks of each night and half hour that are due, also if no worker ran at their time."""
    now = timezone.now()
    for task, hour in NIGHTLY:
        at = datetime.combine(now.date(), hour, UTC)
        if watch.begin(task.name.rpartition(".")[2], at if at <= now else at - timedelta(days=1)):
            task.delay()
    if watch.begin("back_up", now - BACKUP_INTERVAL):
        back_up.delay()
    if watch.begin("examine_site", now - timedelta(days=7)):
        examine_site.delay()


@shared_task(name="federation_site.tasks.forget_sessions")
def forget_sessions() -> None:
    """Delete expired sessions and caches, old sign-ins, letters and copies of pages, and other rows that are
    not needed.
    """
    delete_expired_sessions()
    delete_old_sign_ins(timezone.now())
    # Keys of expired cache entries contain IP addresses.
    for cache in settings.CACHES.values():
        if cache["BACKEND"].endswith(".DatabaseCache"):
            table = connection.ops.quote_name(cache["LOCATION"])
            now = connection.ops.adapt_datetimefield_value(timezone.now().replace(microsecond=0))
            with connection.cursor() as cursor:
                cursor.execute(f"DELETE FROM {table} WHERE expires < %s", [now])
    delete_old_letter_files()
    kept_pages.trim()
    SentForm.objects.filter(at__lt=timezone.now() - timedelta(days=MARK_DAYS)).delete()
    delete_expired_reports(timezone.now())
    delete_unconfirmed_followings(timezone.now())
    renew_sqlite_statistics()


@shared_task(name="federation_site.tasks.remind")
def remind() -> None:
    """Remind of near deadlines in all offices."""
    for office in Federation.objects.all():
        try:
            record_deadline_reminders(office, today(office))
        except Refused as refused:
            log.warning("nobody was reminded", office=office.code, reason=str(refused))
        except Exception:
            log.exception("nobody was reminded; the next night tries again", office=office.code)


@shared_task(name="federation_site.tasks.let_go_files")
def let_go_files() -> None:
    """Delete files and closed cases that are due, and close cases that were answered long ago."""
    if _clock_may_be_ahead():
        log.error(
            "a month has passed since files were let go: is the clock right? They go the next night",
            mend=gettext_noop("Look at the clock of this machine. If it is right, there is nothing to do."),
        )
        return
    counts: dict[str, int] = {}
    failed = False
    for office in Federation.objects.all():
        try:
            counts[office.code] = len(let_go(office, today(office)))
            close_silent_cases(office, today(office), timezone.now())
            delete_expired_cases(office, today(office))
        except Refused as refused:
            log.warning("no file was let go", office=office.code, reason=str(refused))
        except Exception:
            log.exception("no file was let go; the next night tries again", office=office.code)
            failed = True
    release_free_pages()
    if not failed:
        watch.give(watch.LET_GO, **counts)
        watch.delete_sign(watch.LET_GO_PUT_OFF)


def _clock_may_be_ahead() -> bool:
    """Whether no files were deleted for a month, for the first time: the clock may be wrong.

    Operators, who get the error in the log, then have a day to set it.
    """
    last = watch.seconds_since_sign(watch.LET_GO)
    if last is None or last < A_MONTH or watch.delete_sign(watch.LET_GO_PUT_OFF):
        return False
    watch.give(watch.LET_GO_PUT_OFF)
    return True


@shared_task(name="federation_site.tasks.back_up")
def back_up() -> None:
    back_up_when_due(timezone.now())


@shared_task(name="federation_site.tasks.verify_offices")
def verify_offices() -> None:
    """Compare all that offices store with replays, and log each difference as an error."""
    counts: dict[str, int] = {}
    for office in Federation.objects.all():
        report = verify(office)
        counts[office.code] = len(report.differences) + report.more
        for words in report.differences:
            log.error(
                "stored is not what a replay gives",
                office=office.code,
                difference=words,
                mend=gettext_noop(
                    "Publish nothing; keep a copy of the database, run “manage.py verify”, and read"
                    " docs/operating.md, “Once a week”."
                ),
            )
    watch.give(watch.VERIFY, **counts)


@shared_task(name="federation_site.tasks.examine_site")
def examine_site() -> None:
    """Have the doctor try everything, and write to the operators; each week."""
    examine(timezone.now())


NIGHTLY = (
    (remind, time(3, 5)),
    (forget_sessions, time(3, 10)),
    (let_go_files, time(3, 15)),
    (verify_offices, time(3, 20)),
)
"""The tasks of each night with their times (UTC)."""
