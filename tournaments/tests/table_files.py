"""Plain tables for the tests: invented people of four games, and workbooks put together by hand."""

import io
from collections.abc import Mapping, Sequence
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from openpyxl import Workbook

from tournaments.formats import read_any
from tournaments.formats.plain_table import make_sheet_tables, render_xlsx
from tournaments.formats.sheet import Reading, Sheet

PLAYERS = """\
number,id,surname,first name,sex,birth,nation,place,points,discs,team
1,4001,Nowak,Anna,f,1990-04-12,POL,1,1.5,92,
2,,Kowalski,Jan,m,1985,POL,2,1,60,
3,,Wójcik,Ewa,f,,POL,3,0,24,
"""
GAMES = """\
round,first,second,result
1,1,2,annulled
1,1,2,1/2
1,3,,zero
2,3,1,0-1
2,2,,half
"""
BOTH = f"{PLAYERS}\n{GAMES}"


def read(text: str, encoding: str = "utf-8") -> Reading:
    return read_any(text.encode(encoding))


def found(reading: Reading, level: str | None = None) -> list[tuple[str, int | None, int | None]]:
    """The findings, each with its line and column."""
    return [(r.key, r.line, r.column) for r in reading.findings if level in (None, r.level)]


def workbook(**sheets: Sequence[Any]) -> bytes:
    """A workbook as openpyxl writes it: rows of values by the worksheet's name."""
    book = Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets.items():
        page = book.create_sheet(title)
        for row in rows:
            page.append(list(row))
    return saved(book)


def saved(book: Workbook) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def changed_part(data: bytes, name: str, change: Mapping[str, str]) -> bytes:
    """The workbook with texts of one of its parts replaced; each has to stand there."""
    file = io.BytesIO()
    with ZipFile(io.BytesIO(data)) as old, ZipFile(file, "w", ZIP_DEFLATED) as new:
        for part in old.infolist():
            content = old.read(part)
            if part.filename == name:
                for before, after in change.items():
                    assert before.encode() in content, content
                    content = content.replace(before.encode(), after.encode("utf-8", "surrogatepass"), 1)
            new.writestr(part.filename, content)
    return file.getvalue()


def cells_of(text: str) -> list[list[str]]:
    return [line.split(",") for line in text.splitlines()]


def write_xlsx(sheet: Sheet) -> bytes:
    return render_xlsx(make_sheet_tables(sheet))
