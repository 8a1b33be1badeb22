"""Named views of a published list: who is new, who gained or lost, who plays; each has ranks of its own."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.db.models import Exists, F, OuterRef
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ratings.lists.models import ListRow, ListRowQuerySet, RatingList
from ratings.public.common.filters import ListFilter
from ratings.public.lists.list_orders import BY_RANK, GAINED, ORDERS, ListOrder

COUNTED = 10_000
"""The rows that are counted for a reader; beyond, the page says that there are more."""


@dataclass(frozen=True, slots=True)
class Before:
    """The lists of the same track to which one is compared: the one before, and the one of a year before."""

    there: bool = False
    """Whether there is a list before."""
    year: int | None = None
    """The key of the newest list at least a year older; None: there is none."""
    year_on: date | None = None


def lists_before(shown: RatingList) -> Before:
    older = RatingList.objects.of(shown.federation).current().filter(track=shown.track, on__lt=shown.on)
    found = list(older.order_by("-on").values_list("pk", "on"))
    then = _a_year_before(shown.on)
    return Before(bool(found), *next((each for each in found if each[1] <= then), (None, None)))


def _a_year_before(day: date) -> date:
    """The same day of the year before; 28 February for the 29th."""
    return day.replace(year=day.year - 1, day=28 if (day.month, day.day) == (2, 29) else day.day)


@dataclass(frozen=True, slots=True)
class ListView:
    """One named view of any list."""

    code: str
    name: str | Promise
    narrow: Callable[[ListRowQuerySet, Before], ListRowQuerySet]
    order: ListOrder = BY_RANK
    """The order in which it is shown unless another is asked for, and in which its own ranks are counted."""
    of_year: bool = False
    """Whether it wants a list of a year before."""

    def offered(self, before: Before) -> bool:
        return before.year is not None if self.of_year else before.there


def _unplayed(before: Before) -> Exists:
    """Whether a row has as many games as the same player's on the list of a year before."""
    then = ListRow.objects.filter(rating_list=before.year, player=OuterRef("player"))
    return Exists(then.filter(games=OuterRef("games")))


VIEWS = (
    ListView("new", _("New on the list"), lambda rows, before: rows.filter(previous=None)),
    ListView("up", _("Gained"), lambda rows, before: rows.filter(rating__gt=F("previous")), ORDERS["-moved"]),
    ListView(
        "down",
        pgettext_lazy("points of a rating", "Lost"),
        lambda rows, before: rows.filter(rating__lt=F("previous")),
        ORDERS["moved"],
    ),
    ListView(
        "active",
        _("Played within a year"),
        lambda rows, before: rows.filter(~_unplayed(before)),
        of_year=True,
    ),
    ListView(
        "inactive",
        _("Not played for a year"),
        lambda rows, before: rows.filter(_unplayed(before)),
        of_year=True,
    ),
)


def views_of(before: Before) -> Mapping[str, ListView]:
    """The views that a list with these before it has, by code."""
    return {view.code: view for view in VIEWS if view.offered(before)}


class ViewLink(NamedTuple):
    """A link to a list in one view."""

    name: str | Promise
    url: str
    current: bool


def view_links(form: ListFilter, path: str) -> list[ViewLink]:
    """The views that a list's filter offers, as links which keep the region: everybody, women, the oldest
    group of juniors, and those by play. None where there is nothing to choose.
    """
    offered: list[tuple[Any, dict[str, str]]] = [(_("Everybody"), {})]
    offered += [(label, {"sex": code}) for code, label in form.offered("sex")]
    juniors = [group for group in form.limits.age_groups if group.most is not None]
    if juniors:
        offered.append((_("Juniors"), {"age": max(juniors, key=lambda group: group.most or 0).code}))
    offered += [(label, {"only": code}) for code, label in form.offered("only")]
    chosen = {name: form.chosen[name] for name in ("sex", "age", "only") if name in form.chosen}
    region = {"region": form.chosen["region"]} if "region" in form.chosen else {}
    links = [
        ViewLink(name, f"{path}?{urlencode(region | asks)}" if region | asks else path, asks == chosen)
        for name, asks in offered
    ]
    return links if len(links) > 1 else []


@dataclass(frozen=True, slots=True)
class OwnRanks:
    """The ranks that rows have among the rows that a reader chose, counted as far as `COUNTED`."""

    count: int
    """The number of rows that were chosen; `COUNTED` + 1: more than are counted."""
    positions: Sequence[int]
    """The positions in the list of the rows that are counted, in ascending order, four bytes each."""
    ranks: Sequence[int]
    """Their ranks; whoever comes later has none."""

    def of(self, rows: Iterable[ListRow]) -> Mapping[int, int]:
        """The ranks of these rows by their positions."""
        found = ((row.position, bisect_left(self.positions, row.position)) for row in rows)
        known = self.positions
        return {each: self.ranks[at] for each, at in found if at < len(known) and known[at] == each}


def own_ranks(chosen: ListRowQuerySet, order: ListOrder) -> OwnRanks:
    """Count ranks among the chosen rows in a view's own order: by the list's rank, or by what was gained."""
    key = "rank" if order.by_position else "gained"
    rows = order.sort(chosen)
    if key == "gained":
        rows = rows.annotate(gained=GAINED)
    found = list(rows.values_list("position", key)[: COUNTED + 1])
    places: list[tuple[int, int]] = []
    rank, known = 0, None
    for counted, (position, value) in enumerate(found, start=1):
        if value != known:
            rank, known = counted, value
        places.append((position, rank))
    places.sort()
    positions, ranks = (array("I", (each[part] for each in places)) for part in (0, 1))
    return OwnRanks(len(found), positions, ranks)
