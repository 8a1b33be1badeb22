"""Template tags of the design system: presentation only, no queries. docs/design.md shows each in use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import cache, lru_cache
from itertools import groupby
from typing import Any

from django import template
from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.http import HttpRequest
from django.template.context import Context
from django.utils.encoding import escape_uri_path
from django.utils.formats import date_format, get_format, localize, number_format
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from players.drawing.rating_rounding import as_shown, difference_shown
from players.languages.alternates import alternates, canonical_path
from players.office.settings_schema import today
from players.templatetags.safe_text import filled, joined

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

UNNUMBERED = {"preamble": _("preamble")}
"""The parts of regulations that have no number."""
PARTS = ("after", "before", "page")
"""The words of an address that ask for another part of one page; all others choose, filter or mark."""

NOTHING = filled("")

LOOKED_UP_IN_VAIN = "matches the given query"
"""Django's own words for a row that is not there, which tell a reader nothing."""

EXCERPT_WIDTH, EXCERPT_LEAD = 72, 14
"""The number of characters of a file's line that are shown, and of those before the marked one."""


@register.simple_tag
def version() -> str:
    """The release that this office runs (docs/releases.md)."""
    return settings.VERSION


@register.simple_tag(takes_context=True)
def canonical(context: Context, path: str = "") -> SafeString:
    """The full address under which search engines are to keep this page, if it is open to all: its own, or
    that of a path, without what only filters or marks; and those of the same page in other languages.
    """
    request = context.get("request")
    if request is None or not _is_open_to_all(request):
        return NOTHING
    parts = {name: request.GET[name] for name in PARTS if request.GET.get(name)}
    path, office = path or escape_uri_path(request.path), getattr(request, "office", None)
    query = f"?{urlencode(parts)}" if parts else ""
    here = request.build_absolute_uri(canonical_path(path, office) + query)
    links = [
        filled('<link rel="canonical" href="{}">', here),
        filled('<meta property="og:url" content="{}">', here),
        *(
            filled(
                '<link rel="alternate" hreflang="{}" href="{}">',
                code,
                request.build_absolute_uri(there + query),
            )
            for code, there in alternates(path, office)
        ),
    ]
    return joined(links, "\n")


@register.simple_tag(takes_context=True)
def on_paper(context: Context) -> SafeString:
    """The line by which a printed page is found again: the day on which it was drawn, by the office's
    calendar, and its full address with all that was chosen, in the reader's language.

    Kept pages hold for one day of the office (`ratings.public.common.caching`): none tells yesterday's.
    """
    request, office = context.get("request"), context.get("office")
    if request is None or office is None or not _is_open_to_all(request):
        return NOTHING
    query = f"?{request.GET.urlencode()}" if request.GET else ""
    address = request.build_absolute_uri(canonical_path(escape_uri_path(request.path), office) + query)
    return filled(
        '<p class="on-paper muted">{} <span class="mono" translate="no">{}</span></p>',
        gettext("Shown on %(day)s:") % {"day": date_format(today(office), "DATE_FORMAT")},
        address,
    )


def _is_open_to_all(request: HttpRequest) -> bool:
    match = request.resolver_match
    return match is not None and getattr(match.func, "permission", "") is None


@register.simple_tag(takes_context=True)
def nav_link(context: Context, url: str, label: str) -> SafeString:
    """A link of the office's navigation: marked if this page is its target or lies below it."""
    path = getattr(context.get("request"), "path", "")
    current = "page" if path == url else "true" if url and path.startswith(url) else ""
    mark = filled(' aria-current="{}"', current) if current else NOTHING
    return filled('<li><a href="{}"{}>{}</a></li>', url, mark, label)


@register.simple_tag
def breadcrumb(*parts: Any) -> SafeString:
    """The way to this page, as `label url label url … label`; the last label is the page itself."""
    if len(parts) % 2 == 0:
        raise ValueError(f"The way ends in an address, not in this page's label: {parts[-1]}")
    steps = [
        filled('<li><a href="{}">{}</a></li>', url, localize(label))
        for label, url in zip(parts[0:-1:2], parts[1::2], strict=True)
    ]
    return filled(
        '<nav class="frame crumbs" aria-label="{}"><ol>{}<li aria-current="page">{}</li></ol></nav>',
        gettext("You are here"),
        joined(steps),
        localize(parts[-1]),
    )


@register.filter
def reason_for_readers(words: str) -> str:
    """The sentence with which the office says why nothing is here; none if it is Django's own or a name."""
    return words if words.endswith(".") and LOOKED_UP_IN_VAIN not in words else ""


@register.inclusion_tag("components/stage.html")
def stage_badge(stage: str) -> dict[str, Any]:
    """The stage of a section as icon and words."""
    words, icon = STAGES[stage]
    return {"stage": str(stage), "words": words, "icon": icon}


@register.filter
def clause_label(clause: str) -> str:
    """A clause as readers know it: §31; a reading by its own name; a part without a number in words."""
    if clause in UNNUMBERED:
        return str(UNNUMBERED[clause])
    return clause if clause.startswith("D-") else f"§{clause}"


@register.filter
def rating(value: Decimal | int | None, places: int = 1) -> str:
    """A rating as the office shows it: half up to `places`, a dash if there is none."""
    return rating_in(get_language(), value, places)


@register.filter
def as_number(text: str) -> str:
    """Write a number's digits (`0.30`) with the decimal sign of the reader's language."""
    return str(number_format(text))


@register.filter
def grouped(number: int | str) -> str:
    """A whole number with its thousands apart, as the reader's language writes it: 2,387, 2 387. Polish keeps
    four digits together. A text, where a template has no number, stays as it is.
    """
    if get_language() == "pl" and isinstance(number, int) and abs(number) < 10_000:
        return str(number)
    return str(intcomma(number)).replace(" ", "\xa0")


def rating_in(language: str | None, value: Decimal | int | None, places: int) -> str:
    """The same in a language already known: to ask for it takes longer than all the rest."""
    return "–" if value is None else _digits(as_shown(value, places), language)


def _digits(rounded: Decimal, language: str | None) -> str:
    """A rounded number as the reader's language writes it; a page has hundreds. No zero has a sign."""
    return f"{rounded or abs(rounded):f}".replace(".", _decimal_separator(language))


@cache
def _decimal_separator(language: str | None) -> str:
    return str(get_format("DECIMAL_SEPARATOR", language))


DELTA = (
    '<span class="delta delta-{}"><span aria-hidden="true">{}</span>'
    '<span class="visually-hidden">{}</span></span>'
)


@register.simple_tag
def delta(points: Decimal | int | None, places: int = 1) -> SafeString:
    """Points gained or lost, with words for readers who do not see the sign."""
    return delta_in(get_language(), points, places)


def delta_in(language: str | None, points: Decimal | int | None, places: int) -> SafeString:
    """The same in a language already known."""
    found: SafeString = _delta(None if points is None else str(as_shown(points, places)), language)
    return found


@lru_cache(maxsize=8192)
def _delta(rounded: str | None, language: str | None) -> SafeString:
    """A page has hundreds of these: they are written from words that are known, not looked up for each."""
    points = None if rounded is None else Decimal(rounded)
    kind = "none" if points is None else "up" if points > 0 else "down" if points else "same"
    sign, words = _delta_words(language)[kind]
    size = "" if points is None else _digits(abs(points), language)
    return filled(DELTA, kind, sign % size, words % {"size": size})


@cache
def _delta_words(_language: str | None) -> dict[str, tuple[str, str]]:
    """The sign of each kind of delta and its words, in the language in which the page speaks."""
    return {
        "none": ("–%s", gettext("no rating before")),
        "same": ("±%s", gettext("unchanged")),
        "up": ("+%s ▲", gettext("up %(size)s")),
        "down": ("−%s ▼", gettext("down %(size)s")),
    }


@register.simple_tag
def difference(before: Decimal | None, after: Decimal | None, places: int = 1) -> SafeString:
    """The points between two ratings that stand beside it, as they are shown."""
    found: SafeString = delta(difference_shown(before, after, places), places)
    return found


@register.inclusion_tag("components/findings.html", takes_context=True)
def findings(context: Context, found: Iterable[Any], empty: str = "") -> dict[str, Any]:
    """Findings grouped by level, the gravest first, in their own order within a level."""
    order = list(LEVELS)
    ranked = sorted(found, key=lambda finding: order.index(finding.level))
    groups = [
        _group(level, list(members)) for level, members in groupby(ranked, lambda finding: finding.level)
    ]
    return {"groups": groups, "empty": empty, "office": context.get("office")}


def _group(level: str, members: list[Any]) -> dict[str, Any]:
    words, icon, advice = LEVELS[level]
    told = {"level": _plain(level), "words": words, "icon": icon, "advice": advice}
    return told | {"count": len(members), "causes": _by_cause(members)}


def _by_cause(members: Iterable[Any]) -> list[dict[str, Any]]:
    """Findings by their cause, in the order of the first of each: the first ones shown, many more folded."""
    causes: dict[object, list[Any]] = {}
    for finding in members:
        causes.setdefault(getattr(finding, "cause", "") or id(finding), []).append(finding)
    return [
        {"shown": each[:SHOWN_OF_A_CAUSE], "folded": each[SHOWN_OF_A_CAUSE:]}
        if len(each) > FEW_OF_A_CAUSE
        else {"shown": each, "folded": []}
        for each in causes.values()
    ]


def _plain(level: str) -> str:
    """The plain text of a level given as text or as a member of a text enumeration."""
    return str(getattr(level, "value", level))


FEW_OF_A_CAUSE, SHOWN_OF_A_CAUSE = 4, 2
"""The most findings of one cause that all stand on the page, and how many of more do."""


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
