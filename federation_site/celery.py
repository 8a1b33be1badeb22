"""The Celery application: workers, and the two brokers that they can use.

A message only wakes a worker; the rows in the database say what there is to do. So a lost message only delays
work until the next sweep, which looks for work without a message. Without Redis, the broker is a table of the
database.
"""

import gc
import os
import signal
import threading
import time
import warnings
from functools import cache, partial
from queue import Empty
from typing import Any

import django
import structlog
from billiard.pool import Pool
from celery import Celery, Task, bootsteps, current_app
from celery.exceptions import SecurityWarning
from celery.signals import setup_logging, worker_init, worker_ready
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, close_old_connections, connection
from kombu.transport import TRANSPORT_ALIASES, virtual
from kombu.utils.json import dumps, loads

from federation_site.liveness import NOTE_INTERVAL_SECONDS, is_watched, note_alive

# ---- Sweeps and letters
LETTERS_SECONDS = 2
SECOND_SWEEP_SECONDS = 6
"""When a worker that started sweeps again: then the jobs of a dead one are free."""
log = structlog.get_logger("federation_site.worker")


@cache
def start_threads() -> None:
    """Start the threads that sweep and send letters, so that these do not wait for busy processes."""
    threading.Thread(target=_sweep_for_ever, name="sweeps", daemon=True).start()
    threading.Thread(target=_send_letters_for_ever, name="letters", daemon=True).start()


def _sweep_for_ever() -> None:
    from federation_site.watch import LeapWatch

    watch = LeapWatch()
    time.sleep(min(SECOND_SWEEP_SECONDS, settings.SWEEP_SECONDS))
    send_sweeps()
    while True:
        time.sleep(settings.SWEEP_SECONDS)
        log_clock_leap(watch.leap_message())
        send_sweeps()


def _send_letters_for_ever() -> None:
    while True:
        time.sleep(LETTERS_SECONDS)
        order_and_send_letters()


def order_and_send_letters() -> None:
    """Order the letters that follow from the record, and send those that are due; errors are only logged."""
    from django.db import close_old_connections
    from django.utils import timezone

    from federation_site import sign_in as password_letter  # noqa: F401  its composer
    from federation_site.database import migrations_pending
    from players import appointments as invitation_letter  # noqa: F401  its composer
    from players.mail import send_due_letters
    from ratings.following import order_letters_to_followers
    from ratings.letters import order_due_letters
    from tournaments import cases as case_letters  # noqa: F401  its composers

    close_old_connections()
    try:
        if not migrations_pending():
            order_due_letters(timezone.now())
            order_letters_to_followers()
            send_due_letters(timezone.now())
    except Exception as error:
        log.warning("no letter could be sent", error=type(error).__name__)
    finally:
        close_old_connections()


def log_clock_leap(words: str) -> None:
    """Log as an error, of which operators are notified, that the clock was set by more than a minute."""
    if words:
        log.error(words)


def send_sweeps() -> None:
    """Send the tasks that look for work, to the queues of this worker.

    Each expires before the next is sent, so that they do not pile up.
    """
    close_old_connections()
    for task in settings.SWEEPS:
        if current_app.amqp.router.route({}, task)["queue"].name in current_app.amqp.queues.consume_from:
            try:
                current_app.send_task(task, expires=settings.SWEEP_SECONDS)
            except Exception as error:  # whatever is wrong with the broker, the next is half a minute away
                log.warning("a sweep could not be sent", task=task, error=type(error).__name__)


# ---- The application, and the start of a worker
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "federation_site.settings")
# It warns of pickled messages for root. Ours are JSON, and in a plain container there is only root.
warnings.filterwarnings("ignore", category=SecurityWarning)
TRANSPORT_ALIASES["djangodb"] = "federation_site.celery:Transport"
DATABASE_PATIENCE = 600.0
"""The seconds for which a worker waits for PostgreSQL's answer, who may have much to write."""
PAUSES = (0.2, 1.0, 3.0)
"""Seconds before each retry of a task after a database error; then the next sweep finds the rest."""


class OfficeTask(Task):  # type: ignore[type-arg]  # not subscriptable at run time
    """A Celery task that does nothing while code and database have different versions.

    After a database error it is run again: its row says what is left to do.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        once = partial(self.attempt, *args, **kwargs)
        for pause in PAUSES:
            try:
                return once()
            except (OperationalError, InterfaceError):
                log.warning("the database failed a task, which is tried again", task=self.name, exc_info=True)
                time.sleep(pause)
                if not connection.in_atomic_block:
                    connection.close_if_unusable_or_obsolete()
        return once()

    def attempt(self, *args: Any, **kwargs: Any) -> Any:
        """Run the task once, if code and database have the same version."""
        from federation_site.database import migrations_pending

        if migrations_pending():
            log.warning("left alone while code and database differ in version", task=self.name)
            return None
        return super().__call__(*args, **kwargs)


app: Celery[Any] = Celery("federation_site", task_cls=OfficeTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.steps["worker"].update({"federation_site.celery:NotedWorker", "federation_site.celery:WholePool"})
app.autodiscover_tasks()


@setup_logging.connect
def keep_our_logging(**_: Any) -> None:
    """Keep the logging of Django's settings, as Celery does if this signal has a listener."""


@worker_init.connect
def refuse_to_run_without_tasks(**_: Any) -> None:
    """Exit if a task is missing, because Celery ignores modules that it cannot import."""
    missing = set(settings.SWEEPS) - set(app.tasks)
    if missing:
        raise SystemExit(f"The worker lacks its tasks {', '.join(sorted(missing))}; see the error above.")


@worker_init.connect
def wait_for_migrations(**_: Any) -> None:
    """Wait until code and database have the same version; exit if the journal has another form."""
    from federation_site.database import exit_on_other_form, migrations_pending

    while True:
        if is_watched():
            note_alive()
        exit_on_other_form()
        try:
            if not migrations_pending():
                return
            log.warning("waiting for migrations")
        except DatabaseError:
            log.warning("waiting for the database")
        time.sleep(5)


@worker_init.connect
def delete_unfinished_files(**_: Any) -> None:
    from federation_site.backup import delete_unfinished

    delete_unfinished()


@worker_init.connect
def compute_rules_hashes(**_: Any) -> None:
    """Compute the hash of each ruleset before the worker forks, so that no approval waits for it."""
    from ratings.program import rules_hash
    from ratings.rulesets import rulesets

    for slug in rulesets():
        rules_hash(slug)


@worker_init.connect
def limit_patience_with_database(**_: Any) -> None:
    """Let no task wait for a database that hangs for ever: it fails, and is tried again."""
    from federation_site.database import limit_patience

    limit_patience(DATABASE_PATIENCE)


@worker_init.connect
def share_memory(**_: Any) -> None:
    """Exempt what is loaded from garbage collection, which writes to it: then forked processes share it."""
    gc.collect()
    gc.freeze()


@worker_init.connect
def warn_of_clock_behind(**_: Any) -> None:
    from django.utils import timezone

    from federation_site.watch import clock_warning

    if words := clock_warning(timezone.now()):
        log.warning(words)


@worker_ready.connect
def warn_of_open_sandbox(**_: Any) -> None:
    """If this worker parses files, warn of weaknesses of the sandbox on this machine."""
    from federation_site.checks import sandbox_warning

    if "files" in app.amqp.queues.consume_from and (words := sandbox_warning()):
        log.warning(words)


@worker_ready.connect
def start_sweeping(**_: Any) -> None:
    send_sweeps()
    start_threads()


@worker_ready.connect
def report_start_of_worker(**_: Any) -> None:
    """Have a worker of the queue note that this one started, if the broker answers."""
    for queue in app.amqp.queues.consume_from:
        try:
            app.send_task("federation_site.tasks.note_start", args=[f"worker of {queue}"], queue=queue)
        except Exception as error:
            log.warning("a start could not be told", queue=queue, error=type(error).__name__)


# ---- Liveness, noted by a worker's main loop, because a thread would not see it hang
class NotedWorker(bootsteps.StartStopStep):
    """Lets a worker's timer note every few seconds that its loop runs."""

    requires = ("celery.worker.components:Timer",)

    def start(self, worker: Any) -> None:
        if is_watched():
            worker.timer.call_repeatedly(NOTE_INTERVAL_SECONDS, note_alive)


# ---- A kombu transport over the Django database, for an office on one machine without Redis
#
# A message is a row: publishing inserts it, and is rolled back with its transaction; consuming deletes it, so
# that one of two consumers gets it. There is no redelivery, because sweeps find the work of lost messages.
class Channel(virtual.Channel):
    supports_fanout = False
    do_restore = False

    def _put(self, queue: str, message: dict[str, Any], **_: Any) -> None:
        _messages().create(queue=queue, payload=dumps(message))

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        while message := _messages().filter(queue=queue).order_by("id").first():
            claimed, _ = _messages().filter(pk=message.pk).delete()
            if claimed:
                return dict(loads(message.payload))
        raise Empty

    def _size(self, queue: str) -> int:
        return int(_messages().filter(queue=queue).count())

    def _purge(self, queue: str) -> int:
        purged, _ = _messages().filter(queue=queue).delete()
        return int(purged)

    def _has_queue(self, queue: str, **_: Any) -> bool:
        return True


class Transport(virtual.Transport):
    Channel = Channel
    default_port = 0
    driver_type = "sql"
    driver_name = "django"
    polling_interval = 0.2
    connection_errors = (*virtual.Transport.connection_errors, InterfaceError, OperationalError)

    def establish_connection(self) -> Any:
        """Also close a connection that had a database error."""
        if not connection.in_atomic_block:
            close_old_connections()
        return super().establish_connection()

    def driver_version(self) -> str:
        return django.get_version()


def _messages() -> Any:
    from federation_site.models import Message

    return Message.objects


# ---- Without Redis, a worker ends when one of its processes is killed
#
# A worker has processes, not threads: long work at a low priority would hold the interpreter's lock while
# what is urgent waits. They read their tasks from one pipe. The process that waits for one holds the pipe's
# lock, and if it is killed, the lock stays held and all others wait forever (celery/billiard#104). So the
# worker ends, and is started again.
class WholePool(bootsteps.StartStopStep):
    requires = ("celery.worker.components:Pool",)

    def start(self, worker: Any) -> None:
        pool = worker.pool._pool
        if type(pool) is Pool:  # with Redis each process has a pipe of its own
            vars(pool)["on_process_down"] = end_if_killed


def end_if_killed(process: Any) -> None:
    """Kill this worker with all its processes if one of them was ended by a signal."""
    if (process.exitcode or 0) < 0:
        log.warning("a process of this worker was killed; it ends, to be started again")
        os.kill(os.getpid(), signal.SIGKILL)
