"""The desk: the work that waits for the person signed in, for each role, and the calendar of deadlines.

Tabs, filters and the order of tables stand in the address, so each choice is a link.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import django_tables2 as tables
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import (
    Case,
    Count,
    DateField,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.timezone import localtime
from django.utils.translation import gettext as _, gettext_lazy, ngettext, pgettext_lazy

from players.access import POST, SIGNED_IN, OfficeRequest, Permission, page
from players.files import region_room_use
from players.models import Federation, Ledger, Role, Transfer
from players.pages.forms import MESSAGE, attempt, parse_number
from players.pages.tables import NumberColumn, StageColumn, paged
from players.settings import today
from players.templatetags.ui import rating
from ratings.lists import find_next_list_day
from ratings.models import (
    Change,
    DoublesCount,
    Fact,
    Hint,
    RatingList,
    ReviewFigures,
)
from ratings.pages.cases import add_days_left_and_late, cases_within_rights
from ratings.pages.decisions import sections_to_decide_before_play
from ratings.pages.forms import officials_of
from ratings.pages.review import section_for
from ratings.pages.tables import render_deadline
from ratings.publication import count_ranks_to_confirm
from ratings.recompute import get_progress_context, get_work_context
from tournaments import before_play, models, review
from tournaments.findings import filing_url
from tournaments.sections import (
    FOLLOWED_STAGES,
    SectionDeadline,
    find_deadline_for_official,
    find_pending_deadline,
    find_pending_or_late_deadline,
    list_deadlines,
    upload_link_text,
)


# ---- The calendar of deadlines
class DeadlineTable(tables.Table):
    caption = gettext_lazy("Deadlines")
    row_header = "section"
    empty_title = gettext_lazy("Nothing is due")
    last = tables.DateColumn(verbose_name=gettext_lazy("Last day"), format="SHORT_DATE_FORMAT")
    state = tables.Column(verbose_name=gettext_lazy("Due"))
    words = tables.Column(verbose_name=gettext_lazy("What is to be done"))
    section = tables.Column(verbose_name=gettext_lazy("Section"))
    region = tables.Column(
        verbose_name=gettext_lazy("Region"), accessor="section__event__region", default="–"
    )
    by = tables.Column(verbose_name=gettext_lazy("By whom"), accessor="deadline__by_office")

    class Meta:
        orderable = False
        empty_text = gettext_lazy("No section with these choices has a deadline that is still to be met.")

    def __init__(self, deadlines: list[SectionDeadline], *, one_region: bool) -> None:
        hidden = {"region": one_region, "by": not any(each.deadline.by_office for each in deadlines)}
        super().__init__(deadlines, exclude=[name for name, hides in hidden.items() if hides])

    def render_state(self, record: SectionDeadline) -> str:
        return render_to_string("tournaments/deadline_state.html", {"each": record})

    def render_words(self, record: SectionDeadline) -> str:
        return format_html('{}<span class="sub">§{}</span>', record.words, record.clause)

    def render_section(self, record: SectionDeadline) -> str:
        words = format_html('{}<span class="sub">{}</span>', record.section, record.section.key)
        return format_html('<a href="{}">{}</a>', filing_url("deadlines", record.section), words)

    def render_by(self, value: bool) -> str:
        return _("the office") if value else _("the region")


@page(Permission.SECTIONS_FILE)
def deadline_calendar(request: OfficeRequest) -> HttpResponse:
    due, region = request.GET.get("due", ""), request.GET.get("region", "")
    regions = _regions(request)
    choice = QueueChoice(
        tab="", due=due if due in DUE_CHOICES else "", region=region if region in dict(regions) else ""
    )
    found = [each for each in waiting_deadlines(request, choice.region) if _is_chosen(each, choice.due)]
    found.sort(key=lambda each: (each.last, each.section.key))
    filters = [choice.filter(_("Deadline"), "due", DUE_CHOICES.items())]
    if regions:
        filters.append(choice.filter(_("Region"), "region", [("", _("All regions")), *regions]))
    context: dict[str, Any] = {
        "table": paged(DeadlineTable(found, one_region=not regions), request),
        "filters": filters,
        "clear_url": request.path if choice.is_filtered else "",
    }
    return render(request, "ratings/office/deadline_calendar.html", context)


def waiting_deadlines(request: OfficeRequest, region: str = "") -> Iterator[SectionDeadline]:
    """Yield the deadlines that region or office have yet to meet, of the sections that a person may file."""
    if request.office.ruleset.sections.deadlines is None:
        return
    sections = models.Section.objects.within(request.rights, Permission.SECTIONS_FILE)
    sections = sections.filter(stage__in=models.OPEN_TO_FILING, event__state=models.Event.State.PLANNED)
    if region:
        sections = sections.filter(event__region__code=region)
    related = sections.select_related("event__federation", "event__region")
    day = today(request.office)
    for section in related.prefetch_related("permission_requests"):
        yield from (each for each in list_deadlines(section, day) if each.is_pending)


def _regions(request: OfficeRequest) -> list[tuple[str, str]]:
    """Code and name of the regions among which a person can choose; empty if there is no choice."""
    regions = request.rights.regions(Permission.SECTIONS_FILE)
    found = list(regions.order_by("name").values_list("code", "name"))
    return found if len(found) > 1 else []


def _is_chosen(deadline: SectionDeadline, when: str) -> bool:
    """Whether a deadline is late, or has to be met within a week (`when`); empty: any is."""
    if not when:
        return True
    return deadline.is_late if when == LATE else deadline.is_pending and deadline.soon


# ---- The effect of rated sections
def effects_of(sections: Iterable[models.Section]) -> dict[int, dict[str, Any]]:
    """Return the effect of each rated section, by its key: the number of ratings that moved, with first ones,
    and the most points, None where all are first ones. Nothing while ratings are being computed.
    """
    keys = [section.pk for section in sections]
    facts = Fact.objects.filter(section__in=keys, kind="rated").in_force()
    changes = Change.objects.filter(fact__in=facts).values_list(
        "fact__section_id", "before", "after", "points"
    )
    moved: defaultdict[int, list[Decimal]] = defaultdict(list)
    for section, before, after, points in changes:
        if points or (before is None and after is not None):
            moved[section].append(abs(points or Decimal(0)))
    return {section: {"moves": len(each), "most": max(each) or None} for section, each in moved.items()}


# ---- Tables of the desk
FindDeadline = Callable[[models.Section, date], SectionDeadline | None]


class _Meta:
    orderable = False


class DueColumn(tables.Column):
    """A column with the next deadline of each section, on the day of the table."""

    def __init__(self, find: FindDeadline, *, missed: bool = False, **kwargs: Any) -> None:
        """Make the column; `missed`: with the missed deadlines before play."""
        super().__init__(verbose_name=gettext_lazy("Due"), accessor="pk", **kwargs)
        self.find, self.missed = find, missed

    def render(self, record: models.Section, table: Any) -> str:
        due = self.find(record, table.day) if record.stage in FOLLOWED_STAGES else None
        missed = before_play.list_missed_days(record, table.day) if self.missed else []
        too_late = (
            (_("too late: %(words)s (§%(clause)s)") % {"words": each.due.words, "clause": each.clause},)
            for each in missed
            if due is None or each.due.deadline != due.deadline
        )
        late = format_html_join("", '<span class="sub">{}</span>', too_late)
        return format_html("{}{}", render_deadline(due), late)


class SectionsTable(tables.Table):
    """The base of tables of sections on the desk, each with a link to its next step."""

    row_header = "section"
    section = tables.Column(verbose_name=gettext_lazy("Section"), accessor="name")
    region = tables.Column(verbose_name=gettext_lazy("Region"), accessor="event__region")
    ends = tables.DateColumn(verbose_name=gettext_lazy("Last day"), format="SHORT_DATE_FORMAT")

    def render_section(self, record: models.Section) -> str:
        words = format_html(
            '{}<span class="sub">{}</span>', f"{record.event.name}, {record.name}", record.key
        )
        return format_html('<a href="{}">{}</a>', self.url_of(record), words)

    def url_of(self, section: models.Section) -> str:
        return section.get_absolute_url()


class QueueTable(SectionsTable):
    empty_title = gettext_lazy("No section here")
    choose = tables.Column(verbose_name=gettext_lazy("Choose"), accessor="pk")
    section = tables.Column(verbose_name=gettext_lazy("Section"), accessor="name", orderable=True)
    region = tables.Column(
        verbose_name=gettext_lazy("Region"),
        accessor="event__region",
        order_by="event__region__name",
        orderable=True,
    )
    ends = tables.DateColumn(
        verbose_name=gettext_lazy("Last day"), format="SHORT_DATE_FORMAT", orderable=True
    )
    stage = StageColumn(verbose_name=gettext_lazy("Stage"), orderable=True)
    due = DueColumn(find_deadline_for_official, missed=True, orderable=True)
    players = NumberColumn(verbose_name=gettext_lazy("Players"), orderable=True)
    found = NumberColumn(verbose_name=gettext_lazy("Findings"), orderable=True)
    moves = NumberColumn(
        verbose_name=gettext_lazy("Ratings that move"),
        accessor="pk",
        order_by=("figures__moves", "figures__most"),
        orderable=True,
    )
    submitted_on = tables.DateColumn(verbose_name=gettext_lazy("Submitted"), orderable=True)
    rated_on = tables.DateColumn(
        verbose_name=gettext_lazy("Rated"), format="SHORT_DATE_FORMAT", orderable=True
    )
    taken = tables.Column(
        verbose_name=gettext_lazy("Official"),
        accessor="taking",
        order_by=("taking__official__name", "taking__official__email"),
        orderable=True,
        default="–",
    )

    class Meta(_Meta):
        sequence = (
            *("choose", "section", "region", "stage", "due", "players", "found", "moves"),
            *("ends", "submitted_on", "rated_on", "taken"),
        )
        empty_text = gettext_lazy("Nothing stands under this tab with these choices.")

    def __init__(
        self,
        data: QuerySet[models.Section],
        *,
        caption: str,
        office: Federation,
        day: date,
        hidden: tuple[str, ...],
        order_by: str,
    ) -> None:
        self.caption, self.office, self.day = caption, office, day
        self.zone = ZoneInfo(office.equipment.office.time_zone)
        super().__init__(data, exclude=hidden, order_by=order_by)
        self.effects: Mapping[int, dict[str, Any]] = {}
        """The effect of rated sections by their keys; set once the rows of the page are known."""

    def order_section(
        self, queryset: QuerySet[models.Section], is_descending: bool
    ) -> tuple[QuerySet[models.Section], bool]:
        sign = "-" if is_descending else ""
        return queryset.order_by(*(f"{sign}{name}" for name in ("event__name", "name", "pk"))), True

    def order_due(
        self, queryset: QuerySet[models.Section], is_descending: bool
    ) -> tuple[QuerySet[models.Section], bool]:
        """Order by the last day that the row shows; sections without one come last in both directions."""
        by_day: dict[date, list[int]] = {}
        for section in queryset:
            if due := find_deadline_for_official(section, self.day):
                by_day.setdefault(due.last, []).append(section.pk)
        days = [When(pk__in=keys, then=Value(day)) for day, keys in by_day.items()]
        if not days:
            return queryset.order_by("ends", "pk"), True
        last = Case(*days, default=None, output_field=DateField())
        order = last.desc(nulls_last=True) if is_descending else last.asc(nulls_last=True)
        return queryset.order_by(order, "ends", "pk"), True

    def url_of(self, section: models.Section) -> str:
        if section.stage == "registered":
            page = "before-play/" if before_play.can_decide_before_play(self.office) else ""
            return f"{section.get_absolute_url()}{page}"
        return f"{section.get_absolute_url()}review/"

    def render_choose(self, record: Any) -> str:
        """A box for what can be approved together with others, as far as its row says."""
        figures: ReviewFigures | None = getattr(record, "figures", None)
        seen = figures is not None and figures.version == record.version and figures.moves is not None
        if not seen or record.waivable or record.open_hints:
            return ""
        return format_html(
            '<input type="checkbox" form="together" name="section" value="{}" aria-label="{}">',
            record.pk,
            record,
        )

    def render_found(self, record: Any, value: int) -> str:
        further = []
        if record.waivers:
            words = ngettext("%(count)s waiver asked for", "%(count)s waivers asked for", record.waivers)
            further.append(words % {"count": record.waivers})
        if record.open_hints:
            words = ngettext("%(count)s hint to answer", "%(count)s hints to answer", record.open_hints)
            further.append(words % {"count": record.open_hints})
        below = format_html_join("", '<span class="sub">{}</span>', ((each,) for each in further))
        return format_html("{}{}", value, below)

    def render_moves(self, record: models.Section) -> str:
        if record.stage == "rated":
            effect = self.effects.get(record.pk)
            return self._render_effect(**effect) if effect else "–"
        figures: ReviewFigures | None = getattr(record, "figures", None)
        if record.stage != "submitted" or figures is None or figures.version != record.version:
            return "–"
        if figures.moves is None:
            return _("cannot be rated as it is")
        words = self._render_effect(figures.moves, figures.most)
        if figures.line == getattr(record, "lines", figures.line):
            return words
        at = localtime(figures.at, self.zone)
        moment = f"{date_format(at, 'MONTH_DAY_FORMAT')} {date_format(at, 'TIME_FORMAT')}"
        return format_html('{}<span class="sub">{}</span>', words, _("as of %(moment)s") % {"moment": moment})

    def _render_effect(self, moves: int, most: Decimal | None) -> str:
        if most is None:
            return str(moves)
        points = rating(most, self.office.publication.decimals)
        return format_html(
            '{}<span class="sub">{}</span>', moves, _("by %(points)s at most") % {"points": points}
        )

    def render_submitted_on(self, value: date | None) -> str:
        if value is None:
            return "–"
        waited = (self.day - value).days
        if waited < 1:
            return str(gettext_lazy("today"))
        return ngettext("%(days)s day ago", "%(days)s days ago", waited) % {"days": waited}

    def render_taken(self, value: Any) -> str:
        since = date_format(localtime(value.since, self.zone), "MONTH_DAY_FORMAT")
        return format_html(
            '{}<span class="sub">{}</span>', value.official, _("since %(day)s") % {"day": since}
        )


class FilingTable(SectionsTable):
    """A regional administrator's table of sections under one tab, each with its next step.

    Those of one event stand together, but each row names it: screen readers and phones show rows singly.
    """

    empty_title = gettext_lazy("Nothing here")
    stage = StageColumn(verbose_name=gettext_lazy("Stage"))
    due = DueColumn(find_pending_or_late_deadline)
    step = tables.Column(verbose_name=gettext_lazy("Next"), accessor="pk", attrs={"td": {"class": "whole"}})

    class Meta(_Meta):
        sequence = ("section", "region", "ends", "due", "stage", "step")

    def __init__(self, data: Any, *, caption: str, day: date, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.caption, self.day = caption, day

    def render_step(self, record: models.Section) -> str:
        step = format_html('<a href="{}">{}</a>', *next_step_link(record, self.day))
        notice = before_play.describe_state_before_play(record)
        return format_html('{}<span class="sub">{}</span>', step, notice) if notice else step


def next_step_link(section: models.Section, day: date) -> tuple[str, str]:
    """Return the next step of a section for its region on that day: address and words of the link.

    The query may have annotated `blocking`, the number of findings that keep the section from submission.
    """
    blocking = getattr(section, "blocking", 0)
    match section.stage:
        case "registered" if before_play.get_open_region_question(section):
            return filing_url("answer_before_play", section), str(
                gettext_lazy("Answer the office’s question")
            )
        case "registered":
            return filing_url("file", section), upload_link_text(section, day)
        case "returned":
            return filing_url("findings", section), str(
                gettext_lazy("Read the reason, and correct the section")
            )
        case "unrated":
            return filing_url("findings", section), str(gettext_lazy("Correct it and submit it again"))
        case "filed" if blocking:
            words = ngettext("Answer one question", "Answer %(count)s questions", blocking)
            return filing_url("findings", section), words % {"count": blocking}
        case "filed":
            return filing_url("submit", section), str(gettext_lazy("Submit"))
        case "submitted":
            return filing_url("submit", section), str(gettext_lazy("The office reviews it"))
        case "refused":
            return filing_url("submit", section), str(gettext_lazy("Read why it was refused"))
        case _other:
            return section.get_absolute_url(), str(gettext_lazy("See the ratings"))


# ---- A region's sections on its desk
DECIDED_LATELY = timedelta(days=30)
"""The time for which a decided transfer stays on the desks of its regions."""
MOST_RATED_LATELY = 20
"""The most sections under *Rated lately*."""
TO_DO, WITH_OFFICE, REFUSED_TAB, RATED_TAB = "to-do", "with-office", "refused", "rated"
FILING_TABS: dict[str, Any] = {
    TO_DO: gettext_lazy("To do"),
    WITH_OFFICE: gettext_lazy("With the office"),
    REFUSED_TAB: pgettext_lazy("several sections", "Refused"),
    RATED_TAB: gettext_lazy("Rated lately"),
}
FILING_TAB_STAGES: dict[str, tuple[models.Stage, ...]] = {
    TO_DO: tuple(models.OPEN_TO_FILING),
    WITH_OFFICE: (models.Stage.SUBMITTED,),
    REFUSED_TAB: (models.Stage.REFUSED,),
    RATED_TAB: (models.Stage.RATED,),
}
FILING_TAB_EMPTY_TEXTS = {
    TO_DO: gettext_lazy(
        "Register an event before it is played; its sections then wait here for their files."
    ),
    WITH_OFFICE: gettext_lazy("No section of your region awaits a decision of the office."),
    REFUSED_TAB: gettext_lazy("No section of your region was refused."),
}
STAGE_ORDER = (
    models.Stage.RETURNED,
    models.Stage.UNRATED,
    models.Stage.FILED,
    models.Stage.REGISTERED,
    models.Stage.SUBMITTED,
    models.Stage.REFUSED,
)


def filing_context(request: OfficeRequest) -> dict[str, Any]:
    regions = request.rights.region_keys_unless_everywhere(Permission.SECTIONS_FILE)
    own = models.Section.objects.within(request.rights, Permission.SECTIONS_FILE).filter(
        event__region__in=regions
    )
    tab = request.GET.get("filing", TO_DO)
    tab = tab if tab in FILING_TABS else TO_DO
    keeping = request.office.regions.filter(pk__in=regions).select_related("federation")
    return {
        "filing_tabs": _filing_tabs(request, own, tab),
        "filing": None
        if tab == RATED_TAB
        else _table(request, own.filter(stage__in=FILING_TAB_STAGES[tab]), tab),
        "rated_lately": rated_lately(own) if tab == RATED_TAB else None,
        "transfers_of_region": transfers_on_desk(request, regions),
        "places": request.office.publication.decimals,
        "room": [region_room_use(region) for region in keeping],
    }


def transfers_on_desk(request: OfficeRequest, region_keys: Collection[int]) -> QuerySet[Transfer]:
    """Return the transfers to or from regions (by key) that are open, or were decided lately."""
    since = today(request.office) - DECIDED_LATELY
    found = Transfer.objects.filter(
        Q(giving__in=region_keys) | Q(taking__in=region_keys), federation=request.office
    )
    lately = found.filter(Q(state__in=Transfer.OPEN) | Q(decided_on__gte=since))
    return lately.select_related("player__federation", "giving", "taking").order_by("-asked_on", "-pk")


def _filing_tabs(request: OfficeRequest, own: models.SectionQuerySet, tab: str) -> list[dict[str, Any]]:
    """The tabs with their counts; each keeps what the address asks of the official's queue."""
    counts = dict(own.order_by().values_list("stage").annotate(number=Count("pk")))
    return [
        {
            "label": words,
            "url": f"?{urlencode({**request.GET.dict(), 'filing': each})}",
            "current": each == tab,
            "count": None
            if each == RATED_TAB
            else sum(counts.get(stage, 0) for stage in FILING_TAB_STAGES[each]),
        }
        for each, words in FILING_TABS.items()
    ]


def _table(request: OfficeRequest, sections: models.SectionQuerySet, tab: str) -> FilingTable:
    day = today(request.office)

    def urgency(section: models.Section) -> tuple[date, int, date]:
        due = find_pending_deadline(section, day) if section.open_to_filing else None
        without = date.min if section.stage == models.Stage.UNRATED else date.max
        return due.last if due else without, STAGE_ORDER.index(models.Stage(section.stage)), section.ends

    related = sections.select_related("event__federation", "event__region")
    in_the_way = Q(findings__in=models.Finding.objects.blocking())
    counted = related.annotate(
        blocking=Count(models.finding_text("findings__"), filter=in_the_way, distinct=True)
    )
    found = keep_events_together(sorted(counted.prefetch_related("permission_requests"), key=urgency))
    hidden = () if len({section.event.region_id for section in found}) > 1 else ("region",)
    if request.office.ruleset.sections.deadlines is None or tab != TO_DO:
        hidden = (*hidden, "due")
    return FilingTable(
        found, caption=str(FILING_TABS[tab]), day=day, exclude=hidden, empty_text=FILING_TAB_EMPTY_TEXTS[tab]
    )


def keep_events_together(sections: list[models.Section]) -> list[models.Section]:
    events: dict[int, list[models.Section]] = {}
    for section in sections:
        events.setdefault(section.event_id, []).append(section)
    return [section for together in events.values() for section in together]


def rated_lately(own: models.SectionQuerySet) -> list[dict[str, Any]]:
    rated = own.filter(stage=models.Stage.RATED).select_related("event__federation", "event__region")
    sections = list(rated.order_by("-rated_on", "-pk")[:MOST_RATED_LATELY])
    effects = effects_of(sections)
    return [{"section": section, "effect": effects.get(section.pk)} for section in sections]


# ---- The official's queue
QUEUE_LATELY = timedelta(days=60)
WAITING_AGES = (3, 7, 14, 30)
MINE, WAITING, BEFORE_PLAY = "mine", "waiting", "before-play"
WITH_REGIONS, RATED, REFUSED = "with-regions", "rated", "refused"
QUEUE_TABS: dict[str, Any] = {
    MINE: gettext_lazy("Mine"),
    WAITING: gettext_lazy("Awaiting review"),
    BEFORE_PLAY: gettext_lazy("Before play"),
    WITH_REGIONS: gettext_lazy("With the regions"),
    RATED: gettext_lazy("Rated lately"),
    REFUSED: pgettext_lazy("several sections", "Refused"),
}
HIDDEN_COLUMNS = {
    MINE: ("rated_on",),
    WAITING: ("stage", "rated_on"),
    BEFORE_PLAY: ("players", "found", "moves", "submitted_on", "rated_on", "stage"),
    WITH_REGIONS: ("moves", "submitted_on", "rated_on"),
    RATED: ("found", "submitted_on", "stage", "taken", "due"),
    REFUSED: ("moves", "rated_on", "stage", "taken", "due"),
}
"""The columns that are empty, or the same in all rows, under a tab."""
DEFAULT_ORDERS = {WITH_REGIONS: "ends", RATED: "-rated_on", BEFORE_PLAY: "ends", REFUSED: "-submitted_on"}
"""The default order of a tab; elsewhere the longest waiting comes first."""
QUEUE_STAGES: dict[str, tuple[models.Stage, ...]] = {
    WITH_REGIONS: models.OPEN_TO_FILING,
    MINE: FOLLOWED_STAGES,
}
"""The stages among which to choose under a tab that has several."""
LONGEST_SEARCH = 60
LATE = "late"
DUE_CHOICES: dict[str, Any] = {
    "": gettext_lazy("All"),
    "soon": gettext_lazy("Within a week"),
    LATE: gettext_lazy("Late"),
}


@dataclass(frozen=True, slots=True)
class QueueChoice:
    """A choice of the queue's sections, or of deadlines, from the query of the address; unknown values in it
    are ignored.
    """

    tab: str = WAITING
    region: str = ""
    age: int = 0
    """The least number of days for which sections have waited for the office."""
    q: str = ""
    sort: str = ""
    due: str = ""
    """The deadline of the sections: `late`, `soon`; empty: any or none."""
    stage: str = ""
    filing: str = ""
    """The tab of the region's sections, for a person who files as well; kept, not used, by the queue."""

    @property
    def is_filtered(self) -> bool:
        return bool(self.region or self.stage or self.age or self.q or self.due)

    def address(self, **other: Any) -> str:
        """Return the query of this choice with other values of these fields, for its first page."""
        return f"?{urlencode(replace(self, **other).parts())}"

    def parts(self) -> dict[str, Any]:
        """Return the choice as parameters of an address."""
        names = ("tab", "region", "stage", "age", "due", "q", "sort", "filing")
        return {name: value for name in names if (value := getattr(self, name))}

    def filter(self, label: str, field: str, names: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
        """Return a filter as templates take it: links to this choice with other values of a field."""
        chosen = getattr(self, field)
        return {
            "label": label,
            "options": [
                {"label": str(name), "url": self.address(**{field: value}), "current": value == chosen}
                for value, name in names
            ],
        }


def has_due_column(office: Federation, tab: str) -> bool:
    return office.ruleset.sections.deadlines is not None and "due" not in HIDDEN_COLUMNS.get(tab, ())


def tabs_of(request: OfficeRequest) -> list[str]:
    """Return the tabs of an office: `before-play` only if its regulations have such a decision."""
    decides = before_play.can_decide_before_play(request.office)
    return [tab for tab in QUEUE_TABS if decides or tab != BEFORE_PLAY]


def queue_context(request: OfficeRequest) -> dict[str, Any]:
    """Return the context of an official's queue: tabs with their counts, filters, search and the page."""
    asked = request.GET
    region, age, due = asked.get("region", ""), asked.get("age", ""), asked.get("due", "")
    codes = {code for code, _name in request.office.region_names} if request.office.regional else set()
    tab = asked.get("tab", WAITING)
    choice = QueueChoice(
        tab=tab if tab in tabs_of(request) else WAITING,
        region=region if region in codes else "",
        age=int(age) if age in map(str, WAITING_AGES) else 0,
        q=asked.get("q", "").replace("\0", "").strip()[:LONGEST_SEARCH],
        sort=asked.get("sort", "").replace("\0", "")[:LONGEST_SEARCH],
        due=due if due in DUE_CHOICES and has_due_column(request.office, tab) else "",
        stage=stage if (stage := asked.get("stage", "")) in QUEUE_STAGES.get(tab, ()) else "",
        filing=asked.get("filing", "").replace("\0", "")[:LONGEST_SEARCH],
    )
    day = today(request.office)
    hidden = (*HIDDEN_COLUMNS[choice.tab], *(() if request.office.regional else ("region",)))
    hidden = hidden if has_due_column(request.office, choice.tab) else (*hidden, "due")
    together = choice.tab == WAITING and Permission.SECTIONS_APPROVE in request.rights
    hidden = hidden if together else (*hidden, "choose")
    found = filter_sections(sections_under_tab(request, choice.tab, day), choice, day)
    table = QueueTable(
        with_queue_counts(found),
        caption=str(QUEUE_TABS[choice.tab]),
        office=request.office,
        day=day,
        hidden=hidden,
        order_by=choice.sort or DEFAULT_ORDERS.get(choice.tab, "submitted_on"),
    )
    paged(table, request)
    if choice.tab == RATED:
        table.effects = effects_of(row.record for row in table.paginated_rows)
    return {
        "review": table,
        "together": together and len(table.paginated_rows) > 1,
        "choice": choice,
        "tabs": _tabs(request, choice, day),
        "filters": _filters(request, choice),
        "kept": [(name, value) for name, value in choice.parts().items() if name != "q"],
        "clear_url": choice.address(region="", stage="", age=0, q="", due="") if choice.is_filtered else "",
    }


def sections_under_tab(request: OfficeRequest, tab: str, day: date) -> models.SectionQuerySet:
    sections = models.Section.objects.within(request.rights, Permission.SECTIONS_REVIEW)
    match tab:
        case "mine":
            return sections.filter(taking__official=request.user)
        case "before-play":
            return sections.filter(
                pk__in=[section.pk for section in sections_to_decide_before_play(request.office, day)]
            )
        case "with-regions":
            return sections.filter(stage__in=models.OPEN_TO_FILING)
        case "refused":
            return sections.filter(stage=models.Stage.REFUSED)
        case "rated":
            return sections.filter(stage=models.Stage.RATED, rated_on__gte=day - QUEUE_LATELY)
        case _waiting:
            return sections.filter(stage=models.Stage.SUBMITTED)


def filter_sections(
    sections: models.SectionQuerySet, choice: QueueChoice, day: date
) -> models.SectionQuerySet:
    if choice.stage:
        sections = sections.filter(stage=choice.stage)
    if choice.region:
        sections = sections.filter(event__region__code=choice.region)
    if choice.age:
        sections = sections.filter(
            stage=models.Stage.SUBMITTED, submitted_on__lte=day - timedelta(days=choice.age)
        )
    if choice.due:
        sections = sections.filter(pk__in=due_section_keys(sections, choice.due, day))
    for word in choice.q.split():
        named = Q(event__name__icontains=word) | Q(name__icontains=word)
        sections = sections.filter(named | Q(event__number__icontains=word))
    return sections


def due_section_keys(sections: models.SectionQuerySet, when: str, day: date) -> list[int]:
    """Return the keys of sections whose deadline is late, or has to be met within a week (`when`)."""
    related = sections.select_related("event__federation", "event__region")
    found = (
        (each.pk, find_deadline_for_official(each, day))
        for each in related.prefetch_related("permission_requests")
    )
    return [key for key, due in found if due and _is_chosen(due, when)]


def with_queue_counts(sections: models.SectionQuerySet) -> models.SectionQuerySet:
    """Annotate the numbers of players, findings, waivers asked for, open hints, and lines of the journal."""
    of_section = models.Finding.objects.filter(section=OuterRef("pk"))
    office = Ledger.objects.filter(federation=OuterRef("event__federation"))
    return (
        sections.select_related("event__federation", "event__region", "taking__official", "figures")
        .prefetch_related("permission_requests")
        .annotate(
            players=_number(models.Entry.objects.filter(section=OuterRef("pk"))),
            found=_number(of_section, of=models.finding_text()),
            waivable=_number(of_section.filter(level="waivable")),
            waivers=_number(of_section.filter(level="waivable").exclude(waived_because="")),
            open_hints=_number(Hint.objects.open().filter(section=OuterRef("pk"))),
            lines=Subquery(office.values("facts")[:1]),
        )
    )


def _number(rows: QuerySet[Any], of: Combinable | None = None) -> Coalesce:
    """The number of a section's rows, or of distinct values of `of` among them."""
    number = Count("pk" if of is None else of, distinct=True)
    counted = rows.order_by().values("section").annotate(number=number).values("number")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def _tabs(request: OfficeRequest, choice: QueueChoice, day: date) -> list[dict[str, Any]]:
    """The tabs, each with the number of sections that its address shows. A region and a search are kept for
    other tabs; choices that only this tab has are not.
    """
    kept = {
        tab: QueueChoice(tab=tab, region=choice.region, q=choice.q, filing=choice.filing)
        for tab in tabs_of(request)
    }
    kept[choice.tab] = choice
    return [
        {
            "label": QUEUE_TABS[tab],
            "url": shown.address(),
            "current": tab == choice.tab,
            "count": filter_sections(sections_under_tab(request, tab, day), shown, day).count(),
        }
        for tab, shown in kept.items()
    ]


def _filters(request: OfficeRequest, choice: QueueChoice) -> list[dict[str, Any]]:
    filters = []
    if request.office.regional:
        regions = [("", _("All regions")), *request.office.region_names]
        filters.append(choice.filter(_("Region"), "region", regions))
    if stages := QUEUE_STAGES.get(choice.tab):
        names = [("", _("All")), *((stage.value, stage.label) for stage in stages)]
        filters.append(choice.filter(_("Stage"), "stage", names))
    if has_due_column(request.office, choice.tab):
        filters.append(choice.filter(_("Deadline"), "due", DUE_CHOICES.items()))
    if choice.tab in (MINE, WAITING):
        ages = [(age, _age(age)) for age in (0, *WAITING_AGES)]
        filters.append(choice.filter(_("Waiting"), "age", ages))
    return filters


def _age(days: int) -> str:
    if not days:
        return _("However long")
    return ngettext("%(days)s day or more", "%(days)s days or more", days) % {"days": days}


# ---- The desk
APPOINTMENT_ENDS_SOON = timedelta(days=30)
CASES_ON_DESK = 10


@page(SIGNED_IN)
def desk(request: OfficeRequest) -> HttpResponse:
    rights = request.rights
    if not rights.any:
        raise PermissionDenied(_("You hold no appointment in this office."))
    context: dict[str, Any] = {"has_deadlines": request.office.ruleset.sections.deadlines is not None}
    if rights.region_keys_unless_everywhere(Permission.SECTIONS_FILE):
        context |= filing_context(request)
    if Permission.SECTIONS_REVIEW in rights:
        context |= review_context(request)
    if Permission.SECTIONS_MEND in rights:
        # `own` marks the person's own proposals, which somebody else confirms; `stands` those whose section
        # did not change since.
        sections = models.Section.objects.within(request.rights, Permission.SECTIONS_MEND)
        found = models.MendingProposal.objects.filter(section__in=sections)
        waiting = list(found.select_related("section__event__federation", "by"))
        standing = set(found.open().values_list("pk", flat=True))
        for each in waiting:
            each.own, each.stands = each.by_id == request.user.pk, each.pk in standing  # type: ignore[attr-defined]
        context["proposals"] = waiting
    if Permission.CASES_ANSWER in rights:
        context["cases_waiting"] = add_days_left_and_late(
            request, cases_within_rights(request).waiting()[:CASES_ON_DESK]
        )
    if Permission.APPOINTMENTS_MANAGE in rights:
        context |= appointments_context(request)
    return render(request, "ratings/office/desk.html", context)


@page(Permission.SECTIONS_REVIEW)
def progress(request: OfficeRequest) -> HttpResponse:
    """Progress bar of the recompute, for which htmx asks repeatedly: 204 before it moves, and at the end an
    answer that has the page reloaded.
    """
    ledger = Ledger.objects.get(federation=request.office)
    if not ledger.pending or ledger.last_error:
        return HttpResponse(status=286, headers={"HX-Refresh": "true"})
    if not ledger.folded:
        return HttpResponse(status=204)
    return render(request, "components/progress_state.html", get_progress_context(request.office, ledger))


def review_context(request: OfficeRequest) -> dict[str, Any]:
    return {
        **queue_context(request),
        "permissions_asked": models.PermissionRequest.objects.open()
        .filter(section__in=models.Section.objects.within(request.rights, Permission.SECTIONS_REVIEW))
        .filter(section__stage__in=before_play.PERMISSION_STAGES)
        # What a submission asked for is decided in its review.
        .exclude(section__stage=models.Stage.SUBMITTED, asked_on=F("section__submitted_on"))
        .select_related("section__event__federation"),
        **register_context(request),
        "appeals_open": models.Appeal.objects.open()
        .filter(section__in=models.Section.objects.within(request.rights, Permission.SECTIONS_REFUSE))
        .select_related("section__event__federation"),
        "ledger": Ledger.objects.get(federation=request.office),
        **get_work_context(request.office),
        "due": next_list_context(request),
    }


def register_context(request: OfficeRequest) -> dict[str, Any]:
    """Return the context of transfers that wait for an answer, and of likely doubles as last counted."""
    if Permission.PLAYERS_CORRECT not in request.rights:
        return {}
    asked = Transfer.objects.filter(federation=request.office, state=Transfer.State.ASKED)
    return {
        "transfers_asked": asked.select_related("player", "giving", "taking").order_by("asked_on", "pk"),
        "doubles": DoublesCount.objects.filter(federation=request.office, pairs__gt=0).first(),
    }


def next_list_context(request: OfficeRequest) -> dict[str, Any]:
    """Return the context of the newest list and the next: its day, and the ranks to confirm."""
    newest = RatingList.objects.filter(federation=request.office).select_related("fact").first()
    closed = Fact.objects.newest_of(request.office, "list")
    rated = Fact.objects.filter(federation=request.office, kind="rated").in_force()
    since = rated.filter(number__gt=closed.number) if closed else rated
    day = today(request.office)
    on = find_next_list_day(request.office, day)
    return {
        "newest": newest,
        "since": since.count(),
        "next": on,
        "days": (on - day).days if on else None,
        "ranks": count_ranks_to_confirm(request.office, day),
    }


def appointments_context(request: OfficeRequest) -> dict[str, Any]:
    day = today(request.office)
    held = request.office.appointments.on(day).select_related("user", "region")
    covered = held.filter(role=Role.REGIONAL).values("region")
    return {
        "people": held.values("user").distinct().count(),
        "ending": held.filter(ends__lte=day + APPOINTMENT_ENDS_SOON).order_by("ends"),
        "vacant": request.office.regions.exclude(pk__in=covered),
    }


# ---- Taking a section, giving it back, handing it over
# Each form names the official who was on the section when the page was shown.
@page(Permission.SECTIONS_REVIEW, methods=POST)
def take(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code)
    action = partial(review.take, at=timezone.now())
    return _perform(request, section, action, _("You are on this section: your colleagues see it."))


@page(Permission.SECTIONS_REVIEW, methods=POST)
def give_back(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code)
    return _perform(request, section, review.give_back, _("Nobody is on this section now."))


@page(Permission.SECTIONS_REVIEW, methods=POST)
def hand_over(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code)
    to = officials_of(request).get(parse_number(request.POST.get("to")) or 0)
    if to is None:
        messages.error(request, _("Choose the official who is to take this section."))
        return _back(request, section)
    action = partial(review.hand_over, to=to, at=timezone.now())
    return _perform(request, section, action, _("%(official)s is on this section now.") % {"official": to})


def _perform(
    request: OfficeRequest, section: models.Section, action: Callable[..., Any], message: str
) -> HttpResponse:
    seen = parse_number(request.POST.get("seen"))
    attempt(request, None, action, message, refusal_to=MESSAGE, section=section, seen_official=seen)
    return _back(request, section)


def _back(request: OfficeRequest, section: models.Section) -> HttpResponse:
    return redirect(
        "ratings:review", office=request.office.code, number=section.event.number, code=section.code
    )
