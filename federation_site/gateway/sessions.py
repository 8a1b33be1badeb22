"""Knows who is signed in, by the session's key alone: for lanes and sizes, never for permissions."""

from __future__ import annotations

import time
from importlib import import_module

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.db import close_old_connections

FRESH = 60.0
"""The seconds for which a key counts as signed in without another look."""
_MOST = 10_000


class Sessions:
    """The session keys that were found, in the last minute, to be of somebody signed in."""

    def __init__(self) -> None:
        self._store = import_module(settings.SESSION_ENGINE).SessionStore
        self._known: dict[str, float] = {}

    def known(self, key: str) -> bool:
        """Whether a session key was found signed in within the last `FRESH` seconds; asks no store."""
        return self._known.get(key, 0.0) > time.monotonic()

    def look_up(self, key: str) -> bool:
        """Ask the store whether a session key is of somebody signed in; a yes is known from then on."""
        close_old_connections()
        try:
            signed_in = SESSION_KEY in self._store(key)
        finally:
            close_old_connections()
        if signed_in:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[key] = time.monotonic() + FRESH
        return signed_in
