"""Rights of what Python makes of the program's sources: whoever may read these may read what is made of them.

The umask is the data's (`keep_private`); what root's start makes in the program's folder serves the office's
account.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
    SourcelessFileLoader,
)
from pathlib import Path
from shutil import copymode
from typing import Any


class _Loader(SourceFileLoader):
    """Python's own, whose bytecode is as readable as its source, and `__pycache__` as the folder above."""

    def set_data(self, path: Any, data: Any, **how: Any) -> None:
        super().set_data(path, data, **how)
        kept, source = Path(path), Path(self.path)
        with suppress(OSError):  # nothing was kept, or the folder is not ours
            copymode(source, kept)
            if kept.parent.parent == source.parent:
                copymode(source.parent, kept.parent)


_hook = FileFinder.path_hook(
    (ExtensionFileLoader, EXTENSION_SUFFIXES),
    (_Loader, SOURCE_SUFFIXES),
    (SourcelessFileLoader, BYTECODE_SUFFIXES),
)


def keep_bytecode_as_readable_as_sources() -> None:
    """Have this process keep the bytecode of what it imports from now on with the rights of the sources."""
    if _hook not in sys.path_hooks:
        sys.path_hooks.insert(0, _hook)
        sys.path_importer_cache.clear()
