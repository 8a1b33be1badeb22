"""Template tags and filters of all pages: presentation only, no queries. docs/design.md has the main ones."""

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cache, lru_cache
from itertools import chain, groupby
from typing import Any
from zoneinfo import ZoneInfo

import django_tables2 as tables
from django import template
from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.http import HttpRequest
from django.template.base import Parser, Token
from django.template.context import Context
from django.template.defaulttags import URLNode, url as django_url
from django.template.loader import render_to_string
from django.urls import NoReverseMatch, get_script_prefix, get_urlconf, reverse
from django.utils.encoding import escape_uri_path
from django.utils.formats import date_format, get_format, localize, number_format
from django.utils.functional import Promise
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.timezone import template_localtime  # type: ignore[attr-defined]
from django.utils.translation import get_language, gettext, gettext_lazy, pgettext
from django_tables2.columns import BoundColumn
from django_tables2.rows import BoundRow

from players import display
from players.access import get_return_path, is_public
from players.languages import alternates, canonical_path, mark_language
from players.models import Federation, User
from players.settings import get_office_time_zone, today

register = template.Library()

Words = str | Promise

STAGES: Mapping[str, tuple[Words, str]] = {
    "registered": (gettext_lazy("Registered"), "calendar"),
    "filed": (gettext_lazy("Filed"), "file"),
    "submitted": (gettext_lazy("Submitted"), "send"),
    "rated": (gettext_lazy("Rated"), "seal"),
    "returned": (gettext_lazy("Returned"), "return"),
    "refused": (gettext_lazy("Refused"), "stop"),
    "unrated": (gettext_lazy("Un-rated"), "undo"),
    "cancelled": (gettext_lazy("Cancelled"), "stop"),
    "withdrawn": (gettext_lazy("Withdrawn"), "undo"),
}
"""Each stage's words and icon."""

LEVELS: Mapping[str, tuple[Words, str, Words]] = {
    "blocks": (
        gettext_lazy("Must be corrected"),
        "stop",
        gettext_lazy("The section cannot be submitted while these stand."),
    ),
    "asks": (gettext_lazy("We need to ask"), "question", gettext_lazy("The file does not say. Fill it in.")),
    "waivable": (
        gettext_lazy("The office may waive"),
        "warning",
        gettext_lazy("Submit with a reason, or put it right."),
    ),
    "notice": (
        gettext_lazy("Good to know"),
        "info",
        gettext_lazy(
            "None of this prevents submission. Check whether it is right, and correct what you can."
        ),
    ),
}
"""Each level of finding, the gravest first: its words, icon and advice."""

UNNUMBERED = {"preamble": gettext_lazy("preamble")}
"""Parts of regulations without a number."""
PART_PARAMETERS = ("after", "before", "page")
"""Query parameters that ask for another part of a page; all others filter or mark."""

NOTHING = display.format_escaped("")

NOT_FOUND_MESSAGE = "matches the given query"
"""Django's own message about a missing row, which tells a reader nothing."""

EXCERPT_WIDTH, EXCERPT_LEAD = 72, 14
"""The number of characters shown of a line, and of those before the marked one."""


@register.simple_tag
def version() -> str:
    """The release that this office runs (CONTRIBUTING.md)."""
    return settings.VERSION


@register.simple_tag(takes_context=True)
def canonical(context: Context, path: str = "") -> SafeString:
    """The canonical links of a public page (of `path`, or its own) without filters, in all languages."""
    request = context.get("request")
    if request is None or not _is_open_to_all(request):
        return NOTHING
    parts = {name: request.GET[name] for name in PART_PARAMETERS if request.GET.get(name)}
    path, office = path or escape_uri_path(request.path), getattr(request, "office", None)
    query = f"?{urlencode(parts)}" if parts else ""
    here = request.build_absolute_uri(canonical_path(path, office) + query)
    links = [
        display.format_escaped('<link rel="canonical" href="{}">', here),
        display.format_escaped('<meta property="og:url" content="{}">', here),
        *(
            display.format_escaped(
                '<link rel="alternate" hreflang="{}" href="{}">',
                code,
                request.build_absolute_uri(there + query),
            )
            for code, there in alternates(path, office)
        ),
    ]
    return display.join_escaped(links, "\n")


@register.simple_tag(takes_context=True)
def printed_address_line(context: Context) -> SafeString:
    """The line of a printed page with its day in the office and its full address.

    Cached pages are valid for one day of the office (`ratings.pages.responses`), so the day is right.
    """
    request, office = context.get("request"), context.get("office")
    if request is None or office is None or not _is_open_to_all(request):
        return NOTHING
    query = f"?{request.GET.urlencode()}" if request.GET else ""
    address = request.build_absolute_uri(canonical_path(escape_uri_path(request.path), office) + query)
    return display.format_escaped(
        '<p class="on-paper muted">{} <span class="mono" translate="no">{}</span></p>',
        gettext("Shown on %(day)s:") % {"day": date_format(today(office), "DATE_FORMAT")},
        address,
    )


def _is_open_to_all(request: HttpRequest) -> bool:
    match = request.resolver_match
    return match is not None and is_public(match.func)


@register.simple_tag(takes_context=True)
def nav_link(context: Context, url: str, label: str, above: str = "") -> SafeString:
    """A link of the office's navigation, marked if this page is its target or below it. `above`: the
    addresses, parted by spaces, below which it is marked instead.
    """
    path, roots = getattr(context.get("request"), "path", ""), (above or url).split()
    current = "page" if path == url else "true" if path.startswith(tuple(roots)) else ""
    mark = display.format_escaped(' aria-current="{}"', current) if current else NOTHING
    return display.format_escaped('<li><a href="{}"{}>{}</a></li>', url, mark, label)


@register.simple_tag(takes_context=True)
def breadcrumb(context: Context, *parts: Any) -> SafeString:
    """The breadcrumbs of `label url label url … label`; the last label is this page's.

    A name such as `ratings:desk` stands for that page of the context's office.
    """
    if len(parts) % 2 == 0:
        raise ValueError(f"The way ends in an address, not in this page's label: {parts[-1]}")
    steps = [
        display.format_escaped(
            '<li><a href="{}">{}</a></li>',
            url if "/" in url else reverse(url, args=[context["office"].code]),
            localize(label),
        )
        for label, url in zip(parts[0:-1:2], parts[1::2], strict=True)
    ]
    return display.format_escaped(
        '<nav class="frame crumbs" aria-label="{}"><ol>{}<li aria-current="page">{}</li></ol></nav>',
        gettext("You are here"),
        display.join_escaped(steps),
        localize(parts[-1]),
    )


@register.filter
def reason_for_readers(words: str) -> str:
    """The office's reason why a page is missing; empty if the text is Django's own or a name."""
    return words if words.endswith(".") and NOT_FOUND_MESSAGE not in words else ""


MESSAGE_ICONS = {"error": "stop", "warning": "warning", "success": "check"}


@register.simple_block_tag
def message(content: SafeString, level: str = "info", icon: str = "", role: str | None = None) -> SafeString:
    """A message in a box: `info`, `success`, `warning` or `error`, which screen readers announce."""
    if role is None:
        role = "alert" if level == "error" else ""
    icon = icon or MESSAGE_ICONS.get(level, "info")
    drawn = render_to_string("components/icon.html", {"name": icon})
    box = '<div class="message message-{}"{}>{}<div>{}</div></div>'
    return display.format_escaped(box, level, _attribute("role", role), drawn, content)


@register.simple_block_tag
def scroll_table(
    content: SafeString,
    label: str,
    *headings: str,
    num: str = "",
    wide: str = "",
    css: str = "",
    caption: bool = False,
) -> SafeString:
    """A table that scrolls by itself where it is too wide.

    `content` is its rows, or all of it without `headings`. `num` has the places of columns of numbers, `wide`
    of those that narrow screens leave out; `caption`: the label is the table's caption, for screen readers.
    """
    if headings:
        kinds = dict.fromkeys(num.split(), "num") | dict.fromkeys(wide.split(), "num wide")
        cells = [
            display.format_escaped(
                '<th scope="col"{}>{}</th>', _attribute("class", kinds.get(str(place), "")), each
            )
            for place, each in enumerate(headings, 1)
        ]
        frame = "<thead><tr>{}</tr></thead><tbody>{}</tbody>"
        content = display.format_escaped(frame, display.join_escaped(cells), content)
    named = '<caption class="visually-hidden">{}</caption>' if caption else ""
    return display.format_escaped(
        '<div class="table-scroll" role="region" aria-label="{}" tabindex="0"><table{}>'
        + named
        + "{}</table></div>",
        *(label, _attribute("class", css), *([label] if caption else []), content),
    )


def _attribute(name: str, value: str) -> SafeString:
    return display.format_escaped(' {}="{}"', name, value) if value else NOTHING


@register.inclusion_tag("components/stage.html")
def stage_badge(stage: str) -> dict[str, Any]:
    words, icon = STAGES[stage]
    return {"stage": str(stage), "words": words, "icon": icon}


@register.filter
def clause_label(clause: str) -> str:
    """A clause as readers know it: `§31`, the name of a reading, or an unnumbered part in words."""
    if clause in UNNUMBERED:
        return str(UNNUMBERED[clause])
    return clause if clause.startswith("D-") else f"§{clause}"


@register.filter
def rating(value: Decimal | int | None, places: int = 1) -> str:
    """A rating rounded half up to `places`; a dash if there is none."""
    return format_rating(get_language(), value, places)


@register.filter
def as_number(text: str) -> str:
    """A number such as `0.30` with the decimal sign of the reader's language."""
    return str(number_format(text))


@register.filter
def grouped(number: int | str) -> str:
    """A whole number with separated thousands: 2,387, 2 387; in Polish from five digits. Texts stay as is."""
    if get_language() == "pl" and isinstance(number, int) and abs(number) < 10_000:
        return str(number)
    return str(intcomma(number)).replace(" ", "\xa0")


def format_rating(language: str | None, value: Decimal | int | None, places: int) -> str:
    """`rating` for a given language: to look the current one up takes longer than all the rest."""
    return "–" if value is None else _digits(display.round_rating(value, places), language)


def _digits(rounded: Decimal, language: str | None) -> str:
    """A rounded number in a language; zero has no sign. Fast, as a page has hundreds."""
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
    """Points gained or lost, with words for screen readers."""
    return format_delta(get_language(), points, places)


def format_delta(language: str | None, points: Decimal | int | None, places: int) -> SafeString:
    """`delta` for a given language."""
    html: SafeString = _delta(None if points is None else str(display.round_rating(points, places)), language)
    return html


@lru_cache(maxsize=8192)
def _delta(rounded: str | None, language: str | None) -> SafeString:
    points = None if rounded is None else Decimal(rounded)
    kind = "none" if points is None else "up" if points > 0 else "down" if points else "same"
    sign, words = _delta_words(language)[kind]
    size = "" if points is None else _digits(abs(points), language)
    return display.format_escaped(DELTA, kind, sign % size, words % {"size": size})


@cache
def _delta_words(_language: str | None) -> dict[str, tuple[str, str]]:
    """The sign and words of each kind of delta, in the current language."""
    return {
        "none": ("–%s", gettext("no rating before")),
        "same": ("±%s", gettext("unchanged")),
        "up": ("+%s ▲", gettext("up %(size)s")),
        "down": ("−%s ▼", gettext("down %(size)s")),
    }


@register.simple_tag
def difference(before: Decimal | None, after: Decimal | None, places: int = 1) -> SafeString:
    """The difference between two ratings as they are shown."""
    html: SafeString = delta(display.rounded_difference(before, after, places), places)
    return html


@register.inclusion_tag("components/findings.html", takes_context=True)
def findings(context: Context, found: Iterable[Any], empty: str = "") -> dict[str, Any]:
    """Findings grouped by level, the gravest first."""
    order = list(LEVELS)
    ranked = sorted(found, key=lambda finding: order.index(finding.level))
    groups = [
        _group(level, list(members)) for level, members in groupby(ranked, lambda finding: finding.level)
    ]
    return {"groups": groups, "empty": empty, "office": context.get("office")}


def _group(level: str, members: list[Any]) -> dict[str, Any]:
    words, icon, advice = LEVELS[level]
    group = {"level": str(getattr(level, "value", level)), "words": words, "icon": icon, "advice": advice}
    return group | {"count": len(members), "causes": _group_by_cause(members)}


UNFOLDED_FINDINGS, SHOWN_FINDINGS = 4, 2
"""Up to how many findings of one cause are all shown, and how many of more are."""


def _group_by_cause(members: Iterable[Any]) -> list[dict[str, Any]]:
    """Findings by their cause, in order; where there are many, all but the first are folded."""
    causes: dict[object, list[Any]] = {}
    for finding in members:
        causes.setdefault(getattr(finding, "cause", "") or id(finding), []).append(finding)
    return [
        {"shown": each[:SHOWN_FINDINGS], "folded": each[SHOWN_FINDINGS:]}
        if len(each) > UNFOLDED_FINDINGS
        else {"shown": each, "folded": []}
        for each in causes.values()
    ]


@register.inclusion_tag("components/excerpt.html")
def excerpt(text: str, line: int | None = None, column: int | None = None) -> dict[str, Any]:
    """A line of a file, cut to a window around the marked column (counted from 1)."""
    at = max((column or 1) - 1, 0)
    start = max(0, at - EXCERPT_LEAD) if len(text) > EXCERPT_WIDTH else 0
    end = start + EXCERPT_WIDTH
    parts = {"before": text[start:at], "mark": text[at : at + 1], "after": text[at + 1 : end]}
    if column is None:
        parts = {"before": text[start:end], "mark": "", "after": ""}
    return {"line": line, "column": column, "cut_before": start > 0, "cut_after": end < len(text), **parts}


STYLES = tuple(
    f"css/{name}.css"
    for name in (
        *("pico", "tokens", "layout", "components", "tables", "forms"),
        *("workings", "ratings", "office", "touch", "print"),
    )
)
"""The style sheets in order."""
ALL_STYLES = "css/all.css"
"""All style sheets in one, made by `collectstatic`, so that a first visit needs one request."""


@register.simple_tag
def style_links() -> SafeString:
    collected = getattr(staticfiles_storage, "hashed_files", {})
    sheets = (ALL_STYLES,) if ALL_STYLES in collected else STYLES
    return display.join_escaped(
        (
            display.format_escaped('<link rel="stylesheet" href="{}">', staticfiles_storage.url(sheet))
            for sheet in sheets
        ),
        "\n",
    )


# ---- The tag `url`: Django's own with a cache of addresses
class CachedURLNode(URLNode):
    """Django's `URLNode` with a cache, as pages have dozens of repeated addresses. Arguments become text."""

    def render(self, context: Context) -> str:
        if self.kwargs:
            return str(super().render(context))
        view, args = self.view_name.resolve(context), [str(each.resolve(context)) for each in self.args]
        urls = get_urlconf() or settings.ROOT_URLCONF
        try:
            address = _address(urls, get_script_prefix(), view, *args)
        except NoReverseMatch:
            if self.asvar is None:
                raise
            address = ""
        if self.asvar:
            context[self.asvar] = address
            return ""
        return conditional_escape(address) if context.autoescape else address


@lru_cache(maxsize=4096)
def _address(urls: str, _prefix: str, view: str, *args: str) -> str:
    """The address of a view; `_prefix`, the language's, is part of the cache's key."""
    return reverse(view, urls, args=args)


@register.tag
def url(parser: Parser, token: Token) -> CachedURLNode:
    node = django_url(parser, token)
    return CachedURLNode(node.view_name, node.args, node.kwargs, node.asvar)


# ---- Rating curves, written in Python because a template is slow for so many points
READING = (
    '<tr data-rating="{}"><th scope="row"><time datetime="{}">{}</time></th><td class="num">{}</td>'
    "<td>{}</td></tr>"
)
LIST_READING = '<a href="{}">{}</a>'
RANK = ", <span data-rank>{}</span>"
DOT = '<circle class="dot" cx="{}" cy="{}" r="2.5"><title>{}</title></circle>'
MARK = '<path class="mark{}" d="{}"><title>{}</title></path>'
GRID_LINE = '<path class="grid" d="M{} {}H{}" /><text class="y" x="{}" y="{}" dy=".35em">{}</text>'
DAY_TICK = '<path class="axis" d="M{} {}v5" /><text class="x" text-anchor="{}" x="{}" y="{}">{}</text>'


@register.inclusion_tag("components/curve.html")
def rating_curve(
    points: Sequence[display.Point],
    title: str,
    places: int = 1,
    marks: Sequence[display.Mark] = (),
    played: Collection[date] | None = None,
    *,
    until: date | None = None,
    beside: Sequence[display.Point] = (),
    beside_title: str = "",
    month_url: str = "",
) -> dict[str, Any]:
    """A player's rating over time as a drawing and as a table, which static/js/curve.js reads aloud.

    `points`: (day, rating, words on what changed it) in order of days; `marks`: published ratings; `played`:
    the days that get a dot (default: all); `until`: the day up to which the last rating held; `beside`:
    another curve laid over it; `month_url`: the address of a month's statement but for the month.
    """
    curve, language = None, get_language()
    if len(points) > 1 or (points and until and until > points[0][0]):
        curve = display.draw_curve(points, marks, played, beside, until)
    return {
        "title": title,
        "points": points,
        "curve": curve,
        "parts": _draw_parts(curve, places, language) if curve else {},
        "places": places,
        "differing": [mark for mark in marks if mark.differs],
        "readings": _readings(points, marks, places, language),
        "beside_title": beside_title if beside else "",
        "beside_readings": _readings(beside, (), places, language),
        "month_url": month_url,
    }


def _draw_parts(curve: display.Curve, places: int, language: str | None) -> dict[str, SafeString]:
    left, floor, list_words = display.LEFT - 6, curve.floor, gettext("list of %(label)s")

    def draw_dot(dot: display.Dot) -> SafeString:
        x, y, (day, value, words) = dot
        title = f"{day.isoformat()}: {format_rating(language, value, places)}"
        return display.format_escaped(DOT, x, y, f"{title}, {words}" if words else title)

    def draw_mark(path: str, mark: display.Mark) -> SafeString:
        rating = format_rating(language, mark.rating, places)
        title = f"{mark.on.isoformat()}: {rating}, {list_words % {'label': mark.label}}"
        return display.format_escaped(MARK, " differs" if mark.differs else "", path, title)

    return {
        "levels": display.join_escaped(
            display.format_escaped(GRID_LINE, curve.left, at, curve.right, left, at, as_number(label))
            for at, label, _anchor in curve.y_ticks
        ),
        "days": display.join_escaped(
            display.format_escaped(DAY_TICK, at, floor, anchor, at, floor + 17, label)
            for at, label, anchor in curve.x_ticks
        ),
        "dots": display.join_escaped(map(draw_dot, curve.dots)),
        "marks": display.join_escaped(draw_mark(path, mark) for path, mark in curve.marks),
    }


def _readings(
    points: Sequence[display.Point], marks: Sequence[display.Mark], places: int, language: str | None
) -> SafeString:
    """The rows of a curve's table, newest first: each rating with what changed it, and those of lists."""
    list_words, rank_words = gettext("List of %(label)s"), gettext("rank %(rank)s")
    rows = [(day, 0, value, display.format_escaped("{}", words)) for day, value, words in points]
    for mark in marks:
        words = display.format_escaped(LIST_READING, mark.url, list_words % {"label": mark.label})
        if mark.rank is not None:
            rank = display.format_escaped(RANK, rank_words % {"rank": mark.rank})
            words = display.join_escaped([words, rank])
        rows.append((mark.on, 1, mark.rating, words))
    return display.join_escaped(
        display.format_escaped(
            READING,
            str(value),
            day.isoformat(),
            date_format(day, "SHORT_DATE_FORMAT"),
            format_rating(language, value, places),
            words,
        )
        for day, _order, value, words in sorted(rows, key=lambda row: row[:2], reverse=True)
    )


# ---- Days in forms that no setting of Django has
@register.filter
def day_alone(day: date) -> str:
    """The first of several days in one month: 26 in English, 26. in Czech."""
    return date_format(day, pgettext("form of a day", "j"))


@register.filter
def day_before_digits(day: date) -> str:
    """The first of several days in one month, before one in digits: 6 in English, 06 in Russian."""
    return date_format(day, pgettext("form of a day before one in digits", "j"))


@register.filter
def day_and_month(day: date) -> str:
    """A day whose year stands elsewhere: 1 October, 1. října."""
    return date_format(day, pgettext("form of a day", "j E"))


@register.filter(expects_localtime=True)
def moment(at: datetime, form: str = "DATETIME_FORMAT") -> str:
    """A day and time, with the time zone: 7 June 2026, 15:04 UTC."""
    return f"{date_format(at, form)} {date_format(at, 'e')}"


# ---- Languages
ARIA_CURRENT = format_html(' aria-current="{}"', "true")


@register.inclusion_tag("components/language_switch.html", takes_context=True)
def language_switch(context: Context) -> dict[str, Any]:
    """A button for each language, by its own name, and the page to return to."""
    request = context.get("request")
    if request is None or len(settings.LANGUAGES) < 2:
        return {"buttons": ""}
    offered = tuple((code, name) for code, name in settings.LANGUAGES)
    return {"buttons": language_buttons(offered, get_language() or ""), "page": get_return_path(request)}


@register.filter("said_by")
def mark_office_language(words: str, office: Federation | None) -> str:
    """The words of an office's people, marked with their language if the page is in another one."""
    return mark_language(office, words) if office else words


@cache
def language_buttons(languages: tuple[tuple[str, str], ...], current: str) -> SafeString:
    return format_html_join(
        "\n",
        '<button class="link" name="language" value="{0}" lang="{0}"{2}>{1}</button>',
        ((code, name, ARIA_CURRENT if code == current else "") for code, name in languages),
    )


@register.filter
def as_day(value: Any) -> str:
    """A day, or an ISO day as the record stores it, in the reader's language; other texts as they are."""
    return display.day_in_words(value if isinstance(value, date) else str(value)) if value else ""


# ---- People
@register.filter
def known_in(user: User, office: Federation) -> str:
    """A person's name in this office's appointments."""
    return office.appointments.filter(user=user).names().get(user.pk, "")


@register.simple_tag(takes_context=True)
def own_zone(context: Context) -> ZoneInfo:
    """The time zone of the reader's own office."""
    return get_office_time_zone(context["request"].user)


# ---- Rows of django-tables2 tables, written in Python because a template takes many times as long
#
# They work as in django-tables2: accessors, `render_…` methods, `empty_values`, defaults, labels of choices,
# attributes of cells and rows.
Given = dict[str, Any]
RowAttribute = tuple[str, Any, tuple[str, ...] | None]
"""The name of a row's attribute, its value or function, and the function's arguments."""
HEADER_ENDS, CELL_ENDS = display.format_escaped("</th>"), display.format_escaped("</td>")


@register.simple_tag
def table_rows(table: tables.Table) -> SafeString:
    """The rows of the table's current page; the column `row_header` has the headers of the rows."""
    columns = [ColumnCells(table, column) for column in table.columns]
    row_attributes = [(name, value, _arguments(value)) for name, value in (table.row_attrs or {}).items()]
    line = f"<tr {{}}>{''.join(column.line for column in columns)}</tr>"
    rows = (
        display.format_escaped(
            line,
            _attributes_of(row, row_attributes, table),
            *chain.from_iterable(column.parts(row) for column in columns),
        )
        for row in table.paginated_rows
    )
    return display.join_escaped(rows, "\n")


def _attributes_of(row: BoundRow, attributes: list[RowAttribute], table: tables.Table) -> SafeString:
    """The attributes of a row, as in django-tables2, which inspects each function again for each row."""
    given = {"record": row.record, "table": table}
    found: Given = {}
    for name, value, arguments in attributes:
        found[name] = value if arguments is None else value(**{each: given[each] for each in arguments})
    own_class = f"{found['class']} " if found.get("class") else ""
    found["class"] = own_class + row.get_even_odd_css_class()
    present = {name: value for name, value in found.items() if value is not None}
    return display.format_escaped(" ".join(f'{name}="{{}}"' for name in present), *present.values())


def _arguments(value: Any) -> tuple[str, ...] | None:
    """The names of the arguments of an attribute's function; None for a plain value."""
    return (_parameters(value) or ("record", "table")) if callable(value) else None


class ColumnCells:
    """The cells of one column; how to find, format and frame their values is computed once."""

    def __init__(self, table: tables.Table, column: BoundColumn) -> None:
        self.table, self.column = table, column
        self.accessor = tables.A(column.accessor)
        path, _, self.name = self.accessor.rpartition(tables.A.SEPARATOR)
        self.path = tables.A(path) if path else None
        self.render, self.empty_values = column.render, column.column.empty_values
        self.arguments = _parameters(getattr(column.render, "__func__", column.render))
        self.row_header = column.name == getattr(table, "row_header", "")
        attributes = (column.column.attrs.get(part, {}).values() for part in ("td", "cell"))
        self.changing = any(callable(value) for values in attributes for value in values)
        self.line = "{}{}{}" if self.changing else "{}".join(map(_literal, self._frame()))
        """The cell in the format string of a row, with places for `parts`."""

    def parts(self, row: BoundRow) -> tuple[Any, ...]:
        """The content of a row's cell, between its tags if these change from row to row."""
        content = self._content(row)
        if not self.changing:
            return (_localized(content),)
        self.column.current_value, self.column.current_record = content, row.record
        opening, closing = self._frame()
        return opening, _localized(content), closing

    def _frame(self) -> tuple[SafeString, SafeString]:
        attributes = self.column.attrs["td"].as_html()
        if self.row_header:
            return display.format_escaped('<th scope="row" {}>', attributes), HEADER_ENDS
        return display.format_escaped('<td data-label="{}" {}>', self.column.header, attributes), CELL_ENDS

    def _content(self, row: BoundRow) -> Any:
        value = self._value(row.record)
        if value in self.empty_values:
            return self.column.default
        if self.arguments == ("value",) and not self.column.link:  # the usual case, which is fast
            return self.render(value)
        given: Given = {
            "value": value,
            "record": row.record,
            "column": self.column.column,
            "bound_column": self.column,
            "bound_row": row,
            "table": self.table,
        }
        content = self.render(
            **(given if self.arguments is None else {name: given[name] for name in self.arguments})
        )
        return self.column.link(content, **given) if self.column.link else content

    def _value(self, record: Any) -> Any:
        """The value of a record, the label of a choice; None if a part of the accessor's path is missing."""
        owner = self.path.resolve(record, quiet=True) if self.path else record
        if isinstance(owner, models.Model):
            if _has_choices(type(owner), self.name):
                return getattr(owner, f"get_{self.name}_display")()
            if not callable(value := getattr(owner, self.name, None)):
                return value
        try:
            return self.accessor.resolve(record)
        except (ValueError, LookupError, TypeError, AttributeError):
            return None


def _localized(content: Any) -> Any:
    if isinstance(content, str):
        return content
    if type(content) is int and -1000 < content < 1000:
        return str(content)  # the same in every language
    return localize(template_localtime(content))


def _literal(text: str) -> str:
    """Escape a text for a format string."""
    return text.replace("{", "{{").replace("}", "}}")


@lru_cache(maxsize=1024)
def _parameters(render: Callable[..., Any]) -> tuple[str, ...] | None:
    """The names of a function's arguments without `self`; None if it takes any (`**kwargs`)."""
    parameters = inspect.signature(render).parameters
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return None
    return tuple(name for name in parameters if name != "self")


@lru_cache(maxsize=4096)
def _has_choices(model: type[models.Model], name: str) -> bool:
    try:
        field = model._meta.get_field(name)
    except FieldDoesNotExist:
        return False
    return bool(getattr(field, "choices", None))
