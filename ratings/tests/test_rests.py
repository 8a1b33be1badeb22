"""A long fold rests where the machine is busy, and holds nobody up by that."""

from __future__ import annotations

import os
from typing import Any

import pytest
from django.db import transaction

from players import jobs
from players.jobs import LONGEST_REST, REST_FACTOR, Rests

CORES = os.cpu_count() or 1


class Clock:
    """A clock that moves only when somebody sleeps by it, or when it is told to."""

    def __init__(self) -> None:
        self.now, self.slept = 0.0, list[float]()

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(jobs, "time", made)
    return made


def with_load(monkeypatch: pytest.MonkeyPatch, load: float) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0), raising=False)


@pytest.mark.django_db(transaction=True)
def test_on_a_busy_machine_a_fold_rests_twice_as_long_as_it_worked_and_a_second_at_most(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    with_load(monkeypatch, CORES + 0.1)
    fold = Rests()
    for worked in (0.1, 0.2, 30.0):
        clock.now += worked
        fold.rest()
    assert clock.slept == pytest.approx([REST_FACTOR * 0.1, REST_FACTOR * 0.2, LONGEST_REST])


@pytest.mark.django_db(transaction=True)
def test_on_a_machine_with_a_core_to_spare_it_does_not_rest(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    with_load(monkeypatch, float(CORES))
    fold = Rests()
    clock.now += 1
    fold.rest()
    assert clock.slept == []


@pytest.mark.django_db(transaction=True)
def test_within_a_transaction_it_does_not_rest_for_others_may_wait_for_its_locks(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    with_load(monkeypatch, CORES + 10.0)
    fold = Rests()
    with transaction.atomic():
        clock.now += 1
        fold.rest()
    assert clock.slept == []


def test_a_rest_is_shorter_than_the_silence_after_which_a_worker_counts_as_dead() -> None:
    from players.models import Ledger

    assert Ledger.silence.total_seconds() > 2 * LONGEST_REST


def test_a_system_that_tells_no_load_is_taken_for_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "getloadavg", raising=False)
    assert not jobs.is_machine_busy()


@pytest.mark.django_db
@pytest.mark.parametrize(("most", "rested"), [(2, True), (1000, False)])
def test_only_a_fold_of_many_facts_rests(monkeypatch: pytest.MonkeyPatch, most: int, rested: bool) -> None:
    from ratings import recompute, recompute as run_recompute
    from ratings.rulesets import rulesets
    from ratings.tests.eventful import eventful
    from ratings.tests.test_asof import office_of

    taken: list[Any] = []
    monkeypatch.setattr(run_recompute, "_MANY_FACTS", most)
    monkeypatch.setattr(Rests, "rest", lambda self: taken.append(self))
    before = recompute.take_step

    def with_rests(step: Any, office: Any, ledger: Any, progress: Any, _none: None) -> bool:
        return before(step, office, ledger, progress, Rests())

    monkeypatch.setattr(run_recompute, "take_step", with_rests)
    office_of(eventful(rulesets()["pfo"], 3, sections=8))
    assert bool(taken) is rested
