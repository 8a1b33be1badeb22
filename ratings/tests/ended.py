"""Journals with their end line below, as a reader may have them in one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ratings.rulesets.journal_lines import LinesAbove


def with_end(lines: Iterable[str]) -> Iterator[bytes]:
    """The bytes of a journal's lines, each with its line end, and below them those of the end line."""
    above = LinesAbove()
    for line in lines:
        above.add(line)
        yield f"{line}\n".encode()
    yield f"{above.end}\n".encode()
