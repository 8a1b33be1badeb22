"""A broker that hangs holds nobody up for long."""

import os
import socket
import subprocess
import sys
from pathlib import Path

from django.conf import settings

WAKE = """
import time
import django
django.setup()
from players.office import wake_worker
begun = time.monotonic()
wake_worker._send("ratings.tasks.recompute", 1)
print(wake_worker.failed, time.monotonic() - begun)
"""


def test_a_redis_that_takes_the_connection_and_never_answers_is_given_up_within_seconds(
    tmp_path: Path,
) -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        done = subprocess.run(
            [sys.executable, "-c", WAKE],
            cwd=settings.ROOT,
            env={
                **os.environ,
                "CELERY_BROKER_URL": f"redis://127.0.0.1:{deaf.getsockname()[1]}/0",
                "DJANGO_SETTINGS_MODULE": "federation_site.settings",
                "VAR_DIR": str(tmp_path),
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    failed, seconds = done.stdout.split()
    assert int(failed) == 1
    assert float(seconds) < 8, "four, on a machine that has nothing else to do"
