"""The official's queue: its tabs, filters and order stand in the address, so each choice is a link."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from players.office.access import OfficeRequest, Permission
from players.office.models import Ledger
from players.office.settings_schema import today
from players.pages.paging import paged
from ratings.hints.models import Hint
from ratings.office.desk.queue_tables import QueueTable
from ratings.office.desk.rated_effects import effects_of
from ratings.office.sections.admit_before_play import awaiting
from tournaments.events.models import OPEN_TO_FILING, Entry, Finding, Section, SectionQuerySet, Stage
from tournaments.events.section_days import DeadlineState, pressing
from tournaments.filing.before_play.first_decision import decides_before_play

LATELY = timedelta(days=60)
AGES = (3, 7, 14, 30)
MINE, WAITING, BEFORE_PLAY = "mine", "waiting", "before-play"
WITH_REGIONS, RATED, REFUSED = "with-regions", "rated", "refused"
TABS: dict[str, Any] = {
    MINE: gettext_lazy("Mine"),
    WAITING: gettext_lazy("Awaiting review"),
    BEFORE_PLAY: gettext_lazy("Before play"),
    WITH_REGIONS: gettext_lazy("With the regions"),
    RATED: gettext_lazy("Rated lately"),
    REFUSED: gettext_lazy("Refused"),
}
HIDDEN = {
    MINE: ("rated_on",),
    WAITING: ("stage", "rated_on"),
    BEFORE_PLAY: ("players", "found", "moves", "submitted_on", "rated_on", "stage"),
    WITH_REGIONS: ("moves", "submitted_on", "rated_on"),
    RATED: ("found", "submitted_on", "stage", "taken", "due"),
    REFUSED: ("moves", "rated_on", "stage", "taken", "due"),
}
"""Columns that say nothing under a tab."""
FIRST = {WITH_REGIONS: "ends", RATED: "-rated_on", BEFORE_PLAY: "ends", REFUSED: "-submitted_on"}
"""The order of a tab where the address asks for none; elsewhere the longest waiting comes first."""
LONGEST_SEARCH = 60


@dataclass(frozen=True, slots=True)
class QueueChoice:
    """A choice of the queue's sections, as the address asks; anything unknown in it counts as not asked."""

    tab: str = WAITING
    region: str = ""
    age: int = 0
    """The fewest days that a section has waited for the office."""
    q: str = ""
    sort: str = ""
    late: bool = False
    """Whether only sections are shown with which the region is late."""

    @property
    def narrowed(self) -> bool:
        return bool(self.region or self.age or self.q or self.late)

    def address(self, **other: Any) -> str:
        """The query of the same choice but for these parts; always of its first page."""
        asked = replace(self, **other)
        parts = {"tab": asked.tab, "region": asked.region, "age": asked.age, "q": asked.q, "sort": asked.sort}
        parts["late"] = "yes" if asked.late else ""
        return f"?{urlencode({name: value for name, value in parts.items() if value})}"


def choice_of(request: OfficeRequest) -> QueueChoice:
    """Read the choice from the address."""
    asked = request.GET
    region, age = asked.get("region", ""), asked.get("age", "")
    codes = {code for code, _name in request.office.region_names} if request.office.regional else set()
    tab = asked.get("tab", WAITING)
    return QueueChoice(
        tab=tab if tab in tabs_of(request) else WAITING,
        region=region if region in codes else "",
        age=int(age) if age in map(str, AGES) else 0,
        q=asked.get("q", "").replace("\0", "").strip()[:LONGEST_SEARCH],
        sort=asked.get("sort", "").replace("\0", "")[:LONGEST_SEARCH],
        late=asked.get("late") == "yes" and tab == WITH_REGIONS,
    )


def tabs_of(request: OfficeRequest) -> list[str]:
    """The tabs of an office: that before play only where its regulations have such a decision."""
    decides = decides_before_play(request.office)
    return [tab for tab in TABS if decides or tab != BEFORE_PLAY]


def queue(request: OfficeRequest) -> dict[str, Any]:
    """The template context of an official's queue: tabs with their counts, filters, search and the page."""
    choice = choice_of(request)
    day = today(request.office)
    undated = request.office.ruleset.sections.deadlines is None
    hidden = (*HIDDEN[choice.tab], *(() if request.office.regional else ("region",)))
    hidden = (*hidden, "due") if undated else hidden
    found = narrowed(under(request, choice.tab, day), choice, day)
    table = QueueTable(
        with_figures(found),
        caption=str(TABS[choice.tab]),
        office=request.office,
        day=day,
        hidden=hidden,
        order_by=choice.sort or FIRST.get(choice.tab, "submitted_on"),
    )
    paged(table, request)
    if choice.tab == RATED:
        table.effects = effects_of(row.record for row in table.paginated_rows)
    return {
        "review": table,
        "choice": choice,
        "tabs": _tabs(request, choice, day),
        "filters": _filters(request, choice),
        "kept": [
            (name, getattr(choice, name))
            for name in ("tab", "region", "age", "sort")
            if getattr(choice, name)
        ]
        + ([("late", "yes")] if choice.late else []),
        "clear_url": choice.address(region="", age=0, q="", late=False) if choice.narrowed else "",
    }


def under(request: OfficeRequest, tab: str, day: date) -> SectionQuerySet:
    """The sections under a tab."""
    sections = Section.objects.within(request.rights, Permission.SECTIONS_REVIEW)
    match tab:
        case "mine":
            return sections.filter(taking__official=request.user)
        case "before-play":
            return sections.filter(pk__in=[section.pk for section in awaiting(request.office, day)])
        case "with-regions":
            return sections.filter(stage__in=OPEN_TO_FILING)
        case "refused":
            return sections.filter(stage=Stage.REFUSED)
        case "rated":
            return sections.filter(stage=Stage.RATED, rated_on__gte=day - LATELY)
        case _waiting:
            return sections.filter(stage=Stage.SUBMITTED)


def narrowed(sections: SectionQuerySet, choice: QueueChoice, day: date) -> SectionQuerySet:
    """Keep the sections that the address asks for: of a region, waiting so long, of a name or number."""
    if choice.region:
        sections = sections.filter(event__region__code=choice.region)
    if choice.age:
        sections = sections.filter(stage=Stage.SUBMITTED, submitted_on__lte=day - timedelta(days=choice.age))
    if choice.late:
        sections = sections.filter(pk__in=late_ones(sections, day))
    for word in choice.q.split():
        named = Q(event__name__icontains=word) | Q(name__icontains=word)
        sections = sections.filter(named | Q(event__number__icontains=word))
    return sections


def late_ones(sections: SectionQuerySet, day: date) -> list[int]:
    """The keys of sections of which something was to be done before the day, and is not done yet."""
    related = sections.select_related("event__federation", "event__region")
    due = ((each.pk, pressing(each, day)) for each in related.prefetch_related("permission_requests"))
    return [key for key, deadline in due if deadline and deadline.state == DeadlineState.OVERDUE]


def with_figures(sections: SectionQuerySet) -> SectionQuerySet:
    """Add what stands in a row: players, findings, waivers asked for, open hints, and the journal's length
    now.
    """
    of_section = Finding.objects.filter(section=OuterRef("pk"))
    office = Ledger.objects.filter(federation=OuterRef("event__federation"))
    return (
        sections.select_related("event__federation", "event__region", "taking__official", "figures")
        .prefetch_related("permission_requests")
        .annotate(
            players=_number(Entry.objects.filter(section=OuterRef("pk"))),
            found=_number(of_section),
            waivers=_number(of_section.filter(level="waivable").exclude(waived_because="")),
            open_hints=_number(Hint.objects.open().filter(section=OuterRef("pk"))),
            lines=Subquery(office.values("facts")[:1]),
        )
    )


def _number(rows: QuerySet[Any]) -> Coalesce:
    counted = rows.order_by().values("section").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def _tabs(request: OfficeRequest, choice: QueueChoice, day: date) -> list[dict[str, Any]]:
    return [
        {
            "label": TABS[tab],
            "url": QueueChoice(tab=tab, region=choice.region, q=choice.q).address(),
            "current": tab == choice.tab,
            "count": under(request, tab, day).count(),
        }
        for tab in tabs_of(request)
    ]


def _filters(request: OfficeRequest, choice: QueueChoice) -> list[dict[str, Any]]:
    """The chips of the regions, and of the days waited where sections wait for the office."""
    filters = []
    if request.office.regional:
        regions = [("", _("All regions")), *request.office.region_names]
        options = [(name, choice.address(region=code), code == choice.region) for code, name in regions]
        filters.append((_("Region"), options))
    if choice.tab == WITH_REGIONS and request.office.ruleset.sections.deadlines:
        options = [
            (_("All"), choice.address(late=False), not choice.late),
            (_("Late"), choice.address(late=True), choice.late),
        ]
        filters.append((_("Deadline"), options))
    if choice.tab in (MINE, WAITING):
        options = [(_age(age), choice.address(age=age), age == choice.age) for age in (0, *AGES)]
        filters.append((_("Waiting"), options))
    return [
        {
            "label": label,
            "options": [{"label": name, "url": url, "current": current} for name, url, current in options],
        }
        for label, options in filters
    ]


def _age(days: int) -> str:
    if not days:
        return _("However long")
    return ngettext("%(days)s day or more", "%(days)s days or more", days) % {"days": days}
