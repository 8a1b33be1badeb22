"""Tables as text: CSV with commas, semicolons or tabs, whichever its header rows are parted by."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import islice

from ratings.rulesets.downloads import FORMULA
from tournaments.formats.notes import Notes
from tournaments.formats.rows import HEADER_WITHIN, known_of, read_sheets
from tournaments.formats.sheet import Reading
from tournaments.formats.table_cells import Cell, Cells
from tournaments.formats.table_columns import heading
from tournaments.formats.text import Text

DELIMITERS = (",", ";", "\t")
MOST_COLUMNS = 200
MOST_CELLS = 200_000
_QUOTED = re.compile(r' *"((?:[^"]|"")*)" *')


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


def cleaned(text: str) -> str:
    """A cell's text in NFC with single blanks, and without the apostrophe that disarms a formula."""
    bare = " ".join(unicodedata.normalize("NFC", text).split())
    return bare[1:] if bare.startswith("'") and bare[1:].startswith(FORMULA) else bare


def _delimiter(lines: Sequence[str]) -> str | None:
    """What parts the first header row: whatever makes the most of it."""
    for line in lines[:HEADER_WITHIN]:
        found = {mark: [heading(cell.strip(' "')) for cell in line.split(mark)] for mark in DELIMITERS}
        known = {mark: known_of(names) for mark, names in found.items()}
        if any(known.values()):
            return max(known, key=lambda mark: known[mark])
    return None


def names_delimiter(line: str) -> bool:
    """`sep=;`, the first line of some spreadsheets' CSV."""
    return re.fullmatch(r"sep=.?", line.strip(" "), re.IGNORECASE) is not None


class Splitter:
    """Cuts the lines of one file into cells, no more of them than tables may have."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._room = MOST_CELLS

    def cells_of(self, line: str, number: int, delimiter: str) -> Cells | None:
        """The cells of one line, each with the column at which it begins; None once a note says that they are
        too many.
        """
        cells = tuple(islice(_cells(line, number, delimiter, self._notes), MOST_COLUMNS + 1))
        self._room -= len(cells)
        if len(cells) > MOST_COLUMNS:
            self._notes.blocks("table-too-wide", **cells[MOST_COLUMNS].place, most=MOST_COLUMNS)
            return None
        if self._room < 0:
            self._notes.blocks("table-too-many-cells", number, most=MOST_CELLS)
            return None
        return cells


def _cells(line: str, number: int, delimiter: str, notes: Notes) -> Iterator[Cell]:
    at = 0
    while at <= len(line):
        quoted = _QUOTED.match(line, at)
        if quoted and line[quoted.end() : quoted.end() + 1] in ("", delimiter):
            text, end = quoted[1].replace('""', '"'), quoted.end()
        else:
            end = line.find(delimiter, at)
            end = end if end >= 0 else len(line)
            text = line[at:end]
            if text.lstrip(" ").startswith('"'):
                notes.blocks("table-quote-open", number, at + 1)
        yield Cell(cleaned(text), number, at + 1)
        at = end + 1
