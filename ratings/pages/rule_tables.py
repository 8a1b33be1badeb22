"""Pages of tables that a federation's rules yield beside ratings, and of the calculators by a clause.

Tables are put into words first: players, events and clauses become links, and message keys become messages.
Each can be had as CSV. A page may have tables of a day, a season, or a month and a track.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

from django import forms
from django.http import Http404, HttpResponseBase, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import formats
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as later

from players.access import OfficeRequest, public
from players.display import with_own_sign
from players.models import Federation, Player
from players.settings import today
from players.storage import cache
from ratings.models import Fact, RatingList
from ratings.pages.filters import day_asked
from ratings.pages.responses import cached_page, file_response
from ratings.pages.tables import track_of
from ratings.results import as_of, before_each, first_day, sections_of
from ratings.rule_tables import done, moved_last, moves_next
from ratings.rule_tables import tables_of as stored_tables
from ratings.rulesets.downloads import csv_bytes, disarmed
from ratings.rulesets.facts import RuleTable, Value, Working, WorkingStep
from ratings.rulesets.journal_lines import plain
from ratings.rulesets.profile import Calculator, Page, pages_of
from ratings.rulesets.ruleset import CONTEXT, Edition, Ruleset, Track
from ratings.workings import StepRow, clause_url, step_rows
from tournaments.models import Section, Stage
from tournaments.sections import form_field

PLACES = 4
PAGE = 100
COMMON = {
    "rank": later("Rank"),
    "player": later("Player"),
    "rating": later("Rating"),
    "games": later("Games"),
    "section": later("Event"),
    "clause": later("Clause"),
    "before-the-day": later("The day before"),
    "moved": later("Change"),
}
"""Names of common columns, where a federation's own messages give none."""

Cells = tuple[Value | tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class WordedCell:
    label: str
    """The label of its column, for cards on a phone."""
    words: str
    url: str = ""
    clause: str = ""
    """The clause that the link opens."""
    number: bool = False
    head: bool = False
    """Whether it names its row."""


@dataclass(slots=True)
class WordedTable:
    """A table of the rules as a page shows it, in words, with links to its other pages and its file."""

    name: str
    title: str
    about: str
    columns: list[tuple[str, bool]]
    """The columns, each with whether it holds numbers."""
    rows: list[tuple[list[WordedCell], dict[str, str]]]
    """The cells of each row, and the values that an official's decision on it needs."""
    total: int
    part: str = ""
    confirms: bool = False
    tied: tuple[Player, ...] = ()
    csv: str = ""
    """The address of the whole table as a file."""
    earlier: str = ""
    """The query of the page before; empty if there is none."""
    later: str = ""


@dataclass(frozen=True, slots=True)
class NamesInTables:
    """The people and sections that some rows mention, looked up once for all."""

    office: Federation
    players: Mapping[str, Player]
    sections: Mapping[str, Section]
    """Sections by id, or by the journal's line of their rating."""
    edition: Edition
    """The edition whose clauses the rows cite."""


OF_SECTIONS = (
    *("section__code", "section__name", "section__starts", "section__ends"),
    *("section__event__number", "section__event__name", "section__event__federation"),
)
"""The fields of the sections of rated lines by which a table tells them."""


def names_in(
    office: Federation, tables: Iterable[RuleTable], edition: Edition | None = None
) -> NamesInTables:
    """Look up the people and sections that tables mention, in three queries at most. `edition`: the one whose
    clauses they cite; None: the newest.
    """
    named: dict[str, set[str]] = {"player": set(), "section": set(), "line": set()}
    for table in tables:
        named["player"].update(table.tied)
        for column in named.keys() & set(table.columns):
            at = table.columns.index(column)
            named[column].update(str(row[at]) for row in table.rows)
    people = Player.objects.of(office).filter(number__in=named["player"])
    people = people.select_related("federation").defer("born", "sex")
    players = {player.number: player for player in people} if named["player"] else {}
    sections = sections_of(office, named["section"]) | _rated(office, named["line"])
    return NamesInTables(office, players, sections, edition or office.ruleset.newest)


def _rated(office: Federation, lines: set[str]) -> dict[str, Section]:
    if not lines:
        return {}
    rows = Fact.objects.filter(federation=office, number__in=lines, section__isnull=False)
    found = rows.select_related("section__event").only("number", *OF_SECTIONS)
    sections = {str(row.number): row.section for row in found if row.section}
    for section in sections.values():
        section.event.federation = office
    return sections


# ---------------------------------------------------------------- in words
def worded_tables(office: Federation, tables: Sequence[RuleTable], edition: Edition) -> list[WordedTable]:
    """Put the tables of a rating's working into words, all rows, with clauses cited from that edition."""
    found = names_in(office, tables, edition)
    return [worded_table(table, found, whole=True) for table in tables]


def label_of(key: str, ruleset: Ruleset) -> str:
    """The heading of a column or table in words; a text that is no message key is shown as it is."""
    return _(ruleset.words.messages.get(key) or COMMON.get(key, key)) if key else ""


def worded_table(
    table: RuleTable, names: NamesInTables, query: QueryDict | None = None, *, whole: bool = False
) -> WordedTable:
    """Put one table into words: the page of rows that `query` asks for, or all of them (`whole`)."""
    ruleset = names.office.ruleset
    labels = [label_of(column, ruleset) for column in table.columns]
    head = table.columns.index("player") if "player" in table.columns else 0
    asked, rows = (1, table.rows) if whole else _cut(table, query)
    return WordedTable(
        name=table.name,
        title=label_of(table.name, ruleset),
        about=label_of(table.about, ruleset),
        columns=list(zip(labels, _numeric(table), strict=True)),
        rows=[
            (
                [
                    _cell(column, label, value, names, head=at == head)
                    for at, (column, label, value) in enumerate(zip(table.columns, labels, row, strict=True))
                ],
                {column: str(value) for column, value in zip(table.columns, row, strict=True)},
            )
            for row in rows
        ],
        total=len(table.rows),
        part=table.part,
        confirms=table.confirms,
        tied=tuple(names.players[number] for number in table.tied if number in names.players),
        earlier=_query(query, table, asked - 1) if asked > 1 else "",
        later=_query(query, table, asked + 1) if asked * PAGE < len(table.rows) else "",
    )


def paged(table: RuleTable, query: QueryDict | None) -> RuleTable:
    """The table with only the rows of the page that `query` asks for: only their names are looked up."""
    _asked, rows = _cut(table, query)
    return RuleTable(table.name, table.columns, tuple(rows), tied=table.tied)


def _cut(table: RuleTable, query: QueryDict | None) -> tuple[int, Sequence[Cells]]:
    text = query.get(f"{table.name}-page", "") if query is not None else ""
    asked = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 1
    asked = max(1, min(asked, -(-len(table.rows) // PAGE)))
    return asked, table.rows[(asked - 1) * PAGE : asked * PAGE]


def _query(query: QueryDict | None, table: RuleTable, page: int) -> str:
    found = query.copy() if query is not None else QueryDict(mutable=True)
    found[f"{table.name}-page"] = str(page)
    return f"?{found.urlencode()}#{table.name}"


def _numeric(table: RuleTable) -> list[bool]:
    """For each column, whether its first value is a number, so that the page aligns the column so."""
    links = ("player", "section", "line", "clause")
    first = table.rows[0] if table.rows else (None,) * len(table.columns)
    return [
        isinstance(value, int | Decimal) and column not in links
        for column, value in zip(table.columns, first, strict=True)
    ]


def _cell(
    column: str, label: str, value: Value | tuple[Value, ...], names: NamesInTables, *, head: bool = False
) -> WordedCell:
    ruleset = names.office.ruleset
    if column == "player" and str(value) in names.players:
        player = names.players[str(value)]
        return WordedCell(label, player.shown_name, player.get_absolute_url(), head=head)
    if column in ("section", "line") and str(value) in names.sections:
        section = names.sections[str(value)]
        return WordedCell(
            label, f"{section.event.name}, {section.name}", section.get_absolute_url(), head=head
        )
    if column == "clause" and value in ruleset.clauses_of(names.edition):
        url = clause_url(names.office, str(value), names.edition)
        return WordedCell(label, str(value), url, clause=str(value))
    several = value if isinstance(value, tuple) else (value,)
    words = ", ".join(in_words(part, ruleset) for part in several if part != "")
    return WordedCell(label, words, number=isinstance(value, int | Decimal), head=head)


def in_words(value: Value, ruleset: Ruleset) -> str:
    """Put a value of a table into words: days and numbers as people write them, message keys as messages."""
    if value is None or value == "":
        return "–"
    if isinstance(value, date):
        return str(formats.date_format(value, "SHORT_DATE_FORMAT"))
    if isinstance(value, Decimal):
        return with_own_sign(format(rounded(value), "f").replace("-", "−"))
    if isinstance(value, int):
        return str(value)
    return _(ruleset.words.messages.get(value, value))


def rounded(value: Decimal) -> Decimal:
    """Round a number half up to the few decimals that a table shows; one with no more stays as it is."""
    if value.as_tuple().exponent < -PLACES:  # type: ignore[operator]
        return value.quantize(Decimal(1).scaleb(-PLACES), ROUND_HALF_UP)
    return value


# ---------------------------------------------------------------- as a file
def as_csv(table: RuleTable, names: NamesInTables) -> bytes:
    """A table as CSV, all rows: players by number and name, events by id and name, words as shown."""
    ruleset = names.office.ruleset
    header: list[str] = []
    for column in table.columns:
        header += [f"{column}_number", column] if column == "player" else [column]
    rows = [
        [
            text
            for column, value in zip(table.columns, row, strict=True)
            for text in _texts(column, value, names, ruleset)
        ]
        for row in table.rows
    ]
    return csv_bytes(header, rows)


def _texts(
    column: str, value: Value | tuple[Value, ...], names: NamesInTables, ruleset: Ruleset
) -> Iterable[str]:
    if column == "player":
        player = names.players.get(str(value))
        return disarmed(str(value)), disarmed(player.shown_name) if player else ""
    if isinstance(value, tuple):
        return (disarmed(" ".join(in_words(part, ruleset) for part in value)),)
    if isinstance(value, Decimal):
        return (plain(value),)
    if isinstance(value, date):
        return (value.isoformat(),)
    if value is None or isinstance(value, int):
        return ("" if value is None else str(value),)
    return (disarmed(_(ruleset.words.messages.get(value, value)) if column != "clause" else value),)


def context_of(
    tables: Sequence[RuleTable], office: Federation, query: QueryDict | None, edition: Edition | None = None
) -> dict[str, Any]:
    """The template context that shows tables of the rules, each cut to the page that `query` asks for."""
    names = names_in(office, [paged(table, query) for table in tables], edition)
    return {"tables": [worded_table(table, names, query) for table in tables]}


# ---- Calculators by a clause: a form without a record, and its answer with each step.
class CalculatorForm(forms.Form):
    """The form of one calculator, with the fields that its ruleset names; an empty field sets no limit."""

    def __init__(self, data: Any, calculator: Calculator) -> None:
        super().__init__(data)
        self.fields |= {field.name: form_field(field) for field in calculator.fields}

    def entries(self) -> list[forms.BoundField]:
        return [field for field in self if field.widget_type != "checkbox"]

    def ticks(self) -> list[forms.BoundField]:
        return [field for field in self if field.widget_type == "checkbox"]

    @property
    def said(self) -> dict[str, Any]:
        return {name: None if value == "" else value for name, value in self.cleaned_data.items()}


def calculator(request: OfficeRequest, page: Page, calculator: Calculator) -> HttpResponseBase:
    """The page of a calculator; every choice is in its address, so that results can be shown to others."""
    asked = bool(request.GET)
    form = CalculatorForm(request.GET if asked else None, calculator)
    context: dict[str, Any] = {"page": page, "form": form}
    if asked and form.is_valid():
        result = calculator.work_out(form.said)
        ruleset = request.office.ruleset
        context["result"] = label_of(result.key, ruleset)
        context["working"] = {"steps": worded_rows(result.steps, request, ruleset.newest)}
    return render(request, "ratings/calculator.html", context, status=400 if form.errors else 200)


def worded_rows(steps: tuple[WorkingStep, ...], request: OfficeRequest, edition: Edition) -> list[StepRow]:
    """Put the steps of a calculation into words for a page, each with its clause of that edition. Values that
    are message keys are translated.
    """
    ruleset = request.office.ruleset
    return step_rows(Working(tuple(worded(step, ruleset) for step in steps)), request.office, edition)


def worded(step: WorkingStep, ruleset: Ruleset) -> WorkingStep:
    inputs = {name: _said(value, ruleset) for name, value in step.inputs.items()}
    return step._replace(inputs=inputs, result=_said(step.result, ruleset))


def _said(value: Any, ruleset: Ruleset) -> Any:
    return label_of(value, ruleset) if isinstance(value, str) and value in ruleset.words.messages else value


# ---- Tables of what sections yield beside ratings, month by month and track by track.
def month_context(request: OfficeRequest, page: Page) -> dict[str, Any]:
    """The context of a page with the table of one month and track, and with all months and tracks."""
    office = request.office
    months = months_of(office)
    month, track = asked(request, months)
    found = tables_of(office, page, month, track.code) if month else []
    context = context_of(found, office, request.GET)
    query = {"month": f"{month:%Y-%m}", "track": track.code} if month else {}
    for table in context["tables"]:
        table.csv = f"{table.name}.csv?{urlencode(query)}"
    return {**context, "month": month, "months": months, "track": track, "tracks": office.ruleset.tracks}


def tables_asked(request: OfficeRequest, page: Page) -> tuple[list[RuleTable], str]:
    """The tables for a CSV download, and the stem of its file name: track and month."""
    month, track = asked(request, months_of(request.office))
    if month is None:
        return [], ""
    return tables_of(request.office, page, month, track.code), f"{track.code}-{month:%Y-%m}"


def asked(request: OfficeRequest, months: list[date]) -> tuple[date | None, Track]:
    """The month and track that the address asks for; by default the newest month and the first track. The
    month is None where no section was rated yet.
    """
    ruleset, text = request.office.ruleset, request.GET.get("month", "")
    code = request.GET.get("track", "")
    track = track_of(ruleset, code) if code else ruleset.tracks[0]
    if not text:
        return next(iter(months), None), track
    for month in months:
        if f"{month:%Y-%m}" == text:
            return month, track
    raise Http404(_("No rated section ended in that month."))


def months_of(office: Federation) -> list[date]:
    """The months in which a rated section ended, newest first."""
    rated = Section.objects.filter(event__federation=office, stage=Stage.RATED)
    return list(rated.dates("ends", "month", order="DESC"))


def tables_of(office: Federation, page: Page, month: date, track: str) -> list[RuleTable]:
    """One table, in a list, of all rated sections that ended in a month, newest section first; an empty list
    if there are none. Cached until the next recompute.
    """
    key = f"sections-{office.pk}-{done(office)}-{page.code}-{month}-{track}"
    if (found := cache.get(key)) is None:
        found = merged(list(_of_sections(office, page, month, track)))
        cache.set(key, found)
    return list(found)


def _of_sections(office: Federation, page: Page, month: date, track: str) -> Iterator[tuple[str, RuleTable]]:
    assert page.of_section is not None
    following = (month + timedelta(31)).replace(day=1)
    facts = Fact.objects.filter(federation=office, kind="rated", section__ends__gte=month)
    rows = facts.filter(section__ends__lt=following).exclude(folded="").order_by("order")
    with localcontext(CONTEXT):
        for fact, state in before_each(office, rows, track):
            if table := page.of_section(state, fact, track):
                yield fact.section.id, table


def merged(found: list[tuple[str, RuleTable]]) -> list[RuleTable]:
    """Merge the tables of sections, each given with its id, into one with a column that names the section."""
    if not found:
        return []
    _section, first = found[0]
    rows = [(row[0], section, *row[1:]) for section, table in reversed(found) for row in table.rows]
    columns = (first.columns[0], "section", *first.columns[1:])
    return [RuleTable(first.name, columns, tuple(rows), answered=False, about=first.about)]


# ---- Pages of further results of a federation's rules: each that its ruleset names, and an index of them.
Query = dict[str, Any]


def page_of(ruleset: Ruleset, code: str) -> Page:
    for page in pages_of(ruleset):
        if page.code == code:
            return page
    raise Http404(_("The rules of this federation have no such page."))


def url_of_table(office: Federation, name: str) -> str:
    """URL of the page with a table."""
    for page in pages_of(office.ruleset):
        if name in page.tables:
            return reverse("ratings:table_page", args=[office.code, page.code])
    return reverse("ratings:tables", args=[office.code])


@public
@cached_page
def tables(request: OfficeRequest) -> HttpResponseBase:
    """The index page: a link to every page of further results, with a sentence on what it shows."""
    return render(request, "ratings/tables.html", {"pages": pages_of(request.office.ruleset)})


@public
@cached_page
def page(request: OfficeRequest, code: str) -> HttpResponseBase:
    found = page_of(request.office.ruleset, code)
    if found.calculator:
        return calculator(request, found, found.calculator)
    context = month_context(request, found) if found.of_section else _of_day(request, found)
    return render(request, "ratings/table_page.html", {"page": found, **context})


def _of_day(request: OfficeRequest, page: Page) -> Query:
    """The template context of a page with the tables of today, or of the day that the address asks for; where
    tables come in seasons, those of one season.
    """
    office, now = request.office, today(request.office)
    on = day_asked(office, request.GET.get("on"), now) or now
    found = stored_tables(office, page, on, now)
    part, parts = chosen(found, request.GET.get("part", ""))
    mine = [table for table in found if table.part in ("", part)]
    context = context_of(mine, office, request.GET, office.ruleset.edition_of_day(on))
    files = {"on": on.isoformat()} if on != now else {}
    for table in context["tables"]:
        table.csv = csv_url(page, table.name, **files, **({"part": table.part} if table.part else {}))
        table.confirms = table.confirms and on == now  # officials decide as of today only
    return {
        **context,
        "on": on,
        "now": now,
        "first": first_day(office) or now,
        "filters": [_seasons(parts, part, files)] if len(parts) > 1 else [],
        **(_ratings(request, on, now) if page.ratings else {}),
    }


def _ratings(request: OfficeRequest, on: date, now: date) -> Query:
    """The context of a page that lists everybody's rating: the last and the next day on which the calendar
    alone moves ratings, and the newest published list.
    """
    office = request.office
    asked = as_of(office, on, now)
    nobody = asked.state(frozenset())
    newest = RatingList.objects.of(office).of_newest_day().current().without_content().first()
    if newest:
        newest.federation = office
    return {
        "moved": moved_last(asked, nobody),
        "moves_next": moves_next(asked, nobody),
        "newest": newest,
    }


def chosen(found: list[RuleTable], asked: str) -> tuple[str, list[str]]:
    """The season to show, the newest unless another is asked for, and all seasons, newest first."""
    parts = sorted({table.part for table in found if table.part}, reverse=True)
    if asked and asked not in parts:
        raise Http404(_("Nothing was scored in this season."))
    return asked or next(iter(parts), ""), parts


def _seasons(parts: list[str], part: str, day: Mapping[str, str]) -> Query:
    options = [
        {"label": each, "url": f"?{urlencode({'part': each, **day})}", "current": each == part}
        for each in parts
    ]
    return {"label": _("Season"), "options": options}


def csv_url(page: Page, name: str, **query: str) -> str:
    """URL of a table's CSV file, relative to its page; `query` keeps the day, season or month shown."""
    return f"{name}.csv?{urlencode(query)}" if query else f"{name}.csv"


@public
@cached_page
def page_csv(request: OfficeRequest, code: str, name: str) -> HttpResponseBase:
    """Download of one table of a page as CSV, all of its rows."""
    found, office = page_of(request.office.ruleset, code), request.office
    if found.of_section:
        tables, stem = tables_asked(request, found)
    else:
        now = today(office)
        on = day_asked(office, request.GET.get("on"), now) or now
        tables, stem = stored_tables(office, found, on, now), on.isoformat()
    part, _parts = chosen(tables, request.GET.get("part", ""))
    for table in tables:
        if table.name == name and table.part in ("", part):
            return file_response(
                as_csv(table, names_in(office, [table])),
                "text/csv; charset=utf-8",
                f"{office.code}-{name}-{stem}.csv",
            )
    raise Http404(_("There is no such table."))
