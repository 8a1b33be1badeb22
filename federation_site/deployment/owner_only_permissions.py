"""Rights of what the office keeps: nobody but the account that runs it reads its folder.

In it lie births, addresses, password hashes, sessions, letters with links, keys and backups.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from federation_site.deployment.made_of_sources import keep_bytecode_as_readable_as_sources

OTHERS = stat.S_IRWXG | stat.S_IRWXO


def keep_private(folder: Path) -> None:
    """Close the folder, and whatever this process makes from now on, to other accounts; make nothing yet.

    What it makes of its own sources, beside them, stays as open as these are.
    """
    os.umask(OTHERS)
    keep_bytecode_as_readable_as_sources()
    close_to_others(folder)


def tighten(folder: Path) -> None:
    """Close the office's folder and all that lies in it to other accounts: an earlier version did not."""
    close_to_others(folder)
    for path in folder.rglob("*"):
        close_to_others(path)


def open_to_others(folder: Path) -> list[Path]:
    """The folder's files and folders that other accounts of the machine can open; the folder itself first.

    Whatever lies in a closed folder is closed too: nobody gets there.
    """
    if not folder.is_dir() or not folder.stat().st_mode & OTHERS:
        return []
    inside = (path for path in sorted(folder.rglob("*")) if not path.is_symlink())
    return [folder, *(path for path in inside if path.stat().st_mode & OTHERS)]


def close_to_others(path: Path) -> None:
    """Take away the rights of group and others, where they have any and the file is this account's own."""
    try:
        found = path.lstat()
        if found.st_uid == os.geteuid() and found.st_mode & OTHERS and not stat.S_ISLNK(found.st_mode):
            path.chmod(stat.S_IMODE(found.st_mode) & ~OTHERS)
    except (FileNotFoundError, NotADirectoryError):  # a file of a moment, or a folder that nobody made yet
        pass
    except OSError as fault:
        if fault.errno != errno.EROFS:  # what nobody can write is for its owner to close
            raise
