"""The front page: each office with its newest list, and what is new in all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from operator import attrgetter
from zoneinfo import ZoneInfo

from django.db.models import Count, Max
from django.http import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localdate
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.lists.models import ListRow, RatingList
from ratings.public.common.caching import cached_page
from ratings.public.common.track_groups import by_group
from ratings.public.common.worded_errata import errata_of, worded_errata
from ratings.public.home.home_pages import coming_events
from tournaments.events.models import Event

BEST, NEWS_OF_ONE, NEWS = 3, 4, 10


@dataclass(frozen=True, slots=True)
class News:
    """One thing that is new in an office: a day of lists, a rated section, or a correction."""

    on: date
    office: Federation
    kind: str
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class OfficeCard:
    """The front page's figures of an office. `leading`: the newest list of its main rating, if there is one;
    `best`: the first rows of that list.
    """

    office: Federation
    players: int
    leading: RatingList | None
    best: Sequence[ListRow]
    coming: Event | None


@public
@cached_page
def offices(request: OfficeRequest) -> HttpResponseBase:
    found = list(Federation.objects.order_by("name"))
    context = {
        "cards": [_card(office) for office in found],
        "news": sorted((each for office in found for each in _news(office)), key=attrgetter("on"))[
            : -NEWS - 1 : -1
        ],
    }
    return render(request, "ratings/offices.html", context)


def _card(office: Federation) -> OfficeCard:
    newest = list(RatingList.objects.of(office).of_newest_day().current().without_content())
    leading = by_group(office.ruleset, newest)[0][1][0] if newest else None
    rows = (
        ListRow.objects.filter(rating_list=leading, position__lte=BEST) if leading else ListRow.objects.none()
    )
    if leading:
        leading.federation = office
    return OfficeCard(
        office=office,
        players=Player.objects.of(office).current().count(),
        leading=leading,
        best=list(rows.select_related("player__federation").order_by("position")),
        coming=coming_events(office).first(),
    )


def _news(office: Federation) -> Iterator[News]:
    """The newest of each kind of an office."""
    yield from _published(office)
    yield from _rated(office)
    zone = ZoneInfo(office.equipment.office.time_zone)
    for told in worded_errata(office, errata_of(office)[:NEWS_OF_ONE]):
        yield News(told.line.on or localdate(told.at, zone), office, _("Correction"), told.title, told.url)


def _published(office: Federation) -> Iterator[News]:
    days = (
        RatingList.objects.of(office)
        .current()
        .values("on")
        .annotate(lists=Count("pk"), published=Max("fact__on"))
        .order_by("-on")
    )
    for day in days[:NEWS_OF_ONE]:
        words = ngettext("%(count)s list of %(day)s", "%(count)s lists of %(day)s", day["lists"])
        title = words % {"count": day["lists"], "day": date_format(day["on"], "DATE_FORMAT")}
        url = reverse("ratings:list_day", args=[office.code, RatingList(on=day["on"]).label])
        yield News(day["published"] or day["on"], office, _("Published"), title, url)


def _rated(office: Federation) -> Iterator[News]:
    lines = Fact.objects.filter(federation=office, kind="rated", section__isnull=False).in_force()
    for line in lines.select_related("section__event").order_by("-number")[:NEWS_OF_ONE]:
        section = line.section
        assert section is not None
        section.event.federation = office
        if line.on is not None:
            yield News(line.on, office, _("Rated"), str(section), section.get_absolute_url())
