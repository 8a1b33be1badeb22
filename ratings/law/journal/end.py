"""The end line of a journal: how many lines stand above it, and their SHA-256.

By it nobody takes a part for the whole. It is no fact, has no number and is never stored: whoever gives a
journal out writes it below.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

BEGINNING = '{"fact":"end",'


class LinesAbove:
    """Counts a journal's lines and digests them, each with its line end, for the end line below them."""

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


def with_end(lines: Iterable[str]) -> Iterator[bytes]:
    """The bytes of a journal's file, line by line: every line with its line end, then the end line."""
    above = LinesAbove()
    for line in lines:
        above.add(line)
        yield f"{line}\n".encode()
    yield f"{above.end}\n".encode()
