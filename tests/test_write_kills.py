"""`tests.write_kills`, whole: what is killed between two of its writes has written nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows forks nobody"),
    pytest.mark.servers,
]
SEEN_BETWEEN_WRITES = "one-transaction"
"""The guard that these kills are there for."""


def write_kills(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.write_kills", *options],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def test_decisions_and_recomputes_killed_between_any_two_writes_have_written_nothing() -> None:
    done = write_kills()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no deed half done; equal to a replay" in done.stdout


def test_results_that_are_not_written_in_one_transaction_are_seen_half_written() -> None:
    done = write_kills("--without", SEEN_BETWEEN_WRITES)
    assert done.returncode != 0, done.stdout
    assert "half-written, in" in done.stderr, done.stderr
