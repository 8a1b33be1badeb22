"""Fixtures of the walks: one site with five offices for the whole run, and whoever looks at its pages."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from django.utils.translation import override

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.browser import Office
    from tests.walks.worker import Sight

collect_ignore_glob = [] if find_spec("playwright") else ["test_*.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put seasons first: each takes minutes, and whoever meets one at the end has the other worker wait."""
    items.sort(key=lambda item: "test_browser_seasons" not in item.nodeid)


@pytest.fixture(scope="session")
def seasons_office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """What `up` starts, on a database of its own: invented offices alone, so that the mailbox is open."""
    from tests.browser import open_office

    folder = tmp_path_factory.mktemp("seasons")
    with open_office(folder, "--no-demo", filled_by="tests.walks.open_seasons") as opened:
        yield opened
    faults = [line for line in opened.log.read_text().splitlines() if "[error" in line or "[critical" in line]
    assert faults == []


@pytest.fixture(scope="session")
def kinds_seen() -> set[tuple[str, ...]]:
    """Kinds of pages that were looked at in this run."""
    return set()


@pytest.fixture
def sight(chromium: Browser, seasons_office: Office, kinds_seen: set[tuple[str, ...]]) -> Iterator[Sight]:
    """Whoever comes in a walk; at its end nothing may have gone wrong before their eyes."""
    from tests.browser import Visitors
    from tests.walks.staff_tasks import STAFF_TASKS
    from tests.walks.worker import TASKS, Sight, pictures_folder

    there = Visitors(chromium, seasons_office)
    TASKS.clear()
    with override("en"):  # a walk speaks its office's language, and leaves none behind
        yield Sight(there, pictures_folder(), kinds_seen)
    there.leave()
    if path := os.environ.get("WALK_CLICKS"):
        with open(path, "a") as told:
            rows = ({"task": STAFF_TASKS.get(each.number), **asdict(each)} for each in TASKS)
            told.writelines(json.dumps(row) + "\n" for row in rows)
    assert there.faults() == []
