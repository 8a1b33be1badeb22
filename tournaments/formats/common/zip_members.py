"""The files of a ZIP. It is opened only in the box, and unpacked only up to the most bytes that one file, or
all together, may have.
"""

import io
import zlib
from dataclasses import dataclass
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from tournaments.formats.common.decode_text import MOST_BYTES
from tournaments.formats.common.reader_notes import Notes

MOST_PARTS = 200
MOST_TOGETHER = 8 * MOST_BYTES
NAMED = 10  # files of an archive that a message names
_OF_FOLDERS = ("Thumbs.db", "desktop.ini")
OF_OFFICES = {"content.xml", "word/document.xml", "ppt/presentation.xml"}
"""Parts that show an archive to be an office document: OpenDocument's, then Microsoft's."""
BROKEN = (BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError)


def recognises(data: bytes) -> bool:
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


@dataclass(frozen=True, slots=True)
class ZipMember:
    name: str
    data: bytes


def parts_of(data: bytes, notes: Notes) -> tuple[ZipMember, ...] | None:
    """The files in an archive, in its order; None with a note that says why there are none."""
    if len(data) > MOST_BYTES:
        notes.blocks("too-big")
        return None
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            files = [part for part in archive.infolist()[: MOST_PARTS + 1] if counts(part)]
            if any(part.filename in OF_OFFICES for part in files):
                notes.blocks("is-office-document")
                return None
            if not files or len(files) > MOST_PARTS:
                _refuse([part.filename for part in files], notes)
                return None
            return _unpacked(archive, files, notes)
    except BROKEN:
        notes.blocks("is-zip")
        return None


def only_part(parts: tuple[ZipMember, ...], notes: Notes) -> ZipMember | None:
    """The one file in an archive, with an adjustment that says so; None with a note that names several."""
    if len(parts) != 1:
        _refuse([part.name for part in parts], notes)
        return None
    notes.adjusts("unpacked", None, "ZIP", plain(parts[0].name))
    return parts[0]


def counts(part: ZipInfo) -> bool:
    """Whether a part of a ZIP was packed by a person: no folder, and nothing that a Mac or Windows adds."""
    name = part.filename.rpartition("/")[2]
    return not (part.filename.startswith("__MACOSX/") or name.startswith(".") or name in ("", *_OF_FOLDERS))


def _refuse(files: list[str], notes: Notes) -> None:
    if not files:
        notes.blocks("is-zip")
        return
    names = ", ".join(plain(name) for name in files[:NAMED]) + (" …" if len(files) > NAMED else "")
    notes.blocks("zip-of-several", names=names)


def _unpacked(archive: ZipFile, files: list[ZipInfo], notes: Notes) -> tuple[ZipMember, ...] | None:
    parts, room = [], MOST_TOGETHER
    for file in files:
        if file.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise NotImplementedError
        with archive.open(file) as stream:
            data = stream.read(min(MOST_BYTES, room) + 1)
        room -= len(data)
        if len(data) > MOST_BYTES or room < 0:
            if len(files) > 1:  # a program's whole folder: the large one may be nobody's event file
                _refuse([file.filename for file in files], notes)
            else:
                notes.blocks("too-big")
            return None
        parts.append(ZipMember(file.filename, data))
    return tuple(parts)


def plain(name: str, most: int = 60) -> str:
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in name)[:most]
