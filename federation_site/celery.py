"""The worker. A message only wakes it; the rows in the database say what there is to do."""

import os
import time
import warnings
from typing import Any

import structlog
from celery import Celery
from celery.exceptions import SecurityWarning
from celery.signals import beat_embedded_init, setup_logging, worker_init, worker_ready
from django.conf import settings
from django.db import DatabaseError
from kombu.transport import TRANSPORT_ALIASES

from federation_site.processes.supervisor import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "federation_site.settings")
# It warns of pickled messages handed to root. Ours are JSON, and in a bare container root is all there is.
warnings.filterwarnings("ignore", category=SecurityWarning)
TRANSPORT_ALIASES["djangodb"] = "federation_site.processes.transport:Transport"

app = Celery("federation_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
log = structlog.get_logger("federation_site.worker")


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
    from federation_site.processes.readiness import migrations_pending

    while True:
        try:
            if not migrations_pending():
                return
            log.warning("waiting for migrations")
        except DatabaseError:
            log.warning("waiting for the database")
        time.sleep(5)


@worker_ready.connect
def sweep(**_: Any) -> None:
    """Look at once for work that no message announced."""
    for task in settings.SWEEPS:
        app.send_task(task)


@beat_embedded_init.connect
def end_with_the_worker(**_: Any) -> None:
    """End the worker's clock with the worker: after a kill it would tick beside the next one's."""
    die_with_parent()
