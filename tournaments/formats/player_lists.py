"""Reads a table of any length into lines of JSON: CSV, XLSX, or a list of players of FIDE or of the World
Othello Federation, alone or in a ZIP.

`python -m tournaments.formats.player_lists [NAME] < FILE`, in the box, writes one value a line: the headings,
the rows, the end.

    {"head": ["number", "surname"], "line": 1, "sheet": "", "encoding": "utf-8"}
    [2, ["91", "Orlova"]]
    [3, ["92", "Belov"], [[1, "odd-character", {"code": "U+0007"}]]]
    {"rows": 2, "notices": []}

A row has its line, its cells as far as there are headings, and the faults of cells (counted from 0; -1: the
row as a whole). If the file cannot be read, the last line is instead
`{"refused": KEY, "line": …, "params": {…}}`.
"""

import csv
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from ratings.rulesets.downloads import FIDE_SHORT_TITLES, fide_text_columns, is_fide_text_list
from tournaments.formats import tables, text
from tournaments.formats.sheet import FileFinding, NoSheet, Notes
from tournaments.formats.table_rows import DELIMITERS, cleaned, is_delimiter_line
from tournaments.formats.tables import (
    XML_ERRORS,
    Limits,
    WorkbookRefused,
    cell_text,
    check_limits,
    open_xlsx_sheets,
)
from tournaments.formats.text import code_point, decode_long_text, lower_capitals, replace_odd_characters

# ---- Lists in FIDE's layouts, TXT and XML. A title of women counts if there is no other.
_TITLE, _TITLE_OF_WOMEN = ("Tit", "Titl"), "WTit"
_SEX, _FLAG = "Sex", "Flag"
_UNUSED_TITLES = ("OTit", "FOA")
"""Titles of arbiters and of online play, which no register here has."""

FIDE_HEADINGS = (
    *("fideid", "name", "country", "sex", "title", "birthday"),
    *("rating", "games", "rapid_rating", "rapid_games", "blitz_rating", "blitz_games"),
)
"""The elements of a player in the XML that become columns of the table."""
_PART = 1 << 16
_XML = re.compile(rb"\s*(<\?xml[^>]*>\s*)?<playerslist[\s>]")


def read_fide_text(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    """Yield the headings, then the players; each line is cut at the places of the first line's headings.

    In lists without a column for sex women have a flag, so there is one after all.
    """
    numbered = iter(lines)
    number, head = next(numbered)
    columns = [(name, place) for name, place in fide_text_columns(head) if name not in _UNUSED_TITLES]
    names = [name for name, _place in columns]
    by_flag = [] if _SEX in names else [_SEX]
    yield number, [*(name for name in names if name != _TITLE_OF_WOMEN), *by_flag]
    for line, words in numbered:
        if words.strip():
            player = {name: words[place].strip() for name, place in columns}
            womens = player.pop(_TITLE_OF_WOMEN, "")
            for name in _TITLE:
                if name in player:
                    title = player[name] or womens
                    player[name] = FIDE_SHORT_TITLES.get(title, title)
            woman = "f" if "w" in player.get(_FLAG, "") else ""
            yield line, [*player.values(), *(woman for _column in by_flag)]


def is_fide_xml(start: bytes) -> bool:
    """Whether a file that begins so is FIDE's XML."""
    return _XML.match(start.removeprefix(b"\xef\xbb\xbf")) is not None


def read_fide_xml(parts: Iterable[bytes]) -> Iterator[tuple[int, list[str]]]:
    """Read FIDE's XML, in parts, with elements or, as others write it, attributes; entities are refused.

    Rows are numbered as if the headings were the first, because all players may be on one line.
    """
    yield 1, list(FIDE_HEADINGS)
    reader = _XmlPlayers()
    players = (player for part in parts for player in reader.parse(part))
    yield from enumerate(map(_fide_row, players), 2)
    reader.parse(b"", last=True)


def _fide_row(player: dict[str, str]) -> list[str]:
    title = player.get("title", "") or player.get("w_title", "")
    player["title"] = FIDE_SHORT_TITLES.get(title, title)
    return [player.get(name, "").strip() for name in FIDE_HEADINGS]


class _XmlPlayers:
    """Parses a list of players in XML part by part, with the memory of one part."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._begin_element
        self.parser.EndElementHandler = self._end_element
        self.parser.CharacterDataHandler = self._add_text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.done: list[dict[str, str]] = []
        self.player: dict[str, str] | None = None
        self.within = ""

    def parse(self, part: bytes, *, last: bool = False) -> list[dict[str, str]]:
        """Parse a part, and return the players that it completes."""
        self.done = []
        try:
            self.parser.Parse(part, last)
        except XML_ERRORS:
            raise WorkbookRefused("xml-broken", line=self.parser.CurrentLineNumber) from None
        return self.done

    def _doctype(self, *_declaration: object) -> None:
        raise WorkbookRefused("xml-entities", line=self.parser.CurrentLineNumber)

    def _begin_element(self, name: str, attributes: dict[str, str]) -> None:
        if name == "player":
            self.player = {key.lower(): value for key, value in attributes.items()}
        self.within = name

    def _add_text(self, text: str) -> None:
        if self.player is not None and self.within != "player":
            self.player[self.within] = self.player.get(self.within, "") + text

    def _end_element(self, name: str) -> None:
        if name == "player" and self.player is not None:
            self.done.append(self.player)
            self.player = None
        self.within = "player" if self.player is not None else ""


# ---- The world's list of othello players, `joueurs.txt`, as the federation publishes it and PAPP keeps it
#
# pays = ARG
# 280016 ACUNA, Ricardo   %_<1714>
#
# A line names the country of the players below it, who have a number, a name, and in a remark a rating.
OTHELLO_HEADINGS = ("wof_id", "surname", "first_name", "nation", "rating")
_COUNTRY = re.compile(r"\s*pays\s*=\s*(\w*)\s*(%.*)?", re.IGNORECASE)
_PLAYER = re.compile(r"\s*\+?([0-9]{1,9})\s+([^%]+?)\s*(?:%(.*))?")
_RATING = re.compile(r"<\s*([0-9]+(?:\.[0-9]+)?)\s*>")


def is_othello_list(lines: Iterable[str]) -> bool:
    """Whether the first of these lines that is no remark names a country."""
    for line in lines:
        if line.strip() and not line.lstrip().startswith(("%", "#")):
            return _COUNTRY.fullmatch(line) is not None
    return False


def read_othello_list(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, list[str] | None]]:
    """Yield the headings, then the players; None for a line that cannot be read."""
    yield 1, list(OTHELLO_HEADINGS)
    country = ""
    for number, line in lines:
        if not line.strip() or line.lstrip().startswith(("%", "#")):
            continue
        if named := _COUNTRY.fullmatch(line):
            country = named[1].upper()
        elif found := _PLAYER.fullmatch(line):
            surname, first_name = (name.strip() for name in found[2].partition(",")[::2])
            if surname.isupper():
                surname = lower_capitals(surname)
            rating = _RATING.search(found[3] or "")
            yield number, [found[1], surname, first_name, country, rating[1] if rating else ""]
        else:
            yield number, None


# ---- Tables of any kind, and the lines of JSON
MOST_BYTES = 30 * 1024 * 1024
MOST_ROWS = 150_000
MOST_COLUMNS = 100
MOST_TEXT = 1_000  # characters of a cell
LONGEST_LINE = 10_000
MOST_LINES = MOST_ROWS + 1_000
"""Rows with empty ones among them."""
WORKBOOK_LIMITS = Limits(
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
"""A line's number and cells; None if they cannot be split."""
Fault = tuple[int, str, dict[str, Any]]


class LongTable(NamedTuple):
    rows: Iterator[Row]
    sheet: str
    """The worksheet's title; empty: a text."""
    encoding: str
    left_out: list[str]
    """Titles of other worksheets that are not empty; filled once the rows are read."""
    row_fault: str = "quote-open"
    """The fault of a line whose cells cannot be split."""


def read_table(data: bytes, name: str = "") -> Iterator[Any]:
    """Read a table; yield the values for the lines of JSON: the headings, the rows, the end or a refusal."""
    notes = Notes()
    try:
        table = _open_table(data, name, notes)
        filled = ((line, cells) for line, cells in table.rows if cells is None or any(cells))
        line, head = next(filled, (0, ()))
        if not head:
            raise WorkbookRefused("no-header", line=line)
        headings = [text.strip() for text in head]
        yield {"head": headings, "line": line, "sheet": table.sheet, "encoding": table.encoding}
        count = 0
        for line, cells in filled:
            count += 1
            if count > MOST_ROWS:
                raise WorkbookRefused("too-many-rows", line=line, most=MOST_ROWS)
            yield _row(line, cells, len(head), table.row_fault)
        left_out = [
            FileFinding("notice", "sheet-left-out", params={"sheet": title}) for title in table.left_out
        ]
        yield {
            "rows": count,
            "notices": [
                {"key": finding.key, "line": finding.line, "params": dict(finding.params)}
                for finding in (*notes.reading(None).findings, *left_out)
            ],
        }
    except WorkbookRefused as refused:
        yield {"refused": refused.key, "line": refused.params.pop("line", None), "params": refused.params}


def _open_table(data: bytes, name: str, notes: Notes) -> LongTable:
    if tables.recognises(data):
        check_limits(data, WORKBOOK_LIMITS)
        sheets = (
            (title, _filled_rows(rows)) for title, rows in open_xlsx_sheets(data, notes, WORKBOOK_LIMITS)
        )
        for title, rows in sheets:
            first = next(rows, None)
            if first:
                left_out: list[str] = []
                table = _add_left_out(chain([first], rows), sheets, left_out)
                return LongTable(table, title[:31], "", left_out)
        raise WorkbookRefused("empty")
    if text.recognises(data):
        try:
            with ZipFile(io.BytesIO(data)) as archive:
                files = [part for part in archive.infolist() if text.is_packed_file(part)]
                if len(files) != 1 or files[0].compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                    raise WorkbookRefused("is-zip")
                with archive.open(files[0]) as part:
                    inside = part.read(MOST_BYTES + 1)
        except text.BROKEN_ZIP_ERRORS:
            raise WorkbookRefused("is-zip") from None
        if text.recognises(inside) and not tables.recognises(inside):
            raise WorkbookRefused("is-zip")
        return _open_table(inside, files[0].filename, notes)
    if is_fide_xml(data[:1_000]):
        parts = (data[start : start + _PART] for start in range(0, len(data), _PART))
        return LongTable(read_fide_xml(parts), "", "utf-8", [])
    return _read_text(data, name, notes)


def _row(line: int, cells: Sequence[str] | None, width: int, row_fault: str) -> list[Any]:
    if cells is None:
        return [line, [], [(WHOLE_ROW, row_fault, {})]]
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
        plain, odd = replace_odd_characters(text)
        if odd is not None:
            faults.append((at, "odd-character", {"code": code_point(text[odd])}))
            text = plain
    return cleaned(text)


def _read_text(data: bytes, name: str, notes: Notes) -> LongTable:
    found = None
    with suppress(NoSheet):
        found = decode_long_text(data, name, notes, MOST_BYTES)
    for finding in notes.reading(None).findings:
        if finding.level == "blocks":
            raise WorkbookRefused(
                finding.key, **({"line": finding.line} if finding.line else {}), **dict(finding.params)
            )
    assert found is not None  # a blocking finding says why it is None
    text, encoding = found
    lines = _lines(text)
    first = next((line for line in lines if line[1].strip() and not is_delimiter_line(line[1])), (0, ""))
    every = chain([first], lines)
    if is_fide_text_list(first[1]):
        return LongTable(read_fide_text(every), "", encoding, [])
    if is_othello_list(_END_OF_LINE.split(text[:LONGEST_LINE])):
        return LongTable(read_othello_list(every), "", encoding, [], "line-not-read")
    return LongTable(_split(every, max(DELIMITERS, key=first[1].count)), "", encoding, [])


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


def _filled_rows(rows: Iterable[tuple[int, tuple[Any, ...]]]) -> Iterator[Row]:
    for line, row in rows:
        if any(cell is not None for cell in row):
            yield line, [cell_text(cell) for cell in row]


def _add_left_out(
    rows: Iterable[Row], others: Iterable[tuple[str, Iterator[Row]]], left_out: list[str]
) -> Iterator[Row]:
    """Yield the rows, then add the titles of the other worksheets that are not empty to `left_out`."""
    yield from rows
    left_out += [title[:31] for title, further in others if next(further, None)]


def main(data: bytes, name: str = "") -> None:
    for value in read_table(data, name):
        sys.stdout.write(json.dumps(value, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(sys.stdin.buffer.read(), *sys.argv[1:2])
