"""A region's history: what it filed, what was rated, what came late, and its players."""

from __future__ import annotations

from typing import Any

import django_tables2 as tables
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from players.office.access import OfficeRequest, Permission, permitted
from players.office.models import Region
from players.pages.paging import paged
from players.pages.table_columns import StageColumn
from players.register.models import Player
from tournaments.events.models import Finding, Section, Stage


class FiledTable(tables.Table):
    """A region's sections, the latest played first."""

    row_header = "event"
    caption = _lazy("Sections of the region")
    empty_title = _lazy("Nothing filed yet")
    event = tables.Column(verbose_name=_lazy("Section"), accessor="event__name")
    ends = tables.DateColumn(verbose_name=_lazy("Last day"), format="j M Y")
    submitted_on = tables.DateColumn(verbose_name=_lazy("Submitted"), format="j M Y")
    rated_on = tables.DateColumn(verbose_name=_lazy("Rated"), format="j M Y")
    late = tables.Column(verbose_name=_lazy("Late"), default="–")
    stage = StageColumn(verbose_name=_lazy("Stage"))

    class Meta:
        attrs = {"class": "cards"}
        orderable = False
        empty_text = _lazy("Its sections stand here from their registration on.")

    def render_event(self, record: Section) -> str:
        url = f"{record.event.federation.get_absolute_url()}events/{record.key}/"
        return format_html(
            '<a href="{}">{}</a><span class="sub">{}</span>', url, record.event.name, record.name
        )

    def render_late(self, value: bool) -> str:
        return _("late") if value else "–"


@permitted(Permission.RECORD_READ)
@never_cache
@require_safe
def region_history(request: OfficeRequest, code: str) -> HttpResponse:
    region = get_object_or_404(request.rights.regions(Permission.RECORD_READ), code=code)
    sections = sections_of(region)
    players = players_of(region)
    context = {
        "region": region,
        "tiles": _figures(sections, players),
        "table": paged(FiledTable(sections), request),
        "players": players[:100],
    }
    return render(request, "ratings/office/region_history.html", context)


def sections_of(region: Region) -> QuerySet[Section]:
    """The region's sections, the latest first, each with whether a finding says that something was late."""
    sections = Section.objects.filter(event__region=region).annotate(late=_something_late())
    return sections.select_related("event__federation").order_by("-ends", "event__number", "code")


def _something_late() -> Exists:
    """Whether a finding on the section says that something of it was late."""
    late = Q(key__endswith="-late") | Q(key__contains="-late:")
    return Exists(Finding.objects.filter(late, section=OuterRef("pk")))


def players_of(region: Region) -> QuerySet[Player]:
    """The region's players, with the number of sections that each played in, those who play most first."""
    counted = Count("entries", filter=Q(entries__section__stage=Stage.RATED), distinct=True)
    players = Player.objects.of(region.federation).current().filter(region=region)
    return players.annotate(sections=counted).order_by("-sections", "surname", "number")


def _figures(sections: QuerySet[Section], players: QuerySet[Player]) -> list[dict[str, Any]]:
    counted = sections.order_by().aggregate(
        filed=Count("pk", filter=Q(filed_on__isnull=False)),
        rated=Count("pk", filter=Q(stage=Stage.RATED)),
        returned=Count("pk", filter=Q(stage=Stage.RETURNED)),
    )
    return [
        {"label": _("Sections filed"), "value": counted["filed"]},
        {"label": _("Sections rated"), "value": counted["rated"]},
        {"label": _("Returned at present"), "value": counted["returned"]},
        {"label": _("Sections with something late"), "value": sections.filter(_something_late()).count()},
        {"label": _("Players"), "value": players.count()},
    ]
