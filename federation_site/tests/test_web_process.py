"""Settings of a web process alone: connections that last, on SQLite too, and threads that take turns."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator

import pytest
from django.db import connections

from federation_site.gateway import (
    GC_THRESHOLD,
    KEEP_CONNECTION_SECONDS,
    SWITCH_SECONDS,
    configure_web_process,
    freeze_loaded_objects,
)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    kept, switch = connections.settings["default"]["CONN_MAX_AGE"], sys.getswitchinterval()
    threshold = gc.get_threshold()
    yield
    gc.set_threshold(*threshold)
    connections.settings["default"]["CONN_MAX_AGE"] = kept
    sys.setswitchinterval(switch)


@pytest.mark.parametrize(
    ("before", "after"),
    [(0, KEEP_CONNECTION_SECONDS), (KEEP_CONNECTION_SECONDS + 1, KEEP_CONNECTION_SECONDS + 1)],
)
def test_a_thread_of_a_web_process_keeps_its_connection_between_requests(before: int, after: int) -> None:
    connections.settings["default"]["CONN_MAX_AGE"] = before
    configure_web_process()
    assert connections.settings["default"]["CONN_MAX_AGE"] == after


def test_threads_take_turns_more_often_than_python_lets_them() -> None:
    configure_web_process()
    assert sys.getswitchinterval() == pytest.approx(SWITCH_SECONDS)


def test_the_collector_leaves_the_loaded_program_alone() -> None:
    gc.unfreeze()
    try:
        freeze_loaded_objects()
        assert gc.get_freeze_count() > 100_000
        assert len(gc.get_objects()) < gc.get_freeze_count() / 10
    finally:
        gc.unfreeze()


def test_the_collector_looks_through_the_objects_of_a_large_page_once_or_twice() -> None:
    """A section of 200 players has some 15,000 at once."""
    gc.unfreeze()
    looks = list[str]()
    try:
        freeze_loaded_objects()
        configure_web_process()
        gc.callbacks.append(lambda phase, info: looks.append(phase))
        page = [[number] for number in range(GC_THRESHOLD + 1)]
    finally:
        gc.callbacks.pop()
        gc.unfreeze()
    assert len(page) > GC_THRESHOLD
    assert 1 <= looks.count("start") <= 2
