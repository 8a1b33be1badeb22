"""Draws the picture of a shared page: 1200 by 630 points, in the office's colour, as PNG."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ratings.public.extracts.extract_pdf import DRAWN, FONTS

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

SIZE = (1200, 630)
MARGIN = 72
INK, QUIET, PAPER = "#1c2430", "#56606e", "#fbfaf7"
ACCENTS = ("#2f5587", "#1f6a4b", "#8a3b34", "#5d4591", "#235f80", "#75541b")
"""The offices' colours, in the order of their numbers."""
LARGEST, SMALLEST = 76, 36
"""Sizes of the title's letters in points."""
ROWS = 5
"""The most rows below the title."""
ROW_HEIGHT = 52


@dataclass(frozen=True, slots=True)
class ShareCard:
    """The words of a picture."""

    office: str
    accent: int
    """The number of the office's colour, from 1."""
    title: str
    under: str
    """The words below the title."""
    rows: Sequence[tuple[str, str]] = ()
    """Rows of words, left and right."""


def drawable(text: str, instead: str) -> str:
    """A text if the font has all of its letters, else another."""
    return text if DRAWN.fullmatch(text) else instead


def png_of(card: ShareCard) -> bytes:
    """The bytes of a picture: the same words give the same bytes."""
    from PIL import Image, ImageDraw  # which no page needs

    image = Image.new("RGB", SIZE, PAPER)
    draw = ImageDraw.Draw(image)
    accent = ACCENTS[(card.accent - 1) % len(ACCENTS)]
    draw.rectangle((0, 0, SIZE[0], 20), fill=accent)
    draw.text((MARGIN, 64), _cut(draw, card.office, _font(34), _room()), fill=accent, font=_font(34))
    font = _fitting(draw, card.title)
    draw.text((MARGIN, 128), _cut(draw, card.title, font, _room()), fill=INK, font=font)
    draw.text((MARGIN, 236), _cut(draw, card.under, _font(34), _room()), fill=QUIET, font=_font(34))
    for at, row in enumerate(card.rows[:ROWS]):
        _row(draw, row, 320 + at * ROW_HEIGHT)
    file = io.BytesIO()
    image.quantize(64).save(file, "PNG", optimize=True)
    return file.getvalue()


def _room() -> int:
    return SIZE[0] - 2 * MARGIN


def _row(draw: ImageDraw, row: tuple[str, str], top: int) -> None:
    left, right = row
    width = draw.textlength(right, font=_font(34, bold=True))
    draw.text((SIZE[0] - MARGIN - width, top), right, fill=INK, font=_font(34, bold=True))
    room = _room() - int(width) - 40
    draw.text((MARGIN, top), _cut(draw, left, _font(34), room), fill=INK, font=_font(34))


@lru_cache(maxsize=64)
def _font(size: int, *, bold: bool = False) -> FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.truetype(str(FONTS / f"DejaVuSans{'-Bold' if bold else ''}.ttf"), size)


def _fitting(draw: ImageDraw, title: str) -> FreeTypeFont:
    """The largest font in which a title fits, or the smallest of all."""
    for size in range(LARGEST, SMALLEST, -4):
        if draw.textlength(title, font=_font(size, bold=True)) <= _room():
            return _font(size, bold=True)
    return _font(SMALLEST, bold=True)


def _cut(draw: ImageDraw, text: str, font: FreeTypeFont, room: int) -> str:
    """A text, shortened with an ellipsis where it is wider than its room."""
    if draw.textlength(text, font=font) <= room:
        return text
    while text and draw.textlength(f"{text}…", font=font) > room:
        text = text[:-1]
    return f"{text.rstrip()}…"
