"""Event files that are tables: the header row decides which reader gets the rows of a text or a workbook.

A workbook is opened only in the box, and not before its parts were weighed. One of two megabytes can unpack
to gigabytes, name a cell in the last of a million rows, or define entities of entities; openpyxl minds none
of it. So each part is first counted by a bare XML parser.
"""

import io
import re
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, Protocol
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from tournaments.formats import cross_table, mahjong_places, plain_table
from tournaments.formats.plain_table import (
    MOST_CELLS,
    MOST_COLUMNS,
    CellPlace,
    Cells,
    FileCell,
    cleaned,
    heading,
)
from tournaments.formats.sheet import FileKind, Notes, Reading
from tournaments.formats.text import MOST_BYTES, MOST_LINES, code_point, without_odd_characters

# ---- The readers of tables.
#
# A reader is a module with `KINDS`, `knows` and `read_sheets`; a new one is a line in `_OF_ROWS`.
HEADER_WITHIN = 50
"""Rows among which the first header row is looked for."""


class OfRows(Protocol):
    KINDS: tuple[FileKind, ...]

    def knows(self, headings: Sequence[str]) -> int:
        """The number of these headings that the reader knows; 0 if they are no header row of its tables."""

    def read_sheets(self, sheets: Sequence[Sequence[Cells]], notes: Notes, encoding: str) -> Reading: ...


_OF_ROWS: tuple[OfRows, ...] = (cross_table, mahjong_places, plain_table)
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
    return plain_table.read_sheets(sheets, notes, encoding)


# ---- Workbooks.
KINDS = TABLE_KINDS
MOST_UNPACKED = 16 * 1024 * 1024
MOST_PARTS = 200
MOST_ELEMENTS = 1_000_000
MOST_TEXT = 1_000  # characters of a cell
WHOLE = 10**15
"""Below it a spreadsheet keeps every digit of a whole number."""
_CHUNK = 1 << 16
_NAMES = (b"xl/work", b"xl/theme", b"xl/_rels")  # one of them even where the file is cut
_REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_BROKEN = (BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError)


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a workbook may hold: bytes packed and unpacked, XML elements, cells, lines, columns."""

    size: int
    unpacked: int
    elements: int
    cells: int
    lines: int
    columns: int


SHEET = Limits(MOST_BYTES, MOST_UNPACKED, MOST_ELEMENTS, MOST_CELLS, MOST_LINES, MOST_COLUMNS)
"""A tournament's table."""


class WorkbookRefused(Exception):
    """Refuses a workbook: `key` of a message, and the params that fill it in."""

    def __init__(self, key: str, **params: str | int) -> None:
        super().__init__(key)
        self.key, self.params = key, params


def recognises(data: bytes) -> bool:
    """Whether the ZIP has a workbook's parts; a ZIP of several workbooks has them only within its files."""
    if not data.startswith(b"PK\x03\x04"):
        return False
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            return any(name.startswith("xl/") for name in archive.namelist())
    except _BROKEN:
        return any(name in data for name in _NAMES)


def read_bytes(data: bytes, notes: Notes) -> Reading:
    try:
        weigh(data)
        sheets = list(_sheets(data, notes))
    except WorkbookRefused as refused:
        notes.blocks(refused.key, None, None, **refused.params)
        return notes.reading(None)
    return read_sheets(sheets, notes)


# ---------------------------------------------------------------- weigh before opening
def weigh(data: bytes, limits: Limits = SHEET) -> None:
    """Raise `WorkbookRefused` if a part of the workbook is more than a table within the limits could need."""
    if len(data) > limits.size:
        raise WorkbookRefused("too-big")
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            size = len(data)
            parts = archive.infolist()
            names = {part.filename for part in parts}
            if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > limits.unpacked:
                raise WorkbookRefused("xlsx-unpacks-too-big", most=limits.unpacked // 1024 // 1024)
            honest = all(part.compress_type in (ZIP_STORED, ZIP_DEFLATED) for part in parts)
            # Parts that overlap in the file would count its bytes twice.
            if len(names) < len(parts) or not honest or sum(part.compress_size for part in parts) > size:
                raise WorkbookRefused("xlsx-broken")
            if any(part.flag_bits & 1 for part in parts):
                raise WorkbookRefused("xlsx-locked")
            scale = _Scale(limits)
            for part in archive.infolist():
                with archive.open(part) as stream:
                    scale.weigh(iter(lambda stream=stream: stream.read(_CHUNK), b""))  # type: ignore[misc]
    except _BROKEN:
        raise WorkbookRefused("xlsx-broken") from None


class _Scale:
    """Counts the contents of one workbook's parts, without building any of them."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.elements = self.cells = 0
        self.open_formula = ""
        """The cell of a formula whose value did not come yet."""
        self.here = ""
        self.in_value = False

    def weigh(self, chunks: Iterator[bytes]) -> None:
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._begin
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._doctype
        try:
            for chunk in chunks:
                parser.Parse(chunk, False)
            parser.Parse(b"", True)
        except expat.ExpatError:
            for _rest in chunks:  # a picture; or broken XML, which openpyxl will not take either
                pass
        self._check_formula()

    def _doctype(self, *_declaration: object) -> None:
        raise WorkbookRefused("xlsx-entities")

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self.elements += 1
        if self.elements > self.limits.elements:
            raise WorkbookRefused("xlsx-too-many-cells", most=self.limits.cells)
        tag = name.rpartition(":")[2]
        if tag == "c":
            self._cell(attributes.get("r", ""))
        elif tag == "f":
            self.open_formula = self.here
        elif tag == "row":
            self._row(attributes.get("r", "")[:9])
        self.in_value = tag == "v"

    def _row(self, number: str) -> None:
        if number.isdecimal() and int(number) > self.limits.lines:
            raise WorkbookRefused("xlsx-far-row", row=number, most=self.limits.lines)

    def _text(self, text: str) -> None:
        if self.in_value and text.strip():
            self.open_formula = ""

    def _check_formula(self) -> None:
        if self.open_formula:
            raise WorkbookRefused("xlsx-formula-without-value", cell=self.open_formula)

    def _cell(self, reference: str) -> None:
        self._check_formula()
        self.here = reference
        self.cells += 1
        if self.cells > self.limits.cells:
            raise WorkbookRefused("xlsx-too-many-cells", most=self.limits.cells)
        found = _REFERENCE.fullmatch(reference)
        rows, columns = self.limits.lines, self.limits.columns
        if found and (column_number(found[1]) > columns or int(found[2]) > rows):
            raise WorkbookRefused("xlsx-far-cell", cell=reference, rows=rows, columns=columns)


def column_number(letters: str) -> int:
    """The number of a column: `A` → 1, `XFD` → 16384."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def column_letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


# ---------------------------------------------------------------- open
def _sheets(data: bytes, notes: Notes) -> Iterator[list[Cells]]:
    """Yield the visible worksheets' rows; a formula gives the value that the spreadsheet program kept."""
    for title, rows in open_sheets(data, notes):
        yield [_row(title, number, row, notes) for number, row in rows]


def open_sheets(
    data: bytes, notes: Notes, limits: Limits = SHEET
) -> Iterator[tuple[str, Iterator[tuple[int, tuple[Any, ...]]]]]:
    """Yield each visible worksheet's title and numbered rows, one sheet after the other."""
    from openpyxl import load_workbook  # half the time of reading a TRF, which has no need of it

    with _spoilt_is_refused():
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        for sheet in book.worksheets:
            if sheet.sheet_state == "visible":
                sheet.reset_dimensions()  # a sheet may misstate its size
                yield sheet.title, _rows(sheet, limits)
            else:
                notes.notice("xlsx-hidden-sheet", sheet=sheet.title[:31])


@contextmanager
def _spoilt_is_refused() -> Iterator[None]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions that are nothing to us
            yield
    except (MemoryError, WorkbookRefused):
        raise
    except Exception:  # openpyxl has no error of its own: a spoilt workbook ends in any of them
        raise WorkbookRefused("xlsx-broken") from None


def _rows(sheet: Any, limits: Limits) -> Iterator[tuple[int, tuple[Any, ...]]]:
    with _spoilt_is_refused():
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
            if number > limits.lines:
                raise WorkbookRefused("xlsx-far-row", row=number, most=limits.lines)
            yield number, row[: limits.columns]


def _row(title: str, number: int, values: tuple[Any, ...], notes: Notes) -> Cells:
    return tuple(_cell(value, title, number, column, notes) for column, value in enumerate(values, 1))


def _cell(value: Any, title: str, line: int, column: int, notes: Notes) -> FileCell:
    place = CellPlace(line=line, column=column, where=f"{title[:31]}!{column_letters(column)}{line}")
    text = text_of(value)
    if len(text) > MOST_TEXT:
        notes.blocks("table-cell-too-long", **place, named=column_letters(column), most=MOST_TEXT)
        text = text[:MOST_TEXT]
    plain, odd = without_odd_characters(re.sub(r"[\r\n]", " ", text))
    if odd is not None:
        notes.blocks("odd-character", **place, code=code_point(text[odd]))
    return FileCell(cleaned(plain), **place)


def text_of(value: Any) -> str:
    """A cell's value as a person would have typed it."""
    if value is None:
        return ""
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    if isinstance(value, float):
        # 0.1 + 0.2 is 0.3 to the person who typed it; a long id keeps all its digits.
        return str(int(value)) if value.is_integer() and abs(value) < WHOLE else f"{value:.10g}"
    return value.isoformat() if isinstance(value, date) else str(value)
