"""The Celery application: workers, the clock (beat), and the two brokers that they can use.

A message only wakes a worker; the rows in the database say what there is to do. So a lost message only delays
work until the next sweep, which looks for work that nobody announced. Without Redis the broker is a table of
the database.
"""

from __future__ import annotations

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
from celery.beat import Scheduler
from celery.exceptions import SecurityWarning
from celery.signals import beat_init, setup_logging, worker_init, worker_ready
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, close_old_connections, connection
from kombu.transport import TRANSPORT_ALIASES, redis, virtual
from kombu.utils.json import dumps, loads

from federation_site.liveness import EVERY_SECONDS, is_watched, note
from ratings.rulesets.ruleset import with_room

# ---- The sweep: soon after its start, and each half minute, a worker asks for the work that nobody
# announced.
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
    from federation_site.watch import LeapWatch

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

    from federation_site import sign_in as password_letter  # noqa: F401  its composer
    from federation_site.database import migrations_pending
    from players import appointments as invitation_letter  # noqa: F401  its composer
    from players.mail import send_due_letters
    from ratings.letters import order_letters_of_the_record
    from tournaments import cases as case_letters  # noqa: F401  its composers

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
        if current_app.amqp.router.route({}, task)["queue"].name in current_app.amqp.queues.consume_from:
            try:
                current_app.send_task(task, expires=settings.SWEEP_SECONDS)
            except Exception as error:  # whatever the broker's fault, the next one is half a minute away
                log.warning("a sweep could not be sent", task=task, error=type(error).__name__)


# ---- The application itself, and what a worker does at its start.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "federation_site.settings")
# It warns of pickled messages handed to root. Ours are JSON, and in a bare container root is all there is.
warnings.filterwarnings("ignore", category=SecurityWarning)
TRANSPORT_ALIASES["djangodb"] = "federation_site.celery:Transport"
for scheme in ("redis", "rediss"):
    TRANSPORT_ALIASES[scheme] = "federation_site.celery:RedisTransport"
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
        from federation_site.database import migrations_pending

        if migrations_pending():
            log.warning("left alone while code and database differ in version", task=self.name)
            return None
        return super().__call__(*args, **kwargs)


app: Celery[Any] = Celery("federation_site", task_cls=PieceOfWork)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.steps["worker"].update(
    {
        "federation_site.celery:NotedWorker",
        "federation_site.celery:WholePool",
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
    from federation_site.database import migrations_pending, refuse_other_form
    from federation_site.liveness import is_watched, note

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
    from federation_site.backup import clear_after_the_dead

    clear_after_the_dead()


@worker_init.connect
def know_the_rules(**_: Any) -> None:
    """Work out the hash of each law before there are children: each inherits it, and no approval waits."""
    from ratings.program import rules_hash
    from ratings.rulesets import rulesets

    for slug in rulesets():
        rules_hash(slug)


@worker_init.connect
def warn_of_a_clock_that_is_behind(**_: Any) -> None:
    from django.utils import timezone

    from federation_site.watch import clock_behind

    if words := clock_behind(timezone.now()):
        log.warning(words)


@worker_ready.connect
def warn_of_a_box_that_is_open(**_: Any) -> None:
    """Say, where this worker reads files, what a file that took its reader over could do on this machine."""
    from federation_site.checks import box_is_open

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


# ---- Workers and beat note that they go on, by their own loops: a thread beside them would not see one hang.
class NotedWorker(bootsteps.StartStopStep):
    """A step of a worker's start: from then on its timer notes every few seconds that the loop goes round."""

    requires = ("celery.worker.components:Timer",)

    def start(self, worker: Any) -> None:
        """Begin to note, if anybody watches."""
        if is_watched():
            worker.timer.call_repeatedly(EVERY_SECONDS, note)


class NotedScheduler(Scheduler):
    """Celery's schedule in memory (a kill cannot leave a broken file behind), noted at each look at it."""

    looked = 0.0
    """The time of the last look, by the machine's clock."""

    def tick(self, *args: Any, **kwargs: Any) -> Any:
        """Send what is due, and say in how many seconds to look again."""
        if is_watched():
            note()
        now = time.time()
        if now < self.looked:
            self.forget_what_lies_ahead()
        self.looked = now
        return super().tick(*args, **kwargs)

    def forget_what_lies_ahead(self) -> None:
        """Reckon all times anew, once the clock was set back: else nothing is sent until it has caught up."""
        for entry in self.schedule.values():
            now = entry.default_now()
            entry.last_run_at = min(entry.last_run_at or now, now)
        self._heap = None


# ---- A kombu transport over the Django database, for an office on one machine without Redis.
#
# A message is a row. To publish is to insert it, so a publication is rolled back with its transaction; to
# claim is to delete it, so of two consumers one gets it. There are no leases and no redelivery: a message
# only wakes, and the sweep finds whatever a lost one would have announced.
# Celery forks its children from a thread while others poll and send sweeps. A child born amid a query would
# inherit SQLite's lock with nobody to give it back, so births wait for the query to end.
_no_birth_amid_a_query = threading.Lock()
os.register_at_fork(
    before=_no_birth_amid_a_query.acquire,
    after_in_parent=_no_birth_amid_a_query.release,
    after_in_child=_no_birth_amid_a_query.release,
)


class Channel(virtual.Channel):
    supports_fanout = False
    do_restore = False

    def _put(self, queue: str, message: dict[str, Any], **_: Any) -> None:
        with _no_birth_amid_a_query:
            _messages().create(queue=queue, payload=dumps(message))

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        with _no_birth_amid_a_query:
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
        """Let kombu connect to the queue in the database; after a database error, by a fresh connection."""
        if not connection.in_atomic_block:
            close_old_connections()
        return super().establish_connection()

    def driver_version(self) -> str:
        return django.get_version()


def _messages() -> Any:
    from federation_site.models import Message

    return Message.objects


# ---- kombu's Redis transport, but for a message whose receipt could not be told to Redis.
#
# A worker takes no more messages than it has processes, and counts those whose receipt (or refusal) it has
# not told. Where telling fails, because Redis hangs, kombu logs that and goes on counting: after one such
# message for each process the worker takes none ever again, while all seems to run. Here it counts the
# message no longer. Redis gives it out once more, an hour later, which only wakes somebody: what there is to
# do stands in the database.
class MessagesInHand(redis.QoS):
    """Counts the messages that a worker has in hand; none of which Redis could not be told."""

    def ack(self, delivery_tag: str) -> None:
        """Take a message off the count, whether or not Redis can be told; raise its error if it cannot."""
        try:
            super().ack(delivery_tag)
        except Exception:
            virtual.QoS.ack(self, delivery_tag)
            raise

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Refuse a message, and take it off the count as `ack` does."""
        try:
            super().reject(delivery_tag, requeue=requeue)
        except Exception:
            virtual.QoS.ack(self, delivery_tag)
            raise


class RedisChannel(redis.Channel):
    QoS = MessagesInHand


class RedisTransport(redis.Transport):
    Channel = RedisChannel


# ---- A worker whose processes share one queue ends as a whole when one of them is killed.
#
# Without Redis the processes of a worker read what they are to do from one pipe. The one that waits for it
# holds its lock, and a lock of somebody killed is held for ever: the others, and those started in its place,
# would wait too, while everything seemed to run. So the worker ends, and whoever started it starts it again.
class WholePool(bootsteps.StartStopStep):
    """A step of a worker's start: from then on a process of its that is killed ends it."""

    requires = ("celery.worker.components:Pool",)

    def start(self, worker: Any) -> None:
        """Begin to look, where the processes share one queue; with Redis each has a pipe of its own."""
        pool = worker.pool._pool
        if type(pool) is Pool:
            vars(pool)["on_process_down"] = end_if_killed


def end_if_killed(process: Any) -> None:
    """End this worker and all its processes at once if one of them was ended by a signal."""
    if (process.exitcode or 0) < 0:
        log.warning("a process of this worker was killed; it ends, to be started again")
        os.kill(os.getpid(), signal.SIGKILL)
