"""Jobs: rows for which a worker does something, one worker at a time, however often any of them is killed.

The row is the job. A message only wakes a worker; the next sweep finds a job whose message was lost. A kind
of job is a `JobKind`, named in `settings.JOB_KINDS`: which rows wait, in which steps they are done, and what
a row says when it is given up.

Also how long work leaves the processors to requests: low priority, and rests.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from math import inf
from typing import Any, ClassVar, Generic, Literal, TypeVar
from uuid import uuid4

import structlog
from celery import current_app
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, connections, transaction
from django.db.models import Case, CharField, F, Q, QuerySet, Value, When
from django.utils import timezone
from django.utils.module_loading import import_string

from players.models import Federation, LeasedJob, Ledger
from tournaments.box import BoxDied

# ---- Leases of jobs
#
# A worker claims a job's row, which counts the attempt, sends heartbeats while it works, and releases the row
# together with the result. A worker that is silent for too long is dead, and the next one takes the row over.
# A job at which `MOST_ATTEMPTS` workers died is given up. An attempt that failed because the database was
# busy or away is not counted.
log = structlog.get_logger("players.jobs")
MOST_ATTEMPTS = 2
DATABASE_TROUBLE = (OperationalError, InterfaceError)
"""Errors that Django raises if the database is busy, full or away."""
MACHINE_TROUBLE = (*DATABASE_TROUBLE, MemoryError)
"""The same, or no memory is left: no failure of the rules."""
BUSY_WORDS = ("database is locked", "lock timeout", "statement timeout", "deadlock")
"""Words of SQLite and PostgreSQL in such an error if the database is only busy."""
PATIENCE = 300.0
"""Seconds for which giving an attempt back is retried: no transaction may hang longer (`settings`)."""
PAUSE = 1.0
"""Seconds between two tries to give an attempt back."""
MOST_HEARTBEAT_AHEAD = timedelta(seconds=30)
"""A heartbeat further in the future is from before the clock was set back, and would never run out."""
_BEAT = timedelta(seconds=0.5)


def is_database_busy(error: Exception) -> bool:
    """Whether an error says that the database is busy, so that the same will go well a little later."""
    return isinstance(error, DATABASE_TROUBLE) and any(words in str(error).lower() for words in BUSY_WORDS)


Job = TypeVar("Job", bound=LeasedJob)


def free(jobs: QuerySet[Job]) -> QuerySet[Job]:
    """Filter for the jobs that nobody works on: not begun, released, or left by a dead worker."""
    now = timezone.now()
    silent, ahead = Q(heartbeat__lt=now - jobs.model.silence), Q(heartbeat__gt=now + MOST_HEARTBEAT_AHEAD)
    return jobs.filter(Q(heartbeat=None) | silent | ahead)


def claim(jobs: QuerySet[Job], key: int, *, wait_for_lock: bool = False, **fields: Any) -> Job | None:
    """Claim the job with this key if it is one of `jobs` and free, and set `fields`; else return None.

    One statement decides between competing workers. A row that another transaction has locked cannot be
    claimed either, unless `wait_for_lock` lets the caller wait for it.
    """
    holder = uuid4()
    wanted = free(jobs).filter(pk=key)
    with transaction.atomic():
        if not wait_for_lock:
            rows = jobs.model._default_manager.select_for_update(skip_locked=True)
            wanted = wanted.filter(pk__in=rows.filter(pk=key).values("pk"))
        attempts = F("attempts") + 1
        wanted.update(holder=holder, heartbeat=timezone.now(), attempts=attempts, **fields)
    return jobs.filter(pk=key, holder=holder).first()


def claimed_rows(job: Job) -> QuerySet[Job]:
    """The row of a job, if this worker's claim still holds; else an empty QuerySet."""
    rows: QuerySet[Job] = type(job)._default_manager.all()
    return rows.filter(pk=job.pk, holder=job.holder, heartbeat__isnull=False)


def lock_claimed(job: LeasedJob) -> bool:
    """Lock a job's row until the transaction ends; return False if it is no longer this worker's."""
    return claimed_rows(job).select_for_update().values_list("pk").first() is not None


def beat(job: LeasedJob, **fields: Any) -> None:
    """Update a job's heartbeat and `fields`, if it is still this worker's."""
    claimed_rows(job).update(heartbeat=timezone.now(), **fields)


class Pulse:
    """Sends a job's heartbeats, twice a second at most, for work that reports far more often."""

    def __init__(self, job: LeasedJob) -> None:
        self.job, self.last = job, timezone.now()

    def beat(self, **fields: Any) -> bool:
        """Send a heartbeat if the last one is half a second old; return whether it was."""
        now = timezone.now()
        if now - self.last < _BEAT:
            return False
        self.last = now
        beat(self.job, **fields)
        return True


def release(job: LeasedJob, **fields: Any) -> bool:
    """End the lease and set `fields`; return False, with nothing set, if the job is another worker's now."""
    return bool(claimed_rows(job).update(holder=None, heartbeat=None, **fields))


def release_uncounted(job: LeasedJob, **fields: Any) -> None:
    """Release a job after an error of the machine, and do not count the attempt against it.

    If the database is still busy or away, this is retried for `PATIENCE` seconds.
    """
    log.warning(
        "the machine failed a job", job=job._meta.label, key=job.pk, attempt=job.attempts, exc_info=True
    )
    until = time.monotonic() + PATIENCE
    while True:
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
        try:
            return _return_attempt(job, fields)
        except DATABASE_TROUBLE:
            if time.monotonic() > until:
                raise
            time.sleep(PAUSE)


@transaction.atomic
def _return_attempt(job: LeasedJob, fields: dict[str, Any]) -> None:
    # Without `claimed_rows`: a worker that took the job over meanwhile wrongly counted this one as dead.
    rows = type(job)._default_manager.filter(pk=job.pk, attempts__gt=0)
    rows.update(attempts=F("attempts") - 1)
    release(job, **fields)


# ---- Kinds of jobs, and the engine that does them
TURN = 5.0
"""Seconds for which the jobs of one group are done before it is another group's turn."""
WORK_TASK = "players.tasks.work"
HELD_OFFICES = Federation.objects.filter(ledger__held=True)
"""Offices restored from a backup, whose jobs wait until they go on."""


@dataclass(frozen=True)
class Step(Generic[Job]):
    """A step of a kind of jobs: the states of its rows, and the work, which releases the row at its end."""

    waiting: str
    working: str
    given_up: str
    work: Callable[[Job], object]
    crash: str
    """The reason given where workers died at it, or failed for no reason that the job gave them."""


class JobKind(Generic[Job]):
    """A kind of jobs. `rows` are those that may be worked on, in one of the states of `steps`."""

    name: ClassVar[str]
    queue: ClassVar[Literal["ratings", "files"]] = "files"
    claimed: ClassVar[Mapping[str, Any]] = {}
    """Fields that are set when a worker begins a step."""
    returned: ClassVar[Mapping[str, Any]] = {}
    """Fields that are set when a job waits again after a failure."""
    rows: QuerySet[Job]
    steps: Sequence[Step[Job]]

    def refusal(self, job: Job, failure: Exception) -> Mapping[str, Any] | None:
        """The fields that end a job for a reason of its own, such as an unreadable file; None for a failure
        after which it is tried again.
        """
        return None

    def crash_reason(self, job: Job, failure: Exception) -> str:
        """Log a failure, and return the reason to give if it is the last one: why the box of a file died, or
        the step's.
        """
        if isinstance(failure, BoxDied):
            log.warning("the box died", kind=self.name, key=job.pk, reason=failure.reason)
            return failure.reason
        log.error("a job failed", kind=self.name, key=job.pk, attempt=job.attempts, exc_info=failure)
        return self.step_of(job).crash

    def given_up(self, job: Job, reason: str) -> Mapping[str, Any]:
        """The fields of a job that is given up, beside its state."""
        return {}

    def next_keys(self, rows: QuerySet[Job]) -> list[int]:
        """The keys of the free ones of these jobs that a sweep does next."""
        return list(free(rows).values_list("pk", flat=True))

    def group_of(self, key: int) -> QuerySet[Job]:
        """The jobs that take turns with other groups', of which this is one; none if nobody else waits."""
        return self.rows.none()

    def step_of(self, job: Job) -> Step[Job]:
        state: str = job.state  # type: ignore[attr-defined]
        return next(step for step in self.steps if state == step.working)


class Overtaken(Exception):
    """Raised by a step that could not write what it worked out, so often did others decide something."""


MOST_TRIES = 5
"""The number of times something is worked out anew because somebody decided something meanwhile."""


def write_as_shown(federation: Federation, write: Callable[[int], bool]) -> None:
    """Have `write` work out and write what was confirmed; it is handed the number of the office's decisions
    before that, and returns False if there are more by now. Raises `Overtaken`.
    """
    for _try in range(MOST_TRIES):
        if write(Ledger.objects.values_list("decisions", flat=True).get(federation=federation)):
            return
    raise Overtaken


@cache
def get_kinds() -> dict[str, JobKind[Any]]:
    """The kinds by name. Within a queue, the sweep does them in this order."""
    return {kind.name: kind for kind in (import_string(path)() for path in settings.JOB_KINDS)}


def wake_for(name: str, key: int) -> None:
    """Wake a worker for a job of the kind with this name after the transaction is committed."""
    wake(WORK_TASK, name, key, queue=get_kinds()[name].queue)


def claim_step(name: str, key: int) -> Any:
    """Claim a job for the step that it waits for, and return it; None if it waits for none, another worker
    has it, or too many workers died at it: then it is given up.
    """
    kind = get_kinds()[name]
    started = Case(
        *(When(state__in=(step.waiting, step.working), then=Value(step.working)) for step in kind.steps),
        output_field=CharField(),
    )
    job = claim(kind.rows.all(), key, state=started, **kind.claimed)
    if job is not None and job.attempts > MOST_ATTEMPTS:
        give_up(kind, job, kind.step_of(job).crash)
        return None
    return job


def run(name: str, key: int) -> None:
    """Do each step that a job waits for, unless another worker does. A failed step is tried again at once,
    until it is given up; after a failure of the database the next sweep comes back for it.
    """
    kind = get_kinds()[name]
    while (job := claim_step(name, key)) is not None:
        step = kind.step_of(job)
        try:
            step.work(job)
        except DATABASE_TROUBLE:
            release_uncounted(job, state=step.waiting, **kind.returned)
            return
        except Exception as failure:
            if (refusal := kind.refusal(job, failure)) is not None:
                release(job, **refusal)
            else:
                fail(kind, job, kind.crash_reason(job, failure))


def fail(kind: JobKind[Job], job: Job, reason: str) -> None:
    """Let a job wait for its step again, or give it up for `reason` after the last attempt."""
    if job.attempts >= MOST_ATTEMPTS:
        give_up(kind, job, reason)
    else:
        release(job, state=kind.step_of(job).waiting, **kind.returned)


def give_up(kind: JobKind[Job], job: Job, reason: str) -> None:
    release(job, state=kind.step_of(job).given_up, **kind.given_up(job, reason))


def take_turn(name: str, key: int) -> None:
    """Do a job and then others of its group for `TURN` seconds; then wake a worker for the group's next."""
    group, until, tried = get_kinds()[name].group_of(key), time.monotonic() + TURN, [key]
    run(name, key)
    while (following := free(group).exclude(pk__in=tried).first()) is not None:
        if time.monotonic() > until:
            wake_for(name, following.pk)
            return
        run(name, following.pk)
        tried.append(following.pk)


def sweep(queue: str) -> None:
    """Do the jobs of a queue that no message announced or a dead worker left, until the next sweep is due."""
    until = time.monotonic() + settings.SWEEP_SECONDS
    kinds = get_kinds()
    tried: dict[str, list[int]] = {kind.name: [] for kind in kinds.values() if kind.queue == queue}
    while True:
        found = [
            (name, key)
            for name in tried
            for key in kinds[name].next_keys(kinds[name].rows.exclude(pk__in=tried[name]))
        ]
        for name, key in found:
            run(name, key)
            tried[name].append(key)
        if not found or time.monotonic() > until:
            return


# ---- Waking the worker. The job is a row: a lost message only delays it until the next sweep.
failed = 0
"""The number of messages that this process could not send."""


def wake(task: str, *arguments: int | str, **options: Any) -> None:
    """Send a task after the transaction is committed; `options` are Celery's."""
    transaction.on_commit(lambda: _send(task, *arguments, **options))


def wake_recompute(federation: Federation) -> None:
    wake("ratings.tasks.recompute", federation.pk)


def _send(task: str, *arguments: int | str, **options: Any) -> None:
    global failed
    try:
        current_app.send_task(task, args=arguments, **options)
    except Exception as error:  # whatever is wrong with the broker, the decision is committed
        failed += 1
        log.warning("could not wake the worker", task=task, error=type(error).__name__, failed=failed)


# ---- Rests of long work, which on a busy machine leave the processors to requests
REST_FACTOR = 2.0
"""The length of a rest as a multiple of the work before it."""
LONGEST_REST = 1.0
"""The most seconds of a rest: a worker that is silent for long is taken for dead."""


@dataclass(slots=True)
class Rests:
    """The rests of one piece of work, each proportional to the work since the last one."""

    since: float = field(default_factory=lambda: time.monotonic())
    left: float = inf
    """The seconds of rest that are left in all."""

    def rest(self) -> None:
        """Rest if the machine is busy; not in a transaction, whose locks others may wait for."""
        if not connection.in_atomic_block:
            self.rest_anywhere()

    def rest_anywhere(self) -> None:
        """Rest if the machine is busy, also in a transaction that only reads.

        Limit these rests with `left`: the transaction keeps old rows of others from being cleared away.
        """
        if is_machine_busy():
            rest = min(LONGEST_REST, REST_FACTOR * (time.monotonic() - self.since), self.left)
            time.sleep(rest)
            self.left -= rest
        self.since = time.monotonic()


def is_machine_busy() -> bool:
    """Whether more programs wanted to run in the last minute than the machine has processors."""
    if not hasattr(os, "getloadavg"):  # Windows
        return False
    return os.getloadavg()[0] > (os.cpu_count() or 1)


NICE = 10
"""The niceness of long work, which gets a tenth of the processor time of usual programs."""
SECONDS_BETWEEN = 0.5


def run_at_low_priority(work: Callable[[], object], meanwhile: Callable[[], object] = lambda: None) -> None:
    """Do long work in a thread with a low priority and a database connection of its own, and wait for it.

    A thread, because a process that lowered its priority could not raise it again: only root may. Only Linux
    has priorities of threads; elsewhere the work is done directly. So it is within a transaction, whose rows
    another connection would not see.

    `meanwhile`: called now and then at the usual priority, to send heartbeats. After a database error it is
    called again.
    """
    if sys.platform != "linux" or connection.in_atomic_block:
        work()
        return
    failures: list[BaseException] = []
    thread = threading.Thread(target=_work_in_thread, args=(work, failures), name="long work", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(SECONDS_BETWEEN)
            try:
                meanwhile()
            except DATABASE_TROUBLE:
                connection.close_if_unusable_or_obsolete()
    except Exception:
        thread.join()  # its job must not be released while it works
        raise
    if failures:
        raise failures[0]


def _work_in_thread(work: Callable[[], object], failures: list[BaseException]) -> None:
    try:
        with suppress(OSError):  # a system that refuses
            own = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, own, max(NICE, os.getpriority(os.PRIO_PROCESS, own)))
        work()
    except BaseException as failure:
        failures.append(failure)
    finally:
        connections.close_all()
