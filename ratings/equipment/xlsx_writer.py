"""Writes a table as an Office Open XML workbook, with the standard library alone and row by row."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from html import escape  # xml.sax's loads half of urllib, which slows the start of every box
from itertools import chain, count
from string import ascii_uppercase
from typing import BinaryIO

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
_TITLE = 31
"""The most characters of a worksheet's name."""
_FOOTING = 240
"""The most characters of the footing; a footer has room for 255, its marks for place and size included."""

NARROWEST = 9
_WIDTHS = {
    **dict.fromkeys(("surname", "first_name"), 24),
    "Name": 34,
    **dict.fromkeys(("region", "ClubName", "included_by"), 22),
    **dict.fromkeys(("number", "ID_No", "birth", "Birthday", "Fide_No"), 13),
}
"""Widths in characters of columns whose cells are wider than their headings; rows are not looked at."""


def write_workbook(
    file: BinaryIO,
    title: str,
    on: date,
    header: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    remarks: Sequence[str] = (),
    footing: str = "",
) -> None:
    """Write one worksheet, of up to 26 columns, whose first row stays in sight.

    The same table and day give the same bytes. Text is stored as text, so none of it is a formula. The
    remarks stand in the workbook's properties, the footing under each printed page.
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
    name = escape(title[:_TITLE])
    return (
        f'<workbook xmlns="{_SHEETS}" xmlns:r="{_OFFICE}">'
        f'<sheets><sheet name="{name}" sheetId="1" r:id="rId1"/></sheets></workbook>'
    )


def _properties(title: str, remarks: Sequence[str]) -> str:
    """The XML of the workbook's properties: its title, and the remarks as comments."""
    told = escape("\n".join(_NOT_IN_XML.sub(" ", remark) for remark in remarks), quote=False)
    return (
        f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{escape(title)}</dc:title><dc:description>{told}</dc:description></cp:coreProperties>"
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
    printed = escape(footing.replace("&", "&&")[:_FOOTING], quote=False)
    foot = f"<headerFooter><oddFooter>&amp;C&amp;8{printed}</oddFooter></headerFooter>" if printed else ""
    yield f"</sheetData>{foot}</worksheet>"


def _width(number: int, heading: str) -> str:
    width = _WIDTHS.get(heading, max(len(heading) + 3, NARROWEST))
    return f'<col min="{number}" max="{number}" width="{width}" customWidth="1"/>'


def _cell(place: str, cell: Cell) -> str:
    if cell is None or cell == "":
        return ""
    if isinstance(cell, str):
        text = escape(_NOT_IN_XML.sub(" ", cell), quote=False)
        return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
    value = format(cell, "f") if isinstance(cell, Decimal) else cell
    return f'<c r="{place}"><v>{value}</v></c>'
