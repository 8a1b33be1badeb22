"""Slices of `benchmarks.load` and `benchmarks.flood`: whoever comes is answered; how fast, they tell."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ports import free_port

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.faults
def test_readers_searchers_and_staff_are_all_answered_beside_a_re_rate(tmp_path: Path) -> None:
    options = ["--rate", "8", "--seconds", "8", "--offices", "csa", "ssdc", "--scale", "0.1"]
    where = ["--folder", str(tmp_path), "--port", str(free_port()), "--games", "2000"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.load", *options, *where],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for kind in ("page", "search", "staff"):
        assert re.search(rf"{kind}: +[1-9]\d* asked, 0 errors", done.stdout), done.stdout
    assert re.search(r"visible: [1-9]", done.stdout)


@pytest.mark.faults
def test_the_staff_are_answered_while_slow_visitors_and_a_flood_of_heavy_pages_come(tmp_path: Path) -> None:
    options = ["--seconds", "3", "--scale", "0.1", "--folder", str(tmp_path), "--port", str(free_port())]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.flood", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(re.findall(r"staff: +[1-9]\d* asked, 0 errors, 0 shed", done.stdout)) == 6, done.stdout
