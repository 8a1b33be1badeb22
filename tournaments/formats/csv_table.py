"""Reads tables as CSV with commas, semicolons or tabs."""

from collections.abc import Sequence

from ratings.rulesets.downloads import normalize_column_heading
from tournaments.formats import table_rows
from tournaments.formats.sheet import Notes, Reading
from tournaments.formats.tables import HEADER_WITHIN, TABLE_KINDS, count_known, read_sheets
from tournaments.formats.text import Text

KINDS = TABLE_KINDS


def recognises(text: Text) -> bool:
    return _delimiter(text.lines) is not None


def read_text(text: Text, notes: Notes) -> Reading:
    delimiter = _delimiter(text.lines) or table_rows.DELIMITERS[0]
    splitter = table_rows.Splitter(notes)
    lines = (
        (number, line) for number, line in enumerate(text.lines, 1) if not table_rows.is_delimiter_line(line)
    )
    rows = [splitter.split(line, number, delimiter) for number, line in lines]
    return read_sheets([rows], notes, text.encoding)


def _delimiter(lines: Sequence[str]) -> str | None:
    """The delimiter that makes the most known headings of the first header row; comments of an `.ELO` file
    can name columns too.
    """
    for line in lines[:HEADER_WITHIN]:
        if line.startswith("%"):
            continue
        cells = {
            mark: [normalize_column_heading(cell.strip(' "')) for cell in line.split(mark)]
            for mark in table_rows.DELIMITERS
        }
        known = {mark: count_known(headings) for mark, headings in cells.items()}
        if any(known.values()):
            return max(known, key=lambda mark: known[mark])
    return None
