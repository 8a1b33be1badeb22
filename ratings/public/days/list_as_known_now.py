"""The page of a published list beside the whole list of its day as known now: ranks, newcomers, who goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.office.access import OfficeRequest, public
from players.pages.paging import ROWS, LastPagePaginator
from players.register.models import Player
from ratings.journal.players_by_number import named
from ratings.lists.models import RatingList
from ratings.public.common.caching import cached_page
from ratings.public.common.track_groups import track_of
from ratings.public.days.whole_list_known_now import KnownRow, drawn_at_once, kept
from ratings.public.lists.list_pages import lists_of
from ratings.recompute.revised_lists import list_line

KINDS = {
    "": gettext_lazy("Everybody"),
    "moved": gettext_lazy("Another rank or rating"),
    "new": gettext_lazy("New on the list"),
    "gone": gettext_lazy("Gone from the list"),
}
"""The kinds of rows that a reader may have shown alone, by the word of the address (`?only=`)."""


@dataclass(frozen=True, slots=True)
class KindLink:
    """A link to the rows of one kind, with their number."""

    name: str | Promise
    url: str
    count: int
    current: bool


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row of the page: the two places, and the player whom it links."""

    row: KnownRow
    player: Player


@public
def list_as_known_now(request: OfficeRequest, label: str, track: str, revision: int) -> HttpResponseBase:
    """Page of the whole list; while the worker draws it up, a page that says so and is kept by nobody."""
    track_of(request.office.ruleset, track)
    shown = lists_of(request, label).filter(track=track, revision=revision).first()
    if shown is None or list_line(request.office, shown.on) is None:
        raise Http404(_("No list was published then."))
    if (kept(shown) or drawn_at_once(shown)) is None:
        response = render(request, "ratings/list_as_known_now.html", {"list": shown, "rows": None})
        patch_cache_control(response, no_store=True)
        return response
    return _page(request, shown=shown)


@cached_page
def _page(request: OfficeRequest, *, shown: RatingList) -> HttpResponseBase:
    rows = kept(shown) or ()
    only = request.GET.get("only", "")
    chosen = [row for row in rows if row.kind == only] if only in KINDS and only else rows
    page = LastPagePaginator(chosen, ROWS).page(request.GET.get("page", 1))
    context = {
        "list": shown,
        "page": page,
        "rows": _with_players(request, list(page.object_list)),
        "kinds": _links(request, rows, only),
    }
    return render(request, "ratings/list_as_known_now.html", context)


def _with_players(request: OfficeRequest, rows: Sequence[KnownRow]) -> list[ShownRow]:
    people = named(request.office, {row.number for row in rows})
    return [ShownRow(row, people[row.number]) for row in rows if row.number in people]


def _links(request: OfficeRequest, rows: Sequence[KnownRow], only: str) -> list[KindLink]:
    counts = Counter(row.kind for row in rows)
    counts[""] = len(rows)
    current = only if only in KINDS else ""
    return [
        KindLink(name, f"?only={kind}" if kind else request.path, counts[kind], kind == current)
        for kind, name in KINDS.items()
    ]
