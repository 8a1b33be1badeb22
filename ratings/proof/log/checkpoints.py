"""Checkpoints (C2SP tlog-checkpoint): a signed note of a log's origin, size and root, and here of the head of
the record of decisions.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass

from ratings.proof.log.signed_notes import NoteError, SignedNote, Signer, VerifierKey, parse_note, verify

DECISIONS = "decisions"
"""The first word of the extension line about decisions; the newest decision's number and hash follow."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A log's statement of its origin (its name), size (in entries) and root hash."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text of the note, which is what is signed."""
        root = base64.b64encode(self.root).decode()
        return "".join(f"{line}\n" for line in (self.origin, self.size, root, *self.extensions))

    @property
    def decisions(self) -> tuple[int, str] | None:
        """The number and hash of the newest decision in the office's record; None where the checkpoint has
        none.
        """
        for line in self.extensions:
            if found := re.fullmatch(rf"{DECISIONS} (\d+) ([0-9a-f]{{64}})", line, re.ASCII):
                return int(found[1]), found[2]
        return None

    def signed(self, *signers: Signer) -> SignedNote:
        return SignedNote(self.text).signed(*signers)


def decisions_line(number: int, hash_: str) -> str:
    return f"{DECISIONS} {number} {hash_}"


def parse_text(text: str) -> Checkpoint:
    """Parse the text of a checkpoint. Raises `NoteError`."""
    lines = text.split("\n")
    if len(lines) < 4 or lines.pop() or not all(lines):
        raise NoteError("a checkpoint has an origin, a size and a root, each on its line")
    origin, size, root, *extensions = lines
    if not re.fullmatch(r"0|[1-9]\d{0,18}", size, re.ASCII):
        raise NoteError(f"“{size}” is not the size of a log")
    try:
        hash_ = base64.b64decode(root, validate=True)
    except ValueError:
        hash_ = b""
    if len(hash_) != 32 or base64.b64encode(hash_).decode() != root:
        raise NoteError(f"“{root}” is not the root of a log")
    return Checkpoint(origin, int(size), hash_, tuple(extensions))


def read_checkpoint(note: str) -> Checkpoint:
    """Read a checkpoint as it is served or kept, without checking its signatures. Raises `NoteError`."""
    return parse_text(parse_note(note).text)


def open_checkpoint(note: str, keys: Iterable[VerifierKey]) -> tuple[Checkpoint, list[VerifierKey]]:
    """Read a checkpoint and check its signatures: the checkpoint, and those of `keys` that signed it.

    Raises `NoteError` where none did. Needs the `cryptography` package.
    """
    parsed = parse_note(note)
    by = verify(parsed, keys)
    return parse_text(parsed.text), by
