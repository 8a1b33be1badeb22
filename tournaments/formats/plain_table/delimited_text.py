"""Tables as text: CSV with commas, semicolons or tabs, whichever its header rows use."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from ratings.equipment.downloads import rearmed
from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.plain_table.cells import Cells, FileCell

DELIMITERS = (",", ";", "\t")


MOST_COLUMNS = 200


MOST_CELLS = 200_000


_QUOTED = re.compile(r' *"((?:[^"]|"")*)" *')


def cleaned(text: str) -> str:
    """A cell's text in NFC with single blanks, and without the apostrophes that disarm formulas."""
    return rearmed(" ".join(unicodedata.normalize("NFC", text).split()))


def names_delimiter(line: str) -> bool:
    """Whether the line is `sep=;`, the first line of some spreadsheets' CSV."""
    return re.fullmatch(r"sep=.?", line.strip(" "), re.IGNORECASE) is not None


class Splitter:
    """Cuts the lines of one file into cells, as many as tables may have."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._room = MOST_CELLS

    def cells_of(self, line: str, number: int, delimiter: str) -> Cells | None:
        """The cells of one line, each with the column at which it begins; None with a note if too many."""
        cells = tuple(islice(_cells(line, number, delimiter, self._notes), MOST_COLUMNS + 1))
        self._room -= len(cells)
        if len(cells) > MOST_COLUMNS:
            self._notes.blocks("table-too-wide", **cells[MOST_COLUMNS].place, most=MOST_COLUMNS)
            return None
        if self._room < 0:
            self._notes.blocks("table-too-many-cells", number, most=MOST_CELLS)
            return None
        return cells


def _cells(line: str, number: int, delimiter: str, notes: Notes) -> Iterator[FileCell]:
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
        yield FileCell(cleaned(text), number, at + 1)
        at = end + 1
