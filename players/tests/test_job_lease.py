"""A job has one worker at a time. A worker that dies counts against it, a database that fails does not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.db import InterfaceError, OperationalError, connection, transaction
from django.utils import timezone

from players import jobs
from players.models import Federation, Ledger
from tests.built_once import built_once

pytestmark = pytest.mark.servers

ALL = Ledger.objects.all()


@pytest.fixture
@built_once
def key(csa: Federation) -> int:
    return csa.ledger.pk


def claimed(key: int) -> Ledger:
    job = jobs.claim(ALL, key)
    assert job is not None
    return job


def row() -> Ledger:
    return Ledger.objects.get()


def fall_silent(seconds: float) -> None:
    Ledger.objects.update(heartbeat=timezone.now() - timedelta(seconds=seconds))


# ---------------------------------------------------------------- one worker at a time


def test_a_claim_counts_the_attempt_and_sets_what_it_is_told_to(key: int) -> None:
    job = jobs.claim(ALL, key, folded=7)
    assert job is not None
    assert (job.attempts, job.folded, job.holder) == (1, 7, row().holder)


def test_a_job_in_hand_is_not_to_be_had_and_counts_nothing(key: int) -> None:
    claimed(key)
    assert jobs.claim(ALL, key) is None
    assert not jobs.free(ALL).exists()
    assert row().attempts == 1


def test_a_job_that_is_not_wanted_is_not_to_be_had(key: int) -> None:
    assert jobs.claim(Ledger.objects.pending(), key) is None
    assert row().attempts == 0


@pytest.mark.parametrize(("seconds", "lost"), [(4.5, False), (5.5, True)])
def test_a_lease_is_lost_once_its_worker_was_silent_for_too_long(
    key: int, seconds: float, lost: bool
) -> None:
    claimed(key)
    fall_silent(seconds)
    assert jobs.free(ALL).exists() == lost
    assert (jobs.claim(ALL, key) is not None) == lost
    assert row().attempts == 1 + lost


@pytest.mark.parametrize(("seconds", "lost"), [(29, False), (31, True), (24 * 60 * 60, True)])
def test_a_worker_whose_sign_lies_ahead_of_the_clock_is_dead_for_the_clock_was_set_back(
    key: int, seconds: float, lost: bool
) -> None:
    claimed(key)
    fall_silent(-seconds)
    assert jobs.free(ALL).exists() == lost
    assert (jobs.claim(ALL, key) is not None) == lost


def test_a_beat_keeps_the_lease(key: int) -> None:
    job = claimed(key)
    fall_silent(6)
    jobs.beat(job, folded=3)
    assert jobs.claim(ALL, key) is None
    assert row().folded == 3


def test_a_pulse_beats_twice_a_second_at_most(key: int) -> None:
    pulse = jobs.Pulse(claimed(key))
    assert not pulse.beat(folded=1)
    pulse.last -= timedelta(seconds=0.5)
    assert pulse.beat(folded=2)
    assert not pulse.beat(folded=3)
    assert row().folded == 2


def test_a_released_job_is_free_at_once(key: int) -> None:
    assert jobs.release(claimed(key), last_error="said")
    assert (row().holder, row().heartbeat, row().last_error) == (None, None, "said")
    assert claimed(key).attempts == 2


def test_whoever_lost_the_lease_changes_nothing_any_more(key: int) -> None:
    late = claimed(key)
    fall_silent(6)
    new = claimed(key)
    Ledger.objects.update(attempts=late.attempts)  # as where the work begins anew
    jobs.beat(late, folded=9)
    assert not jobs.release(late, last_error="late")
    with transaction.atomic():
        assert not jobs.lock_claimed(late)
        assert jobs.lock_claimed(new)
    assert (row().holder, row().folded, row().last_error) == (new.holder, 0, "")


def test_a_late_beat_does_not_take_up_a_job_that_is_done(key: int) -> None:
    job = claimed(key)
    jobs.release(job)
    jobs.beat(job)
    assert row().heartbeat is None


def test_a_job_that_was_never_claimed_is_nobodys(key: int) -> None:
    assert not jobs.release(row())
    fall_silent(0)
    assert jobs.claim(ALL, key) is None


# ---------------------------------------------------------------- the database fails


def test_what_is_given_back_has_its_attempt_back(key: int) -> None:
    jobs.release_uncounted(claimed(key), folded=1)
    assert (row().attempts, row().heartbeat, row().folded) == (0, None, 1)


def test_an_attempt_goes_back_also_where_another_took_the_job_over(key: int) -> None:
    late = claimed(key)
    fall_silent(6)
    new = claimed(key)
    jobs.release_uncounted(late, folded=9)
    assert (row().attempts, row().holder, row().folded) == (1, new.holder, 0)


def test_no_attempt_is_given_back_that_was_not_counted(key: int) -> None:
    job = claimed(key)
    Ledger.objects.update(attempts=0)
    jobs.release_uncounted(job)
    assert row().attempts == 0


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_a_database_that_is_away_longer_is_asked_until_it_answers(
    key: int, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    job, answers = claimed(key), iter((False, False, True))
    slept: list[float] = []
    returned = jobs._return_attempt

    def away(*args: object) -> None:
        if not next(answers):
            raise error("the server closed the connection")
        returned(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(jobs, "_return_attempt", away)
    monkeypatch.setattr("time.sleep", slept.append)
    jobs.release_uncounted(job)
    assert (row().attempts, row().heartbeat, slept) == (0, None, [jobs.PAUSE] * 2)


def test_a_database_that_stays_away_is_not_asked_for_ever(key: int, monkeypatch: pytest.MonkeyPatch) -> None:
    job = claimed(key)

    def away(*_: object) -> None:
        raise OperationalError("no server")

    monkeypatch.setattr(jobs, "_return_attempt", away)
    monkeypatch.setattr(jobs, "PATIENCE", -1.0)
    with pytest.raises(OperationalError):
        jobs.release_uncounted(job)


# ---------------------------------------------------------------- real locks, on whichever database


@contextmanager
def held_elsewhere() -> Iterator[Callable[[], None]]:
    """Another connection holds the row, on SQLite the database, until it is told to let go."""
    held, go = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            Ledger.objects.select_for_update().get()
            held.set()
            go.wait(20)
        connection.close()

    other = threading.Thread(target=hold)
    other.start()
    assert held.wait(20)

    def let_go() -> None:
        go.set()
        other.join()

    try:
        yield let_go
    finally:
        let_go()


@pytest.fixture
def impatient(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Connections wait a tenth of a second for a lock."""
    postgres = connection.vendor == "postgresql"
    shorter = {"options": "-c lock_timeout=100ms"} if postgres else {"timeout": 0.1}
    options = connection.settings_dict["OPTIONS"] | shorter
    with monkeypatch.context() as patched:
        patched.setitem(connection.settings_dict, "OPTIONS", options)
        connection.close()
        yield
    connection.close()


def test_a_row_that_is_locked_is_given_back_once_it_is_let_go(
    impatient: None, key: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = claimed(key)
    with held_elsewhere() as let_go:
        with pytest.raises(jobs.DATABASE_TROUBLE):
            jobs.beat(job)
        monkeypatch.setattr("time.sleep", lambda _seconds: let_go())
        jobs.release_uncounted(job)
    assert (row().attempts, row().heartbeat) == (0, None)


@pytest.mark.parametrize("queue", [True, False])
def test_a_claim_queues_behind_another_transaction_only_if_it_is_told_to(
    impatient: None, key: int, queue: bool
) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("there every writer queues")
    with held_elsewhere():
        if queue:
            with pytest.raises(jobs.DATABASE_TROUBLE):
                jobs.claim(ALL, key, wait_for_lock=True)
        else:
            assert jobs.claim(ALL, key) is None
    assert claimed(key).attempts == 1


def test_of_many_who_claim_at_once_one_gets_the_job(transactional_db: None, key: int) -> None:
    together = threading.Barrier(6)
    got: list[Ledger | None] = []

    def take() -> None:
        together.wait(20)
        got.append(jobs.claim(ALL, key))
        connection.close()

    workers = [threading.Thread(target=take) for _n in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [job.holder for job in got if job] == [row().holder]
    assert (len(got), row().attempts) == (6, 1)


def test_a_connection_that_broke_is_opened_anew_to_give_the_job_back(impatient: None, key: int) -> None:
    job = claimed(key)
    if connection.vendor == "sqlite":
        pytest.skip("there is no server that could end it")
    with pytest.raises(jobs.DATABASE_TROUBLE), connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    jobs.release_uncounted(job)
    assert (row().attempts, row().heartbeat) == (0, None)
