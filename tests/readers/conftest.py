"""Fixtures of the readers: one site with five small demo offices for the whole run, and who reads there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.browser import Office, Visitors

collect_ignore_glob = [] if find_spec("playwright") else ["test_*.py"]


@pytest.fixture(scope="session")
def demo_office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """What `up` starts, with small demos; `DEMO_OFFICE=http://127.0.0.1:8000` names one that is open."""
    from tests.browser import Office, open_office

    if address := os.environ.get("DEMO_OFFICE"):
        yield Office(address, Path(os.devnull))
        return
    folder = tmp_path_factory.mktemp("demo")
    with open_office(folder, "--no-demo", filled_by="tests.readers.small_demo") as opened:
        yield opened
    faults = [line for line in opened.log.read_text().splitlines() if "[error" in line or "[critical" in line]
    assert faults == []


@pytest.fixture
def visitors(chromium: Browser, demo_office: Office) -> Iterator[Visitors]:
    """Whoever comes in this test; at its end nothing may have gone wrong before their eyes."""
    from tests.browser import Visitors

    there = Visitors(chromium, demo_office)
    yield there
    there.leave()
    assert there.faults() == []
