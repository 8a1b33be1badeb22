"""A slice of `tests.faults`: whatever fails around an office, nothing acknowledged is lost or done twice."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.guards_off.sitecustomize import GUARDS
from tests.test_kill_up import SEEN_BY as SEEN_AMONG_PROCESSES
from tests.test_write_kills import SEEN_BETWEEN_WRITES

ON_SERVERS = os.environ.get("DATABASE_URL", "").startswith("postgres")
pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what processes hold"),
]
SEEN_BY = {
    "sweep": ("killed_in_the_last_fold", 12),
    "takeover": ("killed_in_the_last_fold", 12),
    "whole-pool": ("kills", 12),
    "leap": ("clock", 16),
    "one-writer": ("worker_stopped", 8),
    "version": ("answers_dropped", 12),
}
"""The faults that each guard is there for, and how many of them show that it is off."""
SEEN_ON_SERVERS_BY = {
    "give-back": ("database_ended", 40),
    "broker-patience": ("redis_stalled", 4),
    "fresh-connection": ("database_ended_at_rest", 3),
}


def faults(fault: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.faults", fault, *options],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


NIGHTLY = [
    pytest.param(fault, 20, marks=pytest.mark.nightly)
    for fault in ("killed_unrating", "killed_correcting", "killed_publishing_again")
]


@pytest.mark.parametrize(
    ("fault", "count"), [("kills", 5), ("answers_dropped", 4), ("database_locked", 4), *NIGHTLY]
)
def test_what_is_acknowledged_is_stored_once_whatever_happens_meanwhile(fault: str, count: int) -> None:
    done = faults(fault, "--count", str(count), "--seed", "11")
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"stored_though_refused": 0' in done.stdout


@pytest.mark.servers
@pytest.mark.skipif(not ON_SERVERS, reason="an office on one machine has neither")
@pytest.mark.parametrize("fault", ["redis_gone", "database_ended"])
def test_what_is_acknowledged_is_stored_once_whatever_happens_to_the_servers(fault: str) -> None:
    done = faults(fault, "--count", "4", "--seed", "11")
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_guard_has_faults_that_show_it() -> None:
    among_servers_and_processes = SEEN_ON_SERVERS_BY.keys() | SEEN_AMONG_PROCESSES.keys()
    assert SEEN_BY.keys() | among_servers_and_processes | {SEEN_BETWEEN_WRITES} == GUARDS.keys()


@pytest.mark.parametrize("guard", GUARDS)
def test_a_guard_is_switched_off_where_it_is(guard: str) -> None:
    module, name = GUARDS[guard]
    assert hasattr(importlib.import_module(module), name)


@pytest.mark.nightly
@pytest.mark.parametrize("guard", sorted(SEEN_ON_SERVERS_BY if ON_SERVERS else SEEN_BY))
def test_a_guard_that_is_off_is_seen(guard: str) -> None:
    fault, count = (SEEN_BY | SEEN_ON_SERVERS_BY)[guard]
    done = faults(fault, "--count", str(count), "--seed", "5", "--without", guard)
    assert done.returncode != 0, done.stdout
    assert "Traceback" not in done.stderr, done.stderr
