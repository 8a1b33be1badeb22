"""Extracts from the rating list: a player's ratings and rank on a day, as a page and as a PDF.

An extract has a signed address, also as a QR code, of the page that says whether it is genuine and still
holds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import localcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core import signing
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.formats import date_format
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _

from players.access import PUBLIC, OfficeRequest, page
from players.display import localize_decimal
from players.models import Federation, Player
from players.settings import today
from players.templatetags.ui import rating
from ratings import player_ratings
from ratings.models import CorrectedRating, ListRow, RatingList
from ratings.pages.filters import parse_day
from ratings.pages.proof import checkpoint_of
from ratings.pages.responses import cached_page
from ratings.pages.rule_tables import worded_steps
from ratings.results import as_of
from ratings.rulesets import facts
from ratings.rulesets.facts import ExtractRow
from ratings.rulesets.ruleset import CONTEXT
from ratings.workings import localize_exact

if TYPE_CHECKING:
    from fpdf import FPDF


# ---- The check page
SALT = "extract"
"""The salt of the signature, so that no other signature of the site is valid for an extract."""


def find_extract(player: Player, on: date, known_on: date) -> facts.Extract | None:
    """Return the player's extract of a day as the office knew it on the day `known_on`, if there is one."""
    office = player.federation
    if office.ruleset.figures.extract is None:
        return None
    with localcontext(CONTEXT):
        state = as_of(office, on, known_on).player_state(player)
        return office.ruleset.figures.extract(state, player.number, on)


def signed_values(office: Federation, found: facts.Extract) -> str:
    """Return the values of an extract, signed, for the address of its check page; they have no name."""
    values = [
        office.code,
        found.player,
        found.on.isoformat(),
        found.rank,
        [[row.track, str(row.shown)] for row in found.ratings],
    ]
    return signing.Signer(salt=SALT).sign_object(values, compress=True)


@dataclass(frozen=True, slots=True)
class QrDrawing:
    """The drawing of a QR code: its rows of squares with the quiet zone, dark ones True."""

    rows: tuple[tuple[bool, ...], ...]

    @property
    def size(self) -> int:
        return len(self.rows)

    @property
    def path(self) -> str:
        """The dark squares as an SVG path."""
        dark = ((x, y) for y, row in enumerate(self.rows) for x, filled in enumerate(row) if filled)
        return "".join(f"M{x},{y}h1v1h-1z" for x, y in dark)


def qr_code(address: str) -> QrDrawing:
    from qrcode import QRCode  # with PIL, which only the public's extracts need

    code = QRCode(border=4)
    code.add_data(address)
    return QrDrawing(tuple(tuple(row) for row in code.get_matrix()))


@page(PUBLIC)
def check_extract(request: OfficeRequest, number: str, values: str) -> HttpResponseBase:
    """Page that says whether an extract with these values was issued here, and whether they still hold."""
    player = get_object_or_404(Player.objects.of(request.office), number=number)
    player.federation = request.office
    signed = _unsign_values(request.office, number, values)
    context: dict[str, Any] = {"player": player, "genuine": signed is not None}
    if signed is not None:
        on, rank, printed = signed
        now = today(request.office)
        then, latest = find_extract(player, on, now), find_extract(player, now, now)
        rows = [
            {
                "track": track,
                "printed": shown,
                "that_day": (that_day := _rating_text(then, track)),
                "now": _rating_text(latest, track),
                "differs": shown != that_day,
            }
            for track, shown in printed
        ]
        messages = request.office.ruleset.words.messages
        corrected = CorrectedRating.objects.filter(player=player, erratum__fact__on__gt=on)
        lines = corrected.order_by("erratum__fact__number").values_list("erratum__fact__number", flat=True)
        later = list(dict.fromkeys(lines))
        context |= {
            "on": on,
            "corrections": later,
            "rank": _(messages.get(rank, rank)),
            "rank_now": _(messages.get(latest.rank, latest.rank)) if latest else "",
            "rows": rows,
            "changed": any(row["differs"] for row in rows) or later or (then and then.rank != rank),
        }
    return render(request, "ratings/check_extract.html", context)


def _unsign_values(
    office: Federation, number: str, values: str
) -> tuple[date, str, list[tuple[str, str]]] | None:
    """The day, rank and ratings in a signed address; None if it is no extract of this player here."""
    try:
        code, player, on, rank, ratings = signing.Signer(salt=SALT).unsign_object(values)
    except signing.BadSignature:
        return None
    if (code, player) != (office.code, number):
        return None
    return date.fromisoformat(on), rank, [(track, shown) for track, shown in ratings]


def _rating_text(found: facts.Extract | None, track: str) -> str:
    return next((str(row.shown) for row in found.ratings if row.track == track), "") if found else ""


# ---- An extract as a PDF
# The same extract gives the same bytes: they have no time but its day.
FONTS = Path(__file__).parent / "fonts"
FONT = "DejaVu"
DRAWABLE = re.compile(
    "[ -~\u00a0-\u024f\u0370-\u03ff\u0400-\u0525"
    "\u0531-\u0556\u0559-\u055f\u0561-\u0587\u10d0-\u10fa\u1e00-\u1efb"
    "\u2010-\u2015\u2018-\u201e\u2026\u202f]*"
)
"""Text in letters that the font has."""
BODY_SIZE, SMALL_SIZE, LINE_HEIGHT = 10, 7.5, 5.5
"""Sizes of letters in points, and the height of a line of the body in millimetres."""
MARGIN, QR_SIDE = 20, 45
"""Millimetres."""


@dataclass(frozen=True, slots=True)
class CertifiedRating:
    track: str
    name: str
    """The track's name."""
    row: ExtractRow
    status: str
    rating_list: RatingList | None
    """The newest list published by that day, if there was one."""
    published: ListRow | None
    """The player's row on it, if there is one."""
    shown: str
    """The rating on that list as lists show it."""
    checkpoint: str
    """The signed checkpoint of the journal up to the list's line; empty until it is signed."""


@dataclass(frozen=True, slots=True)
class PrintedExtract:
    office: Federation
    player: Player
    on: date
    rank: str
    held: list[Any]
    """The steps by which the rank is held, in words, each with its clause."""
    rows: list[CertifiedRating]
    check_url: str
    qr_code: QrDrawing
    address: str
    """The extract's own address."""


def can_be_drawn(office: Federation, player: Player) -> bool:
    """Return whether the font has every letter of the names; otherwise an extract has no PDF."""
    return bool(DRAWABLE.fullmatch(f"{office.name} {player.shown_name} {player.number}"))


def pdf_of(extract: PrintedExtract) -> bytes:
    sheet = _sheet(extract)
    _write(sheet, extract.office.name, BODY_SIZE)
    _write(sheet, _("Extract from the rating list"), 18, "B")
    sheet.ln(2)
    words = _("The record of %(office)s shows for %(name)s, number %(number)s, on %(day)s:") % {
        "office": extract.office.name,
        "name": extract.player.shown_name,
        "number": extract.player.number,
        "day": _day(extract.on),
    }
    _write(sheet, words, BODY_SIZE)
    sheet.ln(2)
    sheet.set_font(FONT, "", BODY_SIZE)
    with sheet.table(
        width=sheet.epw,
        col_widths=(8, 3, 5, 2),
        text_align=("LEFT", "RIGHT", "RIGHT", "RIGHT"),
        borders_layout="HORIZONTAL_LINES",
        line_height=LINE_HEIGHT,
    ) as table:
        table.row((_("Rating"), _("That day"), _("Exactly"), _("Games")))
        for each in extract.rows:
            status = each.status if each.row.listed else f"{each.status} · {_('not on a list of that day')}"
            rating = (
                localize_decimal(str(each.row.shown)),
                localize_exact(each.row.rating),
                str(each.row.games),
            )
            table.row((f"{each.name}\n{status}", *rating))
    _heading(sheet, _("Sports rank"))
    _write(sheet, extract.rank, BODY_SIZE, "B")
    for step in extract.held:
        _write(sheet, f"{step.words} (§{step.clause})" if step.clause else str(step.words), BODY_SIZE)
    _write_lists(sheet, extract)
    _write_check(sheet, extract)
    return bytes(sheet.output())


def _sheet(extract: PrintedExtract) -> FPDF:
    from fpdf import FPDF  # here, because it loads Pillow and fontTools, which no other page needs

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


def _write_lists(sheet: FPDF, extract: PrintedExtract) -> None:
    _heading(sheet, _("The lists published by that day"))
    for each in extract.rows:
        found = each.rating_list
        if found is None:
            _write(sheet, f"{each.name}: {_('none')}", BODY_SIZE)
            continue
        place = _("the player is not on it")
        if each.published:
            place = _("rank %(rank)s, rating %(rating)s")
            place %= {"rank": each.published.rank, "rating": each.shown}
        newest = _("List of %(day)s") % {"day": _day(found.on)}
        line = _("Line %(line)s of the journal, SHA-256") % {"line": found.fact.number}
        _write(sheet, f"{each.name}: {newest}: {place}. {line}", BODY_SIZE)
        _write(sheet, found.sha256, SMALL_SIZE)
        if each.checkpoint:
            _write(sheet, _("Checkpoint of the journal up to that line, signed:"), BODY_SIZE)
            _write(sheet, each.checkpoint.rstrip("\n"), SMALL_SIZE)


def _write_check(sheet: FPDF, extract: PrintedExtract) -> None:
    """Draw the QR code of the check page, with what it is for beside it on the same page."""
    from fpdf.enums import WrapMode

    if sheet.will_page_break(QR_SIDE + 3 * LINE_HEIGHT):
        sheet.add_page()
    _heading(sheet, _("Check it"))
    top = sheet.get_y()
    _draw_code(sheet, extract.qr_code)
    sheet.set_left_margin(MARGIN + QR_SIDE)
    sheet.set_xy(MARGIN + QR_SIDE, top)
    words = _("Open this code, or its address: the page says whether the extract is genuine and still holds.")
    _write(sheet, words, BODY_SIZE)
    sheet.ln(2)
    sheet.set_font(FONT, "", SMALL_SIZE)
    sheet.multi_cell(
        0,
        SMALL_SIZE * LINE_HEIGHT / BODY_SIZE,
        extract.check_url,
        link=extract.check_url,
        wrapmode=WrapMode.CHAR,
        align="L",
        new_x="LMARGIN",
        new_y="NEXT",
    )
    sheet.ln(2)
    foot = _("Anybody can open this extract at %(address)s, and compute it from the journal.")
    _write(sheet, foot % {"address": extract.address}, SMALL_SIZE)


def _draw_code(sheet: FPDF, code: QrDrawing) -> None:
    side = QR_SIDE / code.size
    left, top = sheet.l_margin, sheet.get_y()
    sheet.set_fill_color(0)
    for y, row in enumerate(code.rows):
        for first, end in dark_runs(row):
            sheet.rect(left + first * side, top + y * side, (end - first) * side, side, style="F")


def dark_runs(row: tuple[bool, ...]) -> list[tuple[int, int]]:
    """Return the runs of dark squares in a row: the first place of each, and the one after its last."""
    marks = (False, *row, False)
    edges = [place for place in range(len(row) + 1) if marks[place] != marks[place + 1]]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _heading(sheet: FPDF, words: str) -> None:
    sheet.ln(4)
    _write(sheet, words, 13, "B")


def _write(sheet: FPDF, words: str, size: float, style: str = "") -> None:
    sheet.set_font(FONT, style, size)
    sheet.multi_cell(0, size * LINE_HEIGHT / BODY_SIZE, words, align="L", new_x="LMARGIN", new_y="NEXT")


def _day(day: date) -> str:
    return date_format(day, "DATE_FORMAT")


# ---- The views of an extract
@page(PUBLIC, caching=cached_page)
def extract(request: OfficeRequest, number: str) -> HttpResponseBase:
    found = _get_extract(request, number, "ratings:extract")
    if isinstance(found, HttpResponseBase):
        return found
    pdf = reverse("ratings:extract_pdf", args=[found.office.code, number])
    context: dict[str, Any] = {
        "player": found.player,
        "on": found.on,
        "rank": found.rank,
        "held": found.held,
        "rows": found.rows,
        "check_url": found.check_url,
        "qr_code": found.qr_code,
        "today": today(request.office),
        "pdf": f"{pdf}?on={found.on}" if can_be_drawn(found.office, found.player) else "",
    }
    return render(request, "ratings/extract.html", context)


@page(PUBLIC, caching=cached_page)
def extract_pdf(request: OfficeRequest, number: str) -> HttpResponseBase:
    """Extract as a PDF; if the font lacks letters of its names, a redirect to the page."""
    found = _get_extract(request, number, "ratings:extract_pdf")
    if isinstance(found, HttpResponseBase):
        return found
    if not can_be_drawn(found.office, found.player):
        return redirect(f"{reverse('ratings:extract', args=[found.office.code, number])}?on={found.on}")
    response = HttpResponse(pdf_of(found), content_type="application/pdf")
    name = f"{_('extract')}-{found.player.number}-{found.on}.pdf"
    response["Content-Disposition"] = content_disposition_header(False, name) or "inline"
    response["X-Robots-Tag"] = "noindex"
    return response


def _get_extract(request: OfficeRequest, number: str, view: str) -> PrintedExtract | HttpResponseBase:
    """The extract of the day in the address, or a redirect: of a merged player to the same `view` of the
    other.
    """
    office = request.office
    people = Player.objects.of(office).select_related("federation", "merged_into__federation")
    player = get_object_or_404(people, number=number)
    now = today(office)
    on = parse_day(office, request.GET.get("on"), now) or now
    asked = as_of(office, on, now)
    if player.merged_into and asked.was_merged(number):
        address = reverse(view, args=[office.code, player.merged_into.number])
        return redirect(f"{address}?{request.GET.urlencode()}" if request.GET else address)
    if office.ruleset.figures.extract is None:  # the regulations have no extracts
        return redirect(player)
    state = asked.player_state(player)
    with localcontext(CONTEXT):
        found = office.ruleset.figures.extract(state, player.number, on)
        held = office.ruleset.figures.held(state, player.number, on)
    if found is None:
        raise Http404(_("The player had not taken part in any section by that day."))
    check = reverse("ratings:check_extract", args=[office.code, number, signed_values(office, found)])
    page = reverse("ratings:extract", args=[office.code, number])
    return PrintedExtract(
        office=office,
        player=player,
        on=on,
        rank=_(office.ruleset.words.messages.get(found.rank, found.rank)),
        held=worded_steps(held, request, office.ruleset.edition_on_or_first(on)),
        rows=[_certify(player, row, on) for row in found.ratings],
        check_url=request.build_absolute_uri(check),
        qr_code=qr_code(request.build_absolute_uri(check)),
        address=f"{request.get_host()}{page}?on={on}",
    )


def _certify(player: Player, row: ExtractRow, on: date) -> CertifiedRating:
    office = player.federation
    rating_list = find_list_in_force(office, row.track, on)
    published = next(
        (own for own in player_ratings.get_published_rows(player, on) if own.rating_list == rating_list), None
    )
    signed = checkpoint_of(rating_list) if rating_list else None
    return CertifiedRating(
        track=row.track,
        name=next((_(track.name) for track in office.ruleset.tracks if track.code == row.track), row.track),
        row=row,
        status=_(office.ruleset.words.messages.get(row.status, row.status)),
        rating_list=rating_list,
        published=published,
        shown=rating(published.rating, office.publication.decimals) if published else "",
        checkpoint=signed.served if signed else "",
    )


def find_list_in_force(office: Federation, track: str, on: date) -> RatingList | None:
    """Return the newest list of a track published by a day, in its newest revision by then."""
    lists = RatingList.objects.of(office).published_by(on).without_content().select_related("fact")
    found = lists.filter(track=track).order_by("-on", "-revision").first()
    if found:
        found.federation = office
    return found
