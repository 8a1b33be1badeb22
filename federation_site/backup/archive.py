"""The file of a backup: a zip of parts, and at its end the manifest that says what they are.

A zip's index stands at its end, and the manifest is written last: a file that was cut short has neither.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

FORM = 1
MANIFEST = "manifest.json"
_AT_ONCE = 1 << 20
_OWNER_ALONE = 0o600 << 16


class Damaged(Exception):
    """A file that is no whole backup; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Part:
    """A file in a backup's zip, as its manifest lists it."""

    name: str
    says: str
    """Words on what it is, for whoever opens the zip."""
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class OfficeState:
    """The numbers that tell how far an office's journal and record had come when it was backed up."""

    code: str
    name: str
    lines: int
    root: str
    """The head of the tree of its journal's lines, in hexadecimal (docs/proof.md)."""
    decisions: int
    newest: str | None
    """The newest day in the journal."""


@dataclass(slots=True)
class Manifest:
    """The list of what is in a backup, and of which office and version; stored as the zip's last file."""

    made: datetime
    version: str
    vendor: str
    """The database's kind: sqlite or postgresql."""
    migrations: list[str]
    """The schema: each migration as `app.name`."""
    offices: list[OfficeState]
    secrets: bool
    parts: list[Part] = field(default_factory=list)

    def written(self) -> bytes:
        told = {"form": FORM, **asdict(self), "made": self.made.astimezone(UTC).isoformat(timespec="seconds")}
        return json.dumps(told, ensure_ascii=False, indent=1).encode()

    def part(self, name: str) -> Part | None:
        return next((part for part in self.parts if part.name == name), None)


class ArchiveWriter:
    """Writes a backup: its parts, one after the other, and the manifest last."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        self.parts: list[Part] = []

    def add(self, name: str, says: str, source: BinaryIO, *, compressed: bool = False) -> None:
        """Copy a file into the zip, and note it for the manifest with words on what it is (`says`).

        Bytes that are `compressed` already are stored as they are.
        """
        digest, size = sha256(), 0
        with self._zip.open(_entry(name, compressed), "w", force_zip64=True) as target:
            while some := source.read(_AT_ONCE):
                digest.update(some)
                size += len(some)
                target.write(some)
        self.parts.append(Part(name, says, size, digest.hexdigest()))

    def finish(self, manifest: Manifest) -> None:
        manifest.parts = self.parts
        self._zip.writestr(_entry(MANIFEST, False), manifest.written())
        self._zip.close()


def _entry(name: str, compressed: bool) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, datetime.now(UTC).timetuple()[:6])
    entry.compress_type = zipfile.ZIP_STORED if compressed else zipfile.ZIP_DEFLATED
    entry.external_attr = _OWNER_ALONE
    return entry


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a backup's zip. Raises `Damaged`, or OSError where the file cannot be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, EOFError, zipfile.zlib.error) as error:  # type: ignore[attr-defined]
        raise Damaged(f"{path} was cut short, or is no backup: {error}") from None


def checked(path: Path) -> Manifest:
    """Read a backup from its first byte to its last and return its manifest.

    Raises `Damaged` where a part is missing, is another or has another checksum than the manifest says.
    """
    with opened(path) as archive:
        manifest = _manifest(archive, path)
        there = set(archive.namelist()) - {MANIFEST}
        named = {part.name for part in manifest.parts}
        if there != named:
            raise Damaged(f"{path}: {', '.join(sorted(there ^ named))}: not there, or not in its manifest")
        for part in manifest.parts:
            digest, size = sha256(), 0
            with archive.open(part.name) as source:
                while some := source.read(_AT_ONCE):
                    digest.update(some)
                    size += len(some)
            if (size, digest.hexdigest()) != (part.size, part.sha256):
                raise Damaged(f"{path}: {part.name} is not what its manifest says: its checksum differs")
    return manifest


def extract(path: Path, name: str, target: Path) -> None:
    """Write one part of a backup to `target`."""
    with opened(path) as archive, archive.open(name) as source, target.open("wb") as file:
        shutil.copyfileobj(cast(BinaryIO, source), file, _AT_ONCE)


def text_of(path: Path, name: str) -> str:
    with opened(path) as archive:
        return archive.read(name).decode()


def _manifest(archive: zipfile.ZipFile, path: Path) -> Manifest:
    try:
        told: dict[str, Any] = json.loads(archive.read(MANIFEST))
        form = told.pop("form")
    except (KeyError, ValueError):
        raise Damaged(f"{path} is no backup of an office: it has no manifest") from None
    if form != FORM:
        raise Damaged(f"{path}: a backup in form {form}, and this version reads form {FORM}")
    try:
        return Manifest(
            **{
                **told,
                "made": datetime.fromisoformat(told["made"]),
                "offices": [OfficeState(**office) for office in told["offices"]],
                "parts": [Part(**part) for part in told["parts"]],
            }
        )
    except (KeyError, TypeError, ValueError) as error:
        raise Damaged(f"{path}: its manifest cannot be read: {error}") from None
