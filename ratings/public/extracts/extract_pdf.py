"""An extract as a PDF, on one sheet: the words of its page, and the code that opens its check page.

The same extract gives the same bytes: nothing in them but its day tells when it was made.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.utils import translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from players.drawing.decimal_sign import with_own_sign
from players.office.models import Federation
from players.register.models import Player
from ratings.law.rule_outputs import ExtractRow
from ratings.lists.models import ListRow, RatingList
from ratings.public.extracts.extract_check import QrDrawing
from ratings.results.workings import exact

if TYPE_CHECKING:
    from fpdf import FPDF

FONTS = Path(__file__).parent / "fonts"
FONT = "DejaVu"
DRAWN = re.compile(
    "[ -~\u00a0-\u024f\u0370-\u03ff\u0400-\u0525"
    "\u0531-\u0556\u0559-\u055f\u0561-\u0587\u10d0-\u10fa\u1e00-\u1efb"
    "\u2010-\u2015\u2018-\u201e\u2026\u202f]*"
)
"""Words in letters that the font has."""
BODY, SMALL, LINE = 10, 7.5, 5.5
"""Sizes of letters in points, and the height of a line of the body in millimetres."""
MARGIN, QR_SIDE = 20, 45
"""Millimetres."""


@dataclass(frozen=True, slots=True)
class Certified:
    """One rating that the extract certifies, beside the list in force that day."""

    track: str
    name: str
    """The track's name."""
    row: ExtractRow
    status: str
    rating_list: RatingList | None
    """The newest list published by that day; None: there was none."""
    published: ListRow | None
    """The player's row on it; None: not on it."""
    shown: str
    """The rating on that list as lists show it; empty: none."""
    checkpoint: str
    """The signed checkpoint of the journal up to the list's line; empty until it is signed."""


@dataclass(frozen=True, slots=True)
class PrintedExtract:
    """All that an extract says, as its page and its PDF say it."""

    office: Federation
    player: Player
    on: date
    rank: str
    held: list[Any]
    """The steps by which the rank is held, in words, each with its clause."""
    rows: list[Certified]
    check_url: str
    qr_code: QrDrawing
    address: str
    """The address at which anybody can open the extract."""


def can_be_drawn(office: Federation, player: Player) -> bool:
    """Whether the font has every letter of the names on an extract; otherwise there is its page alone."""
    return bool(DRAWN.fullmatch(f"{office.name} {player.shown_name} {player.number}"))


def pdf_of(extract: PrintedExtract) -> bytes:
    """The bytes of an extract as a PDF, in the language in force."""
    sheet = _sheet(extract)
    _head(sheet, extract)
    _ratings(sheet, extract)
    _rank(sheet, extract)
    _lists(sheet, extract)
    _check(sheet, extract)
    return bytes(sheet.output())


def _sheet(extract: PrintedExtract) -> FPDF:
    from fpdf import FPDF  # with Pillow and fontTools, which no other page needs

    sheet = FPDF(format="A4")
    sheet.set_creation_date(datetime.combine(extract.on, time(), UTC))
    sheet.set_lang(translation.get_language() or "")
    sheet.set_title(f"{_('Extract from the rating list')}: {extract.player.shown_name}, {_day(extract.on)}")
    sheet.set_author(extract.office.name)
    sheet.add_font(FONT, "", FONTS / "DejaVuSans.ttf")
    sheet.add_font(FONT, "B", FONTS / "DejaVuSans-Bold.ttf")
    sheet.set_margin(MARGIN)
    sheet.set_auto_page_break(True, MARGIN)
    sheet.add_page()
    return sheet


def _head(sheet: FPDF, extract: PrintedExtract) -> None:
    _write(sheet, extract.office.name, BODY)
    _write(sheet, _("Extract from the rating list"), 18, "B")
    sheet.ln(2)
    told = _("The record of %(office)s shows for %(name)s, number %(number)s, on %(day)s:") % {
        "office": extract.office.name,
        "name": extract.player.shown_name,
        "number": extract.player.number,
        "day": _day(extract.on),
    }
    _write(sheet, told, BODY)


def _ratings(sheet: FPDF, extract: PrintedExtract) -> None:
    sheet.ln(2)
    sheet.set_font(FONT, "", BODY)
    with sheet.table(
        width=sheet.epw,
        col_widths=(8, 3, 5, 2),
        text_align=("LEFT", "RIGHT", "RIGHT", "RIGHT"),
        borders_layout="HORIZONTAL_LINES",
        line_height=LINE,
    ) as table:
        table.row((_("Rating"), _("That day"), _("Exactly"), _("Games")))
        for each in extract.rows:
            status = each.status if each.row.listed else f"{each.status} · {_('not on a list of that day')}"
            rating = (with_own_sign(str(each.row.shown)), exact(each.row.rating), str(each.row.games))
            table.row((f"{each.name}\n{status}", *rating))


def _rank(sheet: FPDF, extract: PrintedExtract) -> None:
    _heading(sheet, _("Sports rank"))
    _write(sheet, extract.rank, BODY, "B")
    for step in extract.held:
        _write(sheet, f"{step.words} (§{step.clause})" if step.clause else str(step.words), BODY)


def _lists(sheet: FPDF, extract: PrintedExtract) -> None:
    _heading(sheet, _("The lists published by that day"))
    for each in extract.rows:
        found = each.rating_list
        if found is None:
            _write(sheet, f"{each.name}: {_('none')}", BODY)
            continue
        place = _("the player is not on it")
        if each.published:
            told = {"rank": each.published.rank, "rating": each.shown}
            place = _("rank %(rank)s, rating %(rating)s") % told
        newest = _("List of %(day)s") % {"day": _day(found.on)}
        line = _("Line %(line)s of the journal, SHA-256") % {"line": found.fact.number}
        _write(sheet, f"{each.name}: {newest}: {place}. {line}", BODY)
        _write(sheet, found.sha256, SMALL)
        if each.checkpoint:
            _write(sheet, _("Checkpoint of the journal up to that line, signed:"), BODY)
            _write(sheet, each.checkpoint.rstrip("\n"), SMALL)


def _check(sheet: FPDF, extract: PrintedExtract) -> None:
    """Draw the code that opens the check page, and beside it what it is for, never parted by a page's end."""
    from fpdf.enums import WrapMode

    if sheet.will_page_break(QR_SIDE + 3 * LINE):
        sheet.add_page()
    _heading(sheet, _("Check it"))
    top = sheet.get_y()
    _draw_code(sheet, extract.qr_code)
    sheet.set_left_margin(MARGIN + QR_SIDE)
    sheet.set_xy(MARGIN + QR_SIDE, top)
    words = _("Open this code, or its address: the page says whether the extract is genuine and still holds.")
    _write(sheet, words, BODY)
    sheet.ln(2)
    sheet.set_font(FONT, "", SMALL)
    sheet.multi_cell(
        0,
        SMALL * LINE / BODY,
        extract.check_url,
        link=extract.check_url,
        wrapmode=WrapMode.CHAR,
        align="L",
        new_x="LMARGIN",
        new_y="NEXT",
    )
    sheet.ln(2)
    foot = _("Anybody can open this extract at %(address)s, and compute it from the journal.")
    _write(sheet, foot % {"address": extract.address}, SMALL)


def _draw_code(sheet: FPDF, code: QrDrawing) -> None:
    """Draw a QR code at the left margin: each run of dark squares of a row is one rectangle."""
    side = QR_SIDE / code.size
    left, top = sheet.l_margin, sheet.get_y()
    sheet.set_fill_color(0)
    for y, row in enumerate(code.rows):
        for first, end in runs(row):
            sheet.rect(left + first * side, top + y * side, (end - first) * side, side, style="F")


def runs(row: tuple[bool, ...]) -> list[tuple[int, int]]:
    """The runs of dark squares of a row: the first place of each, and the one after its last."""
    marks = (False, *row, False)
    edges = [place for place in range(len(row) + 1) if marks[place] != marks[place + 1]]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _heading(sheet: FPDF, words: str) -> None:
    sheet.ln(4)
    _write(sheet, words, 13, "B")


def _write(sheet: FPDF, words: str, size: float, style: str = "") -> None:
    """Write a paragraph from margin to margin, and go on below it."""
    sheet.set_font(FONT, style, size)
    sheet.multi_cell(0, size * LINE / BODY, words, align="L", new_x="LMARGIN", new_y="NEXT")


def _day(day: date) -> str:
    return date_format(day, "DATE_FORMAT")
