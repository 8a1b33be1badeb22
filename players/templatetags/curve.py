"""The curve of a rating as a drawing and as a table; its many points are not left to a slow template."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import date
from typing import Any

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext

from players.drawing.rating_curve import LEFT, Curve, Diamond, Dot, Mark, Point, Tick, draw
from players.templatetags.safe_text import filled, joined
from players.templatetags.ui import as_number, rating_in

register = template.Library()

READING = '<tr><th scope="row">{}</th><td class="num">{}</td><td>{}</td></tr>'
DOT = '<circle class="dot" cx="{}" cy="{}" r="2.5"><title>{}</title></circle>'
MARK = '<path class="mark{}" d="{}"><title>{}</title></path>'
LEVEL = '<path class="grid" d="M{} {}H{}" /><text class="y" x="{}" y="{}" dy=".35em">{}</text>'
DAY = '<path class="axis" d="M{} {}v5" /><text class="x" text-anchor="{}" x="{}" y="{}">{}</text>'


@register.inclusion_tag("components/curve.html")
def rating_curve(
    points: Sequence[Point],
    title: str,
    places: int = 1,
    marks: Sequence[Mark] = (),
    played: Collection[date] | None = None,
) -> dict[str, Any]:
    """A player's rating over time: a drawing, and the same numbers as a table.

    `points`: (day, rating, words) in order of days, the words say what moved it; `marks`: published ratings;
    `played`: the days that get a dot, None: all.
    """
    curve, language = draw(points, marks, played) if len(points) > 1 else None, get_language()
    return {
        "title": title,
        "points": points,
        "curve": curve,
        "parts": _parts(curve, places, language) if curve else {},
        "places": places,
        "differing": [mark for mark in marks if mark.differs],
        "readings": _readings(points, marks, places, language),
    }


def _parts(curve: Curve, places: int, language: str | None) -> dict[str, SafeString]:
    return {
        "levels": joined(_level(tick, curve) for tick in curve.y_ticks),
        "days": joined(_day(tick, curve) for tick in curve.x_ticks),
        "dots": joined(_dot(dot, places, language) for dot in curve.dots),
        "marks": _marks(curve.marks, places, language),
    }


def _level(tick: Tick, curve: Curve) -> SafeString:
    return filled(LEVEL, curve.left, tick.at, curve.right, LEFT - 6, tick.at, as_number(tick.label))


def _day(tick: Tick, curve: Curve) -> SafeString:
    return filled(DAY, tick.at, curve.floor, tick.anchor, tick.at, curve.floor + 17, tick.label)


def _dot(dot: Dot, places: int, language: str | None) -> SafeString:
    day, value, words = dot.point
    told = f"{day.isoformat()}: {rating_in(language, value, places)}"
    return filled(DOT, dot.x, dot.y, f"{told}, {words}" if words else told)


def _marks(marks: Iterable[Diamond], places: int, language: str | None) -> SafeString:
    words = gettext("list of %(label)s")

    def told(mark: Mark) -> str:
        rating = rating_in(language, mark.rating, places)
        return f"{mark.on.isoformat()}: {rating}, {words % {'label': mark.label}}"

    return joined(filled(MARK, " differs" if mark.differs else "", path, told(mark)) for path, mark in marks)


def _readings(
    points: Sequence[Point], marks: Sequence[Mark], places: int, language: str | None
) -> SafeString:
    """The rows of a curve's table, newest first: each rating with what moved it, and each list's."""
    words, ranked = gettext("List of %(label)s"), gettext(", rank %(rank)s")
    moved = [(day, 0, value, filled("{}", told)) for day, value, told in points]
    listed = [(mark.on, 1, mark.rating, _reading(mark, words, ranked)) for mark in marks]
    ordered = sorted((*moved, *listed), key=lambda row: row[:2], reverse=True)
    return joined(
        filled(READING, day.isoformat(), rating_in(language, value, places), told)
        for day, _at, value, told in ordered
    )


def _reading(mark: Mark, words: str, ranked: str) -> SafeString:
    rank = "" if mark.rank is None else ranked % {"rank": mark.rank}
    return filled('<a href="{}">{}</a>{}', mark.url, words % {"label": mark.label}, rank)
