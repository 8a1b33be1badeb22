"""The few best matches that a search field offers while somebody types."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpResponseBase
from django.shortcuts import render

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from players.office.settings_schema import today
from players.register.models import Player
from ratings.public.common.caching import cached_page
from ratings.public.players.player_pages import found_by, with_ratings

FEW, OF_EACH_OFFICE = 8, 2
"""The most players that are offered: of one office, and of each of all."""
LETTERS = 2
"""The letters from which on players are offered; one alone begins too many names."""


@public
@cached_page
def suggestions(request: OfficeRequest) -> HttpResponseBase:
    """An office's players whom what was typed finds first, as a fragment of HTML."""
    return _told(request, [request.office], FEW)


@public
@cached_page
def suggestions_of_all_offices(request: OfficeRequest) -> HttpResponseBase:
    return _told(request, list(Federation.objects.order_by("name")), OF_EACH_OFFICE)


def _told(request: OfficeRequest, offices: Sequence[Federation], most: int) -> HttpResponseBase:
    wanted = request.GET.get("q", "").strip()[:60]
    asked = offices if len(wanted) >= LETTERS else ()
    best = [_best(office, wanted, most) for office in asked]
    context = {
        "found": [player for people, _more in best for player in people],
        "more": any(more for _people, more in best),
        "several": len(offices) > 1,
    }
    response = render(request, "ratings/suggestions.html", context)
    response["X-Robots-Tag"] = "noindex"
    return response


def _best(office: Federation, wanted: str, most: int) -> tuple[list[Player], bool]:
    """The first players of a search that only looks names up (each key that is pressed asks for one), and
    whether there are more.
    """
    found = found_by(office, wanted, looked_up=True, most=most + 1)
    people = found[:most]
    for player in people:
        player.federation = office
    with_ratings(office, people, today(office))
    return people, len(found) > most
