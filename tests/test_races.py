"""A slice of `tests.races`: of two people who decide in one moment one is first, and the other reads so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.guards_off.guards_of_races import GUARDS_OF_RACES
from tests.races.every_race import RACES, SHOWN_BY, SHOWN_ON_SERVERS_BY

ON_SERVERS = os.environ.get("DATABASE_URL", "").startswith("postgres")
pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what processes hold"),
    pytest.mark.servers,
]


def races(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.races", "--seed", "11", *options],
        env={name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"},
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def test_of_two_deeds_that_shut_each_other_out_one_is_done_and_who_was_too_late_reads_so() -> None:
    done = races("--pairs", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count('"as_may_be": 3') == len(RACES)
    assert "verify finds no difference" in done.stdout


def test_each_guard_has_races_that_show_it() -> None:
    assert SHOWN_BY.keys() | SHOWN_ON_SERVERS_BY.keys() >= GUARDS_OF_RACES.keys()


@pytest.mark.nightly
@pytest.mark.parametrize("guard", sorted(SHOWN_BY | SHOWN_ON_SERVERS_BY if ON_SERVERS else SHOWN_BY))
def test_a_guard_that_is_off_is_seen(guard: str) -> None:
    done = races("--pairs", "8", "--off", guard)
    assert done.returncode != 0, done.stdout
    assert '"pairs": 8' in done.stdout, done.stdout + done.stderr
    assert '"as_may_be": 8' not in done.stdout, done.stdout
    assert '"nothing_done": 8' not in done.stdout, done.stdout
