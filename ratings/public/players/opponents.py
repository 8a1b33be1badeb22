"""Public pages of a player's opponents: all of them, and two players side by side with their games."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, public
from players.office.settings_schema import today
from players.register.models import Player
from ratings.public.common.caching import cached_page
from ratings.public.players import player_ratings
from ratings.public.players.play import by_side, meetings, play_of
from ratings.results.as_of import AsOf


@public
@cached_page
def opponents(request: OfficeRequest, number: str) -> HttpResponseBase:
    found = _person(request, number)
    if found.merged_into:
        return redirect("ratings:opponents", request.office.code, found.merged_into.number)
    now = today(request.office)
    plays = play_of(found, AsOf(request.office, now, None))
    return render(request, "ratings/opponents.html", {"player": found, "meetings": meetings(plays.values())})


@public
@cached_page
def against(request: OfficeRequest, number: str, other: str) -> HttpResponseBase:
    found, opponent = _person(request, number), _person(request, other)
    stays = [each.merged_into or each for each in (found, opponent)]
    if stays != [found, opponent]:
        return redirect("ratings:against", request.office.code, *(each.number for each in stays))
    if found == opponent:
        raise Http404(_("A player has no games against themselves."))
    now = today(request.office)
    asked = AsOf(request.office, now, None)
    plays = play_of(found, asked)
    sides = request.office.publication.sides
    met = next((each for each in meetings(plays.values()) if each.opponent.pk == opponent.pk), None)
    context: dict[str, Any] = {
        "player": found,
        "other": opponent,
        "met": met,
        "tallies": by_side((game for _play, game in met.games), sides) if met else [],
        "sides": sides,
        "rows": _side_by_side(found, opponent, asked),
    }
    return render(request, "ratings/against.html", context)


def _person(request: OfficeRequest, number: str) -> Player:
    people = Player.objects.of(request.office).select_related("federation", "merged_into__federation")
    return get_object_or_404(people, number=number)


def _side_by_side(one: Player, other: Player, asked: AsOf) -> list[dict[str, Any]]:
    """The ratings of two players, one row for each track in which either has one."""
    now = asked.day
    known = player_ratings.ratings_of(asked.federation, [one, other], now)
    tracks = asked.federation.ruleset.tracks
    rows = [(_(each.name), *(known.get((who.number, each.code)) for who in (one, other))) for each in tracks]
    return [
        {"name": name, "own": own, "theirs": theirs}
        for name, own, theirs in rows
        if own is not None or theirs is not None
    ]
