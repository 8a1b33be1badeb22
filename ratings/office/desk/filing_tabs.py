"""A region's sections on its desk, under tabs that stand in the address: each choice is a link."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from players.office.access import OfficeRequest, Permission
from players.office.settings_schema import today
from players.office.stored_bytes import use_of_region
from players.people.models import Transfer
from ratings.office.desk.queue_tables import FilingTable
from ratings.office.desk.rated_effects import effects_of
from tournaments.events.models import OPEN_TO_FILING, Finding, Section, SectionQuerySet, Stage, said_by
from tournaments.events.section_days import pressing

DECIDED_LATELY = timedelta(days=30)
"""The time for which a decided transfer stays on the desks of its regions."""
LATELY = 20
"""The most sections that *Rated lately* shows."""
TO_DO, WITH_OFFICE, REFUSED, RATED = "to-do", "with-office", "refused", "rated"
TABS: dict[str, Any] = {
    TO_DO: _("To do"),
    WITH_OFFICE: _("With the office"),
    REFUSED: pgettext_lazy("several sections", "Refused"),
    RATED: _("Rated lately"),
}
STAGES: dict[str, tuple[Stage, ...]] = {
    TO_DO: tuple(OPEN_TO_FILING),
    WITH_OFFICE: (Stage.SUBMITTED,),
    REFUSED: (Stage.REFUSED,),
    RATED: (Stage.RATED,),
}
EMPTY = {
    TO_DO: _("Register an event before it is played; its sections then wait here for their files."),
    WITH_OFFICE: _("No section of your region awaits a decision of the office."),
    REFUSED: _("No section of your region was refused."),
}
ORDER = (Stage.RETURNED, Stage.UNRATED, Stage.FILED, Stage.REGISTERED, Stage.SUBMITTED, Stage.REFUSED)
_IN_THE_WAY = Q(findings__in=Finding.objects.blocking())


def filing(request: OfficeRequest) -> dict[str, Any]:
    """The desk's context for a regional administrator: the tabs of the region's sections, and one of them."""
    regions = request.rights.regions_for(Permission.SECTIONS_FILE)
    own = Section.objects.within(request.rights, Permission.SECTIONS_FILE).filter(event__region__in=regions)
    tab = request.GET.get("filing", TO_DO)
    tab = tab if tab in TABS else TO_DO
    keeping = request.office.regions.filter(pk__in=regions).select_related("federation")
    return {
        "filing_tabs": _tabs(request, own, tab),
        "filing": None if tab == RATED else _table(request, own.filter(stage__in=STAGES[tab]), tab),
        "rated_lately": rated_lately(own) if tab == RATED else None,
        "transfers_of_region": transfers_of(request, regions),
        "places": request.office.publication.decimals,
        "room": [use_of_region(region) for region in keeping],
    }


def transfers_of(request: OfficeRequest, regions: Collection[int]) -> QuerySet[Transfer]:
    """The transfers to or from regions, by their keys: those that wait for an answer or for their day, and
    those decided not long ago.
    """
    since = today(request.office) - DECIDED_LATELY
    found = Transfer.objects.filter(Q(giving__in=regions) | Q(taking__in=regions), federation=request.office)
    lately = found.filter(Q(state__in=Transfer.OPEN) | Q(decided_on__gte=since))
    return lately.select_related("player__federation", "giving", "taking").order_by("-asked_on", "-pk")


def _tabs(request: OfficeRequest, own: SectionQuerySet, tab: str) -> list[dict[str, Any]]:
    """The tabs with their counts; each keeps what the address asks of the official's queue beside it."""
    counts = dict(own.order_by().values_list("stage").annotate(number=Count("pk")))
    return [
        {
            "label": words,
            "url": f"?{urlencode({**request.GET.dict(), 'filing': each})}",
            "current": each == tab,
            "count": None if each == RATED else sum(counts.get(stage, 0) for stage in STAGES[each]),
        }
        for each, words in TABS.items()
    ]


def _table(request: OfficeRequest, sections: SectionQuerySet, tab: str) -> FilingTable:
    day = today(request.office)

    def urgency(section: Section) -> tuple[date, int, date]:
        due = pressing(section, day) if section.open_to_filing else None
        return due.last if due else date.max, ORDER.index(Stage(section.stage)), section.ends

    related = sections.select_related("event__federation", "event__region")
    counted = related.annotate(blocking=Count(said_by("findings__"), filter=_IN_THE_WAY, distinct=True))
    found = by_event(sorted(counted.prefetch_related("permission_requests"), key=urgency))
    hidden = () if len({section.event.region_id for section in found}) > 1 else ("region",)
    if request.office.ruleset.sections.deadlines is None or tab != TO_DO:
        hidden = (*hidden, "due")
    return FilingTable(found, caption=str(TABS[tab]), day=day, exclude=hidden, empty_text=EMPTY[tab])


def by_event(sections: list[Section]) -> list[Section]:
    """The same sections with those of one event together, where its first stands."""
    events: dict[int, list[Section]] = {}
    for section in sections:
        events.setdefault(section.event_id, []).append(section)
    return [section for together in events.values() for section in together]


def rated_lately(own: SectionQuerySet) -> list[dict[str, Any]]:
    """The sections of a region that were rated last, each with what it moved."""
    rated = own.filter(stage=Stage.RATED).select_related("event__federation", "event__region")
    sections = list(rated.order_by("-rated_on", "-pk")[:LATELY])
    effects = effects_of(sections)
    return [{"section": section, "effect": effects.get(section.pk)} for section in sections]
