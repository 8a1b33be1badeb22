"""Event files that are tables: the header row decides which reader gets the rows of a text or a workbook.

A workbook is opened only in the box, and after its parts were checked. One of two megabytes can unpack to
gigabytes, name a cell in the last of a million rows, or define entities of entities; openpyxl accepts all of
it. So each part is first counted with a bare XML parser.
"""

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, Protocol
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from ratings.rulesets.downloads import normalize_column_heading
from tournaments.formats import cross_table, mahjong_places, plain_table
from tournaments.formats.sheet import CellPlace, FileKind, Notes, Reading
from tournaments.formats.table_rows import (
    MOST_CELLS,
    MOST_COLUMNS,
    Cells,
    FileCell,
    cleaned,
)
from tournaments.formats.text import (
    BROKEN_ZIP_ERRORS,
    MOST_BYTES,
    MOST_LINES,
    code_point,
    replace_odd_characters,
)

# ---- Readers of tables. Each is a module with `KINDS`, `knows` and `read_sheets`, and is in `_ROW_READERS`.
HEADER_WITHIN = 50
"""The first rows, in which a header row is looked for."""


class RowReader(Protocol):
    KINDS: tuple[FileKind, ...]

    def knows(self, headings: Sequence[str]) -> int:
        """The number of known headings; 0 if they are no header row of this reader's tables."""

    def read_sheets(self, sheets: Sequence[Sequence[Cells]], notes: Notes, encoding: str) -> Reading: ...


_ROW_READERS: tuple[RowReader, ...] = (cross_table, mahjong_places, plain_table)
TABLE_KINDS = tuple(kind for reader in _ROW_READERS for kind in reader.KINDS)


def count_known(headings: Sequence[str]) -> int:
    """The number of headings known to the first reader whose header row they are; 0 if there is none."""
    return next(filter(None, (reader.knows(headings) for reader in _ROW_READERS)), 0)


def read_sheets(sheets: Sequence[Sequence[Cells]], notes: Notes, encoding: str = "utf-8") -> Reading:
    """Read sheets of rows (a CSV is one) with the reader that knows the first header row."""
    for sheet in sheets:
        for row in sheet[:HEADER_WITHIN]:
            headings = [normalize_column_heading(cell.text) for cell in row]
            for reader in _ROW_READERS:
                if reader.knows(headings):
                    return reader.read_sheets(sheets, notes, encoding)
    return plain_table.read_sheets(sheets, notes, encoding)


# ---- Workbooks
KINDS = TABLE_KINDS
MOST_UNPACKED = 16 * 1024 * 1024
MOST_PARTS = 200
MOST_ELEMENTS = 1_000_000
MOST_TEXT = 1_000  # characters of a cell
WHOLE_LIMIT = 10**15
"""The limit below which a spreadsheet keeps every digit of a whole number."""
XML_ERRORS = (expat.ExpatError, LookupError, ValueError)
"""Errors of XML that is broken, or in an encoding that nobody knows or that has several bytes a letter."""
_CHUNK = 1 << 16
_NAMES = (b"xl/work", b"xl/theme", b"xl/_rels")  # a file that is cut has one of them too
_REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a workbook may hold: bytes packed and unpacked, XML elements, cells, lines, columns."""

    size: int
    unpacked: int
    elements: int
    cells: int
    lines: int
    columns: int


TOURNAMENT_LIMITS = Limits(MOST_BYTES, MOST_UNPACKED, MOST_ELEMENTS, MOST_CELLS, MOST_LINES, MOST_COLUMNS)


class WorkbookRefused(Exception):
    """Raised for a workbook that is not read; `key` and `params` are of a message."""

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
    except BROKEN_ZIP_ERRORS:
        return any(name in data for name in _NAMES)


def read_bytes(data: bytes, notes: Notes) -> Reading:
    try:
        check_limits(data)
        sheets = list(_sheets(data, notes))
    except WorkbookRefused as refused:
        raise notes.refusal(refused.key, None, None, **refused.params) from None
    return read_sheets(sheets, notes)


# ---- Checks before opening
def check_limits(data: bytes, limits: Limits = TOURNAMENT_LIMITS) -> None:
    """Raise `WorkbookRefused` if the workbook or a part of it exceeds the limits, or is broken or locked."""
    if len(data) > limits.size:
        raise WorkbookRefused("too-big")
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            size = len(data)
            parts = archive.infolist()
            names = {part.filename for part in parts}
            if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > limits.unpacked:
                raise WorkbookRefused("xlsx-unpacks-too-big", most=limits.unpacked // 1024 // 1024)
            packed = all(part.compress_type in (ZIP_STORED, ZIP_DEFLATED) for part in parts)
            # Parts that overlap in the file would use its bytes twice.
            if len(names) < len(parts) or not packed or sum(part.compress_size for part in parts) > size:
                raise WorkbookRefused("xlsx-broken")
            if any(part.flag_bits & 1 for part in parts):
                raise WorkbookRefused("xlsx-locked")
            counter = _Counter(limits)
            for part in archive.infolist():
                with archive.open(part) as stream:
                    counter.count(iter(lambda stream=stream: stream.read(_CHUNK), b""))  # type: ignore[misc]
    except BROKEN_ZIP_ERRORS:
        raise WorkbookRefused("xlsx-broken") from None


class _Counter:
    """Counts elements and cells of a workbook's parts without building any of them."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.elements = self.cells = 0
        self.open_formula = ""
        """The cell of a formula without a value so far."""
        self.here = ""
        self.in_value = False

    def count(self, chunks: Iterator[bytes]) -> None:
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._begin
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._doctype
        try:
            for chunk in chunks:
                parser.Parse(chunk, False)
            parser.Parse(b"", True)
        except XML_ERRORS:
            for _rest in chunks:  # a picture; or broken XML, which openpyxl refuses too
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
            number = attributes.get("r", "")[:9]
            if number.isdecimal() and int(number) > self.limits.lines:
                raise WorkbookRefused("xlsx-far-row", row=number, most=self.limits.lines)
        self.in_value = tag == "v"

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


# ---- Opening
def _sheets(data: bytes, notes: Notes) -> Iterator[list[Cells]]:
    """Yield the visible worksheets' rows; a formula has the value that the spreadsheet program saved."""
    for title, rows in open_xlsx_sheets(data, notes):
        yield [
            tuple(_cell(value, title, number, column, notes) for column, value in enumerate(row, 1))
            for number, row in rows
        ]


def open_xlsx_sheets(
    data: bytes, notes: Notes, limits: Limits = TOURNAMENT_LIMITS
) -> Iterator[tuple[str, Iterator[tuple[int, tuple[Any, ...]]]]]:
    """Yield each visible worksheet's title and numbered rows, one sheet after the other."""
    try:
        from openpyxl import load_workbook  # takes half the time of reading a TRF, which does not need it
    except ImportError:  # in the program of Python alone
        raise WorkbookRefused("xlsx-needs-package") from None

    with _refuse_broken():
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        for sheet in book.worksheets:
            if sheet.sheet_state == "visible":
                sheet.reset_dimensions()  # a sheet may misstate its size
                yield sheet.title, _rows(sheet, limits)
            else:
                notes.notice("xlsx-hidden-sheet", sheet=sheet.title[:31])


@contextmanager
def _refuse_broken() -> Iterator[None]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions that are not used
            yield
    except (MemoryError, WorkbookRefused):
        raise
    except Exception:  # openpyxl has no error of its own: a broken workbook can raise any
        raise WorkbookRefused("xlsx-broken") from None


def _rows(sheet: Any, limits: Limits) -> Iterator[tuple[int, tuple[Any, ...]]]:
    with _refuse_broken():
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
            if number > limits.lines:
                raise WorkbookRefused("xlsx-far-row", row=number, most=limits.lines)
            yield number, row[: limits.columns]


def _cell(value: Any, title: str, line: int, column: int, notes: Notes) -> FileCell:
    place = CellPlace(line=line, column=column, where=f"{title[:31]}!{column_letters(column)}{line}")
    text = cell_text(value)
    if len(text) > MOST_TEXT:
        notes.blocks("table-cell-too-long", **place, named=column_letters(column), most=MOST_TEXT)
        text = text[:MOST_TEXT]
    plain, odd = replace_odd_characters(re.sub(r"[\r\n]", " ", text))
    if odd is not None:
        notes.blocks("odd-character", **place, code=code_point(text[odd]))
    return FileCell(cleaned(plain), **place)


def cell_text(value: Any) -> str:
    """A cell's value as a person would type it."""
    if value is None:
        return ""
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    if isinstance(value, float):
        # 0.1 + 0.2 is shown as 0.3; a long id keeps all its digits.
        return str(int(value)) if value.is_integer() and abs(value) < WHOLE_LIMIT else f"{value:.10g}"
    return value.isoformat() if isinstance(value, date) else str(value)
