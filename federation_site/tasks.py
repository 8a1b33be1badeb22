"""The worker's own tasks: a sign of life, each night a clearing up and a verification, each day a backup."""

from __future__ import annotations

import structlog
from celery import shared_task
from django.utils import timezone

from federation_site.backup.daily import back_up_when_due
from federation_site.sign_in.password_letter import write_password_letter
from federation_site.sign_in.sign_out import forget_expired
from federation_site.watch.signs_of_life import VERIFY, WORKER, give
from players.office.models import Federation
from ratings.verify import verify

log = structlog.get_logger("federation_site.verify")


@shared_task(name="federation_site.tasks.give_sign")
def give_sign() -> None:
    """Note, as a sign of life, that the worker does what it is told."""
    give(WORKER)


@shared_task(name="federation_site.tasks.send_password_letter")
def send_password_letter(email: str, site: str) -> None:
    """Write to whoever forgot their password, if the address is that of an account."""
    write_password_letter(email, site)


@shared_task(name="federation_site.tasks.forget_sessions")
def forget_sessions() -> None:
    """Delete sessions that ran out."""
    forget_expired()


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
