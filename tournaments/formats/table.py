"""Tables as text: CSV with commas, semicolons or tabs, whichever its header rows are parted by."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from ratings.rulesets.downloads import FORMULA
from tournaments.formats.notes import Notes
from tournaments.formats.rows import HEADER_WITHIN, known_of, read_sheets
from tournaments.formats.sheet import Reading
from tournaments.formats.table_cells import Cell, Cells
from tournaments.formats.table_columns import heading
from tournaments.formats.text import Text

DELIMITERS = (",", ";", "\t")
MOST_COLUMNS = 200
_QUOTED = re.compile(r' *"((?:[^"]|"")*)" *')


def recognises(text: Text) -> bool:
    return _delimiter(text.lines) is not None


def read_text(text: Text, notes: Notes) -> Reading:
    delimiter = _delimiter(text.lines) or DELIMITERS[0]
    lines = enumerate(text.lines, 1)
    rows = [split_line(line, number, delimiter, notes) for number, line in lines if not names_delimiter(line)]
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


def split_line(line: str, number: int, delimiter: str, notes: Notes) -> Cells:
    """The cells of one line, each with the column at which it begins."""
    cells = tuple(_cells(line, number, delimiter, notes))
    if len(cells) > MOST_COLUMNS:
        notes.blocks("table-too-wide", **cells[MOST_COLUMNS].place, most=MOST_COLUMNS)
    return cells[:MOST_COLUMNS]


def _cells(line: str, number: int, delimiter: str, notes: Notes) -> Iterator[Cell]:
    at = 0
    while at <= len(line):
        quoted = _QUOTED.match(line, at)
        if quoted and line[quoted.end() : quoted.end() + 1] in ("", delimiter):
            text, end = quoted[1].replace('""', '"'), quoted.end()
        else:
            text = line[at:].partition(delimiter)[0]
            end = at + len(text)
            if text.lstrip(" ").startswith('"'):
                notes.blocks("table-quote-open", number, at + 1)
        yield Cell(cleaned(text), number, at + 1)
        at = end + 1
