"""The front page, each office's home page, the search over all offices, and sitemaps for search engines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from heapq import nlargest
from operator import attrgetter
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib.sitemaps import Sitemap
from django.contrib.sitemaps.views import SitemapIndexItem
from django.contrib.sitemaps.views import sitemap as answer_of
from django.db.models import Count, Max, Q, QuerySet
from django.http import FileResponse, Http404, HttpResponseBase
from django.shortcuts import render
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localdate
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from players.access import OfficeRequest, public, signed_in
from players.models import Federation, Player
from players.settings import settings_of, today
from players.storage import cache
from ratings.demo.office import folder, offered
from ratings.disclosure import limits_of
from ratings.lists import next_day
from ratings.models import Fact, ListRow, RatingList
from ratings.pages.errata import errata_of, worded_errata
from ratings.pages.players import found_by, with_ratings
from ratings.pages.responses import FRESH, cached_page
from ratings.pages.tables import by_group
from ratings.rulesets.examples import examples_of
from ratings.rulesets.profile import pages_of
from tournaments.cases import DAYS_KEPT, GOOD_FOR
from tournaments.models import Event, EventQuerySet, Section, Stage
from tournaments.retention import appeal_days


@signed_in
@require_safe
def demo_file(request: OfficeRequest, name: str) -> HttpResponseBase:
    """Give out an event file that the demo offers; 404 for any other name."""
    if name not in (file for _event, file in offered(request.office)):
        raise Http404(_("This file is not here, or it has been uploaded already."))
    content = (folder(request.office) / name).open("rb")
    return FileResponse(content, as_attachment=True, content_type="text/plain; charset=utf-8")


@public
@cached_page
def about(request: OfficeRequest) -> HttpResponseBase:
    """Page with the doors of an office; what it says of people follows the office's own settings."""
    settings, limits = settings_of(request.office), limits_of(request.office)
    context = {
        "settings": settings,
        "births": limits.births,
        "minors": limits.minors,
        "appeal_days": appeal_days(request.office),
        "case_days": DAYS_KEPT,
        "unconfirmed_days": GOOD_FOR.days,
    }
    return render(request, "ratings/about.html", context)


# ---- Each office's home page.
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
    # The rows with the greatest gains since the list before, by the list's key. Lists never change, so each
    # is searched once and the answer kept.
    keys = {f"movers-{rating_list.pk}": rating_list for rating_list in leading}
    known = cache.get_many(keys)
    for key in keys.keys() - known.keys():
        rating_list = keys[key]
        moved = (
            ListRow.objects.filter(rating_list=rating_list).moved().values_list("pk", "rating", "previous")
        )
        gains = ((rating - previous, -pk) for pk, rating, previous in moved.iterator() if rating > previous)
        known[key] = [-pk for _gain, pk in nlargest(MOVERS, gains)]
        cache.set(key, known[key], None)
    wanted = [pk for found in known.values() for pk in found]
    rows = ListRow.objects.filter(pk__in=wanted).select_related("player__region", "player__federation")
    top, movers = best(leading), _by_list(sorted(rows, key=lambda row: wanted.index(row.pk)))
    return [
        ListGroup(name, members[0], members[1:], top.get(members[0].pk, ()), movers.get(members[0].pk, ()))
        for name, members in grouped
    ]


def best(lists: Iterable[RatingList]) -> dict[int, list[ListRow]]:
    rows = ListRow.objects.filter(rating_list__in=lists, position__lte=TOP).order_by("position")
    return _by_list(rows.select_related("player__region", "player__federation"))


def _by_list(rows: Iterable[ListRow]) -> dict[int, list[ListRow]]:
    found: dict[int, list[ListRow]] = {}
    for row in rows:
        found.setdefault(row.rating_list_id, []).append(row)
    return found


# ---- The front page: each office with its newest list, and what is new in all of them.
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
    lines = Fact.objects.filter(federation=office, kind="rated", section__isnull=False).in_force()
    for line in lines.select_related("section__event").order_by("-number")[:NEWS_OF_ONE]:
        section = line.section
        assert section is not None
        section.event.federation = office
        if line.on is not None:
            yield News(line.on, office, _("Rated"), str(section), section.get_absolute_url())
    zone = ZoneInfo(office.equipment.office.time_zone)
    for told in worded_errata(office, errata_of(office)[:NEWS_OF_ONE]):
        yield News(told.line.on or localdate(told.at, zone), office, _("Correction"), told.title, told.url)


# ---- The search for a player in all offices at once.
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


# ---- Sitemaps: each page that search engines may keep, an office's in parts, all parts in one index. A page
# that says `noindex`, of a child or of somebody who asked not to be named, stands in none.
XML = "application/xml"
PAGES = (
    "office",
    "lists",
    "players",
    "events",
    "errata",
    "changes",
    "regulations",
    "journal",
    "check",
    "tables",
    "about",
)
"""The names of pages that every office has once."""


class OfficePart(Sitemap):  # type: ignore[type-arg]
    """A part of an office's sitemap."""

    limit = 20_000
    """Addresses of one file; engines take 50,000."""

    def __init__(self, office: Federation) -> None:
        self.office = office


class PagesPart(OfficePart):
    """The pages that stand once: front pages, tables of the rules, worked examples."""

    def items(self) -> list[str]:
        code, ruleset = self.office.code, self.office.ruleset
        tables = [reverse("ratings:table_page", args=[code, page.code]) for page in pages_of(ruleset)]
        examples = [reverse("ratings:example", args=[code, each.name]) for each in examples_of(ruleset)]
        return [*(reverse(f"ratings:{name}", args=[code]) for name in PAGES), *tables, *examples]

    def location(self, item: str) -> str:
        return item


class ListsPart(OfficePart):
    """The published lists in their newest versions."""

    def items(self) -> QuerySet[RatingList]:
        lists = RatingList.objects.of(self.office).current().without_content()
        return lists.order_by("-on", "track").select_related("federation")

    def lastmod(self, item: RatingList) -> datetime:
        return item.published_at


class EventsPart(OfficePart):
    def items(self) -> QuerySet[Event]:
        events = Event.objects.filter(federation=self.office).not_withdrawn()
        return events.order_by("-starts", "-number").select_related("federation")


class SectionsPart(OfficePart):
    """The sections whose games are there to be read."""

    def items(self) -> QuerySet[Section]:
        rated = Section.objects.filter(event__federation=self.office, stage=Stage.RATED)
        return rated.order_by("-starts", "pk").select_related("event__federation")


class PlayersPart(OfficePart):
    """Players whose pages may be found: who is known to be grown up and did not ask to be withheld."""

    def items(self) -> QuerySet[Player]:
        people = Player.objects.of(self.office).current().filter(limits_of(self.office).indexed())
        return people.filter(~Q(surname="")).order_by("number").select_related("federation")


PARTS = {
    "pages": PagesPart,
    "lists": ListsPart,
    "events": EventsPart,
    "sections": SectionsPart,
    "players": PlayersPart,
}


@public
def all_sitemaps(request: OfficeRequest) -> HttpResponseBase:
    """The index of all offices' sitemaps."""
    items = [item for office in Federation.objects.order_by("code") for item in _files(request, office)]
    response = _index(request, items)
    response.headers["Cache-Control"] = f"public, max-age={FRESH}"
    return response


@public
@cached_page
def office_sitemaps(request: OfficeRequest) -> HttpResponseBase:
    """The index of one office's sitemaps."""
    return _index(request, list(_files(request, request.office)))


@public
@cached_page
def office_sitemap(request: OfficeRequest, part: str) -> HttpResponseBase:
    """One part of an office's sitemap; `p` asks for a further file of a long one."""
    sitemaps: dict[str, Any] = {name: made(request.office) for name, made in PARTS.items()}
    return answer_of(request, sitemaps, section=part, content_type=XML).render()


def _files(request: OfficeRequest, office: Federation) -> Iterator[SitemapIndexItem]:
    for part, made in PARTS.items():
        address = request.build_absolute_uri(reverse("ratings:sitemap_part", args=[office.code, part]))
        for page in made(office).paginator.page_range:
            yield SitemapIndexItem(address if page == 1 else f"{address}?p={page}")


def _index(request: OfficeRequest, items: list[SitemapIndexItem]) -> HttpResponseBase:
    response = TemplateResponse(request, "sitemap_index.xml", {"sitemaps": items}, content_type=XML)
    return response.render()


# ---- The few best matches that a search field offers while somebody types.
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
