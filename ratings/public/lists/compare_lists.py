"""Pages that compare any two published lists of a track: who is new, gone, moved, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, FilteredRelation, Q
from django.http import Http404, HttpResponseBase
from django.shortcuts import render
from django.utils.functional import Promise, cached_property
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from players.pages.paging import ROWS, LastPagePaginator
from players.register.models import Player
from ratings.lists.models import Gained, ListRow, ListRowQuerySet, RatingList
from ratings.public.common.caching import cached_page
from ratings.public.common.track_groups import track_of
from ratings.recompute.revised_lists import RevisedPlace, RowDifference

FIRST = 10
"""The rows of each part that the page shows before a reader asks for all."""
BY = Gained("rating", "then__rating")
PARTS: dict[str, str | Promise] = {
    "up": _("Gained most"),
    "down": _("Lost most"),
    "new": _("New on the list"),
    "gone": _("Not on the list any more"),
}
"""The parts of a comparison, by their words in the address, in the order of the page."""


@dataclass(frozen=True)
class ListComparison:
    """Two published lists of one track, each row of the newer beside the same player's on the older.

    An entry that was merged into another since stands for that one: nobody is new or gone by a merge.
    """

    office: Federation
    older: RatingList
    newer: RatingList

    @cached_property
    def beside(self) -> ListRowQuerySet:
        """The rows of the newer list, with the player's row of the older as `then`."""
        here = Q(player__list_rows__rating_list=self.older)
        rows = ListRow.objects.filter(rating_list=self.newer)
        return rows.alias(then=FilteredRelation("player__list_rows", condition=here))

    @cached_property
    def joined(self) -> dict[int, int]:
        """The entries of the older list that were merged since, with the keys of those into whom."""
        merged = Player.objects.of(self.office).exclude(merged_into=None)
        into = dict(merged.values_list("pk", "merged_into_id"))
        there = ListRow.objects.filter(rating_list=self.older, player_id__in=list(into)) if into else []
        found = {row.player_id: into[row.player_id] for row in there}
        newer = ListRow.objects.filter(rating_list=self.newer, player_id__in=list(found.values()))
        stands = set(newer.values_list("player_id", flat=True)) if found else set()
        return {entry: person for entry, person in found.items() if person in stands}

    def part(self, name: str) -> ListRowQuerySet:
        """The rows of one part, in its order: of the older list for who is gone, else of the newer."""
        if name == "gone":
            on_newer = ListRow.objects.filter(rating_list=self.newer).values("player")
            gone = ListRow.objects.filter(rating_list=self.older).exclude(player__in=on_newer)
            return gone.exclude(player__in=list(self.joined)).order_by("position")
        if name == "new":
            new = self.beside.filter(Q(then__rating=None)).exclude(player__in=list(self.joined.values()))
            return new.order_by("position")
        moved = {"up": Q(rating__gt=F("then__rating")), "down": Q(rating__lt=F("then__rating"))}
        order = BY.desc() if name == "up" else BY.asc()
        return self.beside.filter(moved[name]).order_by(order, "position")

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of rows of each part, and of players whose rating is the same on both."""
        stands = Q(then__rating__isnull=False)
        up, down = Q(rating__gt=F("then__rating")), Q(rating__lt=F("then__rating"))
        found: dict[str, int] = self.beside.aggregate(
            up=Count("pk", filter=up), down=Count("pk", filter=down), both=Count("pk", filter=stands)
        )
        both = found.pop("both")
        merged = len(self.joined)
        return {
            **found,
            "new": self.newer.players - both - len(set(self.joined.values())),
            "gone": self.older.players - both - merged,
            "same": both - found["up"] - found["down"],
        }

    def told(self, name: str, rows: Any) -> list[RowDifference]:
        """Rows of a part as pages show them."""
        rows = rows.select_related("player")
        if name == "gone":
            return [RowDifference(self._person(row), _place(row), None) for row in rows]
        if name == "new":
            return [RowDifference(self._person(row), None, _place(row)) for row in rows]
        beside = rows.annotate(
            then_rank=F("then__rank"), then_rating=F("then__rating"), then_games=F("then__games")
        )
        return [RowDifference(self._person(row), _then(row), _place(row)) for row in beside]

    def _person(self, row: ListRow) -> Player:
        row.player.federation = self.office
        return row.player


def _place(row: ListRow) -> RevisedPlace:
    return RevisedPlace(row.rank, row.rating, row.games)


def _then(row: Any) -> RevisedPlace:
    return RevisedPlace(row.then_rank, row.then_rating, row.then_games)


@public
@cached_page
def compare_lists(request: OfficeRequest, track: str) -> HttpResponseBase:
    """The page of two lists of a track, `from` one day `to` another: the newest two where none is named."""
    track_of(request.office.ruleset, track)
    lists = RatingList.objects.of(request.office).current().without_content().filter(track=track)
    days = list(lists.order_by("-on"))
    if not days:
        raise Http404(now("No list has been published yet."))
    newer = _asked(request, days, "to") or days[0]
    before = next((each for each in days if each.on < newer.on), None)
    older = _asked(request, days, "from") or before
    if older and older.on > newer.on:
        older, newer = newer, older
    context: dict[str, Any] = {"days": days, "track": track, "older": older, "newer": newer}
    for each in filter(None, (older, newer)):
        each.federation = request.office
    if older is not None and older != newer:
        context |= _compared(request, ListComparison(request.office, older, newer))
    return render(request, "ratings/compare_lists.html", context)


def _compared(request: OfficeRequest, found: ListComparison) -> dict[str, Any]:
    """The page's view of two lists: the beginning of each part, or a page of the one asked for."""
    part = request.GET.get("show", "")
    if part in PARTS:
        page = LastPagePaginator(found.part(part), ROWS).page(request.GET.get("page", 1))
        rows = found.told(part, page.object_list)
        return {"counts": found.counts, "part": PARTS[part], "page": page, "rows": rows}
    counts = found.counts
    parts = [
        {
            "name": name,
            "title": title,
            "count": counts[name],
            "rows": found.told(name, found.part(name)[:FIRST]),
        }
        for name, title in PARTS.items()
        if counts[name]
    ]
    return {"counts": counts, "parts": parts, "first": FIRST}


def _asked(request: OfficeRequest, days: Sequence[RatingList], name: str) -> RatingList | None:
    """The list of the day that the address names by its label; None: it names none. 404 where there is no
    such list.
    """
    label = request.GET.get(name)
    if not label:
        return None
    for each in days:
        if label in (each.label, each.on.isoformat()):
            return each
    raise Http404(now("No list was published then."))
