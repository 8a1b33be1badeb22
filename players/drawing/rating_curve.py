"""The geometry of a rating curve: points in, coordinates of an SVG out. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import floor, log10
from typing import NamedTuple

from players.drawing.decimal_sign import with_own_sign

Point = tuple[date, Decimal, str]
"""Day, rating, what moved it."""


class Mark(NamedTuple):
    """A mark beside the curve: a rating as a list published it, and the rating of that day as known now."""

    on: date
    rating: Decimal
    known: Decimal | None
    differs: bool
    label: str
    url: str
    rank: int | None = None


WIDTH, HEIGHT = 480, 200
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 12, 26
HALF_A_LABEL = 40
"""Half the width of a day below the curve, in the widest letters."""
LETTER, BETWEEN = 9, 6
"""The width of a letter below the curve, at most, and the least space between two days."""
FRAME = (HEIGHT - BOTTOM, TOP)
LARGE, SMALL, SMALL_BELOW = 5, 0.005, 10
"""The least step between two lines: a flat curve of ratings in points, or of ratings between 0 and 1."""
MAX_DOTS = 60
"""Above this number the dots run into one another and are left out."""
SIDE = 3.5
"""Distance from the middle of a mark to its edges."""


@dataclass(frozen=True, slots=True)
class Tick:
    at: str
    label: str
    anchor: str = "middle"
    """The SVG text anchor: `end` at the right edge, where the label would be cut off."""


@dataclass(frozen=True, slots=True)
class Dot:
    x: str
    y: str
    point: Point


class Diamond(NamedTuple):
    path: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class Curve:
    """A drawn rating curve: everything that its SVG template writes, in the units of the view box."""

    line: str
    """The path: a rating holds until the day it moves, so it is drawn in steps."""
    area: str
    dots: tuple[Dot, ...]
    last: Dot
    high: Point
    low: Point
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    marks: tuple[Diamond, ...] = ()
    """Marks of published lists: all, or if they are many those that differ from the line."""
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    floor: int = HEIGHT - BOTTOM


def draw(
    points: Sequence[Point], marks: Sequence[Mark] = (), played: Collection[date] | None = None
) -> Curve:
    """Draw a player's rating curve: at least two points, in order of days, and marks of published lists.
    `played`: the days whose points get a dot; None: all.
    """
    shown = [mark for mark in marks if mark.differs or len(marks) <= MAX_DOTS]
    days = [point[0].toordinal() for point in points]
    first, last = (end((*days, *(mark.on.toordinal() for mark in shown))) for end in (min, max))
    ratings = [float(value) for value in (*(point[1] for point in points), *(mark.rating for mark in shown))]
    step = _nice_step(max(ratings) - min(ratings), SMALL if max(ratings) < SMALL_BELOW else LARGE)
    lines = range(floor(min(ratings) / float(step)), floor(max(ratings) / float(step)) + 2)
    bottom, top = float(lines[0] * step), float(lines[-1] * step)

    def at(day: float, rating: float) -> tuple[float, float]:
        return _scale(day, first, last, LEFT, WIDTH - RIGHT), _scale(rating, bottom, top, *FRAME)

    xs, ys = zip(*(at(day, rating) for day, rating in zip(days, ratings, strict=False)), strict=True)
    dots = tuple(Dot(_text(x), _text(y), point) for x, y, point in zip(xs, ys, points, strict=True))
    line = f"M{_text(xs[0])} {_text(ys[0])}" + "".join(
        f"H{_text(x)}V{_text(y)}" for x, y in zip(xs[1:], ys[1:], strict=True)
    )
    shown_dots = tuple(dot for dot in dots if played is None or dot.point[0] in played)
    return Curve(
        line=line,
        area=f"{line}V{HEIGHT - BOTTOM}H{LEFT}Z",
        dots=shown_dots if len(shown_dots) <= MAX_DOTS else (),
        last=dots[-1],
        high=max(points, key=lambda point: point[1]),
        low=min(points, key=lambda point: point[1]),
        x_ticks=_day_ticks(date.fromordinal(first), date.fromordinal(last)),
        y_ticks=tuple(
            Tick(_text(_scale(n, lines[0], lines[-1], *FRAME)), with_own_sign(f"{n * step:f}")) for n in lines
        ),
        marks=tuple(Diamond(_diamond(*at(mark.on.toordinal(), float(mark.rating))), mark) for mark in shown),
    )


def _diamond(x: float, y: float) -> str:
    return f"M{_text(x - SIDE)} {_text(y)}l{SIDE} {-SIDE}l{SIDE} {SIDE}l{-SIDE} {SIDE}Z"


def _day_ticks(first: date, last: date) -> tuple[Tick, ...]:
    """The ticks below a curve: starts of years, of quarters or months if its span is short; else its ends."""
    every = 12 if (last - first).days > 900 else 3 if (last - first).days > 240 else 1
    months = range(first.year * 12 + first.month - (first.day == 1), last.year * 12 + last.month)
    starts = [date(month // 12, month % 12 + 1, 1) for month in months if month % every == 0]
    starts = starts[:: max(1, -(-len(starts) // 8))] if starts else [first, last]
    form = "%Y" if every == 12 else "%Y-%m"
    if starts == [first, last]:
        form = "%Y-%m-%d"
    ends = first.toordinal(), last.toordinal()
    places = [_scale(day.toordinal(), *ends, LEFT, WIDTH - RIGHT) for day in starts]
    return _apart(
        Tick(_text(at), day.strftime(form), "end" if at > WIDTH - HALF_A_LABEL else "middle")
        for at, day in zip(places, starts, strict=True)
    )


def _apart(ticks: Iterable[Tick]) -> tuple[Tick, ...]:
    """Keep the ticks of the days' axis whose labels do not touch, from the last backwards."""
    kept: list[Tick] = []
    free = float(WIDTH + HALF_A_LABEL)
    for tick in reversed(list(ticks)):
        left, right = _reach(tick)
        if right <= free:
            kept.insert(0, tick)
            free = left - BETWEEN
    return tuple(kept)


def _reach(tick: Tick) -> tuple[float, float]:
    """The left and the right end of a tick's label."""
    at, wide = float(tick.at), len(tick.label) * LETTER
    return (at - wide, at) if tick.anchor == "end" else (at - wide / 2, at + wide / 2)


def _nice_step(span: float, least: float) -> Decimal:
    """The step between lines of ratings: 1, 2 or 5 times a power of ten, for about four lines in the span."""
    rough = max(span / 4, least)
    power = Decimal(10) ** floor(log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if float(factor * power) >= rough)


def _scale(value: float, low: float, high: float, start: float, end: float) -> float:
    return start + (end - start) * ((value - low) / (high - low) if high != low else 0.5)


def _text(coordinate: float) -> str:
    return f"{coordinate:.1f}"
