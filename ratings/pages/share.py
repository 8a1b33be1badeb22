"""Pictures of players, lists and events for shared links, and the badge of a player for other sites; they
show nothing that the page does not.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.formats import date_format
from django.utils.translation import gettext as _, ngettext

from players.access import PUBLIC, OfficeRequest, page
from players.models import Player
from players.settings import today
from players.templatetags.ui import grouped, rating
from ratings.disclosure import DisclosureLimits, limits_of
from ratings.models import ListRow
from ratings.pages.extracts import DRAWABLE, FONTS
from ratings.pages.lists import lists_with_label
from ratings.pages.responses import UNINDEXED, cached_page
from ratings.pages.tables import get_track_or_404
from ratings.player_ratings import get_curve, get_published_rows, get_ratings
from ratings.results import as_of
from ratings.statement import read_statement
from tournaments.models import Event, Stage

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont


# ---- Drawing a picture in the office's colour, as PNG
SIZE = (1200, 630)
MARGIN = 72
TEXT_WIDTH = SIZE[0] - 2 * MARGIN
"""The width in which words are drawn."""
INK, QUIET, FAINT, PAPER = "#1c2430", "#56606e", "#d8d5cc", "#fbfaf7"
ACCENTS = ("#2f5587", "#1f6a4b", "#8a3b34", "#5d4591", "#235f80", "#75541b")
"""The offices' colours, in the order of their numbers."""
LARGEST_TITLE_SIZE, SMALLEST_TITLE_SIZE = 76, 36
"""Sizes of the title's letters in points."""
MOST_ROWS = 5
"""The most rows below the title."""
ROW_HEIGHT = 52
CURVE = (660, 330, SIZE[0] - MARGIN, 540)
"""Left, top, right and bottom of a curve; rows then stand left of it."""
CURVE_LINE = 5


@dataclass(frozen=True, slots=True)
class ShareCard:
    office: str
    accent: int
    """The number of the office's colour, from 1."""
    title: str
    under: str
    """The words below the title."""
    rows: Sequence[tuple[str, str]] = ()
    """Rows of words, left and right."""
    curve: Sequence[tuple[date, Decimal]] = ()
    """The ratings of a curve with their days, the earliest first; fewer than two are not drawn."""
    scale: tuple[str, str] = ("", "")
    """The lowest and the highest rating of the curve, in words."""


def drawable_text(text: str, fallback: str) -> str:
    """Return `text` if the font has all of its letters, else `fallback`."""
    return text if DRAWABLE.fullmatch(text) else fallback


def png_of(card: ShareCard) -> bytes:
    """Draw the picture; the same words give the same bytes."""
    from PIL import Image, ImageDraw  # which no page needs

    image = Image.new("RGB", SIZE, PAPER)
    draw = ImageDraw.Draw(image)
    accent = ACCENTS[(card.accent - 1) % len(ACCENTS)]
    draw.rectangle((0, 0, SIZE[0], 20), fill=accent)
    draw.text((MARGIN, 64), _shortened(draw, card.office, _font(34), TEXT_WIDTH), fill=accent, font=_font(34))
    font = _fitting_font(draw, card.title)
    draw.text((MARGIN, 128), _shortened(draw, card.title, font, TEXT_WIDTH), fill=INK, font=font)
    draw.text((MARGIN, 236), _shortened(draw, card.under, _font(34), TEXT_WIDTH), fill=QUIET, font=_font(34))
    drawn = len(card.curve) > 1
    edge = CURVE[0] - 48 if drawn else SIZE[0] - MARGIN
    for at, (left, right) in enumerate(card.rows[:MOST_ROWS]):
        top = 320 + at * ROW_HEIGHT
        width = draw.textlength(right, font=_font(34, bold=True))
        draw.text((edge - width, top), right, fill=INK, font=_font(34, bold=True))
        room = edge - MARGIN - int(width) - 40
        draw.text((MARGIN, top), _shortened(draw, left, _font(34), room), fill=INK, font=_font(34))
    if drawn:
        _draw_curve(draw, card, accent)
    file = io.BytesIO()
    image.quantize(64).save(file, "PNG", optimize=True)
    return file.getvalue()


def _draw_curve(draw: ImageDraw, card: ShareCard, accent: str) -> None:
    """Draw a curve in steps, because a rating holds until the day on which it changes, and its ends."""
    left, top, right, bottom = CURVE
    days = [day.toordinal() for day, _rating in card.curve]
    ratings = [float(value) for _day, value in card.curve]
    low, high = min(ratings), max(ratings)
    line: list[tuple[float, float]] = []
    for day, value in zip(days, ratings, strict=True):
        x = left + (right - left) * (day - days[0]) / max(1, days[-1] - days[0])
        y = bottom - (bottom - top) * ((value - low) / (high - low) if high > low else 0.5)
        line += [(x, line[-1][1])] if line else []
        line.append((x, y))
    small = _font(24)
    for words, at in zip(card.scale, (bottom, top), strict=True):
        draw.line((left, at, right, at), fill=FAINT, width=2)
        draw.text((left, at - 32), words, fill=QUIET, font=small)
    draw.line(line, fill=accent, width=CURVE_LINE, joint="curve")
    x, y = line[-1]
    draw.ellipse((x - 9, y - 9, x + 9, y + 9), fill=accent)
    first, last = (str(card.curve[at][0].year) for at in (0, -1))
    draw.text((left, bottom + 10), first, fill=QUIET, font=small)
    if last != first:
        draw.text((right - draw.textlength(last, font=small), bottom + 10), last, fill=QUIET, font=small)


@lru_cache(maxsize=64)
def _font(size: int, *, bold: bool = False) -> FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.truetype(str(FONTS / f"DejaVuSans{'-Bold' if bold else ''}.ttf"), size)


def _fitting_font(draw: ImageDraw, title: str) -> FreeTypeFont:
    """The largest font in which a title fits, or the smallest of all."""
    for size in range(LARGEST_TITLE_SIZE, SMALLEST_TITLE_SIZE, -4):
        if draw.textlength(title, font=_font(size, bold=True)) <= TEXT_WIDTH:
            return _font(size, bold=True)
    return _font(SMALLEST_TITLE_SIZE, bold=True)


def _shortened(draw: ImageDraw, text: str, font: FreeTypeFont, room: int) -> str:
    """The text, cut with an ellipsis where it is wider than `room`."""
    if draw.textlength(text, font=font) <= room:
        return text
    while text and draw.textlength(f"{text}…", font=font) > room:
        text = text[:-1]
    return f"{text.rstrip()}…"


# ---- The pictures of players, lists and events
@page(PUBLIC, caching=cached_page)
def player_picture(request: OfficeRequest, number: str) -> HttpResponseBase:
    """The picture of a player: name, rank and today's ratings, and the curve of the first of them."""
    office = request.office
    people = Player.objects.of(office).select_related("federation", "merged_into__federation")
    player = get_object_or_404(people, number=number)
    if player.merged_into:
        return redirect("ratings:player_picture", office.code, player.merged_into.number)
    limits, known = limits_of(office), get_ratings(office, [player], today(office))
    keys = [(track.name, (number, track.code)) for track in office.ruleset.tracks]
    places = office.publication.decimals
    shown = [(name, key) for name, key in keys if key in known]
    track = shown[0][1][1] if shown else ""
    asked = as_of(office, today(office), today(office))
    curve = get_curve(read_statement(player, track, asked), office.ruleset)
    values = [value for _day, value, _words in curve]
    under = [_("Number %(number)s") % {"number": number}]
    if row := next((row for row in get_published_rows(player) if row.rating_list.track == track), None):
        under.append(_("place %(rank)s on the list") % {"rank": row.rank})
    return _of_person(
        player,
        limits,
        _picture(
            request,
            title=drawable_text(f"{limits.title(player)} {player.shown_name}".strip(), number),
            under=", ".join(under),
            rows=[(_(name), rating(known[key], places)) for name, key in shown],
            curve=[(day, value) for day, value, _words in curve],
            scale=(rating(min(values), places), rating(max(values), places)) if values else ("", ""),
        ),
    )


def _of_person(player: Player, limits: DisclosureLimits, response: HttpResponse) -> HttpResponse:
    """Ask search engines to leave out what is about children and withheld people."""
    if player.withheld or not limits.is_adult(player):
        for name, value in UNINDEXED.items():
            response.headers[name] = value
    return response


LETTER_WIDTH, BADGE_PADDING = 7, 8
"""The width of a letter of a badge, to which its words are stretched, whatever the reader's font."""


@page(PUBLIC, caching=cached_page)
def badge(request: OfficeRequest, number: str) -> HttpResponseBase:
    """The badge of a player for other sites: the first rating of today, without a name. 404 for withheld
    people.
    """
    office = request.office
    people = Player.objects.of(office).select_related("federation", "merged_into__federation")
    player = get_object_or_404(people, number=number)
    if player.merged_into:
        return redirect("ratings:badge", office.code, player.merged_into.number)
    if player.withheld or not player.name:
        raise Http404(_("This player asked not to be named: there is no badge."))
    known = get_ratings(office, [player], today(office))
    found = ((each, known.get((number, each.code))) for each in office.ruleset.tracks)
    track, value = next(((each, value) for each, value in found if value is not None), (None, None))
    words = [_(track.name) if track else office.name, rating(value, office.publication.decimals)]
    label, shown = ((text, len(text) * LETTER_WIDTH) for text in words)
    context = {
        "label": label[0],
        "label_width": label[1],
        "label_end": label[1] + 2 * BADGE_PADDING,
        "value": shown[0],
        "value_width": shown[1],
        "value_start": label[1] + 3 * BADGE_PADDING,
        "width": label[1] + shown[1] + 4 * BADGE_PADDING,
        "padding": BADGE_PADDING,
        "accent": ACCENTS[(office.accent - 1) % len(ACCENTS)],
    }
    response = render(request, "ratings/badge.svg", context, content_type="image/svg+xml")
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return _of_person(player, limits_of(office), response)


@page(PUBLIC, caching=cached_page)
def list_picture(request: OfficeRequest, label: str, track: str, revision: int) -> HttpResponseBase:
    """The picture of a list: its rating, its day and its first rows, by the names of today."""
    office = request.office
    name = get_track_or_404(office.ruleset, track).name
    found = lists_with_label(request, label).filter(track=track, revision=revision).first()
    if found is None:
        raise Http404(_("No list was published then."))
    size = ngettext("%(count)s player", "%(count)s players", found.players)
    rows = ListRow.objects.filter(rating_list=found).select_related("player").after(0, MOST_ROWS)
    places = office.publication.decimals
    return _picture(
        request,
        title=_(name),
        under=f"{date_format(found.on, 'DATE_FORMAT')}, {size % {'count': grouped(found.players)}}",
        rows=[
            (
                f"{row.rank}  {drawable_text(row.player.shown_name, row.player.number)}",
                rating(row.rating, places),
            )
            for row in rows
        ],
    )


@page(PUBLIC, caching=cached_page)
def event_picture(request: OfficeRequest, number: str) -> HttpResponseBase:
    """The picture of an event: its name, days and place, and its sections."""
    events = Event.objects.filter(federation=request.office).not_withdrawn()
    event = get_object_or_404(events.prefetch_related("sections"), number=number)
    days = date_format(event.starts, "DATE_FORMAT")
    if event.ends != event.starts:
        days = f"{days} – {date_format(event.ends, 'DATE_FORMAT')}"
    where = [drawable_text(each, "") for each in (event.place, event.country)]
    state = [] if event.state == Event.State.PLANNED else [str(event.get_state_display())]
    sections = (each for each in event.sections.all() if each.stage != Stage.WITHDRAWN)
    return _picture(
        request,
        title=drawable_text(event.name, number),
        under=", ".join(filter(None, [*state, days, *where])),
        rows=[(drawable_text(each.name, each.code), "") for each in sections],
    )


def _picture(
    request: OfficeRequest,
    *,
    title: str,
    under: str,
    rows: list[tuple[str, str]],
    curve: Sequence[tuple[date, Decimal]] = (),
    scale: tuple[str, str] = ("", ""),
) -> HttpResponse:
    office = request.office
    name = drawable_text(office.name, office.code)
    card = ShareCard(name, office.accent, title, under, rows, curve, scale)
    return HttpResponse(png_of(card), content_type="image/png")
