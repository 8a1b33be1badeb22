"""The worker, started for real on an empty office without Redis."""

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pytest
from django.conf import settings

from federation_site.celery import app, send_sweeps
from federation_site.management.commands import up
from players import jobs

pytestmark = [pytest.mark.any_database, pytest.mark.long]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An office of its own: a database, a folder, no server."""
    inherited = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
    return {
        **inherited,
        "DATABASE_URL": f"sqlite:///{tmp_path / 'office.sqlite3'}",
        "CELERY_BROKER_URL": "djangodb://localhost",
        "VAR_DIR": str(tmp_path),
        "LOG_LEVEL": "INFO",
        "DJANGO_SETTINGS_MODULE": "federation_site.settings",
    }


WORKER = "--app federation_site worker --concurrency 1 --without-gossip --without-mingle"
EACH_FIVE_SECONDS = """
import sys
from celery.__main__ import main
from django.conf import settings
settings.SWEEP_SECONDS = 5
main()
"""
"""So that a busy machine has the time to do one round of sweeps before it expires."""
PATIENCE = 180  # seconds, after which a worker that never says what is waited for is ended


@pytest.fixture
def worker(environment: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    yield from started(["-m", "celery", *WORKER.split()], environment)


@pytest.fixture
def worker_that_sweeps_often(environment: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    yield from started(["-c", EACH_FIVE_SECONDS, *WORKER.split()], environment)


def started(command: list[str], environment: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(migrate, cwd=settings.ROOT, env=environment, check=True)
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=settings.ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    patience = Timer(PATIENCE, process.kill)
    patience.start()
    yield process
    patience.cancel()
    process.kill()
    process.communicate()


def test_a_worker_looks_for_work_as_soon_as_it_is_up_and_stops_in_good_order(
    worker: "subprocess.Popen[str]",
) -> None:
    assert worker.stderr
    swept: set[str] = set()
    for line in worker.stderr:
        swept |= set(re.findall(r"Task (\S+?)\[\S+\] succeeded", line))
        if swept >= set(settings.SWEEPS):
            break
    worker.send_signal(signal.SIGTERM)
    worker.communicate(timeout=30)
    assert swept >= set(settings.SWEEPS)
    assert worker.returncode == 0


def test_a_worker_ends_when_its_process_is_killed_that_holds_the_lock_of_their_queue(
    worker: "subprocess.Popen[str]",
) -> None:
    """Idle, it waits for work with the lock in hand: whoever came after it would wait for ever."""
    assert worker.stderr
    swept: set[str] = set()
    for line in worker.stderr:
        swept |= set(re.findall(r"Task (\S+?)\[\S+\] succeeded", line))
        if swept >= set(settings.SWEEPS):
            break
    [idle] = children_of(worker.pid)
    os.kill(idle, signal.SIGKILL)
    _, said = worker.communicate(timeout=60)
    assert "a process of this worker was killed" in said
    assert worker.returncode == -signal.SIGKILL


def test_a_worker_on_sqlite_forks_nobody_beside_its_threads(
    worker: "subprocess.Popen[str]", environment: dict[str, str]
) -> None:
    """However many tasks its process has done: who is forked then holds the locks of their connections."""
    assert worker.stderr
    done = 0
    born: list[int] = []
    for line in worker.stderr:
        done += "succeeded" in line
        if done and not born:
            born = children_of(worker.pid)
            send = "from federation_site.celery import app; sign = 'federation_site.tasks.give_sign'"
            command = f"{send}; [app.send_task(sign) for _ in range(210)]"
            subprocess.run(
                [sys.executable, "manage.py", "shell", "-c", command], cwd=settings.ROOT, env=environment
            )
        if done > 210:
            break
    assert done > 210
    assert born == children_of(worker.pid)


def children_of(pid: int) -> list[int]:
    threads = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for thread in threads for child in (thread / "children").read_text().split()]


def test_a_worker_goes_on_sweeping_by_itself(worker_that_sweeps_often: "subprocess.Popen[str]") -> None:
    """Nobody else has to send its sweeps, and no clock that is set can stop them."""
    assert worker_that_sweeps_often.stderr
    swept: Counter[str] = Counter()
    for line in worker_that_sweeps_often.stderr:
        swept.update(re.findall(r"Task (\S+?)\[\S+\] succeeded", line))
        if all(swept[task] > 2 for task in settings.SWEEPS):
            break
    assert min(swept[task] for task in settings.SWEEPS) > 2


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("queue", "sweeps"),
    [
        (
            "ratings",
            [
                "federation_site.tasks.give_sign",
                "federation_site.tasks.look_at_the_clock",
                "ratings.tasks.sweep",
            ],
        ),
        (
            "files",
            ["federation_site.tasks.give_sign_of_files", "players.tasks.sweep_files"],
        ),
    ],
)
def test_a_worker_sends_the_sweeps_of_its_own_queue_and_they_expire_before_the_next(
    monkeypatch: pytest.MonkeyPatch, queue: str, sweeps: list[str]
) -> None:
    sent: list[tuple[str, float]] = []
    monkeypatch.setattr(app, "send_task", lambda task, expires: sent.append((task, expires)))
    monkeypatch.setattr(app.amqp.queues, "_consume_from", {queue: app.amqp.queues[queue]})
    send_sweeps()
    assert sorted(task for task, _ in sent) == sweeps
    assert {expires for _, expires in sent} == {settings.SWEEP_SECONDS}


@pytest.mark.django_db
def test_a_broker_that_is_away_ends_no_sweeping(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def refuse(task: str, expires: float) -> None:
        tried.append(task)
        raise OSError("no broker")

    monkeypatch.setattr(app, "send_task", refuse)
    monkeypatch.setattr(app.amqp.queues, "_consume_from", None)
    send_sweeps()
    assert tried == list(settings.SWEEPS)


def test_reading_files_never_stands_in_the_queue_of_recomputes_and_publications() -> None:
    app.loader.import_default_modules()
    queue_of = {task: app.amqp.router.route({}, task)["queue"].name for task in app.tasks}
    ours = {task: queue for task, queue in queue_of.items() if not task.startswith("celery.")}
    files = {task for task, queue in ours.items() if queue == "files"}
    assert "players.tasks.sweep_files" in files
    assert {"uploads", "archives", "tables", "histories"} == {
        kind.name for kind in jobs.get_kinds().values() if kind.queue == "files"
    }
    assert {ours["ratings.tasks.recompute"], ours["ratings.tasks.sweep"]} == {"ratings"}


def test_up_has_one_worker_for_each_queue() -> None:
    commands = [
        command for name, command in up.program_commands("127.0.0.1", 8000).items() if "worker" in name
    ]
    queues = [command[command.index("--queues") + 1] for command in commands]
    assert sorted(queues) == sorted(queue.name for queue in settings.CELERY_TASK_QUEUES)
