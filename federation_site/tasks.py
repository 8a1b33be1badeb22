"""The worker's own tasks: a sign of life, backups, and of each night reminding, clearing up, letting files go
and verifying.
"""

from __future__ import annotations

from datetime import time

import structlog
from celery import shared_task
from django.utils import timezone

from federation_site.backup.daily import back_up_when_due
from federation_site.processes.clear_expired import (
    delete_expired_counters,
    delete_old_letters,
    delete_old_marks,
    give_room_back,
)
from federation_site.sign_in.end_sessions import forget_expired
from federation_site.sign_in.history.sign_ins import delete_old_sign_ins
from federation_site.sign_in.password_letter import order_as_asked_by_message
from federation_site.watch.signs_of_life import (
    FILES,
    LET_GO,
    LET_GO_PUT_OFF,
    START,
    VERIFY,
    WORKER,
    age,
    begin_nightly,
    forget,
    give,
)
from players.office.decision_record import Refused
from players.office.models import Federation
from players.office.settings_schema import today
from ratings.letters.remind_of_deadlines import remind_of_deadlines
from ratings.storage.bulk_writing import take_stock_of_sqlite
from ratings.verify import verify
from tournaments.cases.delete_cases import close_answered, delete_closed, delete_unconfirmed
from tournaments.retention.services import let_go

A_MONTH = 30 * 24 * 60 * 60
log = structlog.get_logger("federation_site.verify")


@shared_task(name="federation_site.tasks.give_sign")
def give_sign() -> None:
    """Note, as a sign of life, that the worker does what it is told."""
    give(WORKER)


@shared_task(name="federation_site.tasks.give_sign_of_files")
def give_sign_of_files() -> None:
    """Note, as a sign of life, that the worker of files and tables does what it is told."""
    give(FILES)


@shared_task(name="federation_site.tasks.note_start")
def note_start(program: str) -> None:
    """Note that a program (`worker of ratings`, `clock` …) has started."""
    give(START + program)


@shared_task(name="federation_site.tasks.look_at_the_night")
def look_at_the_night() -> None:
    """Have done what is due each night: at its hour or, where the office was closed or its broker away then,
    at the first look after it.
    """
    for task, hour in NIGHTLY:
        if begin_nightly(task.name.rpartition(".")[2], hour):
            task.delay()


@shared_task(name="federation_site.tasks.forget_sessions")
def forget_sessions() -> None:
    """Delete sessions that ran out, counters that are over, sign-ins, letters and marks of forms that are
    old, and reports whose mail address nobody confirmed; have SQLite count its tables.
    """
    forget_expired()
    delete_old_sign_ins(timezone.now())
    delete_expired_counters()
    delete_old_letters()
    delete_old_marks()
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
        give(LET_GO, **found)
        forget(LET_GO_PUT_OFF)


def _clock_may_be_ahead() -> bool:
    """Whether nothing was let go for a month, and nobody was told: the office was closed, or the clock leapt.
    What is deleted does not come back, so whoever is told has a day to set the clock.
    """
    last = age(LET_GO)
    if last is None or last < A_MONTH or forget(LET_GO_PUT_OFF):
        return False
    give(LET_GO_PUT_OFF)
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
    give(VERIFY, **found)


NIGHTLY = (
    (remind, time(3, 5)),
    (forget_sessions, time(3, 10)),
    (let_go_files, time(3, 15)),
    (verify_offices, time(3, 20)),
)
"""The tasks of each night, with the hour of each (UTC)."""
