"""Copies on disk of pages that anybody read, for readers while the database or the whole office is away.

Each page that a visitor without cookies got is laid below `pages/HOST/` at its own address, marked with its
hour. The gateway answers from there while it gets no answer from the database, and the proxy
(`deploy/nginx/office.conf`) while it gets none from the gateway. A decision that may take something back
deletes all copies after its transaction and before it is answered.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp
from uuid import uuid4

import structlog
from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import gettext_noop

from players.decision_kinds import MAY_TAKE_BACK
from players.models import Decision, Federation

MOST_BYTES_OF_PAGE = 2_000_000
MOST_BYTES = 300_000_000
"""The size of all copies to which `trim` brings them back …"""
BYTES_BETWEEN_TRIMS = 30_000_000
"""… after each process wrote so many, and each night."""
OLDEST_SECONDS = 30 * 24 * 60 * 60.0
SEGMENT = re.compile(r"\w[\w.~-]{0,99}|\[[0-9a-f:]+\]")
PAGE_NUMBER = re.compile(r"page=([1-9][0-9]{0,3})")
MAIN_TAG = re.compile(rb"<main\b[^>]*>")
log = structlog.get_logger("federation_site.kept_pages")
_written_bytes = 0


def copy_name(host: str, path: str, query: str = "") -> str:
    """The place of an address's copy below `pages/`; empty if none is kept of such an address.

    `query`: empty, or the number of a page of a long list.
    """
    number = PAGE_NUMBER.fullmatch(query)
    segments = [host, *path.strip("/").split("/")] if path.strip("/") else [host]
    if not path.endswith("/") or (query and not number) or len(path) > 200:
        return ""
    if not all(SEGMENT.fullmatch(each) for each in segments):
        return ""
    return "/".join([*segments, f"page{f'-{number[1]}' if number else ''}.html"])


# ---- Keeping a page
@dataclass(frozen=True, slots=True)
class Folder:
    """The folder of copies as it was when a page began to be made: if it is deleted meanwhile, what is
    written to it goes with it.
    """

    descriptor: int

    def keep(self, name: str, content: bytes) -> None:
        """Store a page, with a note of the hour in the language in force, under a name of `copy_name`."""
        global _written_bytes
        main = MAIN_TAG.search(content)
        if not name or main is None or len(content) > MOST_BYTES_OF_PAGE:
            return
        note = render_to_string("components/kept_note.html", {"at": datetime.now(UTC)}).encode()
        marked = content[: main.end()] + note + content[main.end() :]
        try:
            self._write(name, marked)
        except OSError as fault:  # deleted meanwhile, or the disk is full: then there is no copy
            log.info("no copy was kept", page=name, fault=str(fault))
            return
        _written_bytes += len(marked)
        if _written_bytes > BYTES_BETWEEN_TRIMS:
            _written_bytes = 0
            trim()

    def _write(self, name: str, content: bytes) -> None:
        *folders, _file = name.split("/")
        for depth in range(1, len(folders) + 1):
            with suppress(FileExistsError):
                inner = "/".join(folders[:depth])
                os.mkdir(inner, dir_fd=self.descriptor)
                os.chmod(inner, folder_mode(), dir_fd=self.descriptor)
        unfinished = f"{'/'.join(folders)}/{uuid4().hex}"
        file = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, dir_fd=self.descriptor)
        try:
            with os.fdopen(file, "wb") as opened:
                os.fchmod(opened.fileno(), folder_mode() & 0o644)
                opened.write(content)
            os.rename(unfinished, name, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)
        except OSError:
            with suppress(OSError):
                os.unlink(unfinished, dir_fd=self.descriptor)
            raise


@contextmanager
def open_folder() -> Iterator[Folder | None]:
    """Open the folder of copies before anything is read of which a page is made; None if it cannot be."""
    try:
        descriptor = os.open(_pages(), os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        try:
            make_folder(_pages())
            descriptor = os.open(_pages(), os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            yield None
            return
    try:
        yield Folder(descriptor)
    finally:
        os.close(descriptor)


def folder_mode() -> int:
    """The rights of folders of copies: closed, unless the operator named a folder for the proxy to read."""
    return 0o755 if settings.KEPT_FOR_PROXY else 0o700


def _pages() -> Path:
    return Path(settings.KEPT_DIR) / "pages"


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, if they are missing, with the rights of `folder_mode`."""
    if not folder.is_dir():
        make_folder(folder.parent)
        with suppress(FileExistsError):
            folder.mkdir()
            folder.chmod(folder_mode())


def trim() -> None:
    """Delete copies that are older than a month, the oldest of what is more than `MOST_BYTES`, and folders
    that are empty. What others delete meanwhile is no error.
    """
    found, folders = [], []
    for folder, _folders, names in os.walk(_pages(), topdown=False):
        folders.append(folder)
        for path in (os.path.join(folder, name) for name in names):
            with suppress(OSError):
                status = os.lstat(path)
                found.append((status.st_mtime, status.st_size, path))
    room, oldest = MOST_BYTES, datetime.now(UTC).timestamp() - OLDEST_SECONDS
    for at, size, path in sorted(found, reverse=True):
        room -= size
        if room < 0 or at < oldest:
            with suppress(OSError):
                os.unlink(path)
    for folder in folders[:-1]:  # all but that of copies itself
        with suppress(OSError):
            os.rmdir(folder)


# ---- Reading copies
def find(names: list[str]) -> bytes | None:
    """The first copy that there is under these names; None if there is none."""
    for name in filter(None, names):
        with suppress(OSError):
            return (_pages() / name).read_bytes()
    return None


# ---- Deleting all
GONE_PREFIX = ".gone-"


def forget() -> bool:
    """Delete all copies; pages that are being made now leave none either. Returns whether that was done.

    A failure is logged as an error, of which operators hear, and the next sweep tries again.
    """
    folder = _pages()
    try:
        if folder.is_dir():
            _move_aside(folder)
            _write_through(folder.parent)
            make_folder(_pages())
        for gone in folder.parent.glob(f"{GONE_PREFIX}*"):
            _delete(gone)
    except OSError:
        log.exception(
            "copies of pages that may hold what was taken back could not be deleted",
            mend=gettext_noop(
                "Delete the folder “pages” in KEPT_DIR, and what begins with “.gone-” beside it. Then look at"
                " its rights and at the disk: each look for work tries again."
            ),
        )
        return False
    return True


def _move_aside(folder: Path) -> None:
    """Move the folder of copies to where nobody looks for any, unless another process was faster."""
    while True:
        aside = mkdtemp(prefix=GONE_PREFIX, dir=folder.parent)
        try:
            os.rename(folder, f"{aside}/pages")
        except FileNotFoundError:
            if not os.path.isdir(aside):  # another process deleted this, and the folder may be a new one
                continue
        return


def _delete(folder: Path) -> None:
    """Delete a folder to which pages may still be written."""
    for _try in range(100):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
    shutil.rmtree(folder)


def _write_through(folder: Path) -> None:
    """Have the disk hold what a folder holds, so that no failure of power brings deleted names back."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def forget_if_taken_back(office: Federation) -> None:
    """Delete all copies if a decision since the last look may have taken something back: the process that
    made it may have died before it could. An office that was put back has other decisions under its numbers.
    """
    mark = Path(settings.KEPT_DIR) / f"seen-{office.code}"
    decisions = Decision.objects.filter(federation=office)
    newest = decisions.order_by("-number").values_list("number", "hash").first()
    if not _pages().is_dir() or newest is None:
        return
    with suppress(OSError):
        if mark.read_text() == f"{newest[0]} {newest[1]}":
            return
    try:
        number, hash_ = mark.read_text().split()
        known = decisions.filter(number=int(number), hash=hash_).exists()
        since = decisions.filter(MAY_TAKE_BACK, number__gt=int(number))
        taken_back = not known or since.exists()
    except (OSError, ValueError):
        taken_back = True
    if taken_back and not forget():
        return
    mark.write_text(f"{newest[0]} {newest[1]}")
