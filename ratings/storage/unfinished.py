"""Files and folders that are being written, held by their writer: what a dead writer left is deleted.

Whoever is killed in the middle may leave the whole register, births too. So whatever is renamed or packed
once it is whole is written here: under a name that nothing else has, locked until its writer is done. The
system lets that lock go when the writer dies, on other machines that share the folder too. What nobody holds
is deleted by whoever writes in that folder next, and at the next start of the office.
"""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile, gettempdir, mkdtemp
from typing import IO

log = logging.getLogger(__name__)
NAME = ".unfinished-"
"""The beginning of the names under which files and folders are being written."""
LOCK, CONTENT = "lock", "content"
"""What such a folder holds: the file that is locked, and the folder that is written."""


@contextmanager
def unfinished_file(folder: Path) -> Iterator[IO[bytes]]:
    """Open a new file in `folder`, for its owner alone. Flush and rename it (`file.name`) within the block;
    what is not renamed by its end is deleted.
    """
    clear_unfinished(folder)
    with _new_file(folder) as file:
        try:
            yield file
        finally:
            Path(file.name).unlink(missing_ok=True)


@contextmanager
def unfinished_folder(beside: Path | None = None) -> Iterator[Path]:
    """Make a folder, for its owner alone, that is deleted at the end of the block. It lies in `beside`, so
    that what it holds can be renamed to there; None: in the machine's own folder for such.
    """
    beside = beside or Path(gettempdir())
    clear_unfinished(beside)
    top, lock = _new_folder(beside)
    with lock:
        try:
            yield top / CONTENT
        finally:
            shutil.rmtree(top, ignore_errors=True)


def _new_file(folder: Path) -> IO[bytes]:
    while True:
        file = NamedTemporaryFile("w+b", prefix=NAME, dir=folder, delete=False)  # noqa: SIM115 - the caller's
        if _held(file, Path(file.name)):
            return file
        file.close()
        Path(file.name).unlink(missing_ok=True)


def _new_folder(beside: Path) -> tuple[Path, IO[bytes]]:
    """Make a folder with the file that holds it, open and locked."""
    while True:
        top = Path(mkdtemp(prefix=NAME, dir=beside))
        with suppress(FileNotFoundError):  # somebody who clears was there before its lock was
            lock = (top / LOCK).open("ab")
            if _held(lock, top / LOCK):
                (top / CONTENT).mkdir(mode=0o700)
                return top, lock
            lock.close()
        shutil.rmtree(top, ignore_errors=True)


def _held(file: IO[bytes], path: Path) -> bool:
    """Lock a file for as long as it is open; False where somebody who clears took it for left over first."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # no locks on this disk: nobody else gets one either, and so nobody deletes
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def clear_unfinished(folder: Path) -> None:
    """Delete what processes that are gone were writing in a folder, and log it. What somebody holds stays,
    and so does what is another account's.
    """
    gone = [path.name for path in folder.glob(f"{NAME}*") if _cleared(path)]
    if gone:
        log.warning("deleted from %s what a process that ended left unfinished: %s", folder, ", ".join(gone))


def _cleared(path: Path) -> bool:
    try:
        if path.lstat().st_uid != os.geteuid():
            return False
        is_folder = path.is_dir()
        with (path / LOCK).open("ab") if is_folder else path.open("r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path) if is_folder else path.unlink()
    except OSError:  # its writer lives, or has just renamed or deleted it
        return False
    return True
