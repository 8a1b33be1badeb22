"""The front page, each office's home page, and sitemaps for search engines."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from operator import attrgetter
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.contrib.sitemaps import Sitemap
from django.contrib.sitemaps.views import SitemapIndexItem, sitemap as sitemap_view
from django.db.models import Count, Max, Q, QuerySet
from django.http import FileResponse, Http404, HttpResponseBase
from django.shortcuts import render
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localdate
from django.utils.translation import gettext as _, ngettext

from players.access import PUBLIC, SIGNED_IN, OfficeRequest, page
from players.models import Federation, Player
from players.settings import get_settings, today
from ratings.demo.office import demo_folder, list_demo_files_to_upload
from ratings.disclosure import limits_of, tell_apart
from ratings.lists import find_next_list_day
from ratings.models import Fact, ListRow, RatingList
from ratings.pages.errata import errata_of, worded_errata
from ratings.pages.responses import FRESH_SECONDS, cached_page
from ratings.pages.tables import sort_into_groups
from ratings.records import get_movers, get_round_step
from ratings.rulesets.examples import examples_of
from ratings.rulesets.profile import pages_of
from tournaments.cases import CONFIRMATION_PERIOD, DAYS_KEPT
from tournaments.models import Event, EventQuerySet, Section, Stage
from tournaments.retention import appeal_days


@page(SIGNED_IN, caching=None)
def demo_file(request: OfficeRequest, name: str) -> HttpResponseBase:
    """Download of an event file of the demo; 404 for any other name."""
    if name not in (file for _event, file in list_demo_files_to_upload(request.office)):
        raise Http404(_("This file is not here, or it has been uploaded already."))
    content = (demo_folder(request.office) / name).open("rb")
    return FileResponse(content, as_attachment=True, content_type="text/plain; charset=utf-8")


@page(PUBLIC, caching=cached_page)
def about(request: OfficeRequest) -> HttpResponseBase:
    """Page about an office, its contacts, and what it publishes of people by its own settings."""
    settings, limits = get_settings(request.office), limits_of(request.office)
    context = {
        "settings": settings,
        "births": limits.births,
        "minors": limits.minors,
        "appeal_days": appeal_days(request.office),
        "case_days": DAYS_KEPT,
        "unconfirmed_days": CONFIRMATION_PERIOD.days,
    }
    return render(request, "ratings/about.html", context)


# ---- Home pages of offices
TOP_SHOWN, MOVERS_SHOWN, RECENT_SHOWN, COMING_SHOWN, ERRATA_SHOWN = 5, 3, 6, 4, 3
OPEN_STAGES = (Stage.REGISTERED, Stage.FILED, Stage.SUBMITTED, Stage.RETURNED, Stage.UNRATED)


@page(PUBLIC, caching=cached_page)
def office(request: OfficeRequest) -> HttpResponseBase:
    federation = request.office
    newest = list(RatingList.objects.of(federation).on_newest_day().current().without_content())
    for rating_list in newest:
        rating_list.federation = federation
    sections = Section.objects.filter(event__federation=federation, stage__in=OPEN_STAGES)
    stages = dict(sections.values_list("stage").annotate(count=Count("pk")).order_by())
    recent = Fact.objects.filter(federation=federation, kind="rated").in_force()
    due = find_next_list_day(federation, today(federation))
    context = {
        "groups": group_newest_lists(federation, newest),
        "newest": newest[0] if newest else None,
        "stages": [(stage, stages[stage]) for stage in OPEN_STAGES if stage in stages],
        "errata": worded_errata(federation, errata_of(federation)[:ERRATA_SHOWN]),
        "recent": recent.select_related("section__event__region").order_by("-number")[:RECENT_SHOWN],
        "coming": running_and_coming_events(federation)[:COMING_SHOWN],
        "next": due if due and due >= today(federation) else None,
    }
    return render(request, "ratings/office.html", context)


def running_and_coming_events(federation: Federation) -> EventQuerySet:
    planned = Event.objects.filter(federation=federation, state=Event.State.PLANNED)
    return planned.filter(ends__gte=today(federation)).select_related("region").order_by("starts", "number")


def group_newest_lists(federation: Federation, lists: Sequence[RatingList]) -> list[dict[str, Any]]:
    """Group the newest lists by their tracks' groups: the first of each leads, with its best players and
    greatest gains; the others are links.
    """
    grouped = sort_into_groups(federation.ruleset, lists)
    leading = [members[0] for _name, members in grouped]
    step = get_round_step(federation)
    order = [pk for each in leading for pk in get_movers(each, step).up[:MOVERS_SHOWN]]
    rows = ListRow.objects.select_related("player__region", "player__federation")
    movers = _group_by_list(sorted(rows.filter(pk__in=order), key=lambda row: order.index(row.pk)))
    best = rows.filter(rating_list__in=leading, position__lte=TOP_SHOWN)
    top = _group_by_list(best.order_by("position"))
    shown = (row for rows in (*top.values(), *movers.values()) for row in rows)
    tell_apart(federation, [row.player for row in shown])
    return [
        {
            "name": name,
            "leading": leading,
            "others": others,
            "top": top.get(leading.pk, ()),
            "movers": movers.get(leading.pk, ()),
        }
        for name, (leading, *others) in grouped
    ]


def _group_by_list(rows: Iterable[ListRow]) -> dict[int, list[ListRow]]:
    found: dict[int, list[ListRow]] = {}
    for row in rows:
        found.setdefault(row.rating_list_id, []).append(row)
    return found


# ---- The front page
BEST_SHOWN, NEWS_OF_ONE_SHOWN, NEWS_SHOWN = 3, 4, 10


class News(NamedTuple):
    """A news item of an office: a day of lists, a rated section, or a correction."""

    on: date
    office: Federation
    kind: str
    title: str
    url: str
    section: Section | None = None
    """The section that was rated on the day `on`; its own days are those of play."""


@page(PUBLIC, caching=cached_page)
def offices(request: OfficeRequest) -> HttpResponseBase:
    found = list(Federation.objects.order_by("name"))
    context = {
        "cards": [_card(office) for office in found],
        "news": sorted((each for office in found for each in _news(office)), key=attrgetter("on"))[
            : -NEWS_SHOWN - 1 : -1
        ],
    }
    return render(request, "ratings/offices.html", context)


def _card(office: Federation) -> dict[str, Any]:
    """The card of an office, with the newest list of its main rating."""
    newest = list(RatingList.objects.of(office).on_newest_day().current().without_content())
    leading = sort_into_groups(office.ruleset, newest)[0][1][0] if newest else None
    rows = ListRow.objects.none()
    if leading:
        leading.federation = office
        rows = ListRow.objects.filter(rating_list=leading, position__lte=BEST_SHOWN)
    best = list(rows.select_related("player__federation").order_by("position"))
    tell_apart(office, [row.player for row in best])
    return {
        "office": office,
        "players": Player.objects.of(office).current().count(),
        "leading": leading,
        "best": best,
        "coming": running_and_coming_events(office).first(),
    }


def _news(office: Federation) -> Iterator[News]:
    """The newest items of each kind of an office."""
    days = RatingList.objects.of(office).filter(supersedes=None).values("on").order_by("-on")
    for day in days.annotate(lists=Count("pk"), published=Max("fact__on"))[:NEWS_OF_ONE_SHOWN]:
        words = ngettext("%(count)s list of %(day)s", "%(count)s lists of %(day)s", day["lists"])
        title = words % {"count": day["lists"], "day": date_format(day["on"], "DATE_FORMAT")}
        url = reverse("ratings:list_day", args=[office.code, RatingList(on=day["on"]).label])
        yield News(day["published"] or day["on"], office, _("Published"), title, url)
    lines = Fact.objects.filter(federation=office, kind="rated", section__isnull=False, erratum=None)
    lines = lines.in_force()
    for line in lines.select_related("section__event").order_by("-number")[:NEWS_OF_ONE_SHOWN]:
        section = line.section
        assert section is not None
        section.event.federation = office
        if line.on is not None:
            yield News(line.on, office, _("Rated"), str(section), section.get_absolute_url(), section)
    zone = ZoneInfo(office.equipment.office.time_zone)
    for each in worded_errata(office, errata_of(office)[:NEWS_OF_ONE_SHOWN], in_full=False):
        yield News(each.line.on or localdate(each.at, zone), office, _("Correction"), each.title, each.url)


# ---- Sitemaps
# They have no page that says `noindex`, of a child or of somebody who asked not to be named.
XML = "application/xml"
PAGE_NAMES = (
    "office",
    "lists",
    "players",
    "events",
    "records",
    "errata",
    "regulations",
    "journal",
    "check",
    "tables",
    "about",
)
"""The names of pages that every office has once."""


class OfficeSitemap(Sitemap):  # type: ignore[type-arg]
    limit = 20_000
    """The most addresses of a file; search engines accept 50,000."""

    def __init__(self, office: Federation) -> None:
        self.office = office


class PagesSitemap(OfficeSitemap):
    def items(self) -> list[str]:
        code, ruleset = self.office.code, self.office.ruleset
        tables = [reverse("ratings:table_page", args=[code, page.code]) for page in pages_of(ruleset)]
        examples = [reverse("ratings:example", args=[code, each.name]) for each in examples_of(ruleset)]
        return [*(reverse(f"ratings:{name}", args=[code]) for name in PAGE_NAMES), *tables, *examples]

    def location(self, item: str) -> str:
        return item


class ListsSitemap(OfficeSitemap):
    def items(self) -> QuerySet[RatingList]:
        lists = RatingList.objects.of(self.office).current().without_content()
        return lists.order_by("-on", "track").select_related("federation")

    def lastmod(self, item: RatingList) -> datetime:
        return item.published_at


class EventsSitemap(OfficeSitemap):
    def items(self) -> QuerySet[Event]:
        events = Event.objects.filter(federation=self.office).not_withdrawn()
        return events.order_by("-starts", "-number").select_related("federation")


class SectionsSitemap(OfficeSitemap):
    def items(self) -> QuerySet[Section]:
        rated = Section.objects.filter(event__federation=self.office, stage=Stage.RATED)
        return rated.order_by("-starts", "pk").select_related("event__federation")


class PlayersSitemap(OfficeSitemap):
    """Players whose pages may be found: known adults who did not ask to be withheld."""

    def items(self) -> QuerySet[Player]:
        people = Player.objects.of(self.office).current().filter(limits_of(self.office).indexable_filter())
        return people.filter(~Q(surname="")).order_by("number").select_related("federation")


SITEMAP_PARTS = {
    "pages": PagesSitemap,
    "lists": ListsSitemap,
    "events": EventsSitemap,
    "sections": SectionsSitemap,
    "players": PlayersSitemap,
}


@page(PUBLIC, caching=None)
def all_sitemaps(request: OfficeRequest) -> HttpResponseBase:
    items = [item for office in Federation.objects.order_by("code") for item in _index_items(request, office)]
    response = _render_index(request, items)
    response.headers["Cache-Control"] = f"public, max-age={FRESH_SECONDS}"
    return response


@page(PUBLIC, caching=cached_page)
def office_sitemaps(request: OfficeRequest) -> HttpResponseBase:
    return _render_index(request, list(_index_items(request, request.office)))


@page(PUBLIC, caching=cached_page)
def office_sitemap(request: OfficeRequest, part: str) -> HttpResponseBase:
    """A part of an office's sitemap; `?p=2` is the second file of a long one."""
    sitemaps: dict[str, Any] = {
        name: part_class(request.office) for name, part_class in SITEMAP_PARTS.items()
    }
    return sitemap_view(request, sitemaps, section=part, content_type=XML).render()


def _index_items(request: OfficeRequest, office: Federation) -> Iterator[SitemapIndexItem]:
    for part, part_class in SITEMAP_PARTS.items():
        address = request.build_absolute_uri(reverse("ratings:sitemap_part", args=[office.code, part]))
        for number in part_class(office).paginator.page_range:
            yield SitemapIndexItem(address if number == 1 else f"{address}?p={number}")


def _render_index(request: OfficeRequest, items: list[SitemapIndexItem]) -> HttpResponseBase:
    response = TemplateResponse(request, "sitemap_index.xml", {"sitemaps": items}, content_type=XML)
    return response.render()
