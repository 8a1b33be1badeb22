"""A plugin for the run in which each test is seen once: what fails without a fault is named and left out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FAILED = Path("failed-without-a-fault.txt")
"""In the folder in which the mutated sources lie."""
_failed: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        _failed.append(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if os.environ.get("MUTANT_UNDER_TEST") == "stats":
        FAILED.write_text("".join(f"{each}\n" for each in sorted(set(_failed))))
        session.exitstatus = 0
