"""A slice of `tests.letter_kills`: no letter is lost when the worker is killed, none comes twice unseen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.servers


@pytest.mark.faults
def test_a_worker_killed_around_sending_loses_no_letter_and_repeats_one_by_the_same_id_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.letter_kills", "--kills", "5", "--seed", "7"],
        env={name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"},
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "none lost" in done.stdout
