"""Calls within a loop take no memory from the system, at whatever depth pages, tasks and commands run it."""

from __future__ import annotations

import asyncio
import resource
import sys
import threading
from types import FrameType
from typing import Any

import pytest

from federation_site import celery, command_errors
from federation_site.gateway import Lane
from players.jobs import run_at_low_priority
from ratings.rulesets.ruleset import call_with_stack_room

pytestmark = pytest.mark.servers

CALLS = 500
DEPTHS = 400
"""More than pages reach, and than one chunk of Python's stack holds."""
linux = pytest.mark.skipif(sys.platform != "linux", reason="counts Linux's page faults")


def leaf() -> None:
    pass


def faults_of_a_loop() -> int:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(CALLS):
        leaf()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def faults_at_each_depth(depths: int) -> list[int]:
    return [faults_of_a_loop(), *faults_at_each_depth(depths - 1)] if depths else []


@linux
def test_a_loop_with_room_takes_no_memory_at_any_depth() -> None:
    assert max(call_with_stack_room(lambda: faults_at_each_depth(DEPTHS))) < CALLS / 5


@linux
@pytest.mark.skipif(sys.version_info >= (3, 13), reason="later releases keep a chunk at hand")
def test_without_room_a_loop_at_the_end_of_a_chunk_takes_memory_at_every_call() -> None:
    assert max(faults_at_each_depth(DEPTHS)) >= CALLS


def has_room() -> bool:
    """Whether `call_with_stack_room` is among the callers."""
    frame: FrameType | None = sys._getframe()
    while frame:
        if frame.f_code is call_with_stack_room.__code__:
            return True
        frame = frame.f_back
    return False


def test_a_page_has_room() -> None:
    assert not has_room()
    assert asyncio.run(Lane("public", 1, 1).run(has_room))


def test_a_task_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[bool]()
    monkeypatch.setattr(celery.OfficeTask, "attempt", lambda self: seen.append(has_room()))
    celery.OfficeTask()()
    assert seen == [True]


def test_a_command_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[bool]()

    def command(arguments: list[str]) -> None:
        seen.append(has_room())

    monkeypatch.setattr(command_errors, "execute_from_command_line", command)
    command_errors.run_command(["manage.py", "check"])
    assert seen == [True]


@linux
@pytest.mark.django_db(transaction=True)
def test_long_work_has_room_in_its_own_thread() -> None:
    seen = list[Any]()
    run_at_low_priority(lambda: seen.extend((has_room(), threading.current_thread())))
    assert seen[0] is True
    assert seen[1] is not threading.current_thread()
