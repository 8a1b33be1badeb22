"""Write a published list as files: workbooks, CSV, JSON, and layouts for pairing programs.

Files are written row by row, so a long list takes no more memory than a short one. Texts that a spreadsheet
would take for a formula are disarmed, whatever separator it expects.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from html import escape
from itertools import chain, count
from string import ascii_uppercase
from types import MappingProxyType
from typing import Any, BinaryIO, NamedTuple

from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.journal_lines import plain

# ---- Office Open XML workbooks, with the standard library alone
Cell = str | int | Decimal | None

_DECLARED = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_MEDIA = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PARTS = {
    "[Content_Types].xml": (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        '<Override PartName="/docProps/core.xml"'
        ' ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_MEDIA}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_MEDIA}.worksheet+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
        f'<Relationship Id="rId2" Type="{_PACKAGE}/relationships/metadata/core-properties"'
        ' Target="docProps/core.xml"/></Relationships>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>'
    ),
}
_NOT_IN_XML = re.compile("[\x00-\x1f\ufffe\uffff\ud800-\udfff]")
_MOST_TITLE = 31
"""The most characters of a worksheet's name."""
_MOST_FOOTING = 240
"""The most characters of the footing; a footer has room for 255, with its marks for place and size."""

LEAST_COLUMN_WIDTH = 9
_WIDTHS = {
    **dict.fromkeys(("surname", "first_name"), 24),
    "Name": 34,
    **dict.fromkeys(("region", "ClubName", "included_by"), 22),
    **dict.fromkeys(("number", "ID_No", "birth", "Birthday", "Fide_No"), 13),
}
"""Widths in characters of columns whose cells are wider than their headings."""


def write_workbook(
    file: BinaryIO,
    title: str,
    on: date,
    header: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    remarks: Sequence[str] = (),
    footing: str = "",
) -> None:
    """Write one worksheet of up to 26 columns, with a frozen first row.

    The same table and day give the same bytes. Text is stored as text, so none of it is a formula. The
    remarks are in the workbook's properties, the footing is below each printed page.
    """
    parts = {**_PARTS, "docProps/core.xml": _properties(title, remarks), "xl/workbook.xml": _workbook(title)}
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(_part(name, on), _DECLARED + content)
        with archive.open(_part("xl/worksheets/sheet1.xml", on), "w") as sheet:
            for text in _sheet(header, rows, footing):
                sheet.write(text.encode())


def _part(name: str, on: date) -> zipfile.ZipInfo:
    """The ZIP entry of one part of the workbook, dated by the table's day, not by the clock."""
    part = zipfile.ZipInfo(name, (on.year, on.month, on.day, 0, 0, 0))
    part.compress_type = zipfile.ZIP_DEFLATED
    return part


def _workbook(title: str) -> str:
    name = escape(title[:_MOST_TITLE])
    return (
        f'<workbook xmlns="{_SHEETS}" xmlns:r="{_OFFICE}">'
        f'<sheets><sheet name="{name}" sheetId="1" r:id="rId1"/></sheets></workbook>'
    )


def _properties(title: str, remarks: Sequence[str]) -> str:
    """The XML of the workbook's properties: its title, and the remarks as comments."""
    comments = escape("\n".join(_NOT_IN_XML.sub(" ", remark) for remark in remarks), quote=False)
    return (
        f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{escape(title)}</dc:title><dc:description>{comments}</dc:description></cp:coreProperties>"
    )


def _sheet(header: Sequence[str], rows: Iterable[Sequence[Cell]], footing: str) -> Iterator[str]:
    yield (
        f'{_DECLARED}<worksheet xmlns="{_SHEETS}"><sheetViews><sheetView workbookViewId="0">'
        '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
        f"</sheetView></sheetViews><cols>{''.join(map(_width, count(1), header))}</cols><sheetData>"
    )
    for number, row in enumerate(chain([header], rows), 1):
        cells = "".join(_cell(f"{ascii_uppercase[at]}{number}", cell) for at, cell in enumerate(row))
        yield f'<row r="{number}">{cells}</row>'
    text = escape(footing.replace("&", "&&")[:_MOST_FOOTING], quote=False)
    footer = f"<headerFooter><oddFooter>&amp;C&amp;8{text}</oddFooter></headerFooter>" if text else ""
    yield f"</sheetData>{footer}</worksheet>"


def _width(number: int, heading: str) -> str:
    width = _WIDTHS.get(heading, max(len(heading) + 3, LEAST_COLUMN_WIDTH))
    return f'<col min="{number}" max="{number}" width="{width}" customWidth="1"/>'


def _cell(place: str, cell: Cell) -> str:
    if cell is None or cell == "":
        return ""
    if isinstance(cell, str):
        text = escape(_NOT_IN_XML.sub(" ", cell), quote=False)
        return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
    value = format(cell, "f") if isinstance(cell, Decimal) else cell
    return f'<c r="{place}"><v>{value}</v></c>'


# ---- Layouts, and those of every federation
CONTROL_CHARACTERS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_BEGINNING = r"(?:^|(?<=[;,\t\r\n]))"
"""The beginning of a cell, also of one that a spreadsheet with other separators makes of a part of ours."""
_FORMULA = r'(?=[\s"]*[=+\-@|%\uff1d\uff0b\uff0d\uff20\t\r\n])'
"""The beginning of a formula, in full width too, as spreadsheets of East Asia read it."""
_ARMED = re.compile(_BEGINNING + _FORMULA)
_DISARMED = re.compile(f"{_BEGINNING}'{_FORMULA}")


@dataclass(frozen=True, slots=True)
class Column:
    """What the public may read under one name: its type, meaning and value, for every output that has it."""

    name: str
    type: Any
    """A type, or `type | None`: without a value, it is an empty cell of a CSV, and null in JSON."""
    words: str
    """Its meaning, for descriptions."""
    source: Any = ""
    """The path to the value from a row (`fact__number`), a function of the row, or a Django expression for
    rows that no object is made of; empty: the name.
    """
    typed: bool = False
    """Whether people typed the text, which a spreadsheet might take for a formula."""
    remark: str = ""
    """Further sentences for programmers."""
    heading: str = ""
    """The heading on pages."""

    def value(self, row: Any) -> Any:
        if callable(self.source):
            return self.source(row)
        for name in (self.source or self.name).split("__"):
            row = None if row is None else getattr(row, name)
        return row

    def at(self, source: Any, **changes: Any) -> Column:
        """Return the same column for rows that have its value elsewhere."""
        return replace(self, source=source, **changes)


class DownloadRow(NamedTuple):
    """One player of a published list, with the particulars that the public may know."""

    rank: int
    number: str
    surname: str
    first_name: str
    born: int | None
    """The year of birth; None if not known, or not for the public."""
    sex: str
    """`m`, `f`, or empty if not known."""
    title: str
    region: str
    """The region's code."""
    rating: Decimal
    games: int
    previous: Decimal | None
    """The rating on the list before; None if the player was not on it."""
    nation: str = ""
    fide: str = ""
    """FIDE's id, or empty."""
    beside: Mapping[str, Decimal] = MappingProxyType({})
    """Ratings on other tracks' lists of the same day, by track, as far as the layout needs them."""
    position: int = 0
    """The place in the list, from 1."""
    withheld: bool = False
    """Whether the public may not know the name; the surname says so then."""
    ids: Mapping[str, str] = MappingProxyType({})
    """Ids in other registers, as far as they are public, by the kind that the office gives them."""

    @property
    def name(self) -> str:
        return ", ".join(filter(None, (self.surname, self.first_name)))


@dataclass(frozen=True, slots=True)
class DownloadHead:
    """The particulars of a published list as a whole."""

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
    """Whether files for programs have every digit; otherwise ratings are as in tables."""
    line: int = 0
    """The number of the journal's line that published it."""
    program: str = ""
    """The file name of the build of `ratings.pyz` that drew it up."""
    checkpoint: str = ""
    """The signed checkpoint of the journal up to that line; empty until one is signed."""
    note: str = ""
    """The office's public note to the list."""
    selection: str = ""
    """Which rows of the list these are, as in an address; empty: all, in its own order."""

    @property
    def stem(self) -> str:
        """The file name, without ending, of this list's files. It has the journal's line and a part of the
        checksum, as a proof for layouts without remarks.
        """
        words = "".join(letter if letter.isalnum() else " " for letter in self.edition.lower()).split()
        revision = [f"r{self.revision}"] if self.revision > 1 else []
        proof = [f"line{self.line}", self.sha256[:8]]
        some = ["some"] if self.selection else []
        return "-".join([self.federation, self.track, self.on.isoformat(), *words, *revision, *proof, *some])

    @property
    def proof(self) -> tuple[str, ...]:
        """The remarks, line by line, by which a copy of the list can be verified later, and the note."""
        remarks = [f"some rows of this list: {self.selection}"] if self.selection else []
        remarks += [f"journal line {self.line}", f"sha256 {self.sha256}", f"program {self.program}"]
        remarks += [f"checkpoint {line}" for line in self.checkpoint.splitlines() if line]
        return (*remarks, *(f"note {line}" for line in map(single_line, self.note.splitlines()) if line))

    @property
    def footing(self) -> str:
        """The proof in one line, for the foot of a printed page."""
        head = self.checkpoint.splitlines()[1:3]
        signed = f"; checkpoint {' '.join(head)}" if head else ""
        return f"Journal line {self.line}; SHA-256 {self.sha256}{signed}"


@dataclass(frozen=True, slots=True)
class Download:
    """A layout of a published list."""

    code: str
    """The name in the address, before the suffix."""
    suffix: str
    media_type: str
    label: str
    help: str
    """The use of the layout, in a few words for readers."""
    write: Callable[[DownloadHead, Iterable[DownloadRow], BinaryIO], None]
    """Writes head and rows into a file, from its present position."""
    beside: Callable[[str], tuple[str, ...]] = lambda track: ()
    """Returns the further tracks whose ratings the layout has, for the list's track."""

    @property
    def mark(self) -> str:
        """The part of a file's name that distinguishes layouts; empty for the plain ones."""
        return "" if self.code == "list" else f"-{self.code}"


def whole(rating: Decimal) -> str:
    """A rating as a whole number, half up."""
    return round_text(rating, 0)


def round_text(rating: Decimal, decimals: int) -> str:
    """A rating with so many decimals, half up."""
    return format(rating.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP), "f")


def disarm_cell(cell: str) -> str:
    """A cell's text with an apostrophe before each part that a spreadsheet would take for a formula."""
    return _ARMED.sub("'", cell)


def rearm_cell(cell: str) -> str:
    """A cell's text as it was before `disarm_cell`."""
    return _DISARMED.sub("", cell)


def single_line(text: str) -> str:
    """The text on one line: trimmed, with spaces for control characters."""
    return CONTROL_CHARACTERS.sub(" ", text).strip()


def csv_bytes(header: Sequence[str], rows: Iterable[Sequence[object]], delimiter: str = ",") -> bytes:
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
    """Write a CSV in UTF-8 with CRLF into a file, row by row, with all cells in quotes.

    `bare`: with quotes only around cells that need them.
    """
    page = io.TextIOWrapper(file, encoding="utf-8", newline="")
    bare_writer = csv.writer(page, lineterminator="\r\n", delimiter=delimiter)
    quoting_writer = csv.writer(page, lineterminator="\r\n", delimiter=delimiter, quoting=csv.QUOTE_ALL)
    bare_writer.writerow(header)
    (bare_writer if bare else quoting_writer).writerows(rows)
    page.flush()
    page.detach()


RANK = Column("rank", int, "rank; players who share it have the same", heading=_("Rank"))
POSITION = Column("position", int, "place of the row in the list, from 1")
NUMBER = Column("number", str, "the player's number, for ever")
PLAYER = Column("player", str, "number of the player", "number")
NAME = Column(
    "name", str | None, "surname, first name; none: asked not to be named, or not known", typed=True
)
SURNAME = Column("surname", str, "surname, or words for who asked not to be named")
FIRST_NAME = Column("first_name", str, "first name")
TITLE = Column("title", str, "title, as far as it is public", typed=True)
REGION = Column("region", str, "code of the region")
RATING = Column("rating", Decimal, "rating in points, with every digit", heading=_("Rating"))
PREVIOUS = Column("previous", Decimal | None, "rating on the list before; none: not on it")
GAMES = Column("games", int, "number of games that the list counts", heading=_("Games"))
BORN = Column("born", int | None, "year of birth, as far as it is public")

FURTHER: tuple[Column, ...] = ()
"""Further columns of lists, right of the others in every output and, with a heading, on pages. Each is read
from a `DownloadRow`; what stored rows have under its name (`ListRow`) is in there, and in dumps.
"""
COLUMNS = (RANK, NUMBER, SURNAME, FIRST_NAME, TITLE, REGION, RATING, GAMES, PREVIOUS, BORN, *FURTHER)
"""The columns of CSV files and workbooks, for people."""
JSON_COLUMNS = (RANK, NUMBER, NAME, TITLE, REGION, RATING, PREVIOUS, GAMES, *FURTHER)
API_COLUMNS = (
    *(RANK, POSITION, PLAYER, NAME.at(lambda row: None if row.withheld else row.name)),
    *(TITLE, REGION, RATING, PREVIOUS, GAMES, *FURTHER),
)
_HEADER = [column.name for column in COLUMNS]


def plain_csv(head: DownloadHead, lines: Iterable[DownloadRow], file: BinaryIO) -> None:
    """Write a list as CSV, as people see it, with one header line."""
    write_csv(file, _HEADER, (_cells(head, line) for line in lines))


def semicolon_csv(head: DownloadHead, lines: Iterable[DownloadRow], file: BinaryIO) -> None:
    """Write a list as CSV for programs with a decimal comma: semicolons, and a byte order mark."""
    file.write(BYTE_ORDER_MARK)
    write_csv(file, _HEADER, (_cells(head, line) for line in lines), ";")


def plain_xlsx(head: DownloadHead, lines: Iterable[DownloadRow], file: BinaryIO) -> None:
    """Write a list as a workbook, with its proof in the properties and below each printed page."""
    rows = (_row(head, line) for line in lines)
    write_workbook(file, head.track, head.on, _HEADER, rows, head.proof, head.footing)


BYTE_ORDER_MARK = "\ufeff".encode()


def _cells(head: DownloadHead, line: DownloadRow) -> list[object]:
    return [_csv_cell(cell) for cell in _row(head, line)]


def _csv_cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return disarm_cell(cell)
    return "" if cell is None else str(cell)


def _row(head: DownloadHead, line: DownloadRow) -> tuple[Cell, ...]:
    cells = (column.value(line) for column in COLUMNS)
    return tuple(
        Decimal(round_text(cell, head.decimals)) if isinstance(cell, Decimal) else cell for cell in cells
    )


def exact_json(head: DownloadHead, lines: Iterable[DownloadRow], file: BinaryIO) -> None:
    """Write a list as JSON, ratings as text, so that no reader's floats alter them."""
    content = {
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
        **({"selection": head.selection} if head.selection else {}),
    }
    file.write(_json(content).removesuffix(b"}") + b',"players":[')
    for number, line in enumerate(lines):
        file.write((b"," if number else b"") + _json(_record(head, line)))
    file.write(b"]}\n")


def _record(head: DownloadHead, line: DownloadRow) -> dict[str, object]:
    record = {column.name: column.value(line) for column in JSON_COLUMNS}
    for name, value in record.items():
        if isinstance(value, Decimal):
            record[name] = plain(value) if head.every_digit else round_text(value, head.decimals)
    return record | {name: record[name] or None for name in ("title", "region")}


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
COMMON_DOWNLOADS = (
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
"""A layout for countries that write a decimal comma."""


# ---- Swiss-Manager's national list
SWISS_MANAGER_COLUMNS = (
    *("ID_No", "Name", "Sex", "Fed", "ClubName"),
    *("Birthday", "Rtg_Nat", "Fide_No", "Title"),
)
"""Swiss-Manager's names of columns. The club is the region; the birthday is a year."""


def swiss_manager_csv(head: DownloadHead, lines: Iterable[DownloadRow], file: BinaryIO) -> None:
    """Write a list as Swiss-Manager imports it: with commas, and a byte order mark to mark UTF-8."""
    file.write(BYTE_ORDER_MARK)
    rows = ([_csv_cell(cell) for cell in _swiss_manager(line)] for line in lines)
    write_csv(file, SWISS_MANAGER_COLUMNS, rows, bare=True)


def swiss_manager_xlsx(head: DownloadHead, lines: Iterable[DownloadRow], file: BinaryIO) -> None:
    rows = map(_swiss_manager, lines)
    write_workbook(file, head.track, head.on, SWISS_MANAGER_COLUMNS, rows, head.proof, head.footing)


def _swiss_manager(line: DownloadRow) -> tuple[Cell, ...]:
    sex = "f" if line.sex == "f" else ""  # it reads empty as male or not known
    rating = Decimal(whole(line.rating))
    return (line.number, line.name, sex, line.nation, line.region, line.born, rating, line.fide, line.title)


SWISS_MANAGER = (
    Download(
        "swiss-manager",
        "xlsx",
        XLSX,
        _("Swiss-Manager’s national list"),
        _("A workbook, whole ratings"),
        swiss_manager_xlsx,
    ),
    Download(
        "swiss-manager",
        "csv",
        "text/csv; charset=utf-8",
        _("Swiss-Manager’s national list, CSV"),
        _("The same with commas, whole ratings"),
        swiss_manager_csv,
    ),
)


# ---- FIDE's lists of players: TXT, whose first line has the headings above the columns
FIDE_SHORT_TITLES = {
    **{"g": "GM", "m": "IM", "f": "FM", "c": "CM"},
    **{"wg": "WGM", "wm": "WIM", "wf": "WFM", "wc": "WCM"},
}
"""FIDE's titles, by the letters of its older formats for pairing programs."""
_FIDE_HEADING = re.compile(r"ID [Nn]umber|Titl(?=Fed)|Games(?=Born)|\S+")


def is_fide_text_list(head: str) -> bool:
    """Whether a file's first line has the headings of FIDE's TXT."""
    return head.startswith("ID") and "Name" in head and ("B-day" in head or "TitlFed" in head)


def fide_text_columns(head: str) -> list[tuple[str, slice]]:
    """The headings of FIDE's TXT, each with its column, which ends where the next one begins: the lists of
    different years have different columns.
    """
    found = [(place.group(), place.start()) for place in _FIDE_HEADING.finditer(head)]
    ends = [*(start for _name, start in found[1:]), None]
    return [(name, slice(start, end)) for (name, start), end in zip(found, ends, strict=True)]


# ---- Headings of tables in the languages of the offices
HEADING_WORDS: Mapping[str, Mapping[str, str]] = {
    "number": {"cs": "číslo|č.", "pl": "numer|lp.|lp", "ru": "номер|№|№ п/п"},
    "surname": {"cs": "příjmení", "pl": "nazwisko", "ru": "фамилия"},
    "first name": {"cs": "jméno", "pl": "imię", "ru": "имя"},
    "name": {
        "cs": "příjmení a jméno|jméno a příjmení|hráč|účastník",
        "pl": "nazwisko i imię|imię i nazwisko|gracz|zawodnik|uczestnik",
        "ru": "фамилия, имя|фамилия имя|фамилия и имя|имя и фамилия|фио|ф.и.о.|игрок|участник",
    },
    "sex": {"cs": "pohlaví", "pl": "płeć", "ru": "пол"},
    "birth": {
        "cs": "datum narození|narození|rok narození",
        "pl": "data urodzenia|urodzenie|rok urodzenia",
        "ru": "дата рождения|рождение|год рождения|г.р.",
    },
    "nation": {"cs": "země|stát|federace", "pl": "kraj|państwo|federacja", "ru": "страна|федерация"},
    "place": {"cs": "umístění|místo|pořadí", "pl": "miejsce", "ru": "место"},
    "points": {"cs": "body", "pl": "punkty", "ru": "очки|баллы"},
    "discs": {"cs": "kameny", "pl": "krążki", "ru": "фишки"},
    "team": {"cs": "družstvo|tým", "pl": "drużyna", "ru": "команда"},
    "round": {"cs": "kolo", "pl": "runda", "ru": "тур"},
    "first": {"cs": "první", "pl": "pierwszy", "ru": "первый"},
    "second": {"cs": "druhý", "pl": "drugi", "ru": "второй"},
    "result": {"cs": "výsledek", "pl": "wynik", "ru": "результат"},
    "title": {"cs": "titul", "pl": "tytuł", "ru": "звание|титул"},
    "rating": {"pl": "ranking", "ru": "рейтинг|рейт."},
    "games": {"cs": "partie|počet partií", "pl": "gry|liczba gier", "ru": "игры|игр"},
}
"""Headings in the languages of the offices, by the English one; the first of each stands in the empty table
that people download. `normalize_column_heading` takes them with accents and without.
"""
_ACCENTS = re.compile("[\u0300-\u036f]")
HEADINGS = {
    spelling: (english, language, rank)
    for english, words in HEADING_WORDS.items()
    for language, joined in words.items()
    for rank, word in enumerate(joined.split("|"))
    for spelling in (word, _ACCENTS.sub("", unicodedata.normalize("NFKD", word)).replace("ł", "l"))
}
"""The English heading, language and rank of each of these words, with accents and without."""


def heading_in(language: str, english: str) -> str:
    """A column's heading for people who read this language (`pl`); the English one if none is known."""
    return HEADING_WORDS.get(english, {}).get(language, english).partition("|")[0]


def english_heading(text: str) -> str:
    """The English heading that a heading in another language stands for; empty if it is not known."""
    return HEADINGS.get(plain_heading(text), ("",))[0]


def normalize_column_heading(text: str) -> str:
    """A heading in the spelling of `Layout.columns`: `First_Name` and `Имя` → `first name`."""
    return english_heading(text) or plain_heading(text)


def plain_heading(text: str) -> str:
    """A heading without differences of case, blanks and apostrophes."""
    return " ".join(text.replace("_", " ").replace("’", "'").split()).lower()


# ---- FIDE's combined list, written
FIDE_HEADER = (
    f"{'ID Number':15}{'Name':61}{'Fed':4}{'Sex':4}{'Tit':5}{'WTit':5}{'OTit':15}{'FOA':4}"
    "SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag"
)
FIDE_WIDTH = 162
NO_YEAR = "0000"

FideTracks = Callable[[str], tuple[str, str, str]]
"""A function that returns the tracks for standard, rapid and blitz, for a list's track."""


def fide_combined(tracks: FideTracks) -> Download:
    """Make a layout like FIDE's combined TXT, three ratings a line, with the federation's own numbers."""
    return Download(
        "fide",
        "txt",
        "text/plain; charset=us-ascii",
        _("FIDE’s layout"),
        _("For pairing programs: this list’s players with standard, rapid and blitz, whole ratings"),
        partial(write_fide, tracks),
        tracks,
    )


def write_fide(tracks: FideTracks, head: DownloadHead, lines: Iterable[DownloadRow], file: BinaryIO) -> None:
    """Write a list in the columns of FIDE's combined TXT: 162 characters a line, CRLF, in ASCII without
    accents, as readers count bytes.
    """
    file.write(f"{FIDE_HEADER:{FIDE_WIDTH}}\r\n".encode("ascii"))
    for line in lines:
        file.write(f"{_fide_line(line, head.track, tracks(head.track)):{FIDE_WIDTH}}\r\n".encode("ascii"))


def _fide_line(line: DownloadRow, track: str, tracks: tuple[str, str, str]) -> str:
    ratings = {**line.beside, track: line.rating}
    number = _ascii(line.number)
    womans = line.title if line.title.startswith("W") else ""
    return (
        f"{number if len(number) < 15 else '':15}"  # a cut number would belong to somebody else
        f"{disarm_cell(_ascii(line.name))[:60]:61}"
        f"{_ascii(line.nation)[:3]:4}{line.sex.upper():4}{_ascii(line.title)[:4]:5}{_ascii(womans)[:4]:5}"
        f"{'':15}{'':4}"
        f"{''.join(_rating_columns(ratings.get(each)) for each in tracks)}"
        f"{line.born or NO_YEAR:<6}{'w' if line.sex == 'f' else ''}"
    )


def _rating_columns(rating: Decimal | None) -> str:
    """The columns of a rating, the period's games and K; a list does not have the latter two."""
    return f"{'':13}" if rating is None else f"{whole(rating):6}{0:<4}{0:<3}"


def _ascii(text: str) -> str:
    text = single_line(text)
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    letters = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return letters.encode("ascii", "replace").decode("ascii")


_LETTERS = str.maketrans(
    {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ß": "ss", "æ": "ae", "Æ": "Ae", "’": "'"}
)
"""Replacements for letters that do not decompose into a plain letter and an accent."""
