"""How values are shown to readers: days, particulars of sections, ratings, safe HTML, curves and bars.

Drawings are plain geometry: points or numbers go in, coordinates of an SVG come out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from html import escape
from math import floor, log10
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from django.utils.formats import date_format, get_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy

from ratings.rulesets.profile import form_fields

if TYPE_CHECKING:
    from django.utils.functional import Promise

    from ratings.rulesets.facts import Field
    from ratings.rulesets.ruleset import Ruleset


# ---- Days as the reader's language writes them: `7 June 2026`. The record and the journal keep them as
# text.
def day_in_words(day: date | str) -> str:
    """A day, or its text (`2026-06-07`), in words; what is no day stays as it is."""
    if isinstance(day, date):
        return str(date_format(day, "DATE_FORMAT"))
    if len(day) == len("2026-06-07"):
        with suppress(ValueError):
            return day_in_words(date.fromisoformat(day))
    return day


def days_in_words(days: Sequence[date | str]) -> str:
    """The days from the first of two to the last; one where both are the same."""
    first, last = (day_in_words(day) for day in days)
    return first if first == last else f"{first} – {last}"


# ---- The particulars of sections in words: formats of play, and the fields that a ruleset has of its own.
FORMATS: Mapping[str, Promise] = {
    "swiss": gettext_lazy("Swiss system"),
    "round-robin": gettext_lazy("Round robin"),
    "double-round-robin": gettext_lazy("Double round robin"),
    "scheveningen": gettext_lazy("Scheveningen"),
    "knockout": gettext_lazy("Knockout"),
    "match": gettext_lazy("Match"),
    "placement": gettext_lazy("By places"),
}


def declared_in_words(declared: Mapping[str, Any], ruleset: Ruleset) -> list[str]:
    """The particulars with which a section was admitted before play, each with its label."""
    form, rounds = declared.get("format", ""), declared.get("rounds")
    common = ((gettext_lazy("Format"), FORMATS.get(form, form)), (gettext_lazy("Rounds"), rounds))
    own = ((label, words) for _field, label, words in fields_in_words(declared["particulars"], ruleset))
    return [f"{label}: {words}" for label, words in (*common, *own) if words]


def fields_in_words(particulars: Mapping[str, Any], ruleset: Ruleset) -> Iterator[tuple[Field, str, str]]:
    """Yield the fields that a section answers, in their ruleset's order, with label and answer in words."""
    for field in form_fields(ruleset):
        answer = particulars.get(field.name)
        if answer not in (None, "", [], False):
            yield field, now(field.label), field_in_words(field, answer)


def field_in_words(field: Field, answer: Any) -> str:
    """The answer to a field, in words: choices by their labels."""
    match field.kind:
        case "time_controls":
            return "; ".join(map(control_in_words, answer if isinstance(answer, list) else [answer]))
        case "flag":
            return now("yes")
        case "day":
            return day_in_words(answer)
    labels = {choice.value: choice.label for choice in field.choices}
    return now(labels.get(str(answer), str(answer)))


def control_in_words(control: Mapping[str, Any]) -> str:
    """A time control in words, from its entry in the particulars: `40 + 20 min, 30 s a move`."""
    minutes = " + ".join(str(part) for part in control["minutes"])
    words = now("%(minutes)s min") % {"minutes": minutes}
    if increment := control.get("increment"):
        words += now(", %(seconds)s s a move") % {"seconds": increment}
    return words


# ---- The digits with which an office shows a rating.
@overload
def as_shown(value: Decimal | int, places: int) -> Decimal: ...
@overload
def as_shown(value: None, places: int) -> None: ...
@overload
def as_shown(value: Decimal | int | None, places: int) -> Decimal | None: ...
def as_shown(value: Decimal | int | None, places: int) -> Decimal | None:
    """Round a rating half up to what readers see, so that two that look the same are the same."""
    return None if value is None else Decimal(value).quantize(_step(places), ROUND_HALF_UP)


@cache
def _step(places: int) -> Decimal:
    return Decimal(1).scaleb(-places)


def difference_shown(before: Decimal | None, after: Decimal | None, places: int) -> Decimal | None:
    """The difference of two ratings as readers reckon it, from the digits that they see beside it; None where
    there is only one.
    """
    if before is None or after is None:
        return None
    return as_shown(after, places) - as_shown(before, places)


# ---- Safe texts put together quickly; nothing is declared safe that was not escaped.
def filled(form: str, *parts: object) -> SafeString:
    """A form with a part in each place `{}`, escaped unless it is already: what Django's `format_html` gives,
    which takes several times as long over plain and safe texts.
    """
    return SafeString(form.format(*[_escaped(part) for part in parts]))


def _escaped(part: object) -> str:
    if type(part) is SafeString:
        return part
    return escape(part) if type(part) is str else format_html("{}", part)


def joined(parts: Iterable[SafeString], between: str = "") -> SafeString:
    """The parts in one, with a text between them. Any part that is not escaped already is a fault of the
    program: TypeError.

    Django joins in this way only inside its templates; `format_html_join` formats each part anew, which takes
    a table of thousands of cells five times as long.
    """
    texts = list(parts)
    if {*map(type, texts)} - {SafeString}:
        raw = next(text for text in texts if type(text) is not SafeString)
        raise TypeError(f"Not escaped yet: {raw!r}")
    return SafeString(escape(between).join(texts))


def with_own_sign(digits: str) -> str:
    """A number's digits with the language's decimal sign in place of the point."""
    return digits.replace(".", get_format("DECIMAL_SEPARATOR")) if "." in digits else digits


# ---- The geometry of a rating curve.
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


def draw_curve(
    points: Sequence[Point], marks: Sequence[Mark] = (), played: Collection[date] | None = None
) -> Curve:
    """Draw a player's rating curve: at least two points, in order of days, and marks of published lists.
    `played`: the days whose points get a dot; None: all.
    """
    shown = [mark for mark in marks if mark.differs or len(marks) <= MAX_DOTS]
    days = [point[0].toordinal() for point in points]
    first, last = (end((*days, *(mark.on.toordinal() for mark in shown))) for end in (min, max))
    ratings = [float(value) for value in (*(point[1] for point in points), *(mark.rating for mark in shown))]
    span = max(ratings) - min(ratings)
    least = SMALL if max(ratings) < SMALL_BELOW else LARGE
    rough = max(span / 4, least)
    power = Decimal(10) ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if float(factor * power) >= rough)
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
        at, wide = float(tick.at), len(tick.label) * LETTER
        left, right = (at - wide, at) if tick.anchor == "end" else (at - wide / 2, at + wide / 2)
        if right <= free:
            kept.insert(0, tick)
            free = left - BETWEEN
    return tuple(kept)


def _scale(value: float, low: float, high: float, start: float, end: float) -> float:
    return start + (end - start) * ((value - low) / (high - low) if high != low else 0.5)


def _text(coordinate: float) -> str:
    return f"{coordinate:.1f}"


# ---- The geometry of a few numbers drawn as bars on one scale.
BARS_WIDTH, ROW = 480, 46
BARS_LEFT, BARS_RIGHT = 2, 400
"""The ends of the longest bar; the numbers stand right of it."""
BELOW, THICK = 20, 16
"""The place and the thickness of a bar in its row, below its words."""
LEAST = 1.5
"""The width of a bar of nothing, so that it is seen."""


@dataclass(frozen=True, slots=True)
class DrawnBar:
    x: str
    y: int
    width: str
    words_y: str
    number_x: str
    number_y: str
    negative: bool


@dataclass(frozen=True, slots=True)
class DrawnBars:
    """Bars in the units of their view box, with the line of nought that they begin at."""

    bars: tuple[DrawnBar, ...]
    nought: str
    height: int
    width: int = BARS_WIDTH
    thick: int = THICK


def draw_bars(values: Sequence[Decimal]) -> DrawnBars:
    """Draw numbers as bars, from top to bottom; those below nought go to the left of its line."""
    low, high = min(Decimal(0), *values), max(Decimal(0), *values)
    span = (high - low) or Decimal(1)

    def at(value: Decimal) -> float:
        return BARS_LEFT + float((value - low) / span) * (BARS_RIGHT - BARS_LEFT)

    return DrawnBars(
        tuple(_bar(number, value, at(Decimal(0)), at(value)) for number, value in enumerate(values)),
        f"{at(Decimal(0)):.1f}",
        ROW * len(values),
    )


def _bar(number: int, value: Decimal, nought: float, end: float) -> DrawnBar:
    top = number * ROW
    left, right = sorted((nought, end))
    return DrawnBar(
        x=f"{left:.1f}",
        y=top + BELOW,
        width=f"{max(right - left, LEAST):.1f}",
        words_y=str(top + BELOW - 5),
        number_x=f"{max(right, nought) + 8:.1f}",
        number_y=str(top + BELOW + THICK - 3),
        negative=value < 0,
    )
