"""The official's queue: its tabs, filters and order stand in the address, so each choice is a link."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from players.office.access import OfficeRequest, Permission
from players.office.models import Federation, Ledger
from players.office.settings_schema import today
from players.pages.paging import paged
from ratings.hints.models import Hint
from ratings.office.desk.queue_tables import QueueTable
from ratings.office.desk.rated_effects import effects_of
from ratings.office.sections.admit_before_play import awaiting
from tournaments.events.models import OPEN_TO_FILING, Entry, Finding, Section, SectionQuerySet, Stage, said_by
from tournaments.events.section_days import FOLLOWED, office_due
from tournaments.filing.before_play.first_decision import may_decide_before_play

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
    REFUSED: pgettext_lazy("several sections", "Refused"),
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
STAGES: dict[str, tuple[Stage, ...]] = {WITH_REGIONS: OPEN_TO_FILING, MINE: FOLLOWED}
"""The stages by which the sections under a tab are chosen, where it has several."""
LONGEST_SEARCH = 60
LATE, SOON = "late", "soon"
DUE: dict[str, Any] = {
    "": gettext_lazy("All"),
    SOON: gettext_lazy("Within a week"),
    LATE: gettext_lazy("Late"),
}
"""The choices by deadline."""


@dataclass(frozen=True, slots=True)
class QueueChoice:
    """A choice of the queue's sections, as the address asks; anything unknown in it counts as not asked."""

    tab: str = WAITING
    region: str = ""
    age: int = 0
    """The fewest days that a section has waited for the office."""
    q: str = ""
    sort: str = ""
    due: str = ""
    """The deadline of the sections to be shown: `late`, `soon`; empty: any or none."""
    stage: str = ""
    """The stage of the sections to be shown; empty: any that stands under the tab."""
    filing: str = ""
    """The tab of the region's own sections, for who files as well: it says nothing about the queue."""

    @property
    def narrowed(self) -> bool:
        return bool(self.region or self.stage or self.age or self.q or self.due)

    def address(self, **other: Any) -> str:
        """The query of the same choice but for these parts; always of its first page."""
        asked = replace(self, **other)
        return f"?{urlencode(asked.parts())}"

    def parts(self) -> dict[str, Any]:
        """The parts of the address that tell the choice."""
        names = ("tab", "region", "stage", "age", "due", "q", "sort", "filing")
        return {name: value for name in names if (value := getattr(self, name))}


def choice_of(request: OfficeRequest) -> QueueChoice:
    """Read the choice from the address."""
    asked = request.GET
    region, age, due = asked.get("region", ""), asked.get("age", ""), asked.get("due", "")
    if asked.get("late"):  # what the address said before there was more than late
        due = "late"
    codes = {code for code, _name in request.office.region_names} if request.office.regional else set()
    tab = asked.get("tab", WAITING)
    return QueueChoice(
        tab=tab if tab in tabs_of(request) else WAITING,
        region=region if region in codes else "",
        age=int(age) if age in map(str, AGES) else 0,
        q=asked.get("q", "").replace("\0", "").strip()[:LONGEST_SEARCH],
        sort=asked.get("sort", "").replace("\0", "")[:LONGEST_SEARCH],
        due=due if due in DUE and has_deadlines(request.office, tab) else "",
        stage=stage if (stage := asked.get("stage", "")) in STAGES.get(tab, ()) else "",
        filing=asked.get("filing", "").replace("\0", "")[:LONGEST_SEARCH],
    )


def has_deadlines(office: Federation, tab: str) -> bool:
    """Whether sections with deadlines stand under a tab of this office."""
    return office.ruleset.sections.deadlines is not None and "due" not in HIDDEN.get(tab, ())


def tabs_of(request: OfficeRequest) -> list[str]:
    """The tabs of an office: that before play only where its regulations have such a decision."""
    decides = may_decide_before_play(request.office)
    return [tab for tab in TABS if decides or tab != BEFORE_PLAY]


def queue(request: OfficeRequest) -> dict[str, Any]:
    """The template context of an official's queue: tabs with their counts, filters, search and the page."""
    choice = choice_of(request)
    day = today(request.office)
    hidden = (*HIDDEN[choice.tab], *(() if request.office.regional else ("region",)))
    hidden = hidden if has_deadlines(request.office, choice.tab) else (*hidden, "due")
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
        "kept": [(name, value) for name, value in choice.parts().items() if name != "q"],
        "clear_url": choice.address(region="", stage="", age=0, q="", due="") if choice.narrowed else "",
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
    """Keep the sections that the address asks for: of a region or stage, waiting so long, of a name or
    number.
    """
    if choice.stage:
        sections = sections.filter(stage=choice.stage)
    if choice.region:
        sections = sections.filter(event__region__code=choice.region)
    if choice.age:
        sections = sections.filter(stage=Stage.SUBMITTED, submitted_on__lte=day - timedelta(days=choice.age))
    if choice.due:
        sections = sections.filter(pk__in=due_ones(sections, choice.due, day))
    for word in choice.q.split():
        named = Q(event__name__icontains=word) | Q(name__icontains=word)
        sections = sections.filter(named | Q(event__number__icontains=word))
    return sections


def due_ones(sections: SectionQuerySet, when: str, day: date) -> list[int]:
    """The keys of sections whose deadline in the row is late, or has to be met within a week (`when`)."""
    related = sections.select_related("event__federation", "event__region")
    found = ((each.pk, office_due(each, day)) for each in related.prefetch_related("permission_requests"))
    return [key for key, due in found if due and (due.is_late if when == LATE else due.presses and due.soon)]


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
            found=_number(of_section, of=said_by()),
            waivers=_number(of_section.filter(level="waivable").exclude(waived_because="")),
            open_hints=_number(Hint.objects.open().filter(section=OuterRef("pk"))),
            lines=Subquery(office.values("facts")[:1]),
        )
    )


def _number(rows: QuerySet[Any], of: Combinable | None = None) -> Coalesce:
    """Count the rows of a section; those of which `of` is the same count once."""
    number = Count("pk" if of is None else of, distinct=True)
    counted = rows.order_by().values("section").annotate(number=number).values("number")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def _tabs(request: OfficeRequest, choice: QueueChoice, day: date) -> list[dict[str, Any]]:
    """The tabs, each with the number of sections that its address shows: a region and a search stay, what
    only the sections under this tab have does not.
    """
    kept = {
        tab: QueueChoice(tab=tab, region=choice.region, q=choice.q, filing=choice.filing)
        for tab in tabs_of(request)
    }
    kept[choice.tab] = choice
    return [
        {
            "label": TABS[tab],
            "url": shown.address(),
            "current": tab == choice.tab,
            "count": narrowed(under(request, tab, day), shown, day).count(),
        }
        for tab, shown in kept.items()
    ]


def _filters(request: OfficeRequest, choice: QueueChoice) -> list[dict[str, Any]]:
    """The chips of the regions, of stages where several stand under the tab, of deadlines, and of the days
    waited where sections wait for the office.
    """
    filters = []
    if request.office.regional:
        regions = [("", _("All regions")), *request.office.region_names]
        options = [(name, choice.address(region=code), code == choice.region) for code, name in regions]
        filters.append((_("Region"), options))
    if stages := STAGES.get(choice.tab):
        names = [("", _("All")), *((stage.value, str(stage.label)) for stage in stages)]
        options = [(name, choice.address(stage=stage), stage == choice.stage) for stage, name in names]
        filters.append((_("Stage"), options))
    if has_deadlines(request.office, choice.tab):
        options = [(str(name), choice.address(due=due), due == choice.due) for due, name in DUE.items()]
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
