"""Template tags of the design system: presentation only, no queries. docs/design.md shows each in use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from typing import Any

from django import template
from django.conf import settings
from django.template.context import Context
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from players.drawing.rating_curve import Mark, Point, draw
from players.drawing.rating_rounding import as_shown

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

EXCERPT_WIDTH, EXCERPT_LEAD = 72, 14
"""The number of characters of a file's line that are shown, and of those before the marked one."""


@register.simple_tag
def version() -> str:
    """The release that this office runs (docs/releases.md)."""
    return settings.VERSION


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
    points: Sequence[Point], title: str, places: int = 1, marks: Sequence[Mark] = ()
) -> dict[str, Any]:
    """A player's rating over time: a drawing, and the same numbers as a table.

    `points`: (day, rating, words) in order of days, the words say what moved it; `marks`: published ratings.
    """
    return {
        "title": title,
        "points": points,
        "curve": draw(points, marks) if len(points) > 1 else None,
        "places": places,
        "last": points[-1:],
        "differing": [mark for mark in marks if mark.differs],
    }
