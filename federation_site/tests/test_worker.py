"""The worker, started for real on an empty office without Redis."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings


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
    }


@pytest.fixture
def worker(environment: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(migrate, cwd=settings.ROOT, env=environment, check=True)
    command = "celery --app federation_site worker --concurrency 1 --without-gossip --without-mingle"
    process = subprocess.Popen(
        [sys.executable, "-m", *command.split()],
        cwd=settings.ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    yield process
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


def test_a_worker_with_its_own_clock_sweeps_again_beside_a_schedule_that_a_kill_cut_off(
    environment: dict[str, str], tmp_path: Path
) -> None:
    """What an older version left there cannot stop it, and nothing is left for a later one."""
    cut_off = tmp_path / "celerybeat-schedule"
    cut_off.write_bytes(b"\x80\x04\x95")
    migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(migrate, cwd=settings.ROOT, env=environment, check=True)
    clock = """
import celery.beat
from federation_site.celery import app
sent = []
app.conf.beat_schedule = {name: entry | {"schedule": 0.1} for name, entry in app.conf.beat_schedule.items()}
celery.beat.Scheduler.apply_async = lambda self, entry, **_: sent.append(entry.task)
service = celery.beat.EmbeddedService(
    app, thread=True, scheduler_cls=app.conf.beat_scheduler, schedule_filename=app.conf.beat_schedule_filename
)
service.daemon = True
service.start()
while len(set(sent)) < len(app.conf.beat_schedule) and service.is_alive():
    service.join(0.1)
service.stop()
print(*sorted(set(sent)))
"""
    done = subprocess.run(
        [sys.executable, "-c", clock],
        cwd=tmp_path,
        env=environment | {"PYTHONPATH": str(settings.ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    scheduled = {str(entry["task"]) for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert done.stdout.split() == sorted(scheduled), done.stderr
    assert cut_off.read_bytes() == b"\x80\x04\x95"
    assert sorted(path.name for path in tmp_path.glob("celerybeat*")) == ["celerybeat-schedule"]
