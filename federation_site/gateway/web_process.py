"""Settings of Python and of Django for a web process alone, beside those of all programs."""

from __future__ import annotations

import gc
import sys

from django.db import connections
from django.urls import get_resolver

KEEP_SECONDS = 20
"""The seconds for which a thread keeps its connection to the database, at least. Not for long: one to SQLite
that was opened while the disk could not be written stays so.
"""
YOUNG = 50_000
"""The objects made, and not let go, before Python's garbage collector looks through them. By itself it does
so after 700: many times in a large page, whose objects are no garbage before its end.
"""
SWITCH_SECONDS = 0.001
"""The time after which a thread of Python's lets another go on."""


def suit_web() -> None:
    """Keep connections between requests on SQLite too, and let threads take turns five times as often as
    Python does by itself.

    A connection to SQLite costs as much to open as a kept answer costs to find. Workers go on opening one for
    each task: they fork, and a child must not inherit an open SQLite database.
    """
    for alias in connections:
        kept = connections.settings[alias]
        kept["CONN_MAX_AGE"] = max(kept["CONN_MAX_AGE"] or 0, KEEP_SECONDS)
    # Each query lets Python's lock go; a busy thread gives it back after this time alone, query by query.
    sys.setswitchinterval(SWITCH_SECONDS)


def spare_program() -> None:
    """Load what answers need, and keep Python's garbage collector from looking through all of it again; have
    it look through the rest less often.

    The collector stops the process for as long as it looks, a fifth of a second and more: the program's own
    million objects, which stay, are most of that.
    """
    get_resolver().url_patterns  # noqa: B018  the addresses import the views
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG)
