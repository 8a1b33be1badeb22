"""Tasks that the database failed are done anew; what fails otherwise is not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from celery import Task
from django.db import InterfaceError, OperationalError

from federation_site import celery

pytestmark = [pytest.mark.django_db, pytest.mark.servers]
NAME = "a task of a test"
TRIES = len(celery.PAUSES) + 1


class Failing:
    """A task that raises the errors it is given, one at each try, and then is done."""

    def __init__(self, *errors: Exception) -> None:
        self.errors, self.tries = list(errors), 0
        celery.app.tasks.pop(NAME, None)
        self.task: Task[Any, Any] = celery.app.task(name=NAME)(self.run)

    def run(self) -> str:
        self.tries += 1
        if self.errors:
            raise self.errors.pop(0)
        return "done"


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(celery, "PAUSES", (0.0,) * len(celery.PAUSES))
    yield
    celery.app.tasks.pop(NAME, None)


@pytest.mark.parametrize("error", [OperationalError("terminated"), InterfaceError("closed")])
def test_a_task_whose_connection_ended_is_done_anew_at_once(error: Exception) -> None:
    task = Failing(error)
    assert task.task() == "done"
    assert task.tries == 2


def test_a_task_that_the_database_fails_each_time_is_left_to_the_sweep() -> None:
    last_one_works = Failing(*[OperationalError("gone")] * (TRIES - 1))
    assert last_one_works.task() == "done"
    gone = Failing(*[OperationalError("gone")] * TRIES)
    with pytest.raises(OperationalError):
        gone.task()
    assert gone.tries == TRIES


def test_a_task_that_fails_by_itself_is_not_done_anew() -> None:
    task = Failing(ValueError("a fault of its own"))
    with pytest.raises(ValueError, match="a fault of its own"):
        task.task()
    assert task.tries == 1
