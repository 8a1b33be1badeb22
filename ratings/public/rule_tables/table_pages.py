"""Pages of further results of a federation's rules: each that its ruleset names, and an index of them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from players.office.settings_schema import today
from ratings.equipment.publication_profile import Page
from ratings.equipment.rule_table_pages import pages_of
from ratings.law.rule_outputs import RuleTable
from ratings.law.ruleset import Ruleset
from ratings.lists.models import RatingList
from ratings.public.common.asked_day import day_asked
from ratings.public.common.caching import cached_page
from ratings.public.common.worded_tables import as_csv, context_of, names_in
from ratings.public.lists.downloads import file_response
from ratings.public.rule_tables import calculators, section_tables_by_month
from ratings.results.as_of import as_of, first_day
from ratings.results.cached_rule_tables import moved_last, moves_next, tables_of

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
        return calculators.calculator(request, found, found.calculator)
    context = (
        section_tables_by_month.context_of(request, found) if found.of_section else _of_day(request, found)
    )
    return render(request, "ratings/table_page.html", {"page": found, **context})


def _of_day(request: OfficeRequest, page: Page) -> Query:
    """The template context of a page with the tables of today, or of the day that the address asks for; where
    tables come in seasons, those of one season.
    """
    office, now = request.office, today(request.office)
    on = day_asked(office, request.GET.get("on"), now) or now
    found = tables_of(office, page, on, now)
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
        tables, stem = section_tables_by_month.tables_asked(request, found)
    else:
        now = today(office)
        on = day_asked(office, request.GET.get("on"), now) or now
        tables, stem = tables_of(office, found, on, now), on.isoformat()
    part, _parts = chosen(tables, request.GET.get("part", ""))
    for table in tables:
        if table.name == name and table.part in ("", part):
            return _file(as_csv(table, names_in(office, [table])), f"{office.code}-{name}-{stem}.csv")
    raise Http404(_("There is no such table."))


def _file(content: bytes, name: str) -> HttpResponse:
    return file_response(content, "text/csv; charset=utf-8", name)
