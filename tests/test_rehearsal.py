"""The rehearsal of a restore, on the database that the run is for: `tests.rehearsal`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.servers, pytest.mark.nightly]


@pytest.mark.faults
def test_an_office_thrown_away_comes_back_from_a_backup_made_while_it_worked() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.rehearsal"],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "restored, taken back, one history" in done.stdout
