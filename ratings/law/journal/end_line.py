"""The end line of a journal: how many lines stand above it, and their SHA-256.

By it nobody takes a part for the whole. It is no fact, has no number and is never stored: an export writes it
into a file beside the journal's, for a journal has facts alone. Below the last line it is read too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

BEGINNING = '{"fact":"end",'
BESIDE = ".end"
"""The ending of the name of the file with the end line, after the journal's own name."""


class LinesAbove:
    """Counts a journal's lines and digests them, each with its line end, for the journal's end line."""

    def __init__(self) -> None:
        self.count = 0
        self._digest = hashlib.sha256()

    def add(self, line: str | bytes) -> None:
        """Take in a line without its line end."""
        self.count += 1
        self._digest.update((line if isinstance(line, bytes) else line.encode()) + b"\n")

    @property
    def end(self) -> str:
        """The journal's end line, without its line end: the count and SHA-256 of the lines added so far."""
        return f'{BEGINNING}"lines":{self.count},"sha256":"{self._digest.hexdigest()}"}}'


def is_end(line: str | bytes) -> bool:
    return as_text(line).startswith(BEGINNING)


def as_text(line: str | bytes) -> str:
    return line.decode(errors="replace") if isinstance(line, bytes) else line


def file_lines(path: Path) -> Iterator[bytes]:
    """The lines of a journal's file, with their line ends; then the end line that lies beside it, if any."""
    line = b""
    with path.open("rb") as file:
        for line in file:
            yield line
    beside = end_beside(path)
    if not is_end(line) and beside.exists():
        yield beside.read_bytes()


def end_beside(path: Path) -> Path:
    """The place of the end line of a journal's file."""
    return path.with_name(path.name + BESIDE)
