"""`tests.history_kills`, a few of them: a past whose taking in is killed is in the record once, whole."""

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


def test_a_past_whose_taking_in_is_killed_is_in_the_record_once() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.history_kills", "--kills", "10", "--seed", "14"],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "each in the record once; equal to a replay" in done.stdout
