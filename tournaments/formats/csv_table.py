"""Tables as text: CSV with commas, semicolons or tabs, whichever its header rows use."""

from collections.abc import Sequence

from tournaments.formats.plain_table import DELIMITERS, Cells, Splitter, heading, names_delimiter
from tournaments.formats.sheet import Notes, Reading
from tournaments.formats.tables import HEADER_WITHIN, TABLE_KINDS, known_of, read_sheets
from tournaments.formats.text import Text

KINDS = TABLE_KINDS


def recognises(text: Text) -> bool:
    return _delimiter(text.lines) is not None


def read_text(text: Text, notes: Notes) -> Reading:
    delimiter = _delimiter(text.lines) or DELIMITERS[0]
    splitter, rows = Splitter(notes), list[Cells]()
    for number, line in enumerate(text.lines, 1):
        if names_delimiter(line):
            continue
        row = splitter.cells_of(line, number, delimiter)
        if row is None:
            return notes.reading(None)
        rows.append(row)
    return read_sheets([rows], notes, text.encoding)


def _delimiter(lines: Sequence[str]) -> str | None:
    """The delimiter of the first header row: the one that makes the most known headings of it."""
    for line in lines[:HEADER_WITHIN]:
        found = {mark: [heading(cell.strip(' "')) for cell in line.split(mark)] for mark in DELIMITERS}
        known = {mark: known_of(names) for mark, names in found.items()}
        if any(known.values()):
            return max(known, key=lambda mark: known[mark])
    return None
