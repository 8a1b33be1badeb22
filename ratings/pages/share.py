"""Pictures of players, lists and events for shared links; they show nothing that the page does not."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.formats import date_format
from django.utils.translation import gettext as _, ngettext

from players.access import PUBLIC, OfficeRequest, page
from players.models import Player
from players.settings import today
from players.templatetags.ui import grouped, rating
from ratings.disclosure import limits_of
from ratings.models import ListRow
from ratings.pages.extracts import DRAWABLE, FONTS
from ratings.pages.lists import lists_with_label
from ratings.pages.responses import UNINDEXED, cached_page
from ratings.pages.tables import get_track_or_404
from ratings.player_ratings import get_ratings
from tournaments.models import Event, Stage

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont


# ---- Drawing a picture in the office's colour, as PNG
SIZE = (1200, 630)
MARGIN = 72
TEXT_WIDTH = SIZE[0] - 2 * MARGIN
"""The width in which words are drawn."""
INK, QUIET, PAPER = "#1c2430", "#56606e", "#fbfaf7"
ACCENTS = ("#2f5587", "#1f6a4b", "#8a3b34", "#5d4591", "#235f80", "#75541b")
"""The offices' colours, in the order of their numbers."""
LARGEST_TITLE_SIZE, SMALLEST_TITLE_SIZE = 76, 36
"""Sizes of the title's letters in points."""
MOST_ROWS = 5
"""The most rows below the title."""
ROW_HEIGHT = 52


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
    for at, (left, right) in enumerate(card.rows[:MOST_ROWS]):
        top = 320 + at * ROW_HEIGHT
        width = draw.textlength(right, font=_font(34, bold=True))
        draw.text((SIZE[0] - MARGIN - width, top), right, fill=INK, font=_font(34, bold=True))
        room = TEXT_WIDTH - int(width) - 40
        draw.text((MARGIN, top), _shortened(draw, left, _font(34), room), fill=INK, font=_font(34))
    file = io.BytesIO()
    image.quantize(64).save(file, "PNG", optimize=True)
    return file.getvalue()


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
    """The picture of a player: name and today's ratings."""
    office = request.office
    people = Player.objects.of(office).select_related("federation", "merged_into__federation")
    player = get_object_or_404(people, number=number)
    if player.merged_into:
        return redirect("ratings:player_picture", office.code, player.merged_into.number)
    limits, known = limits_of(office), get_ratings(office, [player], today(office))
    keys = [(track.name, (number, track.code)) for track in office.ruleset.tracks]
    places = office.publication.decimals
    response = _picture(
        request,
        title=drawable_text(f"{limits.title(player)} {player.shown_name}".strip(), number),
        under=_("Number %(number)s") % {"number": number},
        rows=[(_(name), rating(known[key], places)) for name, key in keys if key in known],
    )
    if player.withheld or not limits.is_adult(player):
        for name, value in UNINDEXED.items():
            response.headers[name] = value
    return response


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


def _picture(request: OfficeRequest, *, title: str, under: str, rows: list[tuple[str, str]]) -> HttpResponse:
    office = request.office
    card = ShareCard(drawable_text(office.name, office.code), office.accent, title, under, rows)
    return HttpResponse(png_of(card), content_type="image/png")
