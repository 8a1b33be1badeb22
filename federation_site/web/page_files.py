"""The cache of pages in files: no reader who fills it waits for whoever writes the database (SQLite)."""

from __future__ import annotations

import pickle
import zlib
from contextlib import suppress
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.filebased import FileBasedCache

LOST = (OSError, EOFError, zlib.error, pickle.UnpicklingError)
"""Faults of a disk that is full or was torn from its power: the page is then worked out once more."""


class PageFiles(FileBasedCache):
    """Django's cache in files, which all web processes and workers of a folder share; its faults cost nobody
    a page.
    """

    _kept_any = False

    def _createdir(self) -> None:
        """Make the folder with the first page: a command that only looks at the settings makes none."""
        if self._kept_any:
            super()._createdir()  # type: ignore[misc]  # the stubs leave it out

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        with suppress(*LOST):
            return super().get(key, default, version)
        return default

    def set(
        self, key: str, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None
    ) -> None:
        self._kept_any = True
        with suppress(*LOST):
            super().set(key, value, timeout, version)
