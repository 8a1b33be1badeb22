"""Pages of tables that a federation's rules yield beside ratings, and of calculators by a clause.

In words, players, events and clauses of a table become links, and message keys become messages. A page has
tables of a day, a season, or a month and a track, each also as CSV.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

from django import forms
from django.http import Http404, HttpResponseBase, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import formats
from django.utils.http import urlencode
from django.utils.translation import gettext as _, gettext_noop as later

from players.access import PUBLIC, OfficeRequest, page
from players.display import localize_decimal
from players.models import Federation, Player
from players.pages.forms import parse_number
from players.settings import edition_in_force, today
from players.writing import page_cache
from ratings.as_if import TableDifference
from ratings.disclosure import get_named_players
from ratings.models import Fact, RatingList
from ratings.pages.filters import parse_day
from ratings.pages.responses import cached_page, unindexed_file_response
from ratings.pages.tables import get_track_or_404
from ratings.results import (
    as_of,
    find_first_journal_day,
    get_sections,
    get_sections_by_line,
    iterate_states_before,
)
from ratings.rule_tables import (
    find_last_calendar_move_day,
    find_next_calendar_move_day,
    get_page_tables as stored_tables,
    get_recompute_number,
)
from ratings.rulesets.downloads import csv_bytes, disarm_cell
from ratings.rulesets.facts import TOGETHER, RuleTable, Value, Working, WorkingStep
from ratings.rulesets.journal_lines import plain
from ratings.rulesets.profile import Calculator, Page, pages_of
from ratings.rulesets.ruleset import CONTEXT, Edition, Ruleset, Track
from ratings.workings import (
    NO_DECIMALS,
    Decimals,
    StepRow,
    clause_url,
    count_decimals,
    message_in_words,
    step_rows,
)
from tournaments.models import Section, Stage
from tournaments.sections import build_own_field

MOST_DECIMALS = 4
ROWS_PER_PAGE = 50
COMMON_COLUMN_LABELS = {
    "rank": later("Rank"),
    "player": later("Player"),
    "rating": later("Rating"),
    "games": later("Games"),
    "section": later("Event"),
    "clause": later("Clause"),
    "before-the-day": later("The day before"),
    "moved": later("Change"),
    TOGETHER: later("Together"),
}
"""Labels of common columns, where a federation's own messages have none."""

Cells = tuple[Value | tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class WordedCell:
    words: str
    url: str = ""
    clause: str = ""
    """The clause that the link opens."""
    number: bool = False
    head: bool = False
    """Whether it names its row."""


@dataclass(slots=True)
class WordedTable:
    """A table of the rules in words, with links to its other pages and its file."""

    name: str
    title: str
    about: str
    columns: list[tuple[str, str]]
    """The columns, each with its kind: `num` of numbers, `head` of what names the rows."""
    rows: list[tuple[list[WordedCell], dict[str, str]]]
    """The cells of each row, and the values that an official's decision on it needs."""
    total: int
    part: str = ""
    confirms: bool = False
    tied: tuple[Player, ...] = ()
    csv: str = ""
    """The URL of the whole table as a file."""
    earlier: str = ""
    """The query of the page before; empty if there is none."""
    later: str = ""


@dataclass(frozen=True, slots=True)
class NamesInTables:
    """The players and sections that tables mention."""

    office: Federation
    players: Mapping[str, Player]
    sections: Mapping[str, Section]
    """Sections by id, or by the journal's line of their rating."""
    edition: Edition
    """The edition whose clauses the rows cite."""
    decimals: Decimals = field(default_factory=dict)
    """The numbers printed with more decimals than others."""


def load_names(
    office: Federation,
    tables: Iterable[RuleTable],
    edition: Edition | None = None,
    decimals: Decimals = NO_DECIMALS,
) -> NamesInTables:
    """Load the players and sections that tables mention, in three queries at most.

    `edition`: the one whose clauses the tables cite; by default the newest.
    """
    mentioned: dict[str, set[str]] = {"player": set(), "section": set(), "line": set()}
    for table in tables:
        mentioned["player"].update(table.tied)
        for column in mentioned.keys() & set(table.columns):
            at = table.columns.index(column)
            mentioned[column].update(str(row[at]) for row in table.rows)
    players = get_named_players(office, mentioned["player"])
    sections = get_sections(office, mentioned["section"]) | get_sections_by_line(
        office, mentioned["line"] - {TOGETHER}
    )
    return NamesInTables(office, players, sections, edition or edition_in_force(office), decimals)


# ---- Tables in words
def worded_tables(
    office: Federation, tables: Sequence[RuleTable], edition: Edition, decimals: Decimals = NO_DECIMALS
) -> list[WordedTable]:
    """Put tables into words, all rows, with clauses cited from that edition."""
    names = load_names(office, tables, edition, decimals)
    return [worded_table(table, names, whole=True) for table in tables]


@dataclass(frozen=True, slots=True)
class WordedDifference:
    """A player's row in a table of the rules that would be another."""

    table: str
    player: Player | None
    cells: list[tuple[str, str, str]]
    """The label, and the words before and after, of each value that differs."""
    about: str
    """What the table is about."""


def worded_differences(
    office: Federation, differences: Sequence[TableDifference], section: Section
) -> list[WordedDifference]:
    """Put differences of the rules' tables into words, by the edition of a section (D-9)."""
    edition = office.ruleset.edition_on_or_first(section.starts)
    names = load_names(office, [each.table for each in differences], edition)
    people = get_named_players(office, {each.player for each in differences})
    found = []
    for each in differences:
        columns = each.table.columns
        nothing = (None,) * len(columns)
        rows = [
            [_cell(column, value, names).words for column, value in zip(columns, row, strict=True)]
            for row in (each.before or nothing, each.after or nothing)
        ]
        cells = [
            (label_of(column, office.ruleset), old, new)
            for column, old, new in zip(columns, *rows, strict=True)
            if old != new and column != "player"
        ]
        title = " ".join(filter(None, (label_of(each.table.name, office.ruleset), each.table.part)))
        about = message_in_words(each.table.about, office.ruleset, edition)
        found.append(WordedDifference(title, people.get(each.player), cells, about))
    return found


def label_of(key: str, ruleset: Ruleset) -> str:
    """The message of a key, or of a common column; a text that is no key is returned as it is."""
    return _(ruleset.words.messages.get(key) or COMMON_COLUMN_LABELS.get(key, key)) if key else ""


def worded_table(
    table: RuleTable, names: NamesInTables, query: QueryDict | None = None, *, whole: bool = False
) -> WordedTable:
    """Put one table into words: the page of rows that `query` asks for, or all of them (`whole`)."""
    ruleset = names.office.ruleset
    labels = [label_of(column, ruleset) for column in table.columns]
    head = table.columns.index("player") if "player" in table.columns else 0
    page, rows = (1, table.rows) if whole else _page_rows(table, query)
    return WordedTable(
        name=table.name,
        title=label_of(table.name, ruleset),
        about=message_in_words(table.about, ruleset, names.edition),
        columns=[
            (label, "head" if at == head else "num" if numeric else "")
            for at, (label, numeric) in enumerate(zip(labels, _numeric(table), strict=True))
        ],
        rows=[
            (
                [
                    _cell(column, value, names, head=at == head)
                    for at, (column, value) in enumerate(zip(table.columns, row, strict=True))
                ],
                {column: str(value) for column, value in zip(table.columns, row, strict=True)},
            )
            for row in rows
        ],
        total=len(table.rows),
        part=table.part,
        confirms=table.confirms,
        tied=tuple(names.players[number] for number in table.tied if number in names.players),
        earlier=_page_query(query, table, page - 1) if page > 1 else "",
        later=_page_query(query, table, page + 1) if page * ROWS_PER_PAGE < len(table.rows) else "",
    )


def _page_rows(table: RuleTable, query: QueryDict | None) -> tuple[int, Sequence[Cells]]:
    """The number of the page that `query` asks for, and its rows."""
    asked = parse_number(query.get(f"{table.name}-page")) if query is not None else None
    page = max(1, min(asked or 1, -(-len(table.rows) // ROWS_PER_PAGE)))
    return page, table.rows[(page - 1) * ROWS_PER_PAGE : page * ROWS_PER_PAGE]


def _page_query(query: QueryDict | None, table: RuleTable, page: int) -> str:
    changed = query.copy() if query is not None else QueryDict(mutable=True)
    changed[f"{table.name}-page"] = str(page)
    return f"?{changed.urlencode()}#{table.name}"


def _numeric(table: RuleTable) -> list[bool]:
    """For each column, whether its first value is a number, by which the page aligns it."""
    links = ("player", "section", "line", "clause")
    first = table.rows[0] if table.rows else (None,) * len(table.columns)
    return [
        isinstance(value, int | Decimal) and column not in links
        for column, value in zip(table.columns, first, strict=True)
    ]


def _cell(
    column: str, value: Value | tuple[Value, ...], names: NamesInTables, *, head: bool = False
) -> WordedCell:
    ruleset = names.office.ruleset
    if column == "player" and str(value) in names.players:
        player = names.players[str(value)]
        return WordedCell(player.shown_name, player.get_absolute_url(), head=head)
    if column in ("section", "line") and str(value) in names.sections:
        section = names.sections[str(value)]
        return WordedCell(f"{section.event.name}, {section.name}", section.get_absolute_url(), head=head)
    if column == "clause" and value in ruleset.clauses_of(names.edition):
        url = clause_url(names.office, str(value), names.edition)
        return WordedCell(str(value), url, clause=str(value))
    several = value if isinstance(value, tuple) else (value,)
    words = ", ".join(worded_value(part, ruleset, names.decimals) for part in several if part != "")
    return WordedCell(words, number=isinstance(value, int | Decimal), head=head)


def worded_value(value: Value, ruleset: Ruleset, decimals: Decimals = NO_DECIMALS) -> str:
    """Put a value into words: days and numbers as people write them, message keys as messages."""
    if value is None or value == "":
        return "–"
    if isinstance(value, date):
        return str(formats.date_format(value, "SHORT_DATE_FORMAT"))
    if isinstance(value, Decimal):
        most = count_decimals(value, decimals, MOST_DECIMALS)
        if value.as_tuple().exponent < -most:  # type: ignore[operator]
            value = value.quantize(Decimal(1).scaleb(-most), ROUND_HALF_UP)
        return localize_decimal(format(value, "f").replace("-", "−"))
    if isinstance(value, int):
        return str(value)
    return label_of(value, ruleset)


# ---- Tables as files
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
            for text in _csv_cells(column, value, names, ruleset)
        ]
        for row in table.rows
    ]
    return csv_bytes(header, rows)


def _csv_cells(
    column: str, value: Value | tuple[Value, ...], names: NamesInTables, ruleset: Ruleset
) -> Iterable[str]:
    if column == "player":
        player = names.players.get(str(value))
        return disarm_cell(str(value)), disarm_cell(player.shown_name) if player else ""
    if isinstance(value, tuple):
        return (disarm_cell(" ".join(worded_value(part, ruleset) for part in value)),)
    if isinstance(value, Decimal):
        return (plain(value),)
    if isinstance(value, date):
        return (value.isoformat(),)
    if value is None or isinstance(value, int):
        return ("" if value is None else str(value),)
    return (disarm_cell(_(ruleset.words.messages.get(value, value)) if column != "clause" else value),)


ROWS_IN_SIGHT, MOST_LOOKED_FOR = 12, 1_000
"""The most rows in which nobody needs to be looked for, and the most players whom a text finds."""
KEPT_WITH_FIND = ("on", "part", "month", "track")
"""What a page keeps in its address while a name is looked for."""


def tables_context(
    tables: Sequence[RuleTable], office: Federation, query: QueryDict | None, edition: Edition | None = None
) -> dict[str, Any]:
    """The context with tables in words, each the page that `query` asks for, or with those players alone whom
    it looks for (`find`).
    """
    wanted = query.get("find", "").strip()[:60] if query is not None else ""
    long = any(len(table.rows) > ROWS_IN_SIGHT and "player" in table.columns for table in tables)
    if wanted:
        tables = _narrow_to_players(tables, office, wanted)
    pages = [
        RuleTable(table.name, table.columns, tuple(_page_rows(table, query)[1]), tied=table.tied)
        for table in tables
    ]
    names = load_names(office, pages, edition)
    return {
        "tables": [worded_table(table, names, query) for table in tables],
        "find": wanted,
        "findable": long,
        "kept": [(name, value) for name, value in query.items() if name in KEPT_WITH_FIND] if query else [],
    }


def _narrow_to_players(tables: Sequence[RuleTable], office: Federation, wanted: str) -> list[RuleTable]:
    """The tables with rows of the players whom the search of the register finds, without the others."""
    found = Player.objects.of(office).current().matching(wanted).values_list("number", flat=True)
    numbers, narrowed = set(found[:MOST_LOOKED_FOR]), []
    for table in tables:
        at = table.columns.index("player") if "player" in table.columns else None
        rows = () if at is None else tuple(row for row in table.rows if str(row[at]) in numbers)
        narrowed += [replace(table, rows=rows, tied=())] if rows else []
    return narrowed


# ---- Calculators by a clause
class QuestionForm(forms.Form):
    """A form with fields that a ruleset names."""

    def entries(self) -> list[forms.BoundField]:
        return [field for field in self if field.widget_type != "checkbox"]

    def ticks(self) -> list[forms.BoundField]:
        return [field for field in self if field.widget_type == "checkbox"]

    @property
    def answers(self) -> dict[str, Any]:
        """The cleaned data, with None for empty fields."""
        return {name: None if value == "" else value for name, value in self.cleaned_data.items()}


class CalculatorForm(QuestionForm):
    def __init__(self, data: Any, calculator: Calculator) -> None:
        super().__init__(data)
        self.fields |= {field.name: build_own_field(field) for field in calculator.fields}


def render_calculator(request: OfficeRequest, page: Page, calculator: Calculator) -> HttpResponseBase:
    """The page of a calculator; all answers are in its address, so that results can be shared."""
    form = CalculatorForm(request.GET or None, calculator)
    context: dict[str, Any] = {"page": page, "form": form}
    if form.is_valid():
        edition = edition_in_force(request.office)
        result = calculator.work_out(edition.rules, form.answers)
        context["result"] = label_of(result.key, request.office.ruleset).format(**result.inputs)
        context["working"] = {"steps": worded_steps(result.steps, request, edition)}
    return render(request, "ratings/calculator.html", context, status=400 if form.errors else 200)


def worded_steps(steps: tuple[WorkingStep, ...], request: OfficeRequest, edition: Edition) -> list[StepRow]:
    """Put the steps of a calculation into words, each with its clause of that edition; message keys become
    messages.
    """
    ruleset = request.office.ruleset

    def translated(value: Any) -> Any:
        is_key = isinstance(value, str) and value in ruleset.words.messages
        return label_of(value, ruleset) if is_key else value

    worded = tuple(
        step._replace(
            inputs={name: translated(value) for name, value in step.inputs.items()},
            result=translated(step.result),
        )
        for step in steps
    )
    return step_rows(Working(worded), request.office, edition)


# ---- Tables of sections, by month and track
def month_context(request: OfficeRequest, page: Page) -> dict[str, Any]:
    """The context of a page with the table of one month and track, and with all months and tracks."""
    office = request.office
    months = months_with_rated_sections(office)
    month, track = requested_month_and_track(request, months)
    found = month_tables(office, page, month, track.code) if month else []
    context = tables_context(found, office, request.GET)
    query = {"month": f"{month:%Y-%m}", "track": track.code} if month else {}
    for table in context["tables"]:
        table.csv = f"{table.name}.csv?{urlencode(query)}"
    return {**context, "month": month, "months": months, "track": track, "tracks": office.ruleset.tracks}


def requested_month_and_track(request: OfficeRequest, months: list[date]) -> tuple[date | None, Track]:
    """The month and track that the address asks for, by default the newest month and the first track.

    The month is None where no section was rated yet. Raises Http404 for months without rated sections.
    """
    ruleset, text = request.office.ruleset, request.GET.get("month", "")
    code = request.GET.get("track", "")
    track = get_track_or_404(ruleset, code) if code else ruleset.tracks[0]
    if not text:
        return next(iter(months), None), track
    for month in months:
        if f"{month:%Y-%m}" == text:
            return month, track
    raise Http404(_("No rated section ended in that month."))


def months_with_rated_sections(office: Federation) -> list[date]:
    """The months in which a rated section ended, newest first."""
    rated = Section.objects.filter(event__federation=office, stage=Stage.RATED)
    return list(rated.dates("ends", "month", order="DESC"))


def month_tables(office: Federation, page: Page, month: date, track: str) -> list[RuleTable]:
    """One table, in a list, of all rated sections that ended in a month, the newest first; an empty list if
    there are none. Cached until the next recompute.
    """
    key = f"sections-{office.pk}-{get_recompute_number(office)}-{page.code}-{month}-{track}"
    if (found := page_cache.get(key)) is None:
        found = merge_tables(list(_section_tables(office, page, month, track)))
        page_cache.set(key, found)
    return list(found)


def _section_tables(
    office: Federation, page: Page, month: date, track: str
) -> Iterator[tuple[str, RuleTable]]:
    assert page.of_section is not None
    following = (month + timedelta(31)).replace(day=1)
    facts = Fact.objects.filter(federation=office, kind="rated", section__ends__gte=month)
    rows = facts.filter(section__ends__lt=following).exclude(folded="").order_by("order")
    with localcontext(CONTEXT):
        for fact, state in iterate_states_before(office, rows, track):
            if table := page.of_section(state, fact, track):
                yield fact.section.id, table


def merge_tables(tables: list[tuple[str, RuleTable]]) -> list[RuleTable]:
    """Merge the tables of sections, each given with the section's id, into one with a column of sections."""
    if not tables:
        return []
    _section, first = tables[0]
    rows = [(row[0], section, *row[1:]) for section, table in reversed(tables) for row in table.rows]
    columns = (first.columns[0], "section", *first.columns[1:])
    return [RuleTable(first.name, columns, tuple(rows), answered=False, about=first.about)]


# ---- The pages that a ruleset names, and their index
def get_page(ruleset: Ruleset, code: str) -> Page:
    for found in pages_of(ruleset):
        if found.code == code:
            return found
    raise Http404(_("The rules of this federation have no such page."))


def url_of_table(office: Federation, name: str) -> str:
    """The URL of the page with a table; of the index if there is none."""
    for found in pages_of(office.ruleset):
        if name in found.tables:
            return reverse("ratings:table_page", args=[office.code, found.code])
    return reverse("ratings:tables", args=[office.code])


@page(PUBLIC, caching=cached_page)
def tables(request: OfficeRequest) -> HttpResponseBase:
    return render(
        request,
        "ratings/tables.html",
        {"pages": sorted(pages_of(request.office.ruleset), key=lambda each: not each.calculator)},
    )


@page(PUBLIC, caching=cached_page)
def table_page(request: OfficeRequest, code: str) -> HttpResponseBase:
    found = get_page(request.office.ruleset, code)
    if found.calculator:
        return render_calculator(request, found, found.calculator)
    context = month_context(request, found) if found.of_section else _day_context(request, found)
    return render(request, "ratings/table_page.html", {"page": found, **context})


def _day_context(request: OfficeRequest, page: Page) -> dict[str, Any]:
    """The context of a page with the tables of the day that the address asks for, by default today; where
    tables come in seasons, those of one season.
    """
    office, now = request.office, today(request.office)
    on = parse_day(office, request.GET.get("on"), now) or now
    found = stored_tables(office, page, on, now)
    part, parts = chosen_and_all_seasons(found, request.GET.get("part", ""))
    shown = [table for table in found if table.part in ("", part)]
    context = tables_context(shown, office, request.GET, office.ruleset.edition_on_or_first(on))
    day = {"on": on.isoformat()} if on != now else {}
    for table in context["tables"]:
        query = {**day, **({"part": table.part} if table.part else {})}
        table.csv = f"{table.name}.csv?{urlencode(query)}" if query else f"{table.name}.csv"
        table.confirms = table.confirms and on == now  # officials decide as of today only
    return {
        **context,
        "on": on,
        "now": now,
        "first": find_first_journal_day(office) or now,
        "filters": [_seasons(parts, part, day)] if len(parts) > 1 else [],
        **(_ratings_context(request, on, now) if page.ratings else {}),
    }


def _ratings_context(request: OfficeRequest, on: date, now: date) -> dict[str, Any]:
    """The context of a page with everybody's rating: the newest published list, and the last and the next day
    on which the calendar alone changes ratings.
    """
    office = request.office
    asked = as_of(office, on, now)
    nobody = asked.state(frozenset())
    newest = RatingList.objects.of(office).on_newest_day().current().without_content().first()
    if newest:
        newest.federation = office
    return {
        "moved": find_last_calendar_move_day(asked, nobody),
        "moves_next": find_next_calendar_move_day(asked, nobody),
        "newest": newest,
    }


def chosen_and_all_seasons(tables: list[RuleTable], asked: str) -> tuple[str, list[str]]:
    """The season asked for, by default the newest, and all seasons, newest first."""
    parts = sorted({table.part for table in tables if table.part}, reverse=True)
    if asked and asked not in parts:
        raise Http404(_("Nothing was scored in this season."))
    return asked or next(iter(parts), ""), parts


def _seasons(parts: list[str], part: str, day: Mapping[str, str]) -> dict[str, Any]:
    options = [
        {"label": each, "url": f"?{urlencode({'part': each, **day})}", "current": each == part}
        for each in parts
    ]
    return {"label": _("Season"), "options": options}


@page(PUBLIC, caching=cached_page)
def page_csv(request: OfficeRequest, code: str, name: str) -> HttpResponseBase:
    """Download of one table of a page as CSV, all of its rows."""
    found, office = get_page(request.office.ruleset, code), request.office
    tables: list[RuleTable] = []
    stem = ""
    if found.of_section:
        month, track = requested_month_and_track(request, months_with_rated_sections(office))
        if month is not None:
            tables = month_tables(office, found, month, track.code)
            stem = f"{track.code}-{month:%Y-%m}"
    else:
        now = today(office)
        on = parse_day(office, request.GET.get("on"), now) or now
        tables, stem = stored_tables(office, found, on, now), on.isoformat()
    part, _parts = chosen_and_all_seasons(tables, request.GET.get("part", ""))
    for table in tables:
        if table.name == name and table.part in ("", part):
            return unindexed_file_response(
                as_csv(table, load_names(office, [table])),
                "text/csv; charset=utf-8",
                f"{office.code}-{name}-{stem}.csv",
            )
    raise Http404(_("There is no such table."))
