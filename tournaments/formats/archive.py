"""Unpacks a ZIP of several sections into the files of each section.

`python -m tournaments.formats.archive [history] < ZIP` runs only in the box. It writes a line of JSON (a
`Listing`), then the bytes of the files that it names. Files that make a section together are put into one
small ZIP.
"""

import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from tournaments.formats import sheet, swiss_manager, swiss_perfect, tables, text
from tournaments.formats.sheet import FileFinding, Notes
from tournaments.formats.text import MOST_BYTES, ZipMember


# ---- Files that make a section together: Swiss-Manager's players and pairings, SwissPerfect's three files
def group_parts(parts: Sequence[ZipMember]) -> list[list[ZipMember]]:
    """Group files in order; pairings go with the players of their folder whose file is named most alike.

    Pairings that could go with two of them stay alone, and their reader says what is missing.
    """
    sets = list(_swiss_perfect_sets(parts))
    grouped = {part.name for group in sets for part in group}
    parts = [part for part in parts if part.name not in grouped]
    kinds = {part.name: swiss_manager.find_part_kind(part) for part in parts}
    players = [part for part in parts if kinds[part.name] == "players"]
    groups = {part.name: [part] for part in parts if kinds[part.name] != "pairings"}
    for part in parts:
        if kinds[part.name] == "pairings":
            owner = _players_of(part, players)
            groups.setdefault(owner.name if owner else part.name, []).append(part)
    return [*sets, *groups.values()]


def _swiss_perfect_sets(parts: Sequence[ZipMember]) -> Iterator[list[ZipMember]]:
    """Yield the three files of each tournament of SwissPerfect, which have the same stem."""
    by_stem: dict[str, list[ZipMember]] = {}
    for part in parts:
        by_stem.setdefault(swiss_perfect.get_stem(part), []).append(part)
    for alike in by_stem.values():
        own = [part for part in alike if part.name.lower().endswith(swiss_perfect.SUFFIXES)]
        if swiss_perfect.belong_together(own):
            yield own


def _players_of(pairings: ZipMember, players: Sequence[ZipMember]) -> ZipMember | None:
    near = [part for part in players if _folder(part) == _folder(pairings)]
    lengths = {part.name: _common_length(part.name, pairings.name) for part in near}
    most = [part for part in near if lengths[part.name] == max(lengths.values())]
    return most[0] if len(most) == 1 else None


def _common_length(one: str, other: str) -> int:
    """The length of the common beginning of two names."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _folder(part: ZipMember) -> str:
    return part.name.rpartition("/")[0]


def _join_parts(group: Sequence[ZipMember]) -> ZipMember:
    """A single file unchanged; several as a small ZIP, whose bytes depend on theirs alone."""
    [first, *others] = group
    if not others:
        return first
    packed = io.BytesIO()
    with ZipFile(packed, "w") as archive:
        for part in group:
            archive.writestr(ZipInfo(part.name.rpartition("/")[2]), part.data, ZIP_DEFLATED)
    bare = [part.name.rpartition("/")[2] for part in others]
    return ZipMember(" + ".join([first.name, *bare]), packed.getvalue())


MEGABYTE = 1024 * 1024
MOST_PACKED = 5 * MEGABYTE
MOST_UNPACKED = 50 * MEGABYTE
LONGEST_NAME = 200
_LOCAL_HEADER = 30  # bytes before the name of a file in the archive
_LOCKED = 1  # the bit of a file that is encrypted


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file of the archive, or several that make a section: the name to show, and the number of bytes."""

    name: str
    size: int
    reason: str = ""
    """The key of the message that says why no bytes follow."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The files in the archive's order; if it was not unpacked, no files, and findings that say why."""

    files: tuple[ListedFile, ...]
    findings: tuple[FileFinding, ...] = ()


MOST_PACKED_OF_HISTORY, MOST_FILES_OF_HISTORY = 25 * MEGABYTE, 20_000
"""The bounds of a ZIP with the event files of many years; what it unpacks to is what a box may hand out."""
HISTORY_ARGUMENT = "history"
"""The program's argument for such a ZIP."""


class ArchiveRefused(Exception):
    """Raised for an archive that is not unpacked; `key` and `params` are of a message."""

    def __init__(self, key: str, **params: str | int) -> None:
        super().__init__(key)
        self.key, self.params = key, params


def unpack(data: bytes, *, history: bool = False) -> tuple[Listing, list[bytes]]:
    """The listing of an archive, and the bytes of the files that can be read. Never raises."""
    notes = Notes()
    try:
        unpacked = _unpack_parts(data, history=history)
    except ArchiveRefused as refused:
        notes.blocks(refused.key, None, None, **refused.params)
        return Listing((), notes.reading(None).findings), []
    files = tuple(listed for listed, _content in unpacked)
    return Listing(files), [content for listed, content in unpacked if not listed.reason]


def _unpack_parts(data: bytes, *, history: bool) -> list[tuple[ListedFile, bytes]]:
    most, kind = (MOST_PACKED_OF_HISTORY, "history") if history else (MOST_PACKED, "archive")
    if len(data) > most:
        raise ArchiveRefused(f"{kind}-too-big", most=most // MEGABYTE)
    if not text.recognises(data):
        raise ArchiveRefused("archive-no-zip")
    if tables.recognises(data):
        raise ArchiveRefused("archive-is-workbook")
    try:
        with ZipFile(io.BytesIO(data)) as opened:
            files = _check_files(opened, MOST_FILES_OF_HISTORY if history else text.MOST_PARTS, kind)
            parts = list(_inflate(opened, files, kind))
    except text.BROKEN_ZIP_ERRORS:
        raise ArchiveRefused("archive-broken") from None
    return [_list_part(_join_parts(group), joined=len(group) > 1) for group in group_parts(parts)]


def _check_files(opened: ZipFile, most: int, kind: str) -> list[ZipInfo]:
    """The files that a person packed; raises `ArchiveRefused` for too many or broken ones, by the archive's
    table of contents.
    """
    everything = opened.infolist()
    files = [part for part in everything if text.is_packed_file(part)]
    if not files:
        raise ArchiveRefused("archive-empty")
    if len(files) > most:
        raise ArchiveRefused(f"{kind}-too-many", count=len(files), most=most)
    ranges = sorted((part.header_offset, _LOCAL_HEADER + part.compress_size) for part in everything)
    starts = [start for start, _length in ranges[1:]] + [opened.start_dir]
    if any(start + length > following for (start, length), following in zip(ranges, starts, strict=True)):
        raise ArchiveRefused("archive-broken")
    names: set[str] = set()
    for part in files:
        if part.flag_bits & _LOCKED:
            raise ArchiveRefused("archive-locked", name=text.printable_name(part.filename))
        if part.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise ArchiveRefused("archive-packed-otherwise", name=text.printable_name(part.filename))
        if part.filename in names:
            raise ArchiveRefused("archive-same-name", name=text.printable_name(part.filename))
        names.add(part.filename)
    return files


def _inflate(opened: ZipFile, files: list[ZipInfo], kind: str) -> Iterator[ZipMember]:
    room = MOST_UNPACKED
    for part in files:
        with opened.open(part) as stream:
            content = stream.read(min(MOST_BYTES, room) + 1)
        room -= len(content)
        if room < 0:
            raise ArchiveRefused(f"{kind}-unpacks-too-big", most=MOST_UNPACKED // MEGABYTE)
        yield ZipMember(part.filename, content)


def _list_part(part: ZipMember, *, joined: bool) -> tuple[ListedFile, bytes]:
    name = text.printable_name(part.name, LONGEST_NAME)
    if len(part.data) > MOST_BYTES:
        return ListedFile(name, 0, "file-too-big"), b""
    if not joined and text.recognises(part.data) and not _is_document(part.data):
        return ListedFile(name, 0, "zip-within"), b""
    return ListedFile(name, len(part.data)), part.data


def _is_document(data: bytes) -> bool:
    """Whether this is a workbook, or a document of an office program, which a reader refuses by name."""
    return tables.recognises(data) or any(name.encode() in data for name in text.OFFICE_PARTS)


# ---- Output of the box
def write(listing: Listing, contents: list[bytes], out: IO[bytes]) -> None:
    out.write(sheet.dump(listing).encode() + b"\n")
    out.writelines(contents)
    out.flush()


def load(output: bytes) -> tuple[Listing, list[bytes]]:
    """Read back what `write` wrote; anything else raises ValueError, TypeError or KeyError."""
    head, _end, body = output.partition(b"\n")
    listing = sheet.load_as(Listing, head.decode())
    follow = [listed.size for listed in listing.files if not listed.reason]
    if min(follow, default=0) < 0 or sum(follow) != len(body):
        raise ValueError("The files are not as long as they are said to be")
    ends = list(accumulate(follow))
    return listing, [body[end - size : end] for size, end in zip(follow, ends, strict=True)]


def main(data: bytes, kind: str = "") -> None:
    write(*unpack(data, history=kind == HISTORY_ARGUMENT), sys.stdout.buffer)


if __name__ == "__main__":
    main(sys.stdin.buffer.read(), *sys.argv[1:2])
