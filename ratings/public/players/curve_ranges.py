"""The ranges of time in which a player's curve may be looked at: a year, five years, all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils.http import urlencode
from django.utils.translation import gettext as _

from players.drawing.rating_curve import Point
from players.office.access import OfficeRequest
from ratings.public.players.player_ratings import PublishedRating
from ratings.results.changes_between_facts import ChangeWithDrifts

YEARS = {"1": 1, "5": 5, "all": None}
"""The ranges by the word that asks for them (`years`), with their years; None: from the first rating on."""
USUAL = "5"


@dataclass(frozen=True, slots=True)
class Range:
    words: str
    query: str
    chosen: bool


def drawn(
    request: OfficeRequest,
    points: Sequence[Point],
    published: Sequence[PublishedRating],
    legs: Sequence[ChangeWithDrifts],
    until: date,
) -> dict[str, Any]:
    """The context of a curve cut to the range that the address asks for. Ranges that would show no less than
    the whole are not offered.
    """
    asked = request.GET.get("years", "")
    chosen = asked if asked in YEARS else USUAL
    since = _start(until, YEARS[chosen])
    offered = [code for code, years in YEARS.items() if years is None or _cuts(points, _start(until, years))]
    if chosen not in offered:
        chosen = "all"
    marks = [each.mark for each in published]
    return {
        "curve": cut(points, since),
        "marks": [mark for mark in marks if since is None or mark.on >= since],
        "played": {day for leg in legs for day in (leg.move.on, leg.move.ends) if day is not None},
        "ranges": [_range(request, code, code == chosen) for code in offered] if len(offered) > 1 else [],
    }


def cut(points: Sequence[Point], since: date | None) -> list[Point]:
    """The points from a day on, beginning with the rating that held on it."""
    if since is None:
        return list(points)
    later = [point for point in points if point[0] >= since]
    before = [point for point in points if point[0] < since]
    return [(since, before[-1][1], _("the rating held then")), *later] if before else later


def _cuts(points: Sequence[Point], since: date | None) -> bool:
    return since is not None and bool(points) and points[0][0] < since


def _start(until: date, years: int | None) -> date | None:
    """The day so many years before; 28 February for 29 February."""
    if years is None:
        return None
    day = 28 if (until.month, until.day) == (2, 29) else until.day
    return date(until.year - years, until.month, day)


def _range(request: OfficeRequest, code: str, chosen: bool) -> Range:
    words = {"1": _("1 year"), "5": _("5 years"), "all": _("All")}
    kept = {name: request.GET[name] for name in ("track", "on") if request.GET.get(name)}
    return Range(words[code], f"?{urlencode({**kept, 'years': code})}#curve", chosen)
