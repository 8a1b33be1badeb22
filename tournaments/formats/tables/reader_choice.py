"""Files that are tables, as text or as a workbook: the header row decides which reader gets the rows.

A reader is a module with `KINDS`, `knows` and `read_sheets`; a new one is a line in `_OF_ROWS`.
"""

from collections.abc import Sequence
from typing import Protocol

from tournaments.formats.common.format_description import FileKind
from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import Reading
from tournaments.formats.cross_table import cross_table_file
from tournaments.formats.mahjong_places import placement_file
from tournaments.formats.plain_table import table_file
from tournaments.formats.plain_table.cells import Cells
from tournaments.formats.plain_table.column_definitions import heading

HEADER_WITHIN = 50
"""Rows among which the first header row is looked for."""


class OfRows(Protocol):
    KINDS: tuple[FileKind, ...]

    def knows(self, headings: Sequence[str]) -> int:
        """The number of these headings that the reader knows; 0 if they are no header row of its tables."""

    def read_sheets(self, sheets: Sequence[Sequence[Cells]], notes: Notes, encoding: str) -> Reading: ...


_OF_ROWS: tuple[OfRows, ...] = (cross_table_file, placement_file, table_file)
TABLE_KINDS = tuple(kind for reader in _OF_ROWS for kind in reader.KINDS)


def known_of(headings: Sequence[str]) -> int:
    """The number of these headings known to the first reader whose header row they are; 0 if of none."""
    return next(filter(None, (reader.knows(headings) for reader in _OF_ROWS)), 0)


def read_sheets(sheets: Sequence[Sequence[Cells]], notes: Notes, encoding: str = "utf-8") -> Reading:
    """Read rows of cells, sheet by sheet (a CSV is one), with the reader that knows the header row."""
    for sheet in sheets:
        for row in sheet[:HEADER_WITHIN]:
            headings = [heading(cell.text) for cell in row]
            for reader in _OF_ROWS:
                if reader.knows(headings):
                    return reader.read_sheets(sheets, notes, encoding)
    return table_file.read_sheets(sheets, notes, encoding)
