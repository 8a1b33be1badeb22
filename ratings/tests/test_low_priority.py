"""Long folds leave the processors to whoever waits for an answer, and come out as any other."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

import pytest
from django.db import OperationalError, connection

from players import jobs
from players.jobs import NICE, run_at_low_priority
from players.models import Federation, Ledger
from ratings import recompute, tasks
from ratings.intake import import_journal
from ratings.rulesets import journal, rulesets
from ratings.tests.eventful import eventful
from ratings.tests.test_asof import known_at, replayed
from ratings.tests.test_every_office import TODAY

pytestmark = pytest.mark.servers

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives threads a priority of their own")


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


@linux
@pytest.mark.django_db(transaction=True)
def test_others_go_before_long_work_and_the_program_that_waits_for_it_keeps_its_priority() -> None:
    before, seen = niceness(), list[int]()
    run_at_low_priority(lambda: seen.append(niceness()))
    assert seen == [max(before, NICE)]
    assert niceness() == before


@linux
@pytest.mark.django_db(transaction=True)
def test_a_failure_of_long_work_is_raised_where_it_is_waited_for() -> None:
    def fail() -> None:
        raise LookupError("nothing there")

    with pytest.raises(LookupError, match="nothing there"):
        run_at_low_priority(fail)


@linux
@pytest.mark.django_db(transaction=True)
def test_where_the_system_refuses_another_priority_long_work_is_done_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_given: int) -> None:
        raise PermissionError("Operation not permitted")

    monkeypatch.setattr(os, "setpriority", refuse)
    done: list[str] = []
    run_at_low_priority(lambda: done.append("done"))
    assert done == ["done"]


@linux
@pytest.mark.django_db(transaction=True)
def test_signs_of_life_are_given_while_others_keep_it_from_the_processors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A ledger's worker is taken for dead after five seconds; its fold may wait longer for a processor."""
    assert Ledger.silence.total_seconds() > 2 * jobs.SECONDS_BETWEEN
    monkeypatch.setattr(jobs, "SECONDS_BETWEEN", 0.01)
    given, enough = list[int](), threading.Event()

    def say() -> None:
        given.append(niceness())
        if len(given) == 3:
            enough.set()
        raise OperationalError("database is locked")

    run_at_low_priority(lambda: enough.wait(30), say)
    assert enough.is_set()
    assert set(given) == {niceness()}


@linux
@pytest.mark.django_db(transaction=True)
def test_progress_is_written_at_the_usual_priority_alone(
    csa: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress, written = recompute.Progress(Ledger.objects.get(federation=csa), 2), list[int]()
    monkeypatch.setattr(progress.pulse, "beat", lambda **_given: written.append(niceness()))
    run_at_low_priority(progress.step)
    assert (progress.done, written) == (1, [])
    progress.step()
    assert (progress.done, written) == (2, [niceness()])


@pytest.mark.django_db
def test_within_a_transaction_it_is_done_as_it_is() -> None:
    assert connection.in_atomic_block
    at: list[int] = []
    run_at_low_priority(lambda: at.append(threading.get_native_id()))
    assert at == [threading.get_native_id()]


@pytest.mark.django_db(transaction=True)
def test_on_other_systems_it_is_done_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    at: list[int] = []
    run_at_low_priority(lambda: at.append(threading.get_native_id()))
    assert at == [threading.get_native_id()]


@pytest.mark.long
@linux
@pytest.mark.django_db(transaction=True)
def test_a_worker_folds_much_at_a_low_priority_writes_it_at_its_own_and_gets_the_same_ratings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ruleset = rulesets()["pfo"]
    lines = eventful(ruleset, 3, sections=8)
    office = import_journal(journal.read_journal(lines), on=TODAY)
    folds, writes = set[int](), set[int]()
    fold, write = recompute._fold, vars(recompute)["write"]

    def folded(*given: Any) -> None:
        folds.add(niceness())
        fold(*given)

    def written(*given: Any) -> bool:
        writes.add(niceness())
        return bool(write(*given))

    monkeypatch.setattr(recompute, "_MANY_FACTS", 2)
    monkeypatch.setattr(recompute, "_fold", folded)
    monkeypatch.setattr(recompute, "write", written)
    Ledger.objects.filter(federation=office).update(facts=len(lines), wanted=len(lines))
    tasks.run(office)
    assert max(niceness(), NICE) in folds  # the last step may be small
    assert writes == {niceness()}
    assert known_at(office, len(lines)) == replayed(ruleset, lines)


@linux
@pytest.mark.django_db(transaction=True)
def test_dumps_for_which_nobody_in_an_office_waits_are_done_one_by_one_and_give_way(
    csa: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = list[int]()

    def draw_another(*_: object) -> None:
        seen.append(niceness())
        if len(seen) == 1:
            tasks.draw_dump(csa.pk)
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(tasks, "build_dump_if_due", draw_another)
    tasks.draw_dump(csa.pk)
    assert seen == [max(niceness(), NICE)], "no two at once"
    tasks.draw_dump(csa.pk)
    assert len(seen) == 2, "a failure leaves the way free"
