"""A published list as a sheet to print: every row, with its day, its address and its checksum."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.http import Http404, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, public
from ratings.equipment.find_equipment import equipment_of
from ratings.lists.models import ListRow, RatingList
from ratings.public.common.caching import cached_page
from ratings.public.common.disclosure_limits import limits_of
from ratings.public.common.track_groups import track_of
from ratings.public.common.worded_tables import label_of
from ratings.public.lists.list_orders import number_in

ROWS = 5000
"""The rows of one sheet; a longer list has several."""


class PrintedRow(NamedTuple):
    row: ListRow
    title: str
    region: str


@public
@cached_page
def printed_list(request: OfficeRequest, label: str, track: str, revision: int) -> HttpResponseBase:
    """The sheet of a version of a list; `?part=2` is the second of a long one."""
    track_of(request.office.ruleset, track)
    lists = RatingList.objects.of(request.office).labelled(label).without_content()
    shown = lists.filter(track=track, revision=revision).select_related("fact").first()
    parts = -(-shown.players // ROWS) if shown else 0
    part = number_in(request.GET.get("part", "1"))
    if shown is None or part is None or not 1 <= part <= max(1, parts):
        raise Http404(_("No list was published then."))
    shown.federation = request.office
    context: dict[str, Any] = {
        "list": shown,
        "rows": _rows(shown, part),
        "parts": [(each, each == part) for each in range(1, parts + 1)],
        "places": equipment_of(request.office.ruleset).publication.decimals,
        "counted": label_of("games", request.office.ruleset),
        "regional": request.office.regional,
    }
    return render(request, "ratings/list_print.html", context)


def _rows(shown: RatingList, part: int) -> list[PrintedRow]:
    """The rows of a sheet with what the public may know of each player."""
    limits = limits_of(shown.federation)
    first = (part - 1) * ROWS
    rows = ListRow.objects.filter(rating_list=shown).select_related("player__region")
    return [
        PrintedRow(
            row,
            limits.title(row.player),
            "" if row.player.withheld or row.player.region is None else row.player.region.code,
        )
        for row in rows.after(first, ROWS)
    ]
