"""How values are shown to readers: days, particulars of sections, ratings, safe HTML, curves and bars."""

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
from django.utils.translation import gettext, gettext_lazy

from ratings.rulesets.profile import form_fields

if TYPE_CHECKING:
    from django.utils.functional import Promise

    from ratings.rulesets.facts import Field
    from ratings.rulesets.ruleset import Ruleset


# ---- Days in the reader's language
def day_in_words(day: date | str) -> str:
    """A day, or its ISO text (`2026-06-07`), as `7 June 2026`; other texts are returned unchanged."""
    if isinstance(day, date):
        return str(date_format(day, "DATE_FORMAT"))
    if len(day) == len("2026-06-07"):
        with suppress(ValueError):
            return day_in_words(date.fromisoformat(day))
    return day


def days_in_words(days: Sequence[date | str]) -> str:
    """A first and a last day as a range, or as one day if they are the same."""
    first, last = (day_in_words(day) for day in days)
    return first if first == last else f"{first} – {last}"


# ---- Particulars of sections
FORMAT_LABELS: Mapping[str, Promise] = {
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
    code = declared.get("format", "")
    common = (
        (gettext_lazy("Format"), FORMAT_LABELS.get(code, code)),
        (gettext_lazy("Rounds"), declared.get("rounds")),
    )
    own = ((label, words) for _field, label, words in fields_in_words(declared["particulars"], ruleset))
    return [f"{label}: {words}" for label, words in (*common, *own) if words]


def fields_in_words(particulars: Mapping[str, Any], ruleset: Ruleset) -> Iterator[tuple[Field, str, str]]:
    """Yield each field that a section fills in, in the ruleset's order, with its label and value."""
    for field in form_fields(ruleset):
        answer = particulars.get(field.name)
        if answer not in (None, "", [], False):
            yield field, gettext(field.label), field_in_words(field, answer)


def field_in_words(field: Field, answer: Any) -> str:
    match field.kind:
        case "time_controls":
            return "; ".join(map(time_control_in_words, answer if isinstance(answer, list) else [answer]))
        case "flag":
            return gettext("yes")
        case "day":
            return day_in_words(answer)
    labels = {choice.value: choice.label for choice in field.choices}
    return gettext(labels.get(str(answer), str(answer)))


def time_control_in_words(control: Mapping[str, Any]) -> str:
    """A time control of the particulars as text: `40 + 20 min, 30 s a move`."""
    minutes = " + ".join(str(part) for part in control["minutes"])
    words = gettext("%(minutes)s min") % {"minutes": minutes}
    if increment := control.get("increment"):
        words += gettext(", %(seconds)s s a move") % {"seconds": increment}
    return words


# ---- Ratings rounded for display
@overload
def round_rating(value: Decimal | int, places: int) -> Decimal: ...
@overload
def round_rating(value: None, places: int) -> None: ...
@overload
def round_rating(value: Decimal | int | None, places: int) -> Decimal | None: ...
def round_rating(value: Decimal | int | None, places: int) -> Decimal | None:
    """Round a rating half up to as many decimal places as readers see."""
    return None if value is None else Decimal(value).quantize(_step(places), ROUND_HALF_UP)


@cache
def _step(places: int) -> Decimal:
    return Decimal(1).scaleb(-places)


def rounded_difference(before: Decimal | None, after: Decimal | None, places: int) -> Decimal | None:
    """The difference of two ratings after rounding, so that it agrees with the digits that readers see."""
    if before is None or after is None:
        return None
    return round_rating(after, places) - round_rating(before, places)


# ---- Safe HTML
def format_escaped(form: str, *parts: object) -> SafeString:
    """Like Django's `format_html`, but several times as fast for plain and safe texts."""
    return SafeString(form.format(*[_escaped(part) for part in parts]))


def _escaped(part: object) -> str:
    if type(part) is SafeString:
        return part
    return escape(part) if type(part) is str else format_html("{}", part)


def join_escaped(parts: Iterable[SafeString], between: str = "") -> SafeString:
    """Join safe texts. Raises TypeError for a part that is not escaped yet.

    `format_html_join` formats each part again, which takes five times as long for a large table.
    """
    texts = list(parts)
    if {*map(type, texts)} - {SafeString}:
        raw = next(text for text in texts if type(text) is not SafeString)
        raise TypeError(f"Not escaped yet: {raw!r}")
    return SafeString(escape(between).join(texts))


def localize_decimal(digits: str) -> str:
    """A number's digits with the decimal separator of the language in force."""
    return digits.replace(".", get_format("DECIMAL_SEPARATOR")) if "." in digits else digits


# ---- Rating curves as SVG
Point = tuple[date, Decimal, str]
"""Day, rating, cause of the change."""


class Mark(NamedTuple):
    """A published rating marked beside the curve, with the rating of that day as it is known now."""

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
"""Half the width of the longest label below the curve."""
LETTER_WIDTH, LABEL_GAP = 9, 6
"""The greatest width of a letter below the curve, and the least space between two labels."""
FRAME = (HEIGHT - BOTTOM, TOP)
LEAST_PART = 0.1
"""The least height of a curve as a part of its highest rating: a few points are no cliff."""
MAX_DOTS = 60
"""More dots than this would overlap, and are left out."""
MARK_RADIUS = 3.5


Tick = tuple[str, str, str]
"""A coordinate, its label and the SVG `text-anchor`: `end` at the right edge, where it would be cut off."""
Dot = tuple[str, str, Point]
"""The coordinates of a point."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A rating curve for its SVG template, in units of the view box."""

    line: str
    """A path in steps, because a rating holds until the day on which it changes."""
    beside: str
    """The path of the curve laid over it; empty for none."""
    days: tuple[date, date]
    """The days at the left and the right edge."""
    levels: tuple[Decimal, Decimal]
    """The ratings at the lower and the upper edge."""
    dots: tuple[Dot, ...]
    last: Dot
    high: Point
    low: Point
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    marks: tuple[tuple[str, Mark], ...] = ()
    """Paths of the marks of published lists: all, or if there are many, those that differ from the line."""
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    top: int = TOP
    right: int = WIDTH - RIGHT
    floor: int = HEIGHT - BOTTOM


def draw_curve(
    points: Sequence[Point],
    marks: Sequence[Mark] = (),
    dot_days: Collection[date] | None = None,
    beside: Sequence[Point] = (),
    until: date | None = None,
) -> Curve:
    """Draw a rating curve in order of days, with marks of published lists and another curve laid over it.

    `dot_days`: the days whose points get a dot; None: all. `until`: the day up to which the last rating held.
    """
    shown = [mark for mark in marks if mark.differs or len(marks) <= MAX_DOTS]
    ends = [*(each.on for each in shown), *([until] if until else [])]
    days = [*(point[0] for point in (*points, *beside)), *ends]
    first, last = min(days).toordinal(), max(days).toordinal()
    ratings = [*(point[1] for point in (*points, *beside)), *(mark.rating for mark in shown)]
    step, lines = _levels(min(ratings), max(ratings))
    bottom, top = lines[0] * step, lines[-1] * step

    def coordinates(day: date, rating: Decimal) -> tuple[float, float]:
        x = _scale(day.toordinal(), first, last, LEFT, WIDTH - RIGHT)
        return x, _scale(float(rating), float(bottom), float(top), *FRAME)

    def draw_line(found: Sequence[Point]) -> str:
        (x, y), *later = (coordinates(day, rating) for day, rating, _words in found)
        path = f"M{_text(x)} {_text(y)}" + "".join(f"H{_text(x)}V{_text(y)}" for x, y in later)
        return path + (f"H{_text(coordinates(until, bottom)[0])}" if until else "")

    places = [(*coordinates(point[0], point[1]), point) for point in points]
    dots = tuple((_text(x), _text(y), point) for x, y, point in places)
    shown_dots = tuple(dot for dot in dots if dot_days is None or dot[2][0] in dot_days)
    return Curve(
        line=draw_line(points),
        beside=draw_line(beside) if beside else "",
        days=(date.fromordinal(first), date.fromordinal(last)),
        levels=(bottom, top),
        dots=shown_dots if len(shown_dots) <= MAX_DOTS else (),
        last=dots[-1],
        high=max(points, key=lambda point: point[1]),
        low=min(points, key=lambda point: point[1]),
        x_ticks=_day_ticks(date.fromordinal(first), date.fromordinal(last)),
        y_ticks=tuple(
            (_text(_scale(n, lines[0], lines[-1], *FRAME)), localize_decimal(f"{n * step:f}"), "middle")
            for n in lines
        ),
        marks=tuple((_diamond_path(*coordinates(mark.on, mark.rating)), mark) for mark in shown),
    )


def _levels(low: Decimal, high: Decimal) -> tuple[Decimal, range]:
    """The step between the lines of a curve with these ratings, and the lines as multiples of it."""
    least = max(abs(high), abs(low), Decimal("0.01")) * Decimal(LEAST_PART)
    rough = max(high - low, least) / 4
    power = Decimal(10) ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    first, last = floor(low / step), floor(high / step) + 1
    while (last - first) * step < least:
        first, last = (first - 1, last) if low - first * step < last * step - high else (first, last + 1)
    return step, range(first, last + 1)


def _diamond_path(x: float, y: float) -> str:
    r = MARK_RADIUS
    return f"M{_text(x - r)} {_text(y)}l{r} {-r}l{r} {r}l{-r} {r}Z"


def _day_ticks(first: date, last: date) -> tuple[Tick, ...]:
    """The ticks below a curve: starts of years, quarters or months, by its span; else its two ends."""
    every = 12 if (last - first).days > 900 else 3 if (last - first).days > 240 else 1
    months = range(first.year * 12 + first.month - (first.day == 1), last.year * 12 + last.month)
    starts = [date(month // 12, month % 12 + 1, 1) for month in months if month % every == 0]
    starts = starts[:: max(1, -(-len(starts) // 8))] if starts else [first, last]
    form = "%Y-%m-%d" if starts == [first, last] else "%Y" if every == 12 else "%Y-%m"
    kept: list[Tick] = []
    free = float(WIDTH + HALF_A_LABEL)
    for day in reversed(starts):  # keep the labels that do not overlap
        x = _scale(day.toordinal(), first.toordinal(), last.toordinal(), LEFT, WIDTH - RIGHT)
        label, anchor = day.strftime(form), "end" if x > WIDTH - HALF_A_LABEL else "middle"
        at, width = float(_text(x)), len(label) * LETTER_WIDTH
        left, right = (at - width, at) if anchor == "end" else (at - width / 2, at + width / 2)
        if right <= free:
            kept.insert(0, (_text(x), label, anchor))
            free = left - LABEL_GAP
    return tuple(kept)


def _scale(value: float, low: float, high: float, start: float, end: float) -> float:
    return start + (end - start) * ((value - low) / (high - low) if high != low else 0.5)


def _text(coordinate: float) -> str:
    return f"{coordinate:.1f}"


# ---- Bars as SVG
BARS_WIDTH, ROW_HEIGHT = 480, 46
BARS_LEFT, BARS_RIGHT = 2, 400
"""The ends of the longest bar; the numbers are right of it."""
BAR_TOP, BAR_HEIGHT = 20, 16
"""Within a row, whose words are above the bar."""
LEAST_BAR_WIDTH = 1.5
"""The width of a bar for 0, so that it can be seen."""


def draw_bars(bars: Sequence[tuple[str, str, Decimal]]) -> dict[str, Any]:
    """Draw numbers, each with its words and its text, as bars from top to bottom; negative ones extend to the
    left of the line of zero. Returns the context of `ratings/_bars.html`, in units of the view box.
    """
    values = [value for _words, _number, value in bars]
    low, high = min(Decimal(0), *values), max(Decimal(0), *values)
    span = (high - low) or Decimal(1)

    def to_x(value: Decimal) -> float:
        return BARS_LEFT + float((value - low) / span) * (BARS_RIGHT - BARS_LEFT)

    zero, drawn = to_x(Decimal(0)), []
    for row, (words, number, value) in enumerate(bars):
        left, right = sorted((zero, to_x(value)))
        top = row * ROW_HEIGHT + BAR_TOP
        drawn.append(
            {
                "words": words,
                "number": number,
                "x": _text(left),
                "y": top,
                "width": _text(max(right - left, LEAST_BAR_WIDTH)),
                "words_y": top - 5,
                "number_x": _text(right + 8),
                "number_y": top + BAR_HEIGHT - 3,
                "negative": value < 0,
            }
        )
    return {
        "bars": drawn,
        "words": ", ".join(f"{words}: {number}" for words, number, _value in bars),
        "zero_x": _text(zero),
        "width": BARS_WIDTH,
        "height": ROW_HEIGHT * len(bars),
        "thick": BAR_HEIGHT,
    }
