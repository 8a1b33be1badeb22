"""The files of a ZIP of several sections, each by itself.

`python -m tournaments.formats.zip.unpack [history] < ZIP`

Runs only in the box. Its output is a line of JSON (a `Listing`), then the bytes of the files that it names,
one after the other.
"""

import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from tournaments.formats.common import reading_as_json, zip_members
from tournaments.formats.common.decode_text import MOST_BYTES
from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import FileFinding
from tournaments.formats.common.zip_members import ZipMember
from tournaments.formats.tables import xlsx
from tournaments.formats.zip.files_together import as_one, grouped_parts

MEGABYTE = 1024 * 1024
MOST_PACKED = 5 * MEGABYTE
MOST_UNPACKED = 50 * MEGABYTE
LONGEST_NAME = 200
_LOCAL_HEADER = 30  # bytes before the name of a file in the archive
_LOCKED = 1  # the bit of a file that is encrypted


@dataclass(frozen=True, slots=True)
class Listed:
    """A file of the archive, or several that are one section: its name to show, and the bytes to follow."""

    name: str
    size: int
    reason: str = ""
    """The key of the message that says why no bytes follow."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Files in the archive's order; if it was not unpacked, no files, and findings that say why."""

    files: tuple[Listed, ...]
    findings: tuple[FileFinding, ...] = ()


@dataclass(frozen=True, slots=True)
class Bounds:
    """The most that an archive may hold: bytes as packed and unpacked, and files."""

    packed: int
    unpacked: int
    files: int


OF_AN_EVENT = Bounds(MOST_PACKED, MOST_UNPACKED, zip_members.MOST_PARTS)
OF_A_HISTORY = Bounds(25 * MEGABYTE, MOST_UNPACKED, 5_000)
"""The bounds of a ZIP with all event files of many years."""
HISTORY = "history"
"""The argument with which the program takes `OF_A_HISTORY` for its bounds."""


class ArchiveRefused(Exception):
    """Refuses an archive: `key` of a message, and the params that fill it in."""

    def __init__(self, key: str, **params: str | int) -> None:
        super().__init__(key)
        self.key, self.params = key, params


def unpack(data: bytes, bounds: Bounds = OF_AN_EVENT) -> tuple[Listing, list[bytes]]:
    """The listing of an archive, and the bytes of the files that can be read. Never raises."""
    notes = Notes()
    try:
        unpacked = _unpacked(data, bounds)
    except ArchiveRefused as refused:
        notes.blocks(refused.key, None, None, **refused.params)
        return Listing((), notes.reading(None).findings), []
    files = tuple(listed for listed, _content in unpacked)
    return Listing(files), [content for listed, content in unpacked if not listed.reason]


def _unpacked(data: bytes, bounds: Bounds) -> list[tuple[Listed, bytes]]:
    if len(data) > bounds.packed:
        raise ArchiveRefused("archive-too-big", most=bounds.packed // MEGABYTE)
    if not zip_members.recognises(data):
        raise ArchiveRefused("archive-no-zip")
    if xlsx.recognises(data):
        raise ArchiveRefused("archive-is-workbook")
    try:
        with ZipFile(io.BytesIO(data)) as opened:
            files = _weighed(opened, bounds)
            parts = list(_inflated(opened, files, bounds))
    except zip_members.BROKEN:
        raise ArchiveRefused("archive-broken") from None
    return [_listed(as_one(group), made=len(group) > 1) for group in grouped_parts(parts)]


def _weighed(opened: ZipFile, bounds: Bounds) -> list[ZipInfo]:
    """The files that a person packed; raises `ArchiveRefused` if the archive's table of contents shows too
    many, too large or broken ones.
    """
    everything = opened.infolist()
    files = [part for part in everything if zip_members.counts(part)]
    if not files:
        raise ArchiveRefused("archive-empty")
    if len(files) > bounds.files:
        raise ArchiveRefused("archive-too-many", count=len(files), most=bounds.files)
    _check_apart(everything, opened.start_dir)
    names: set[str] = set()
    for part in files:
        if part.flag_bits & _LOCKED:
            raise ArchiveRefused("archive-locked", name=zip_members.plain(part.filename))
        if part.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise ArchiveRefused("archive-packed-otherwise", name=zip_members.plain(part.filename))
        if part.filename in names:
            raise ArchiveRefused("archive-same-name", name=zip_members.plain(part.filename))
        names.add(part.filename)
    return files


def _check_apart(parts: list[ZipInfo], end: int) -> None:
    """Raise `ArchiveRefused` for files that share bytes: they would unpack to far more than there is."""
    ranges = sorted((part.header_offset, _LOCAL_HEADER + part.compress_size) for part in parts)
    if any(start + length > following for (start, length), (following, _) in pairwise([*ranges, (end, 0)])):
        raise ArchiveRefused("archive-broken")


def _inflated(opened: ZipFile, files: list[ZipInfo], bounds: Bounds) -> Iterator[ZipMember]:
    room = bounds.unpacked
    for part in files:
        with opened.open(part) as stream:
            content = stream.read(min(MOST_BYTES, room) + 1)
        room -= len(content)
        if room < 0:
            raise ArchiveRefused("archive-unpacks-too-big", most=bounds.unpacked // MEGABYTE)
        yield ZipMember(part.filename, content)


def _listed(part: ZipMember, *, made: bool) -> tuple[Listed, bytes]:
    name = zip_members.plain(part.name, LONGEST_NAME)
    if len(part.data) > MOST_BYTES:
        return Listed(name, 0, "file-too-big"), b""
    if not made and zip_members.recognises(part.data) and not _is_document(part.data):
        return Listed(name, 0, "zip-within"), b""
    return Listed(name, len(part.data)), part.data


def _is_document(data: bytes) -> bool:
    """Whether this is a workbook, or another office program's file, which a reader here refuses by name."""
    return xlsx.recognises(data) or any(name.encode() in data for name in zip_members.OF_OFFICES)


# ---------------------------------------------------------------- leave the box


def write(listing: Listing, contents: list[bytes], out: IO[bytes]) -> None:
    out.write(reading_as_json.dump(listing).encode() + b"\n")
    out.writelines(contents)
    out.flush()


def load(output: bytes) -> tuple[Listing, list[bytes]]:
    """Read back what `write` wrote; anything else raises ValueError, TypeError or KeyError."""
    head, _end, body = output.partition(b"\n")
    listing = reading_as_json.load_as(Listing, head.decode())
    follow = [listed.size for listed in listing.files if not listed.reason]
    if min(follow, default=0) < 0 or sum(follow) != len(body):
        raise ValueError("The files are not as long as they are said to be")
    contents, at = [], 0
    for size in follow:
        contents.append(body[at : at + size])
        at += size
    return listing, contents


def main(data: bytes, of: str = "") -> None:
    write(*unpack(data, OF_A_HISTORY if of == HISTORY else OF_AN_EVENT), sys.stdout.buffer)


if __name__ == "__main__":
    main(sys.stdin.buffer.read(), *sys.argv[1:2])
