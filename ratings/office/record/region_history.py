"""A region's history: what it filed, what was rated, what came late, and its players."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import django_tables2 as tables
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from players.office.access import OfficeRequest, Permission, permitted
from players.office.models import Region
from players.office.settings_schema import today
from players.pages.paging import paged
from players.pages.table_columns import NumberColumn, StageColumn
from players.register.models import Player
from tournaments.events.models import OPEN_TO_FILING, Finding, Section, Stage
from tournaments.events.section_days import SectionDeadline, pressing


class FiledTable(tables.Table):
    """A region's sections, the latest played first."""

    row_header = "event"
    caption = _lazy("Sections of the region")
    empty_title = _lazy("Nothing filed yet")
    event = tables.Column(verbose_name=_lazy("Section"), accessor="event__name")
    ends = tables.DateColumn(verbose_name=_lazy("Last day"), format="SHORT_DATE_FORMAT")
    submitted_on = tables.DateColumn(verbose_name=_lazy("Submitted"), format="SHORT_DATE_FORMAT")
    rated_on = tables.DateColumn(verbose_name=_lazy("Rated"), format="SHORT_DATE_FORMAT")
    late = tables.Column(verbose_name=_lazy("Late"), empty_values=())
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

    def __init__(self, *args: Any, overdue: Mapping[int, SectionDeadline], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.overdue = overdue

    def render_late(self, value: bool, record: Section) -> str:
        told = [_("late")] if value else []
        if (due := self.overdue.get(record.pk)) is not None:
            state = render_to_string("tournaments/deadline_state.html", {"each": due})
            told.append(format_html('{}<span class="sub">{}</span>', state, due.words))
        return format_html_join(" ", "{}", ((words,) for words in told)) or "–"


class PlayersTable(tables.Table):
    """A region's players, who plays most first."""

    row_header = "number"
    caption = _lazy("Players of the region")
    empty_title = _lazy("No player")
    number = tables.Column(verbose_name=_lazy("Player"))
    sections = NumberColumn(verbose_name=_lazy("Rated sections"))

    class Meta:
        attrs = {"class": "cards"}
        orderable = False
        prefix = "players-"
        empty_text = _lazy("Nobody in the register belongs to this region.")

    def render_number(self, record: Player) -> str:
        url, name = record.get_absolute_url(), record.shown_name
        return format_html('<a href="{}">{}</a><span class="sub mono">{}</span>', url, name, record.number)


@permitted(Permission.RECORD_READ)
@never_cache
@require_safe
def region_history(request: OfficeRequest, code: str) -> HttpResponse:
    region = get_object_or_404(request.rights.regions(Permission.RECORD_READ), code=code)
    sections = sections_of(region)
    players = players_of(region)
    overdue = overdue_of(sections, today(request.office))
    context = {
        "region": region,
        "tiles": _figures(sections, players, len(overdue)),
        "table": paged(FiledTable(sections, overdue=overdue), request),
        "players": paged(PlayersTable(players), request),
    }
    return render(request, "ratings/office/region_history.html", context)


def sections_of(region: Region) -> QuerySet[Section]:
    """The region's sections, the latest first, each with whether a finding says that something was late."""
    sections = Section.objects.filter(event__region=region).annotate(late=_something_late())
    return sections.select_related("event__federation").order_by("-ends", "event__number", "code")


def overdue_of(sections: QuerySet[Section], on: date) -> dict[int, SectionDeadline]:
    """By key, the deadline that passed of each section that the region has still in hand."""
    in_hand = sections.filter(stage__in=OPEN_TO_FILING).select_related("event__region")
    found = ((each.pk, pressing(each, on)) for each in in_hand.prefetch_related("permission_requests"))
    return {key: due for key, due in found if due is not None and due.is_late}


def _something_late() -> Exists:
    """Whether a finding on the section says that something of it was late."""
    late = Q(key__endswith="-late") | Q(key__contains="-late:")
    return Exists(Finding.objects.filter(late, section=OuterRef("pk")))


def players_of(region: Region) -> QuerySet[Player]:
    """The region's players, with the number of sections that each played in, those who play most first."""
    counted = Count("entries", filter=Q(entries__section__stage=Stage.RATED), distinct=True)
    players = Player.objects.of(region.federation).current().filter(region=region)
    counts = players.annotate(sections=counted).select_related("federation")
    return counts.order_by("-sections", "sort_key", "number")


def _figures(sections: QuerySet[Section], players: QuerySet[Player], overdue: int) -> list[dict[str, Any]]:
    """The tiles above; `overdue`: the number of sections that are late and not submitted yet."""
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
        {"label": _("Overdue, not submitted"), "value": overdue},
        {"label": _("Players"), "value": players.count()},
    ]
