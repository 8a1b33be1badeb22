"""Sitemaps for search engines: each page that they may keep, an office's in parts, all parts in one index.

Whoever's page says `noindex`, a child or somebody who asked not to be named, stands in none.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.contrib.sitemaps import Sitemap
from django.contrib.sitemaps.views import SitemapIndexItem
from django.contrib.sitemaps.views import sitemap as answer_of
from django.db.models import Q, QuerySet
from django.http import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import reverse

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from players.register.models import Player
from ratings.equipment.rule_table_pages import pages_of
from ratings.law.ruleset_helpers.example_files import examples_of
from ratings.lists.models import RatingList
from ratings.public.common.caching import FRESH, cached_page
from ratings.public.common.disclosure_limits import limits_of
from tournaments.events.models import Event, Section, Stage

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
