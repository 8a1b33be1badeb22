"""The worker. A message only wakes it; the rows in the database say what there is to do."""

import os
import time
import warnings
from functools import partial
from typing import Any

import structlog
from celery import Celery, Task
from celery.exceptions import SecurityWarning
from celery.signals import beat_init, setup_logging, worker_init, worker_ready
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from kombu.transport import TRANSPORT_ALIASES

from federation_site.processes.worker_sweeps import begin_sweeping, send_sweeps
from ratings.law.interpreter_costs import with_room

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "federation_site.settings")
# It warns of pickled messages handed to root. Ours are JSON, and in a bare container root is all there is.
warnings.filterwarnings("ignore", category=SecurityWarning)
TRANSPORT_ALIASES["djangodb"] = "federation_site.processes.kombu_transport:Transport"
for scheme in ("redis", "rediss"):
    TRANSPORT_ALIASES[scheme] = "federation_site.processes.redis_transport:RedisTransport"

log = structlog.get_logger("federation_site.worker")
PAUSES = (0.2, 1.0, 3.0)
"""Seconds before each further try at a task that the database failed; then the next sweep finds the rest."""


class PieceOfWork(Task):  # type: ignore[type-arg]  # not subscriptable at run time
    """A Celery task that does nothing while code and database differ in version: the row that it was to work
    on waits for a worker that fits. A task that the database failed is done anew: its row says what is
    left of it.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        once = partial(self.attempt, *args, **kwargs)
        for pause in PAUSES:
            try:
                return with_room(once)
            except (OperationalError, InterfaceError):
                log.warning("the database failed a task, which is tried again", task=self.name, exc_info=True)
                time.sleep(pause)
                if not connection.in_atomic_block:
                    connection.close_if_unusable_or_obsolete()
        return with_room(once)

    def attempt(self, *args: Any, **kwargs: Any) -> Any:
        """Do the task once, if code and database are of one version."""
        from federation_site.startup_checks.pending_migrations import migrations_pending

        if migrations_pending():
            log.warning("left alone while code and database differ in version", task=self.name)
            return None
        return super().__call__(*args, **kwargs)


app: "Celery[Any]" = Celery("federation_site", task_cls=PieceOfWork)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.steps["worker"].update(
    {
        "federation_site.deployment.programs_of_celery:NotedWorker",
        "federation_site.processes.whole_pool:WholePool",
    }
)
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
    """Wait until code and database are of one version: a worker never writes into another's schema, and ends
    where the journal has another form.
    """
    from federation_site.deployment.liveness import is_watched, note
    from federation_site.startup_checks.journal_form import refuse_other_form
    from federation_site.startup_checks.pending_migrations import migrations_pending

    while True:
        if is_watched():
            note()
        refuse_other_form()
        try:
            if not migrations_pending():
                return
            log.warning("waiting for migrations")
        except DatabaseError:
            log.warning("waiting for the database")
        time.sleep(5)


@worker_init.connect
def clear_what_was_left_unfinished(**_: Any) -> None:
    from federation_site.processes.clear_after_the_dead import clear_after_the_dead

    clear_after_the_dead()


@worker_init.connect
def know_the_rules(**_: Any) -> None:
    """Work out the hash of each law before there are children: each inherits it, and no approval waits."""
    from ratings.proof.program.rules_hash import rules_hash
    from ratings.rulesets import rulesets

    for slug in rulesets():
        rules_hash(slug)


@worker_init.connect
def warn_of_a_clock_that_is_behind(**_: Any) -> None:
    from django.utils import timezone

    from federation_site.startup_checks.clock_check import clock_behind

    if words := clock_behind(timezone.now()):
        log.warning(words)


@worker_ready.connect
def warn_of_a_box_that_is_open(**_: Any) -> None:
    """Say, where this worker reads files, what a file that took its reader over could do on this machine."""
    from federation_site.startup_checks.box_check import box_is_open

    if "files" in app.amqp.queues.consume_from and (words := box_is_open()):
        log.warning(words)


@worker_ready.connect
def look_for_work(**_: Any) -> None:
    """Let a worker that started look for work that no message announced: at once and every half minute."""
    send_sweeps()
    begin_sweeping()


@worker_ready.connect
def tell_of_a_worker_s_start(**_: Any) -> None:
    for queue in app.amqp.queues.consume_from:
        tell_of_start(f"worker of {queue}", queue)


@beat_init.connect
def tell_of_the_clock_s_start(**_: Any) -> None:
    tell_of_start("clock", app.conf.task_default_queue)


def tell_of_start(program: str, queue: str) -> None:
    """Have a worker of the queue note that a program started; a broker that is away hinders no start."""
    try:
        app.send_task("federation_site.tasks.note_start", args=[program], queue=queue)
    except Exception as error:
        log.warning("a start could not be told", program=program, error=type(error).__name__)
