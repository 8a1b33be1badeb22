"""Template tags of the design system: presentation only, no queries. docs/design.md shows each in use."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import groupby
from typing import Any

from django import template
from django.conf import settings
from django.template.context import Context
from django.utils.encoding import escape_uri_path
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.drawing.rating_curve import Mark, Point, draw
from players.drawing.rating_rounding import as_shown, difference_shown

register = template.Library()

Words = str | Promise

STAGES: Mapping[str, tuple[Words, str]] = {
    "registered": (_("Registered"), "calendar"),
    "filed": (_("Filed"), "file"),
    "submitted": (_("Submitted"), "send"),
    "rated": (_("Rated"), "seal"),
    "returned": (_("Returned"), "return"),
    "refused": (_("Refused"), "stop"),
    "unrated": (_("Un-rated"), "undo"),
    "cancelled": (_("Cancelled"), "stop"),
    "withdrawn": (_("Withdrawn"), "undo"),
}
"""Each stage's words and icon."""

LEVELS: Mapping[str, tuple[Words, str, Words]] = {
    "blocks": (_("Must be corrected"), "stop", _("The section cannot be submitted while these stand.")),
    "asks": (_("We need to ask"), "question", _("The file does not say; you do.")),
    "waivable": (_("The office may waive"), "warning", _("Submit with a reason, or put it right.")),
    "notice": (
        _("Good to know"),
        "info",
        _("None of this prevents submission. Check whether it is right, and correct what you can."),
    ),
}
"""Each level of finding: its words, icon and what it asks of the reader; the gravest first."""

PARTS = ("after", "before", "page")
"""The words of an address that ask for another part of one page; all others choose, filter or mark."""

EXCERPT_WIDTH, EXCERPT_LEAD = 72, 14
"""The number of characters of a file's line that are shown, and of those before the marked one."""


@register.simple_tag
def version() -> str:
    """The release that this office runs (docs/releases.md)."""
    return settings.VERSION


@register.inclusion_tag("components/canonical.html", takes_context=True)
def canonical(context: Context, path: str = "") -> dict[str, str]:
    """The full address under which search engines are to keep this page, if it is open to all: its own, or
    that of a path, without what only filters or marks.
    """
    request = context.get("request")
    match = getattr(request, "resolver_match", None)
    if request is None or match is None or getattr(match.func, "permission", "") is not None:
        return {"here": ""}
    parts = {name: request.GET[name] for name in PARTS if request.GET.get(name)}
    path = path or escape_uri_path(request.path)
    return {"here": str(request.build_absolute_uri(f"{path}?{urlencode(parts)}" if parts else path))}


@register.inclusion_tag("components/nav_link.html", takes_context=True)
def nav_link(context: Context, url: str, label: str) -> dict[str, str]:
    """Context for a link of the office's navigation: marked if this page is its target or lies below it."""
    path = getattr(context.get("request"), "path", "")
    current = "page" if path == url else "true" if url and path.startswith(url) else ""
    return {"url": url, "label": label, "current": current}


@register.inclusion_tag("components/breadcrumb.html")
def breadcrumb(*parts: str) -> dict[str, Any]:
    """The way to this page, as `label url label url … label`; the last label is the page itself."""
    if len(parts) % 2 == 0:
        raise ValueError(f"The way ends in an address, not in this page's label: {parts[-1]}")
    links = list(zip(parts[0:-1:2], parts[1::2], strict=True))
    return {"links": links, "here": parts[-1]}


@register.inclusion_tag("components/stage.html")
def stage_badge(stage: str) -> dict[str, Any]:
    """The stage of a section as icon and words."""
    words, icon = STAGES[stage]
    return {"stage": str(stage), "words": words, "icon": icon}


@register.filter
def rating(value: Decimal | int | None, places: int = 1) -> str:
    """A rating as the office shows it: half up to `places`, a dash if there is none."""
    return "–" if value is None else number_format(as_shown(value, places), decimal_pos=places)


DELTA = (
    '<span class="delta delta-{}"><span aria-hidden="true">{}</span>'
    '<span class="visually-hidden">{}</span></span>'
)


@register.simple_tag
def delta(points: Decimal | int | None, places: int = 1) -> SafeString:
    """Points gained or lost, with words for readers who do not see the sign."""
    if points is None:
        return format_html(DELTA, "none", "–", _("no rating before"))
    rounded = as_shown(points, places)
    size = number_format(abs(rounded), decimal_pos=places)
    if not rounded:
        return format_html(DELTA, "same", f"±{size}", _("unchanged"))
    if rounded > 0:
        return format_html(DELTA, "up", f"+{size} ▲", _("up %(size)s") % {"size": size})
    return format_html(DELTA, "down", f"−{size} ▼", _("down %(size)s") % {"size": size})


@register.simple_tag
def difference(before: Decimal | None, after: Decimal | None, places: int = 1) -> SafeString:
    """The points between two ratings that stand beside it, as they are shown."""
    found: SafeString = delta(difference_shown(before, after, places), places)
    return found


@register.inclusion_tag("components/findings.html")
def findings(found: Iterable[Any], empty: str = "") -> dict[str, Any]:
    """Findings grouped by level, the gravest first, in their own order within a level."""
    order = list(LEVELS)
    ranked = sorted(found, key=lambda finding: order.index(finding.level))
    groups = [
        _group(level, list(members)) for level, members in groupby(ranked, lambda finding: finding.level)
    ]
    return {"groups": groups, "empty": empty}


def _group(level: str, members: list[Any]) -> dict[str, Any]:
    words, icon, advice = LEVELS[level]
    return {"level": _plain(level), "words": words, "icon": icon, "advice": advice, "findings": members}


def _plain(level: str) -> str:
    """The plain text of a level given as text or as a member of a text enumeration."""
    return str(getattr(level, "value", level))


@register.inclusion_tag("components/excerpt.html")
def excerpt(text: str, line: int | None = None, column: int | None = None) -> dict[str, Any]:
    """A line of the file with one column marked (counted from 1), cut to a window around it."""
    at = max((column or 1) - 1, 0)
    start = max(0, at - EXCERPT_LEAD) if len(text) > EXCERPT_WIDTH else 0
    end = start + EXCERPT_WIDTH
    parts = {"before": text[start:at], "mark": text[at : at + 1], "after": text[at + 1 : end]}
    if column is None:
        parts = {"before": text[start:end], "mark": "", "after": ""}
    return {"line": line, "column": column, "cut_before": start > 0, "cut_after": end < len(text), **parts}


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
    return {
        "title": title,
        "points": points,
        "curve": draw(points, marks, played) if len(points) > 1 else None,
        "places": places,
        "last": points[-1:],
        "differing": [mark for mark in marks if mark.differs],
        "readings": _readings(points, marks, places),
    }


READING = '<tr><th scope="row">{}</th><td class="num">{}</td><td>{}</td></tr>'


def _readings(points: Sequence[Point], marks: Sequence[Mark], places: int) -> SafeString:
    """The rows of a curve's table, newest first: each rating with what moved it, and each list's."""
    moved = [(day, 0, rating(value, places), words) for day, value, words in points]
    listed = [(mark.on, 1, rating(mark.rating, places), _reading(mark)) for mark in marks]
    ordered = sorted((*moved, *listed), key=lambda row: row[:2], reverse=True)
    return format_html_join("", READING, ((day.isoformat(), *cells) for day, _at, *cells in ordered))


def _reading(mark: Mark) -> SafeString:
    words = gettext("List of %(label)s") % {"label": mark.label}
    rank = "" if mark.rank is None else gettext(", rank %(rank)s") % {"rank": mark.rank}
    return format_html('<a href="{}">{}</a>{}', mark.url, words, rank)
