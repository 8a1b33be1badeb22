"""The page of everybody who would be new on a list to come, or is gone from it, by name."""

from __future__ import annotations

from datetime import date
from typing import Any

import django_tables2 as tables
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from players.office.access import OfficeRequest, Permission, permitted
from players.office.models import Ledger
from players.office.settings_schema import today
from players.pages.paging import paged
from players.pages.table_columns import RatingColumn
from players.register.models import Player
from ratings.office.common.decision_forms import ComingDayForm
from ratings.office.lists.next_list import asked_day
from ratings.office.lists.publish import standing_in_the_way
from ratings.preview.list_publication import preview_list
from ratings.public.common.track_groups import track_of
from ratings.recompute.models import RulesVersion
from ratings.recompute.office_rules import own_rules

NEW, GONE = "new", "gone"


class NamesTable(tables.Table):
    """Players with the rating of this list, or of the newest for who is gone; a page of them is named."""

    row_header = "number"
    empty_title = gettext_lazy("Nobody")
    number = tables.Column(verbose_name=gettext_lazy("Player"))
    region = tables.Column(verbose_name=gettext_lazy("Region"), accessor="number")
    rating = RatingColumn(verbose_name=gettext_lazy("Rating"))

    class Meta:
        attrs = {"class": "cards"}
        orderable = False

    def __init__(self, *args: Any, places: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.columns["rating"].column.places = places
        self.people: dict[str, Player] = {}

    def render_number(self, value: str) -> str:
        player = self.people.get(value)
        if player is None:
            return value
        return format_html(
            '<a href="{}">{}</a><span class="sub mono">{}</span>',
            player.get_absolute_url(),
            player.name,
            player.number,
        )

    def render_region(self, value: str) -> str:
        player = self.people.get(value)
        return str(player.region) if player and player.region else "–"


@permitted(Permission.SECTIONS_REVIEW)
@never_cache
@require_safe
def new_and_gone(request: OfficeRequest, track: str, who: str) -> HttpResponseBase:
    """Page of who is new on the list of a day to come (`?on=`, else the next that is due), or gone from it,
    in one track.
    """
    if who not in (NEW, GONE) or track not in {each.code for each in request.office.ruleset.tracks}:
        raise Http404
    form = ComingDayForm(asked_day(request), today=today(request.office))
    if not form.is_valid():
        messages.info(
            request,
            _(
                "The list of that day cannot be looked at: only lists from today on, at most a year ahead. "
                "This is the next list that is due."
            ),
        )
        return redirect(request.path)
    on = form.cleaned_data["on"]
    if _is_not_drawn(request, on):
        return redirect(f"{reverse('ratings:next_list', args=[request.office.code])}?on={on.isoformat()}")
    return _page(request, on, track, who)


def _is_not_drawn(request: OfficeRequest, on: date) -> bool:
    """Whether the list of that day cannot be looked at now; the page of the next list says why."""
    pending = Ledger.objects.get(federation=request.office).pending
    waits = RulesVersion.objects.waiting_in(request.office, own_rules(request.office))
    return bool(pending or waits or standing_in_the_way(request.office, on))


def _page(request: OfficeRequest, on: date, track: str, who: str) -> HttpResponse:
    drawn = {each.track: each for each in preview_list(request.office, on, movers=0).tracks}.get(track)
    ratings = {} if drawn is None else drawn.came if who == NEW else drawn.gone
    rows = [{"number": number, "rating": rating} for number, rating in ratings.items()]
    name = _(track_of(request.office.ruleset, track).name)
    hidden = () if request.office.regional else ("region",)
    table = NamesTable(rows, places=request.office.publication.decimals, exclude=hidden)
    table.caption = name
    paged(table, request)
    table.people = _named(request, [row.record["number"] for row in table.paginated_rows])
    context = {"on": on, "name": name, "new": who == NEW, "table": table, "count": len(rows)}
    return render(request, "ratings/office/new_and_gone.html", context)


def _named(request: OfficeRequest, numbers: list[str]) -> dict[str, Player]:
    people = Player.objects.filter(federation=request.office, number__in=numbers)
    return {player.number: player for player in people.select_related("federation", "region")}
