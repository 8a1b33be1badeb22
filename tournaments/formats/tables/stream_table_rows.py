"""A table of one kind of row, however long: bytes → lines of JSON. CSV, XLSX, and the lists of players that
FIDE and the World Othello Federation give out; alone in a ZIP, too.

`python -m tournaments.formats.tables.stream_table_rows [NAME] < FILE` writes one value a line: headings,
the rows as they come, the end. The box runs `main` in its child.

    {"head": ["number", "surname"], "line": 1, "sheet": "", "encoding": "utf-8"}
    [2, ["91", "Orlova"]]
    [3, ["92", "Belov"], [[1, "odd-character", {"code": "U+0007"}]]]
    {"rows": 2, "notices": []}

A row has its line, its cells as far as there are headings, and what is wrong with which of them (counted from
0; -1: the row as a whole). At any point the last line may instead be `{"refused": KEY, "line": …,
"params": {…}}`: the file could not be read.
"""

import csv
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from tournaments.formats.common import zip_members
from tournaments.formats.common.decode_text import code_point, to_long_text, without_odd_characters
from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import FileFinding
from tournaments.formats.plain_table.delimited_text import DELIMITERS, cleaned, names_delimiter
from tournaments.formats.tables import fide_lists, othello_lists, xlsx
from tournaments.formats.tables.xlsx import Limits, WorkbookRefused, open_sheets, text_of, weigh

MOST_BYTES = 30 * 1024 * 1024
MOST_ROWS = 150_000
MOST_COLUMNS = 100
MOST_TEXT = 1_000  # characters of a cell
LONGEST_LINE = 10_000
MOST_LINES = MOST_ROWS + 1_000
"""The rows, with empty ones among them."""
WORKBOOK = Limits(
    size=MOST_BYTES,
    unpacked=400 * 1024 * 1024,
    elements=20_000_000,
    cells=3_000_000,
    lines=MOST_LINES,
    columns=MOST_COLUMNS,
)
WHOLE_ROW = -1

_END_OF_LINE = re.compile(r"\r\n|\n|\r")

Row = tuple[int, Sequence[str] | None]
"""A line's number and cells; None: they could not be told apart."""
Fault = tuple[int, str, dict[str, Any]]


class LongTable(NamedTuple):
    rows: Iterator[Row]
    sheet: str
    """The worksheet's title; empty: a text."""
    encoding: str
    left_out: list[str]
    """Titles of worksheets that hold something too; known once the rows are read."""
    awry: str = "quote-open"
    """The fault of a line whose cells cannot be told apart."""


def read_table(data: bytes, name: str = "") -> Iterator[Any]:
    """Read a table; yield the value of each line of JSON: the headings, the rows, the end or a refusal."""
    notes = Notes()
    try:
        yield from _read(_opened(data, name, notes), notes)
    except WorkbookRefused as refused:
        yield {"refused": refused.key, "line": refused.params.pop("line", None), "params": refused.params}


def _opened(data: bytes, name: str, notes: Notes) -> LongTable:
    if xlsx.recognises(data):
        return _workbook(data, notes)
    if zip_members.recognises(data):
        data, name = _unpacked(data)
        return _opened(data, name, notes)
    if fide_lists.is_xml_list(data):
        return LongTable(fide_lists.rows_of_xml(data), "", "utf-8", [])
    return _text(data, name, notes)


def _unpacked(data: bytes) -> tuple[bytes, str]:
    """The one file in a ZIP, and its name; refused where there are several, or one that is a ZIP itself."""
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            files = [part for part in archive.infolist() if zip_members.counts(part)]
            if len(files) != 1 or files[0].compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise WorkbookRefused("is-zip")
            with archive.open(files[0]) as part:
                inside = part.read(MOST_BYTES + 1)
    except zip_members.BROKEN:
        raise WorkbookRefused("is-zip") from None
    if zip_members.recognises(inside) and not xlsx.recognises(inside):
        raise WorkbookRefused("is-zip")
    return inside, files[0].filename


def _read(table: LongTable, notes: Notes) -> Iterator[Any]:
    filled = ((line, cells) for line, cells in table.rows if cells is None or any(cells))
    line, head = next(filled, (0, ()))
    if not head:
        raise WorkbookRefused("no-header", line=line)
    yield {"head": [text.strip() for text in head], "line": line} | _about(table)
    count = 0
    for line, cells in filled:
        count += 1
        if count > MOST_ROWS:
            raise WorkbookRefused("too-many-rows", line=line, most=MOST_ROWS)
        yield _row(line, cells, len(head), table.awry)
    notices = [_finding_dict(finding) for finding in notes.reading(None).findings]
    notices += [
        _finding_dict(FileFinding("notice", "sheet-left-out", params={"sheet": title}))
        for title in table.left_out
    ]
    yield {"rows": count, "notices": notices}


def _about(table: LongTable) -> dict[str, str]:
    return {"sheet": table.sheet, "encoding": table.encoding}


def _finding_dict(finding: FileFinding) -> dict[str, Any]:
    return {"key": finding.key, "line": finding.line, "params": dict(finding.params)}


def _row(line: int, cells: Sequence[str] | None, width: int, awry: str) -> list[Any]:
    if cells is None:
        return [line, [], [(WHOLE_ROW, awry, {})]]
    faults: list[Fault] = []
    if len(cells) > width and any(cells[width:]):
        faults.append((WHOLE_ROW, "row-too-long", {"width": width}))
    texts = [_cell(text, at, faults) for at, text in enumerate(cells[:width])]
    return [line, texts, faults] if faults else [line, texts]


def _cell(text: str, at: int, faults: list[Fault]) -> str:
    if len(text) > MOST_TEXT:
        faults.append((at, "cell-too-long", {"most": MOST_TEXT}))
        text = text[:MOST_TEXT]
    if not text.isprintable():
        text = re.sub(r"[\r\n\t]", " ", text)
        plain, odd = without_odd_characters(text)
        if odd is not None:
            faults.append((at, "odd-character", {"code": code_point(text[odd])}))
            text = plain
    return cleaned(text)


# ---------------------------------------------------------------- CSV


def _text(data: bytes, name: str, notes: Notes) -> LongTable:
    found = to_long_text(data, name, notes, MOST_BYTES)
    for finding in notes.reading(None).findings:
        if finding.level == "blocks":
            raise WorkbookRefused(
                finding.key, **({"line": finding.line} if finding.line else {}), **dict(finding.params)
            )
    assert found is not None  # or a note had said why
    text, encoding = found
    lines = _lines(text)
    first = next((line for line in lines if line[1].strip() and not names_delimiter(line[1])), (0, ""))
    if fide_lists.is_text_list(first[1]):
        return LongTable(fide_lists.rows_of_text(chain([first], lines)), "", encoding, [])
    if othello_lists.is_othello_list(_END_OF_LINE.split(text[:LONGEST_LINE])):
        return LongTable(othello_lists.rows_of(chain([first], lines)), "", encoding, [], "line-not-read")
    delimiter = max(DELIMITERS, key=first[1].count)
    return LongTable(_split(chain([first], lines), delimiter), "", encoding, [])


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(_END_OF_LINE.split(text), 1):
        if number > MOST_LINES:
            raise WorkbookRefused("too-many-rows", line=number, most=MOST_ROWS)
        if len(line) > LONGEST_LINE:
            raise WorkbookRefused("line-too-long", line=number, most=LONGEST_LINE)
        yield number, line


def _split(lines: Iterable[tuple[int, str]], delimiter: str) -> Iterator[Row]:
    for number, line in lines:
        cells = _cells(line, delimiter)
        if cells is not None and len(cells) > MOST_COLUMNS:
            raise WorkbookRefused("too-wide", line=number, most=MOST_COLUMNS)
        yield number, cells


def _cells(line: str, delimiter: str) -> list[str] | None:
    if '"' not in line:
        return line.split(delimiter)
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error:
        return None


# ---------------------------------------------------------------- XLSX


def _workbook(data: bytes, notes: Notes) -> LongTable:
    """Open a workbook's first visible worksheet that holds anything; `left_out` names others that do."""
    weigh(data, WORKBOOK)
    sheets = ((title, _filled(rows)) for title, rows in open_sheets(data, notes, WORKBOOK))
    for title, rows in sheets:
        first = next(rows, None)
        if first:
            left_out: list[str] = []
            return LongTable(_then_look(chain([first], rows), sheets, left_out), title[:31], "", left_out)
    raise WorkbookRefused("empty")


def _filled(rows: Iterable[tuple[int, tuple[Any, ...]]]) -> Iterator[Row]:
    for line, row in rows:
        if any(cell is not None for cell in row):
            yield line, [text_of(cell) for cell in row]


def _then_look(
    rows: Iterable[Row], others: Iterable[tuple[str, Iterator[Row]]], left_out: list[str]
) -> Iterator[Row]:
    yield from rows
    left_out += [title[:31] for title, further in others if next(further, None)]


# ---------------------------------------------------------------- in the box


def main(data: bytes, name: str = "") -> None:
    for value in read_table(data, name):
        sys.stdout.write(json.dumps(value, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(sys.stdin.buffer.read(), *sys.argv[1:2])
