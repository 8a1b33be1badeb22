"""The worker. A message only wakes it; the rows in the database say what there is to do."""

import os
import threading
import time
import warnings
from functools import cache
from typing import Any

import structlog
from celery import Celery, Task
from celery.exceptions import SecurityWarning
from celery.signals import setup_logging, worker_init, worker_ready
from django.conf import settings
from django.db import DatabaseError
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "federation_site.settings")
# It warns of pickled messages handed to root. Ours are JSON, and in a bare container root is all there is.
warnings.filterwarnings("ignore", category=SecurityWarning)
TRANSPORT_ALIASES["djangodb"] = "federation_site.processes.kombu_transport:Transport"

log = structlog.get_logger("federation_site.worker")


class PieceOfWork(Task):  # type: ignore[type-arg]  # not subscriptable at run time
    """A Celery task that does nothing while code and database differ in version: the row that it was to work
    on waits for a worker that fits.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from federation_site.processes.database_version import migrations_pending

        if migrations_pending():
            log.warning("left alone while code and database differ in version", task=self.name)
            return None
        return super().__call__(*args, **kwargs)


app: "Celery[Any]" = Celery("federation_site", task_cls=PieceOfWork)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def keep_our_logging(**_: Any) -> None:
    """Keep the logging of Django's settings: Celery leaves it alone when this signal has a listener."""


@worker_init.connect
def refuse_to_run_without_tasks(**_: Any) -> None:
    """Exit if a task is missing: Celery skips tasks that it cannot import, and would run without them."""
    missing = set(settings.SWEEPS) - set(app.tasks)
    if missing:
        raise SystemExit(f"The worker lacks its tasks {', '.join(sorted(missing))}; see the error above.")


@worker_init.connect
def wait_for_migrations(**_: Any) -> None:
    """Wait until code and database are of one version: a worker never writes into another's schema."""
    from federation_site.processes.database_version import migrations_pending

    while True:
        try:
            if not migrations_pending():
                return
            log.warning("waiting for migrations")
        except DatabaseError:
            log.warning("waiting for the database")
        time.sleep(5)


@worker_init.connect
def warn_of_a_clock_that_is_behind(**_: Any) -> None:
    from django.utils import timezone

    from federation_site.processes.clock_check import clock_behind

    if words := clock_behind(timezone.now()):
        log.warning(words)


@worker_ready.connect
def look_for_work(**_: Any) -> None:
    """Let a worker that started look for work that no message announced: at once and every half minute."""
    send_sweeps()
    begin_sweeping()


@cache
def begin_sweeping() -> None:
    """Start the one thread that calls `send_sweeps` every half minute, by a clock that nobody can set."""
    threading.Thread(target=_sweep_for_ever, name="sweeps", daemon=True).start()


def _sweep_for_ever() -> None:
    while True:
        time.sleep(settings.SWEEP_SECONDS)
        send_sweeps()


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
