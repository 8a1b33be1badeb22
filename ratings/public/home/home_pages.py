"""Each office's home page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nlargest

from django.db.models import Count
from django.http import HttpResponseBase
from django.shortcuts import render

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from players.office.settings_schema import today
from ratings.journal.models import Fact
from ratings.lists.list_days import next_day
from ratings.lists.models import ListRow, RatingList
from ratings.public.common.caching import cached_page
from ratings.public.common.track_groups import by_group
from ratings.public.common.worded_errata import errata_of, worded_errata
from ratings.storage.page_cache import cache
from tournaments.events.models import Event, EventQuerySet, Section, Stage

TOP, MOVERS, RECENT, COMING, ERRATA = 5, 3, 6, 4, 3
UNDER_WAY = (Stage.REGISTERED, Stage.FILED, Stage.SUBMITTED, Stage.RETURNED, Stage.UNRATED)


@dataclass(frozen=True, slots=True)
class ListGroup:
    """The newest lists of one group of tracks, for the home page: the first with its best players and
    greatest gains, the others as links.
    """

    name: str
    leading: RatingList
    others: Sequence[RatingList]
    top: Sequence[ListRow]
    movers: Sequence[ListRow]


@public
@cached_page
def office(request: OfficeRequest) -> HttpResponseBase:
    federation = request.office
    newest = list(RatingList.objects.of(federation).of_newest_day().current().without_content())
    for rating_list in newest:
        rating_list.federation = federation
    sections = Section.objects.filter(event__federation=federation, stage__in=UNDER_WAY)
    stages = dict(sections.values_list("stage").annotate(count=Count("pk")).order_by())
    recent = Fact.objects.filter(federation=federation, kind="rated").in_force()
    due = next_day(federation, today(federation))
    context = {
        "groups": groups(federation, newest),
        "newest": newest[0] if newest else None,
        "stages": [(stage, stages[stage]) for stage in UNDER_WAY if stage in stages],
        "errata": worded_errata(federation, errata_of(federation)[:ERRATA]),
        "recent": recent.select_related("section__event__region").order_by("-number")[:RECENT],
        "coming": coming_events(federation)[:COMING],
        "next": due if due and due >= today(federation) else None,
    }
    return render(request, "ratings/office.html", context)


def coming_events(federation: Federation) -> EventQuerySet:
    """Events of an office that are still to be played or under way, the next first; cancelled ones are left
    out.
    """
    planned = Event.objects.filter(federation=federation, state=Event.State.PLANNED)
    return planned.filter(ends__gte=today(federation)).select_related("region").order_by("starts", "number")


def groups(federation: Federation, lists: Sequence[RatingList]) -> list[ListGroup]:
    """Group the newest lists by their tracks' groups; the first track of each leads."""
    grouped = by_group(federation.ruleset, lists)
    leading = [members[0] for _name, members in grouped]
    top, movers = best(leading), greatest_gains(leading)
    return [
        ListGroup(name, members[0], members[1:], top.get(members[0].pk, ()), movers.get(members[0].pk, ()))
        for name, members in grouped
    ]


def best(lists: Iterable[RatingList]) -> dict[int, list[ListRow]]:
    rows = ListRow.objects.filter(rating_list__in=lists, position__lte=TOP).order_by("position")
    return _by_list(rows.select_related("player__region", "player__federation"))


def greatest_gains(lists: Iterable[RatingList]) -> dict[int, list[ListRow]]:
    """The rows with the greatest gains since the list before, by the list's key. Lists never change, so each
    is searched once and the answer kept.
    """
    keys = {f"movers-{rating_list.pk}": rating_list for rating_list in lists}
    known = cache.get_many(keys)
    for key in keys.keys() - known.keys():
        known[key] = _gains(keys[key])
        cache.set(key, known[key], None)
    wanted = [pk for found in known.values() for pk in found]
    rows = ListRow.objects.filter(pk__in=wanted).select_related("player__region", "player__federation")
    return _by_list(sorted(rows, key=lambda row: wanted.index(row.pk)))


def _gains(rating_list: RatingList) -> list[int]:
    moved = ListRow.objects.filter(rating_list=rating_list).moved().values_list("pk", "rating", "previous")
    gains = ((rating - previous, -pk) for pk, rating, previous in moved.iterator() if rating > previous)
    return [-pk for _gain, pk in nlargest(MOVERS, gains)]


def _by_list(rows: Iterable[ListRow]) -> dict[int, list[ListRow]]:
    found: dict[int, list[ListRow]] = {}
    for row in rows:
        found.setdefault(row.rating_list_id, []).append(row)
    return found
