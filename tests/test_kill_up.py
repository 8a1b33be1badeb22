"""A slice of `tests.kill_up`: whatever process of `up` is killed, all run again soon, and once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what processes hold"),
]
SEEN_BY = {
    "session": ("kill_main_of_a_stopped_child", "web"),
    "program": ("kill_up", "worker"),
    "fork": ("kill_up_and_main", "web"),
    "orphans": ("kill_up_and_main_of_a_stopped_child", "web"),
    "lock": ("open_a_second_time", "web"),
}
"""The fault that each guard is there for, and the kind of process that it meets."""


def kill_up(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.kill_up", *options],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def test_every_kind_of_process_may_be_killed_and_ctrl_c_ends_all() -> None:
    done = kill_up("--rounds", "10", "--seed", "11")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "none lost or doubled; equal to a replay" in done.stdout


@pytest.mark.skipif("DATABASE_URL" in os.environ, reason="guards are of processes, whatever the database")
@pytest.mark.nightly
@pytest.mark.parametrize("guard", sorted(SEEN_BY))
def test_a_guard_that_is_off_is_seen(guard: str) -> None:
    fault, kind = SEEN_BY[guard]
    done = kill_up("--without", guard, "--fault", fault, "--kind", kind, "--within", "15")
    assert done.returncode != 0, done.stdout
    assert "not so, within" in done.stderr or "a second `up`" in done.stderr, done.stderr
