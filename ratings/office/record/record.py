"""The record: who did what, searched by person, day, event and player; as a page and as a file."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from players.office.access import OfficeRequest, Permission, permitted
from players.office.models import Decision
from players.pages.paging import paged
from players.pages.people_and_record_tables import RecordTable
from ratings.equipment.downloads import csv_bytes
from ratings.office.record.reach import is_kept_from, reachable
from ratings.office.record.search import RecordSearch

MOST_ROWS = 20_000
"""The decisions of one file, the newest first: a longer record is taken out by its days."""
COLUMNS = ("number", "at", "who", "kind", "about", "told")


@permitted(Permission.RECORD_READ)
@never_cache
@require_safe
def record(request: OfficeRequest) -> HttpResponse:
    chosen = _chosen(request)
    table = paged(_table(request, chosen), request)
    everywhere = Permission.RECORD_READ in request.rights.everywhere
    context = {
        "table": table,
        "form": chosen.form,
        "query": request.GET.urlencode(),
        "everywhere": everywhere,
        "regions": request.rights.regions(Permission.RECORD_READ),
    }
    return render(request, "players/record.html", context)


@permitted(Permission.RECORD_READ)
@never_cache
@require_safe
def record_csv(request: OfficeRequest) -> HttpResponse:
    """The chosen part of the record as a CSV."""
    chosen = _chosen(request)
    table = _table(request, chosen)
    rows = (table.plain(each) for each in chosen.qs[:MOST_ROWS])
    answer = HttpResponse(csv_bytes(COLUMNS, rows), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{request.office.code}-record.csv"'
    return answer


def _chosen(request: OfficeRequest) -> RecordSearch:
    decisions = reachable(request.rights).select_related("by").prefetch_related("words")
    return RecordSearch(request.GET, queryset=decisions, office=request.office)


def _table(request: OfficeRequest, chosen: RecordSearch) -> RecordTable:
    def left_out(decision: Decision, detail: str) -> bool:
        return is_kept_from(request.rights, decision, detail)

    return RecordTable(chosen.qs, office=request.office, left_out=left_out)
