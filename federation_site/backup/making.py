"""Makes a backup: the database as of one moment, the signing keys and the secret key, in one checked file."""

from __future__ import annotations

import io
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import connection

from federation_site.backup import archive, database_copy
from federation_site.backup.archive import ArchiveWriter, Manifest
from federation_site.backup.retention import name_of
from ratings.proof.program.build import version_of
from ratings.storage.atomic_file import whole_file
from ratings.storage.unfinished import unfinished_folder

KEYS, SECRET_KEY = "keys/", "secret_key"
_SAYS = {
    ".key": "a private key that signs an office's journal",
    ".checkpoint": "the newest checkpoint that was signed",
}


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was written and read back."""

    path: Path
    manifest: Manifest

    @property
    def size(self) -> int:
        return self.path.stat().st_size


def make_backup(folder: Path, *, secrets: bool, now: datetime) -> Backup:
    """Write a backup into `folder`, readable by its owner only, and read it back.

    Raises `CannotCopy` where the database cannot be copied whole, `Damaged` where the file is not what was
    written, OSError where there is no room or no right; then nothing is left.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / name_of(now)
    with unfinished_folder(folder) as scratch:
        beside = _beside(secrets=secrets)  # before the database: no checkpoint is newer than its lines
        copy = database_copy.copied(scratch)
        with whole_file(path) as file:
            writer = ArchiveWriter(file)
            with copy.path.open("rb") as source:
                compressed = connection.vendor == "postgresql"
                writer.add(copy.path.name, "the database", source, compressed=compressed)
            for name, says, content in beside:
                writer.add(name, says, io.BytesIO(content))
            writer.finish(
                Manifest(
                    made=now,
                    version=version_of(settings.ROOT),
                    vendor=connection.vendor,
                    migrations=copy.migrations,
                    offices=copy.offices,
                    secrets=secrets,
                )
            )
    try:
        return Backup(path, archive.checked(path))
    except archive.Damaged:
        path.unlink()
        raise


def _beside(*, secrets: bool) -> list[tuple[str, str, bytes]]:
    """The files that a backup has beside the database: checkpoints, and with `secrets` the keys.

    Each is its name in the zip, words on what it is, and its bytes.
    """
    found = [
        (f"{KEYS}{path.name}", _SAYS[path.suffix], path.read_bytes())
        for path in sorted(Path(settings.KEYS_DIR).glob("*"))
        if path.suffix == ".checkpoint" or (secrets and path.suffix == ".key")
    ]
    if secrets:
        says = "SECRET_KEY, by which sessions and links hold"
        found.append((SECRET_KEY, says, str(settings.SECRET_KEY).encode()))
    return found
