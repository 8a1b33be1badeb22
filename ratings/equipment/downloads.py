"""Writes a published list as files for programs: the layouts of every federation, and what a layout is.

A layout is written as its lines come, so a long list costs no more memory than a short one. Texts that a
spreadsheet would take for a formula are disarmed, by whatever separator it parts the cells.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from types import MappingProxyType
from typing import BinaryIO, NamedTuple

from ratings.equipment.xlsx_writer import Cell, write_workbook
from ratings.law.translation_marks import gettext_noop as _

CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_BEGINNING = r"(?:^|(?<=[;,\t\r\n]))"
"""The beginning of a cell, also of one that a spreadsheet of other separators makes out of half of ours."""
_FORMULA = r'(?=[\s"]*[=+\-@|%\uff1d\uff0b\uff0d\uff20\t\r\n])'
"""The beginning of a formula, in full width too, as spreadsheets of East Asia read it."""
_ARMED = re.compile(_BEGINNING + _FORMULA)
_DISARMED = re.compile(f"{_BEGINNING}'{_FORMULA}")


class DownloadRow(NamedTuple):
    """One player of a published list as layouts write it, with the particulars that the public may know."""

    rank: int
    number: str
    surname: str
    first_name: str
    born: int | None
    """The year of birth; None: not known, or not for the public."""
    sex: str
    """`m`, `f`, or empty: not known."""
    title: str
    region: str
    """The region's code."""
    rating: Decimal
    games: int
    previous: Decimal | None
    """The rating on the list before; None: not on it."""
    nation: str = ""
    fide: str = ""
    """FIDE's id, or empty."""
    beside: Mapping[str, Decimal] = MappingProxyType({})
    """Ratings on other tracks' lists of the same day, as far as the layout asks for them."""


@dataclass(frozen=True, slots=True)
class DownloadHead:
    """The particulars of a published list as a whole, for the head of its files."""

    federation: str
    """The office's code."""
    track: str
    on: date
    revision: int
    edition: str
    """The name of the edition of the regulations."""
    sha256: str
    """The checksum of the list's canonical content."""
    decimals: int = 0
    """The decimals of ratings in tables."""
    every_digit: bool = True
    """Whether files for programs give every digit; else ratings are as in tables."""
    line: int = 0
    """The number of the journal's line that published it."""
    program: str = ""
    """The file name of the build of `ratings.pyz` that drew it up."""
    checkpoint: str = ""
    """The signed checkpoint of the journal up to that line; empty until one is signed."""
    note: str = ""
    """The office's note to the list, for everybody; empty: none."""

    @property
    def stem(self) -> str:
        """The file name, without ending, of each file of this list: office, track, day, edition, any later
        revision, the journal's line and the checksum's beginning. So a layout without remarks has its proof
        in its name.
        """
        words = "".join(letter if letter.isalnum() else " " for letter in self.edition.lower()).split()
        revision = [f"r{self.revision}"] if self.revision > 1 else []
        proof = [f"line{self.line}", self.sha256[:8]]
        return "-".join([self.federation, self.track, self.on.isoformat(), *words, *revision, *proof])

    @property
    def proof(self) -> tuple[str, ...]:
        """The remarks, line by line, by which somebody can later prove a copy of the list, and its note."""
        told = [f"journal line {self.line}", f"sha256 {self.sha256}", f"program {self.program}"]
        told += [f"checkpoint {line}" for line in self.checkpoint.splitlines() if line]
        return (*told, *(f"note {line}" for line in map(plain, self.note.splitlines()) if line))

    @property
    def footing(self) -> str:
        """The proof in one line, for the foot of a printed page."""
        head = self.checkpoint.splitlines()[1:3]
        signed = f"; checkpoint {' '.join(head)}" if head else ""
        return f"Journal line {self.line}; SHA-256 {self.sha256}{signed}"


@dataclass(frozen=True, slots=True)
class Download:
    """A layout of a published list: the names under which pages offer it, and the function that writes it."""

    code: str
    """The name in the address, before the suffix."""
    suffix: str
    media_type: str
    label: str
    help: str
    """The use of the layout, in a few words for readers."""
    write: Callable[[DownloadHead, Iterable[DownloadRow], BinaryIO], None]
    """A function that writes head and rows into a file, from its present position."""
    beside: Callable[[str], tuple[str, ...]] = lambda track: ()
    """A function of the list's track: the further tracks whose ratings the layout gives."""

    @property
    def mark(self) -> str:
        """The part of a file's name that tells layouts apart; empty for the plain ones."""
        return "" if self.code == "list" else f"-{self.code}"


def whole(rating: Decimal) -> str:
    """A rating as a whole number, half up."""
    return rounded(rating, 0)


def rounded(rating: Decimal, decimals: int) -> str:
    """A rating with so many decimals, half up."""
    return format(rating.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP), "f")


def exact(rating: Decimal | None) -> str | None:
    """A rating with every digit kept, without trailing zeros."""
    if rating is None:
        return None
    text = format(rating, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def disarmed(cell: str) -> str:
    """A cell's text with an apostrophe before each beginning of a formula, as spreadsheets would read it."""
    return _ARMED.sub("'", cell)


def rearmed(cell: str) -> str:
    """A cell's text as it was before `disarmed`."""
    return _DISARMED.sub("", cell)


def plain(text: str) -> str:
    """A text with spaces for control characters and trimmed, so that it stays within its line."""
    return CONTROLS.sub(" ", text).strip()


def csv_bytes(header: Sequence[str], rows: Iterable[Sequence[object]], delimiter: str = ",") -> bytes:
    """The bytes of a CSV as `write_csv` writes it."""
    file = io.BytesIO()
    write_csv(file, header, rows, delimiter)
    return file.getvalue()


def write_csv(
    file: BinaryIO,
    header: Sequence[str],
    rows: Iterable[Sequence[object]],
    delimiter: str = ",",
    *,
    bare: bool = False,
) -> None:
    """Write a CSV in UTF-8 with CRLF into a file, row by row; cells are written as they come, in quotes.

    `bare`: for programs whose layouts have quotes only where a cell cannot do without.
    """
    page = io.TextIOWrapper(file, encoding="utf-8", newline="")
    plain_writer = csv.writer(page, lineterminator="\r\n", delimiter=delimiter)
    quoting = csv.writer(page, lineterminator="\r\n", delimiter=delimiter, quoting=csv.QUOTE_ALL)
    plain_writer.writerow(header)
    (plain_writer if bare else quoting).writerows(rows)
    page.flush()
    page.detach()


COLUMNS = (
    "rank",
    "number",
    "surname",
    "first_name",
    "title",
    "region",
    "rating",
    "games",
    "previous",
    "born",
)


def plain_csv(head: DownloadHead, lines: Iterable[DownloadRow], file: BinaryIO) -> None:
    """Write a list as CSV, as people see it, with one header line."""
    write_csv(file, COLUMNS, (_cells(head, line) for line in lines))


def semicolon_csv(head: DownloadHead, lines: Iterable[DownloadRow], file: BinaryIO) -> None:
    """Write a list as CSV for programs with a decimal comma: semicolons, and a byte order mark."""
    file.write(BYTE_ORDER_MARK)
    write_csv(file, COLUMNS, (_cells(head, line) for line in lines), ";")


def plain_xlsx(head: DownloadHead, lines: Iterable[DownloadRow], file: BinaryIO) -> None:
    """Write a list as a workbook, with texts as texts and numbers as numbers. Its properties and the foot of
    each printed page say how to prove it.
    """
    rows = (_row(head, line) for line in lines)
    write_workbook(file, head.track, head.on, COLUMNS, rows, head.proof, head.footing)


BYTE_ORDER_MARK = "\ufeff".encode()


def _cells(head: DownloadHead, line: DownloadRow) -> list[object]:
    """The cells of a player's row in a CSV: text is disarmed, numbers become digits."""
    return [disarmed(cell) if isinstance(cell, str) else _number(cell) for cell in _row(head, line)]


def _number(cell: Cell) -> str:
    return "" if cell is None else str(cell)


def _row(head: DownloadHead, line: DownloadRow) -> tuple[Cell, ...]:
    rating, previous = (
        None if value is None else Decimal(rounded(value, head.decimals))
        for value in (line.rating, line.previous)
    )
    texts = (line.number, line.surname, line.first_name, line.title, line.region)
    return (line.rank, *texts, rating, line.games, previous, line.born)


def exact_json(head: DownloadHead, lines: Iterable[DownloadRow], file: BinaryIO) -> None:
    """Write a list as JSON, ratings as text, so that no reader's floats alter them."""
    told = {
        "federation": head.federation,
        "track": head.track,
        "on": head.on.isoformat(),
        "revision": head.revision,
        "edition": head.edition,
        "content_sha256": head.sha256,
        "line": head.line,
        "program": head.program,
        "checkpoint": head.checkpoint or None,
        **({"note": head.note} if head.note else {}),
    }
    file.write(_json(told).removesuffix(b"}") + b',"players":[')
    for number, line in enumerate(lines):
        file.write((b"," if number else b"") + _json(_record(head, line)))
    file.write(b"]}\n")


def _record(head: DownloadHead, line: DownloadRow) -> dict[str, object]:
    rating, previous = (
        exact(value) if head.every_digit or value is None else rounded(value, head.decimals)
        for value in (line.rating, line.previous)
    )
    return {
        "rank": line.rank,
        "number": line.number,
        "name": ", ".join(filter(None, (line.surname, line.first_name))),
        "title": line.title or None,
        "region": line.region or None,
        "rating": rating,
        "previous": previous,
        "games": line.games,
    }


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
COMMON = (
    Download("list", "csv", "text/csv; charset=utf-8", "CSV", _("For spreadsheets and programs"), plain_csv),
    Download(
        "list",
        "xlsx",
        XLSX,
        "XLSX",
        _("For spreadsheets: text stays text, and numbers stay numbers"),
        plain_xlsx,
    ),
    Download(
        "names", "json", "application/json", "JSON", _("For programs, with names and checksum"), exact_json
    ),
)
"""The layouts that every federation offers."""

SEMICOLONS = Download(
    "semicolons",
    "csv",
    "text/csv; charset=utf-8",
    _("CSV with semicolons"),
    _("For spreadsheets that write decimals with a comma"),
    semicolon_csv,
)
"""A layout for federations of countries that write a decimal comma."""
