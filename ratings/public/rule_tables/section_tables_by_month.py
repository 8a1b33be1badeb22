"""Tables of what sections yield beside ratings, month by month and track by track."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import localcontext
from typing import Any

from django.http import Http404
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest
from players.office.models import Federation
from ratings.equipment.publication_profile import Page
from ratings.journal.models import Fact
from ratings.law.rule_outputs import RuleTable
from ratings.law.ruleset import CONTEXT, Track
from ratings.public.common import worded_tables
from ratings.public.common.track_groups import track_of
from ratings.results.cached_rule_tables import done
from ratings.results.states_before_sections import before_each
from ratings.storage.page_cache import cache
from tournaments.events.models import Section, Stage


def context_of(request: OfficeRequest, page: Page) -> dict[str, Any]:
    """The context of a page with the table of one month and track, and with all months and tracks."""
    office = request.office
    months = months_of(office)
    month, track = asked(request, months)
    found = tables_of(office, page, month, track.code) if month else []
    context = worded_tables.context_of(found, office, request.GET)
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
