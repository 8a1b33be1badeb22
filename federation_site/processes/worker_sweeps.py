"""The sweep: soon after its start, and each half minute, a worker asks for the work that nobody announced."""

import threading
import time
from functools import cache

import structlog
from celery import current_app as app
from django.conf import settings

LETTERS_SECONDS = 2
AFTER_THE_DEAD = 6
"""Seconds after which a worker that started sweeps again: by then what a dead one had in hand is free."""
log = structlog.get_logger("federation_site.worker")


@cache
def begin_sweeping() -> None:
    """Start the threads that call `send_sweeps`, soon and then every half minute, by a clock that nobody can
    set, and send letters: no letter waits for a worker's processes, which may be busy for minutes.
    """
    threading.Thread(target=_sweep_for_ever, name="sweeps", daemon=True).start()
    threading.Thread(target=_send_letters_for_ever, name="letters", daemon=True).start()


def _sweep_for_ever() -> None:
    from federation_site.startup_checks.clock_check import LeapWatch

    watch = LeapWatch()
    time.sleep(min(AFTER_THE_DEAD, settings.SWEEP_SECONDS))
    send_sweeps()
    while True:
        time.sleep(settings.SWEEP_SECONDS)
        tell_of_leap(watch.leap())
        send_sweeps()


def _send_letters_for_ever() -> None:
    while True:
        time.sleep(LETTERS_SECONDS)
        send_letters()


def send_letters() -> None:
    """Order the letters that follow from the record, and send those that are due; whatever goes wrong, the
    next look is seconds away.
    """
    from django.db import close_old_connections
    from django.utils import timezone

    from federation_site.sign_in import password_letter  # noqa: F401  its composer
    from federation_site.startup_checks.pending_migrations import migrations_pending
    from players.office.mail import invitation_letter  # noqa: F401  its composer
    from players.office.mail.letters import send_due_letters
    from ratings.letters.order_from_record import order_letters_of_the_record
    from tournaments.cases import case_letters  # noqa: F401  its composers

    close_old_connections()
    try:
        if not migrations_pending():
            order_letters_of_the_record(timezone.now())
            send_due_letters(timezone.now())
    except Exception as error:
        log.warning("no letter could be sent", error=type(error).__name__)
    finally:
        close_old_connections()


def tell_of_leap(words: str) -> None:
    """Log, as an error that operators hear of, that the machine's clock was set by more than a minute."""
    if words:
        log.error(words)


def send_sweeps() -> None:
    """Send the tasks that look for work which no message announced, to the queues that this worker reads.

    Each expires before the next is sent, so that none pile up.
    """
    from django.db import close_old_connections

    close_old_connections()
    for task in settings.SWEEPS:
        if app.amqp.router.route({}, task)["queue"].name in app.amqp.queues.consume_from:
            try:
                app.send_task(task, expires=settings.SWEEP_SECONDS)
            except Exception as error:  # whatever the broker's fault, the next one is half a minute away
                log.warning("a sweep could not be sent", task=task, error=type(error).__name__)
