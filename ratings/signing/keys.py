"""Secret keys and the newest checkpoint, as files beside the database. The worker alone reads them.

CODE.key         the private key that signs (0600), in the text form of Go's `note` package
CODE.next.key    its successor, while the change is being written to the database
CODE.checkpoint  the newest checkpoint that was signed, whatever database is restored
"""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path

from django.conf import settings

from players.office.models import Federation
from ratings.proof.log import signed_notes
from ratings.proof.log.signed_notes import Signer
from ratings.storage.atomic_file import whole_file


def key_file(federation: Federation) -> Path:
    return _folder() / f"{federation.code}.key"


def next_key_file(federation: Federation) -> Path:
    return _folder() / f"{federation.code}.next.key"


def checkpoint_file(federation: Federation) -> Path:
    return _folder() / f"{federation.code}.checkpoint"


def _folder() -> Path:
    return Path(settings.KEYS_DIR)


def new_signer(name: str) -> Signer:
    return Signer(name, secrets.token_bytes(32))


def signer_of(federation: Federation) -> Signer | None:
    """The office's private key from its file, or None if this machine has none. Raises `NoteError`
    where the file holds no key.
    """
    path = key_file(federation)
    return signed_notes.parse_signer(path.read_text()) if path.exists() else None


def keep_signer(path: Path, signer: Signer) -> None:
    write(path, f"{signer.secret()}\n")


def take_up_key(federation: Federation, vkey: str) -> Signer | None:
    """Make the private key that belongs to the verifier key `vkey` the one in use, and return it; None if
    this machine has not got it. If it is still the successor in `CODE.next.key`, since a change of keys has
    just been written to the database or was cut off there, that file becomes `CODE.key`.
    """
    successor = next_key_file(federation)
    if successor.exists() and str(signed_notes.parse_signer(successor.read_text()).key) == vkey:
        os.replace(successor, key_file(federation))
    signer = signer_of(federation)
    return signer if signer is not None and str(signer.key) == vkey else None


def kept_checkpoint(federation: Federation) -> str | None:
    """The newest checkpoint in the file beside the database, as text, or None if there is no file."""
    path = checkpoint_file(federation)
    return path.read_text(encoding="utf-8") if path.exists() else None


def keep_checkpoint(federation: Federation, note: str) -> None:
    write(checkpoint_file(federation), note)


def lay_aside(federation: Federation) -> None:
    """Rename the file with a checkpoint of a log that ended, so that it stays as evidence and makes room."""
    path = checkpoint_file(federation)
    if path.exists():
        mark = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        os.replace(path, path.with_name(f"{federation.code}.{mark}.checkpoint"))


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all, on the disk before this returns, readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with whole_file(path) as file:
        file.write(text.encode())
