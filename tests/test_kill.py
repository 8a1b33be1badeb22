"""A slice of `tests.kill`: nothing is lost, half-done or done twice when the worker is killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.faults
def test_a_worker_killed_at_random_moments_leaves_ratings_equal_to_the_replay() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.kill", "--rounds", "8", "--seed", "7"],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "changes equal a replay" in done.stdout
