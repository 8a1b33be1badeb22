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
