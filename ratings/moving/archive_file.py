"""The file of a moved office: a ZIP that the same office always gives, and what is refused of another.

Members stand sorted, all of one time; the manifest, last, has the SHA-256 of each.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from ratings.moving.tables import PRIVATE
from ratings.rulesets import rulesets

FORM = 1
"""The form of archives: a program that writes other members has another."""
MANIFEST = "manifest.json"
LONG_AGO = (1980, 1, 1, 0, 0, 0)
EVERYBODY, OWNER_ALONE = 0o644, 0o600
_UNIX, _AT_ONCE = 3, 1 << 20


class CannotTakeIn(Exception):
    """A refusal of an archive, with words for whoever runs the site. Nothing was written."""


@dataclass(frozen=True, slots=True)
class OfficeManifest:
    """The list of an archive: its office, the rules that it goes by, and the SHA-256 of each member."""

    code: str
    name: str
    ruleset: str
    editions: tuple[str, ...]
    """The editions of the regulations that the program knew."""
    program: str
    """The version of the program that wrote it."""
    lines: int
    decisions: int
    members: dict[str, str] = field(default_factory=dict)

    def written(self) -> bytes:
        told = {"form": FORM, "says": "An office's whole record: see README.txt", **asdict(self)}
        return json.dumps(told, ensure_ascii=False, indent=1).encode() + b"\n"


def write_zip(
    file: IO[bytes], folder: Path, names: Iterator[str], manifest: OfficeManifest
) -> OfficeManifest:
    """Pack the members of a folder, and the manifest below them."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
        for name in names:
            with (folder / name).open("rb") as source:
                manifest.members[name] = hashlib.file_digest(source, "sha256").hexdigest()
                source.seek(0)
                with packed.open(_member(name), "w", force_zip64=True) as target:
                    shutil.copyfileobj(source, target, _AT_ONCE)
        packed.writestr(_member(MANIFEST), manifest.written())
    return manifest


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, LONG_AGO)
    member.compress_type, member.create_system = zipfile.ZIP_DEFLATED, _UNIX
    member.external_attr = (OWNER_ALONE if name.startswith(PRIVATE) else EVERYBODY) << 16
    return member


class ArchiveReader:
    """Reads the members of an archive that was checked."""

    def __init__(self, packed: zipfile.ZipFile, manifest: OfficeManifest) -> None:
        self.packed, self.manifest = packed, manifest

    def opened(self, member: str) -> IO[bytes]:
        try:
            return self.packed.open(member)
        except KeyError:
            raise CannotTakeIn(f"{member} is missing.") from None

    def content(self, member: str) -> bytes:
        with self.opened(member) as file:
            return file.read()


@contextmanager
def opened_archive(path: Path) -> Iterator[ArchiveReader]:
    """Open an archive whose every member is what its manifest says. Raises `CannotTakeIn`, and OSError where
    the file cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as packed:
            manifest = _manifest(packed, path)
            _refuse_altered(packed, manifest)
            yield ArchiveReader(packed, manifest)
    except (zipfile.BadZipFile, EOFError, zlib.error) as error:
        raise CannotTakeIn(f"{path} was cut short, or is no archive of an office: {error}") from None


def _manifest(packed: zipfile.ZipFile, path: Path) -> OfficeManifest:
    if MANIFEST not in packed.namelist():
        raise CannotTakeIn(f"{path} is no archive of an office: it has no {MANIFEST}.")
    try:
        told: dict[str, Any] = dict(json.loads(packed.read(MANIFEST)))
        form = told.pop("form")
    except (KeyError, ValueError, TypeError):
        raise CannotTakeIn(
            f"{path} is no archive of an office: its {MANIFEST} is that of something else."
        ) from None
    if form != FORM:
        raise CannotTakeIn(
            f"{path} is an archive in form {form}, and this program reads form {FORM}. Take it in with the "
            "version that wrote it, or a newer one."
        )
    try:
        del told["says"]
        return OfficeManifest(**{**told, "editions": tuple(told["editions"])})
    except (KeyError, TypeError) as error:
        raise CannotTakeIn(f"{MANIFEST} cannot be read: {error}") from None


def _refuse_altered(packed: zipfile.ZipFile, manifest: OfficeManifest) -> None:
    there = [name for name in packed.namelist() if name != MANIFEST]
    if missing := sorted(set(manifest.members) - set(there)):
        raise CannotTakeIn(f"{missing[0]} is missing: the archive was altered.")
    if more := sorted(set(there) - set(manifest.members)) or _twice(there):
        raise CannotTakeIn(f"{more[0]} is not in the manifest: the archive was altered.")
    for name, digest in manifest.members.items():
        with packed.open(name) as member:
            if hashlib.file_digest(member, "sha256").hexdigest() != digest:  # type: ignore[arg-type]
                raise CannotTakeIn(f"{name} is not what the manifest says: the archive was altered.")


def _twice(names: list[str]) -> list[str]:
    return [name for at, name in enumerate(names) if name in names[:at]] if len({*names}) < len(names) else []


def refuse_other_rules(manifest: OfficeManifest) -> None:
    """Raise `CannotTakeIn` where this program lacks the rules of the office, or an edition of them."""
    ruleset = rulesets().get(manifest.ruleset)
    if ruleset is None:
        raise CannotTakeIn(f"The archive goes by the rules “{manifest.ruleset}”, which this program lacks.")
    known = [edition.name for edition in ruleset.editions]
    if missing := [name for name in manifest.editions if name not in known]:
        raise CannotTakeIn(
            f"The archive goes by the edition “{missing[0]}” of the rules “{manifest.ruleset}”, and this "
            f"program knows: {', '.join(known)}. Install version {manifest.program} or a newer one."
        )


def first_difference(
    archive: ArchiveReader, folder: Path, here: Collection[str], there: Collection[str]
) -> str:
    """Say in which member files in a folder (`here`) first differ from an archive's (`there`), and where;
    empty: nowhere.
    """
    for name in sorted({*here, *there}):
        if name not in here:
            return f"{name}: the office that was made of the archive has none"
        if name not in there:
            return f"{name}: the archive has none"
        with archive.opened(name) as ours, (folder / name).open("rb") as made:
            if words := _first_line(ours, made):
                return f"{name}, {words}"
    return ""


def _first_line(ours: IO[bytes], made: IO[bytes]) -> str:
    number = 0
    while True:
        number += 1
        one, other = ours.readline(_AT_ONCE), made.readline(_AT_ONCE)
        if one != other:
            return f"line {number}: the archive has {_shown(one)}, and what it gives is {_shown(other)}"
        if not one:
            return ""


def _shown(line: bytes) -> str:
    words = line.decode(errors="replace").rstrip("\n")
    return f"“{words[:300]}”" if line else "no more lines"
