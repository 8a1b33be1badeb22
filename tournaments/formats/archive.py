"""A ZIP that holds one file: that file. Only ever opened in the box, and no more is unpacked than a file may
have.
"""

import io
import zlib
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from tournaments.formats.notes import Notes
from tournaments.formats.text import MOST_BYTES

MOST_PARTS = 200
NAMED = 10  # files of an archive that a message names
_BROKEN = (BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError)


def recognises(data: bytes) -> bool:
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def only_file(data: bytes, notes: Notes) -> tuple[bytes, str] | None:
    """Bytes and name of the one file in an archive; None once a note says why there is none."""
    if len(data) > MOST_BYTES:
        notes.blocks("too-big")
        return None
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            files = [part for part in archive.infolist()[: MOST_PARTS + 1] if _counts(part)]
            if len(files) != 1:
                _refuse(files, notes)
                return None
            return _unpacked(archive, files[0], notes)
    except _BROKEN:
        notes.blocks("is-zip")
        return None


def _counts(part: ZipInfo) -> bool:
    """Not a folder, nor what a Mac puts beside each file."""
    return not part.filename.endswith("/") and not part.filename.startswith("__MACOSX/")


def _refuse(files: list[ZipInfo], notes: Notes) -> None:
    if not files:
        notes.blocks("is-zip")
        return
    names = ", ".join(_plain(part.filename) for part in files[:NAMED]) + (" …" if len(files) > NAMED else "")
    notes.blocks("zip-of-several", names=names)


def _unpacked(archive: ZipFile, part: ZipInfo, notes: Notes) -> tuple[bytes, str] | None:
    if part.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise NotImplementedError
    with archive.open(part) as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        notes.blocks("too-big")
        return None
    notes.repair("unpacked", None, "ZIP", _plain(part.filename))
    return data, part.filename


def _plain(name: str) -> str:
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in name)[:60]
