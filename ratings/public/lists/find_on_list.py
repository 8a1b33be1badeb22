"""Leads from a rank, a name or a number to its row on a published list."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpResponseBase
from django.shortcuts import redirect

from players.office.access import OfficeRequest
from players.register.models import Player
from ratings.lists.models import ListRow, RatingList
from ratings.public.lists.list_orders import number_in

LONGEST = 60
"""The characters of a question that are read."""


def found_on(request: OfficeRequest, shown: RatingList, asked: str) -> HttpResponseBase:
    """Redirect to the page with the one row that a reader asked for; where a name is of several or of
    nobody, to the list of those who bear it.
    """
    text = asked.strip()[:LONGEST]
    row = _of_rank(shown, number_in(text)) or _of_player(request, shown, text)
    if row is not None:
        query = f"{urlencode({'player': row.player.number})}#p{row.player.number}"
    else:
        query = urlencode({"q": text})
    response = redirect(f"{request.path}?{query}" if text else request.path)
    response.headers["X-Robots-Tag"] = "noindex"
    return response


def _of_rank(shown: RatingList, rank: int | None) -> ListRow | None:
    """The first row of a rank, or of the one above it where equals share one; None: no list is so long."""
    if rank is None or not 1 <= rank <= shown.players:
        return None
    rows = ListRow.objects.filter(rating_list=shown).select_related("player")
    last = rows.filter(position__lte=rank).order_by("-position").first()
    return rows.filter(rank=last.rank, position__lte=rank).order_by("position").first() if last else None


def _of_player(request: OfficeRequest, shown: RatingList, text: str) -> ListRow | None:
    """The only row of the players whom a search by name or number finds, or of exactly that number."""
    rows = ListRow.objects.filter(rating_list=shown).select_related("player")
    if row := rows.filter(player__federation=request.office, player__number=text).first():
        return row
    found = list(rows.named(Player.objects.of(request.office).matching(text))[:2])
    return found[0] if len(found) == 1 else None
