"""The search for a player in all offices at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpResponseBase
from django.shortcuts import render

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from players.office.settings_schema import today
from players.register.models import Player
from ratings.public.common.caching import cached_page
from ratings.public.players.player_pages import found_by, with_ratings

FOUND = 10
"""The most players told of one office; its own search has the others."""


@dataclass(frozen=True, slots=True)
class FoundPlayers:
    """The players whom a search found in an office. `more`: there are others."""

    office: Federation
    players: Sequence[Player]
    more: bool


@public
@cached_page
def search_all_offices(request: OfficeRequest) -> HttpResponseBase:
    wanted = request.GET.get("q", "").strip()[:60]
    found = [_found(office, wanted) for office in Federation.objects.order_by("name")] if wanted else []
    context = {"wanted": wanted, "found": [each for each in found if each.players]}
    return render(request, "ratings/search_all_offices.html", context)


def _found(office: Federation, wanted: str) -> FoundPlayers:
    people = found_by(office, wanted)
    shown = people[:FOUND]
    for player in shown:
        player.federation = office
    with_ratings(office, shown, today(office))
    return FoundPlayers(office, shown, more=len(people) > FOUND)
