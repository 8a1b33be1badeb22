"""A box that is not closed on this machine is told."""

import pytest

from federation_site import celery, checks
from federation_site.checks import sandbox_warning
from tournaments.box import BoxDied

pytestmark = pytest.mark.boxed


@pytest.fixture
def half_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.box.open_ways", lambda: ["start a process", "run a program"])


def test_a_machine_that_shuts_every_way_is_told_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.box.open_ways", list)
    assert sandbox_warning() == ""
    assert checks.check_sandbox() == []


@pytest.mark.usefixtures("half_open")
def test_the_ways_that_are_open_are_named_by_the_deployment_check() -> None:
    (warning,) = checks.check_sandbox()
    assert warning.id == "federation_site.W008"
    assert "could still: start a process, run a program. Linux with seccomp" in warning.msg


def test_a_box_that_does_not_start_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def dies() -> list[str]:
        raise BoxDied("box-crash", "ImportError")

    monkeypatch.setattr("tournaments.box.open_ways", dies)
    assert "does not start on this machine (box-crash: ImportError)" in sandbox_warning()


@pytest.mark.usefixtures("half_open")
@pytest.mark.parametrize(("queue", "told"), [("files", True), ("ratings", False)])
def test_the_worker_that_reads_files_tells_it_when_it_starts(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, queue: str, told: bool
) -> None:
    queues = celery.app.amqp.queues
    monkeypatch.setattr(queues, "_consume_from", {queue: queues[queue]})
    celery.warn_of_open_sandbox()
    assert ("start a process" in caplog.text) is told
