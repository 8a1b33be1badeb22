"""Reads tables as CSV with commas, semicolons or tabs."""

from collections.abc import Sequence

from tournaments.formats.plain_table import (
    DELIMITERS,
    Cells,
    Splitter,
    is_delimiter_line,
    normalize_column_heading,
)
from tournaments.formats.sheet import Notes, Reading
from tournaments.formats.tables import HEADER_WITHIN, TABLE_KINDS, count_known, read_sheets
from tournaments.formats.text import Text

KINDS = TABLE_KINDS


def recognises(text: Text) -> bool:
    return _delimiter(text.lines) is not None


def read_text(text: Text, notes: Notes) -> Reading:
    delimiter = _delimiter(text.lines) or DELIMITERS[0]
    splitter, rows = Splitter(notes), list[Cells]()
    for number, line in enumerate(text.lines, 1):
        if is_delimiter_line(line):
            continue
        row = splitter.split(line, number, delimiter)
        if row is None:
            return notes.reading(None)
        rows.append(row)
    return read_sheets([rows], notes, text.encoding)


def _delimiter(lines: Sequence[str]) -> str | None:
    """The delimiter that makes the most known headings of the first header row."""
    for line in lines[:HEADER_WITHIN]:
        cells = {
            mark: [normalize_column_heading(cell.strip(' "')) for cell in line.split(mark)]
            for mark in DELIMITERS
        }
        known = {mark: count_known(headings) for mark, headings in cells.items()}
        if any(known.values()):
            return max(known, key=lambda mark: known[mark])
    return None
