"""Template tags and filters of all pages: presentation only, no queries. docs/design.md shows each in use.

Besides the design system's parts they draw rating curves, write days and languages, work out addresses
(`url`) and write the rows of tables quickly.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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
from django.template.defaulttags import URLNode
from django.template.defaulttags import url as django_url
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
from players.access import page_of
from players.languages import alternates, canonical_path, said_by
from players.models import Federation, User
from players.settings import today, zone_of

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
    "asks": (gettext_lazy("We need to ask"), "question", gettext_lazy("The file does not say; you do.")),
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
"""Each level of finding: its words, icon and what it asks of the reader; the gravest first."""

UNNUMBERED = {"preamble": gettext_lazy("preamble")}
"""The parts of regulations that have no number."""
PARTS = ("after", "before", "page")
"""The words of an address that ask for another part of one page; all others choose, filter or mark."""

NOTHING = display.filled("")

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
        display.filled('<link rel="canonical" href="{}">', here),
        display.filled('<meta property="og:url" content="{}">', here),
        *(
            display.filled(
                '<link rel="alternate" hreflang="{}" href="{}">',
                code,
                request.build_absolute_uri(there + query),
            )
            for code, there in alternates(path, office)
        ),
    ]
    return display.joined(links, "\n")


@register.simple_tag(takes_context=True)
def on_paper(context: Context) -> SafeString:
    """The line by which a printed page is found again: the day on which it was drawn, by the office's
    calendar, and its full address with all that was chosen, in the reader's language.

    Kept pages hold for one day of the office (`ratings.pages.responses`): none tells yesterday's.
    """
    request, office = context.get("request"), context.get("office")
    if request is None or office is None or not _is_open_to_all(request):
        return NOTHING
    query = f"?{request.GET.urlencode()}" if request.GET else ""
    address = request.build_absolute_uri(canonical_path(escape_uri_path(request.path), office) + query)
    return display.filled(
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
    mark = display.filled(' aria-current="{}"', current) if current else NOTHING
    return display.filled('<li><a href="{}"{}>{}</a></li>', url, mark, label)


@register.simple_tag
def breadcrumb(*parts: Any) -> SafeString:
    """The way to this page, as `label url label url … label`; the last label is the page itself."""
    if len(parts) % 2 == 0:
        raise ValueError(f"The way ends in an address, not in this page's label: {parts[-1]}")
    steps = [
        display.filled('<li><a href="{}">{}</a></li>', url, localize(label))
        for label, url in zip(parts[0:-1:2], parts[1::2], strict=True)
    ]
    return display.filled(
        '<nav class="frame crumbs" aria-label="{}"><ol>{}<li aria-current="page">{}</li></ol></nav>',
        gettext("You are here"),
        display.joined(steps),
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
    return "–" if value is None else _digits(display.as_shown(value, places), language)


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
    found: SafeString = _delta(None if points is None else str(display.as_shown(points, places)), language)
    return found


@lru_cache(maxsize=8192)
def _delta(rounded: str | None, language: str | None) -> SafeString:
    """A page has hundreds of these: they are written from words that are known, not looked up for each."""
    points = None if rounded is None else Decimal(rounded)
    kind = "none" if points is None else "up" if points > 0 else "down" if points else "same"
    sign, words = _delta_words(language)[kind]
    size = "" if points is None else _digits(abs(points), language)
    return display.filled(DELTA, kind, sign % size, words % {"size": size})


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
    found: SafeString = delta(display.difference_shown(before, after, places), places)
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
    told = {"level": str(getattr(level, "value", level)), "words": words, "icon": icon, "advice": advice}
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


STYLES = tuple(
    f"css/{name}.css"
    for name in (
        *("pico", "tokens", "layout", "components", "tables", "forms"),
        *("workings", "ratings", "office", "touch", "print"),
    )
)
"""The sheets in the order in which they are laid over each other."""
ALL_STYLES = "css/all.css"
"""All of these in one, as collected: a first visit asks once, not eleven times."""


@register.simple_tag
def style_links() -> SafeString:
    collected = getattr(staticfiles_storage, "hashed_files", {})
    sheets = (ALL_STYLES,) if ALL_STYLES in collected and not settings.DEBUG else STYLES
    return display.joined(
        (
            display.filled('<link rel="stylesheet" href="{}">', staticfiles_storage.url(sheet))
            for sheet in sheets
        ),
        "\n",
    )


# ---- The tag `url` of all templates: Django's own, but an address is worked out only once for the same
# words.
#
# It takes what stands in addresses as text, and knows each namespace once.
class KnownAddress(URLNode):
    """An address by its view's name: a page has dozens, most of them those of the page before."""

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
    """The address of a view; `_prefix`, that of the reader's language, goes before it."""
    return reverse(view, urls, args=args)


@register.tag
def url(parser: Parser, token: Token) -> KnownAddress:
    made = django_url(parser, token)
    return KnownAddress(made.view_name, made.args, made.kwargs, made.asvar)


# ---- The curve of a rating as a drawing and as a table; its many points are not left to a slow template.
READING = '<tr><th scope="row">{}</th><td class="num">{}</td><td>{}</td></tr>'
DOT = '<circle class="dot" cx="{}" cy="{}" r="2.5"><title>{}</title></circle>'
MARK = '<path class="mark{}" d="{}"><title>{}</title></path>'
LEVEL = '<path class="grid" d="M{} {}H{}" /><text class="y" x="{}" y="{}" dy=".35em">{}</text>'
DAY = '<path class="axis" d="M{} {}v5" /><text class="x" text-anchor="{}" x="{}" y="{}">{}</text>'


@register.inclusion_tag("components/curve.html")
def rating_curve(
    points: Sequence[display.Point],
    title: str,
    places: int = 1,
    marks: Sequence[display.Mark] = (),
    played: Collection[date] | None = None,
) -> dict[str, Any]:
    """A player's rating over time: a drawing, and the same numbers as a table.

    `points`: (day, rating, words) in order of days, the words say what moved it; `marks`: published ratings;
    `played`: the days that get a dot, None: all.
    """
    curve, language = display.draw_curve(points, marks, played) if len(points) > 1 else None, get_language()
    return {
        "title": title,
        "points": points,
        "curve": curve,
        "parts": _parts(curve, places, language) if curve else {},
        "places": places,
        "differing": [mark for mark in marks if mark.differs],
        "readings": _readings(points, marks, places, language),
    }


def _parts(curve: display.Curve, places: int, language: str | None) -> dict[str, SafeString]:
    return {
        "levels": display.joined(_level(tick, curve) for tick in curve.y_ticks),
        "days": display.joined(_day(tick, curve) for tick in curve.x_ticks),
        "dots": display.joined(_dot(dot, places, language) for dot in curve.dots),
        "marks": _marks(curve.marks, places, language),
    }


def _level(tick: display.Tick, curve: display.Curve) -> SafeString:
    return display.filled(
        LEVEL, curve.left, tick.at, curve.right, display.LEFT - 6, tick.at, as_number(tick.label)
    )


def _day(tick: display.Tick, curve: display.Curve) -> SafeString:
    return display.filled(DAY, tick.at, curve.floor, tick.anchor, tick.at, curve.floor + 17, tick.label)


def _dot(dot: display.Dot, places: int, language: str | None) -> SafeString:
    day, value, words = dot.point
    told = f"{day.isoformat()}: {rating_in(language, value, places)}"
    return display.filled(DOT, dot.x, dot.y, f"{told}, {words}" if words else told)


def _marks(marks: Iterable[display.Diamond], places: int, language: str | None) -> SafeString:
    words = gettext("list of %(label)s")

    def told(mark: display.Mark) -> str:
        rating = rating_in(language, mark.rating, places)
        return f"{mark.on.isoformat()}: {rating}, {words % {'label': mark.label}}"

    return display.joined(
        display.filled(MARK, " differs" if mark.differs else "", path, told(mark)) for path, mark in marks
    )


def _readings(
    points: Sequence[display.Point], marks: Sequence[display.Mark], places: int, language: str | None
) -> SafeString:
    """The rows of a curve's table, newest first: each rating with what moved it, and each list's."""
    words, ranked = gettext("List of %(label)s"), gettext(", rank %(rank)s")
    moved = [(day, 0, value, display.filled("{}", told)) for day, value, told in points]
    listed = [(mark.on, 1, mark.rating, _reading(mark, words, ranked)) for mark in marks]
    ordered = sorted((*moved, *listed), key=lambda row: row[:2], reverse=True)
    return display.joined(
        display.filled(READING, day.isoformat(), rating_in(language, value, places), told)
        for day, _at, value, told in ordered
    )


def _reading(mark: display.Mark, words: str, ranked: str) -> SafeString:
    rank = "" if mark.rank is None else ranked % {"rank": mark.rank}
    return display.filled('<a href="{}">{}</a>{}', mark.url, words % {"label": mark.label}, rank)


# ---- Template filters for days in the forms that no setting of Django's names, by language.
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


# ---- Template tags of languages: the switch at a page's foot, and words in a language other than the page's.
CURRENT = format_html(' aria-current="{}"', "true")


@register.inclusion_tag("components/language_switch.html", takes_context=True)
def language_switch(context: Context) -> dict[str, Any]:
    """Context for the switch: a button for each language, by its own name, and the page to come back to."""
    request = context.get("request")
    if request is None or len(settings.LANGUAGES) < 2:
        return {"buttons": ""}
    offered = tuple((code, name) for code, name in settings.LANGUAGES)
    return {"buttons": buttons_of(offered, get_language() or ""), "page": page_of(request)}


@register.filter("said_by")
def said_by_office(words: str, office: Federation | None) -> str:
    """The words of an office's people, marked where the page speaks another language; outside of an office as
    they are.
    """
    return said_by(office, words) if office else words


@cache
def buttons_of(languages: tuple[tuple[str, str], ...], current: str) -> SafeString:
    """Draw the button of each language once for all pages."""
    return format_html_join(
        "\n",
        '<button class="link" name="language" value="{0}" lang="{0}"{2}>{1}</button>',
        ((code, name, CURRENT if code == current else "") for code, name in languages),
    )


@register.filter
def as_day(value: Any) -> str:
    """Write a day as the reader's language does; the record keeps days as text (`2026-06-07`). What is no day
    stays as it is.
    """
    return display.day_in_words(value if isinstance(value, date) else str(value)) if value else ""


# ---- People as an office knows them.
@register.filter
def known_in(user: User, office: Federation) -> str:
    """The name under which the office appointed a person; their own pages may call them otherwise."""
    return office.appointments.filter(user=user).names().get(user.pk, "")


@register.simple_tag(takes_context=True)
def own_zone(context: Context) -> ZoneInfo:
    """The time zone in which the reader's own pages tell times: that of their office."""
    return zone_of(context["request"].user)


# ---- The rows of a django-tables2 table as HTML, written in Python, as a template takes many times as long.
#
# What a table class says holds as in django-tables2: accessors, `render_…` methods, `empty_values`,
# defaults, words of choices, attributes of cells and rows.
Given = dict[str, Any]
RowAttribute = tuple[str, Any, tuple[str, ...] | None]
"""The name of a row's attribute, its value or function, and the arguments that the function takes."""
HEADER_ENDS, CELL_ENDS = display.filled("</th>"), display.filled("</td>")


@register.simple_tag
def table_rows(table: tables.Table) -> SafeString:
    """The table's rows, of the page that it shows; the cell of `row_header` names its row."""
    columns = [Cell(table, column) for column in table.columns]
    row_attributes = [(name, value, _wanted(value)) for name, value in (table.row_attrs or {}).items()]
    line = f"<tr {{}}>{''.join(column.line for column in columns)}</tr>"
    rows = (
        display.filled(
            line,
            _attributes_of(row, row_attributes, table),
            *chain.from_iterable(column.parts(row) for column in columns),
        )
        for row in table.paginated_rows
    )
    return display.joined(rows, "\n")


def _attributes_of(row: BoundRow, attributes: list[RowAttribute], table: tables.Table) -> SafeString:
    """The attributes of a row, as django-tables2 works them out, which looks each function's arguments up for
    each row.
    """
    given = {"record": row.record, "table": table}
    found: Given = {}
    for name, value, wanted in attributes:
        found[name] = value if wanted is None else value(**{each: given[each] for each in wanted})
    named = f"{found['class']} " if found.get("class") else ""
    found["class"] = named + row.get_even_odd_css_class()
    told = {name: value for name, value in found.items() if value is not None}
    return display.filled(" ".join(f'{name}="{{}}"' for name in told), *told.values())


def _wanted(value: Any) -> tuple[str, ...] | None:
    """The names of the arguments that the function of an attribute takes; None for a plain value."""
    if not callable(value):
        return None
    return _parameters(value) or ("record", "table")


class Cell:
    """The cells of one column: how their values are found, put into words and framed, worked out once."""

    def __init__(self, table: tables.Table, column: BoundColumn) -> None:
        self.table, self.column = table, column
        self.accessor = tables.A(column.accessor)
        way, _, self.name = self.accessor.rpartition(tables.A.SEPARATOR)
        self.way = tables.A(way) if way else None
        self.render, self.empty_values = column.render, column.column.empty_values
        render = column.render
        found: Callable[..., Any] = getattr(render, "__func__", render)
        self.wanted = _parameters(found)
        self.row_header = column.name == getattr(table, "row_header", "")
        self.changing = any(callable(value) for value in _attributes(column))
        self.line = "{}{}{}" if self.changing else "{}".join(map(_literal, self._frame()))
        """The cell in the format of a row, with places for what `parts` gives."""

    def parts(self, row: BoundRow) -> tuple[Any, ...]:
        """The cell of a row: its content, or opening tag, content and closing tag where these change."""
        content = self._content(row)
        if not self.changing:
            return (_written(content),)
        self.column.current_value, self.column.current_record = content, row.record
        opening, closing = self._frame()
        return opening, _written(content), closing

    def _frame(self) -> tuple[SafeString, SafeString]:
        """The tags around a cell's content."""
        attributes = self.column.attrs["td"].as_html()
        if self.row_header:
            return display.filled('<th scope="row" {}>', attributes), HEADER_ENDS
        return display.filled('<td data-label="{}" {}>', self.column.header, attributes), CELL_ENDS

    def _content(self, row: BoundRow) -> Any:
        value = self._value(row.record)
        if value in self.empty_values:
            return self.column.default
        if self.wanted == ("value",) and not self.column.link:  # as most columns have it
            return self.render(value)
        given: Given = {
            "value": value,
            "record": row.record,
            "column": self.column.column,
            "bound_column": self.column,
            "bound_row": row,
            "table": self.table,
        }
        wanted = given if self.wanted is None else {name: given[name] for name in self.wanted}
        content = self.render(**wanted)
        return self.column.link(content, **given) if self.column.link else content

    def _value(self, record: Any) -> Any:
        """The value of a record: a choice in its words; None where there is none on the way to it."""
        holder = self.way.resolve(record, quiet=True) if self.way else record
        if isinstance(holder, models.Model):
            if _has_choices(type(holder), self.name):
                return getattr(holder, f"get_{self.name}_display")()
            if not callable(value := getattr(holder, self.name, None)):
                return value
        try:
            return self.accessor.resolve(record)
        except (ValueError, LookupError, TypeError, AttributeError):
            return None


def _written(content: Any) -> Any:
    """The content of a cell as its reader writes numbers and days."""
    if isinstance(content, str):
        return content
    if type(content) is int and -1000 < content < 1000:
        return str(content)  # the same in every language
    return localize(template_localtime(content))


def _literal(text: str) -> str:
    """A text as it stands in a format."""
    return text.replace("{", "{{").replace("}", "}}")


def _attributes(column: BoundColumn) -> Iterator[Any]:
    for part in ("td", "cell"):
        yield from column.column.attrs.get(part, {}).values()


@lru_cache(maxsize=1024)
def _parameters(render: Callable[..., Any]) -> tuple[str, ...] | None:
    """The names of the arguments that a column's function takes; None if it takes whatever there is."""
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
