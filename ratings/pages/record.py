"""Pages of the record of decisions, and of a region's history.

Officials read the whole record; people of regions read the part that concerns their regions.
"""

from collections.abc import Mapping
from datetime import date
from functools import partial, reduce
from operator import or_
from typing import Any

import django_filters
import django_tables2 as tables
from django.db.models import CharField, Count, Exists, OuterRef, Q, QuerySet, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Concat
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _, gettext_lazy as _lazy

from players.access import OfficeRequest, Permission, Rights, page
from players.decision_kinds import KINDS
from players.models import Decision, Player, Region, Transfer
from players.pages.record import RecordFilter, RecordTable
from players.pages.tables import NumberColumn, StageColumn, paged
from players.settings import today
from ratings.rulesets.downloads import csv_bytes
from tournaments.models import OPEN_TO_FILING, Case, Event, Finding, Section, Stage
from tournaments.review import list_hidden_decision_numbers
from tournaments.sections import SectionDeadline, find_pending_deadline

# ---- The part of the record that a user may read
PLAYER_DECISIONS, TRANSFER_DECISIONS, OFFICE_DECISIONS = (
    [name for name, kind in KINDS.items() if kind.regions_read == readers]
    for readers in ("player", "transfer", "never")
)
REGION_DETAILS = frozenset(
    (
        *("adjustments", "after", "before", "changed", "clause", "confirmed", "corrections"),
        *("days_before", "days_now", "decision", "declared", "due", "ends", "edited", "entries"),
        *("event_days_before", "event_days_now", "fact", "fields", "files", "given", "gone", "ground"),
        *("id_kind", "ids_kept", "into", "key", "last", "left_out", "line", "named", "new", "new_players"),
        *("number", "out_of", "outcome", "player", "players", "rank", "reason", "refusal"),
        *("region", "region_before", "regions", "remarks", "reopened", "section", "sections"),
        *("sections_moved", "sha256", "starts", "track", "until", "waived", "words"),
    )
)
"""The details of decisions that a region reads; but not the reason of a decision about a player, which may
mention others, nor the proof of a transfer, which is for the region that attached it.
"""


def readable_decisions(rights: Rights) -> QuerySet[Decision]:
    """The decisions that a user may read now.

    The region that gave away an event reads only that it moved. Regions read of a return or a refusal when
    they opened it or its letter goes out, and never of one that was taken back.
    """
    decisions = Decision.objects.filter(federation=rights.federation)
    if Permission.RECORD_READ in rights.everywhere:
        return decisions
    untold = list_hidden_decision_numbers(rights.federation, timezone.now())
    regions = rights.region_keys_unless_everywhere(Permission.RECORD_READ)
    players = Player.objects.of(rights.federation).filter(region__in=regions)
    return (
        decisions.exclude(kind__in=OFFICE_DECISIONS)
        .exclude(number__in=untold)
        .filter(
            decisions_about_events(Event.objects.within(rights, Permission.RECORD_READ))
            | Q(kind__in=PLAYER_DECISIONS, about__in=_abouts(players, "player ", "number"))
            | Q(Exists(_readable_transfers(rights)), kind__in=TRANSFER_DECISIONS)
            | Q(
                kind="move-event",
                sealed_details__region_before__in=list(
                    rights.regions(Permission.RECORD_READ).values_list("code", flat=True)
                ),
            )
            | Q(about__in=_abouts(Case.objects.within(rights, Permission.RECORD_READ), "case ", "pk"))
        )
    )


def _readable_transfers(rights: Rights) -> QuerySet[Transfer]:
    """The transfers from or to the user's regions, joined to the decision that asked for or answered each by
    the player, the taking region, and the day.
    """
    regions = rights.region_keys_unless_everywhere(Permission.RECORD_READ)
    decided = Q(asked_kind=OuterRef("kind"), asked_on=OuterRef("on")) | (
        ~Q(asked_kind=OuterRef("kind")) & Q(decided_on=OuterRef("on"))
    )
    transfers = Transfer.objects.filter(
        Q(giving__in=regions) | Q(taking__in=regions), federation=rights.federation
    )
    named = Concat(Value("player "), "player__number", output_field=CharField())
    transfers = transfers.annotate(named=named, asked_kind=Value("ask-transfer", output_field=CharField()))
    region = KeyTextTransform("region", OuterRef("sealed_details"))
    return transfers.filter(decided, named=OuterRef("about"), taking__code=region)


def decisions_about_events(events: QuerySet[Event]) -> Q:
    """The condition for decisions about these events and their sections."""
    sections = Section.objects.filter(event__in=events)
    keys = _abouts(sections, "section ", "event__number", "/", "code")
    return Q(about__in=_abouts(events, "event ", "number")) | Q(about__in=keys)


def is_detail_hidden(rights: Rights, decision: Decision, detail: str) -> bool:
    """Whether the user may not read this detail of a decision."""
    if Permission.RECORD_READ in rights.everywhere:
        return False
    if decision.kind in TRANSFER_DECISIONS:
        return detail not in REGION_DETAILS or detail == "sha256"
    about_player = decision.about.startswith("player ")
    return detail not in REGION_DETAILS or (about_player and detail == "reason")


def _abouts(
    rows: QuerySet[Event] | QuerySet[Section] | QuerySet[Player] | QuerySet[Case], *parts: str
) -> QuerySet[Event]:
    """The `about` of decisions on these rows: field names stand for their values, other parts as given."""
    fields = {"number", "event__number", "code", "pk"}
    joined = Concat(*(each if each in fields else Value(each) for each in parts), output_field=CharField())
    return rows.order_by().annotate(named=joined).values("named")  # type: ignore[return-value]


MOST_PLAYERS = 50
"""The most players whose decisions one search shows."""


class RecordSearch(RecordFilter):
    """The filters of the record, with those of events and players."""

    event = django_filters.CharFilter(label=_lazy("Event or section"), method="filter_event")
    player = django_filters.CharFilter(label=_lazy("Player"), method="filter_player")

    class Meta(RecordFilter.Meta):
        fields = ("kind", "by", "event", "player", "about", "since", "until")

    def filter_event(self, decisions: QuerySet[Decision], name: str, wanted: str) -> QuerySet[Decision]:
        """Decisions about one section (`2026-132/A`), or about the events, with their sections, that have
        this number or these words in the name.
        """
        words = wanted.strip()
        number, _slash, code = words.partition("/")
        if code and any(letter.isdigit() for letter in number):
            return decisions.filter(about__iexact=f"section {number}/{code}")
        events = Event.objects.filter(federation=self.office)
        found = events.filter(Q(number=words) | Q(name__icontains=words))
        return decisions.filter(decisions_about_events(found))

    def filter_player(self, decisions: QuerySet[Decision], name: str, wanted: str) -> QuerySet[Decision]:
        """Decisions about such players, or that mention their numbers."""
        players = Player.objects.of(self.office).matching(wanted).order_by("number")
        found = players.values_list("number", "merged__number")[:MOST_PLAYERS]
        numbers = sorted({number for pair in found for number in pair if number})
        if not numbers:
            return decisions.none()
        mentions = reduce(or_, (Q(as_text__contains=f'"{number}"') for number in numbers))
        decisions = decisions.annotate(as_text=Cast("sealed_details", CharField()))
        return decisions.filter(Q(about__in=[f"player {number}" for number in numbers]) | mentions)


# ---- The record, as a page and as a file
MOST_ROWS = 20_000
"""The most decisions of one file, the newest first; a longer record can be taken by days."""
COLUMNS = ("number", "at", "who", "kind", "about", "told")


@page(Permission.RECORD_READ)
def record(request: OfficeRequest) -> HttpResponse:
    search = _search(request)
    context = {
        "table": paged(_table(request, search), request),
        "form": search.form,
        "query": request.GET.urlencode(),
        "everywhere": Permission.RECORD_READ in request.rights.everywhere,
        "regions": request.rights.regions(Permission.RECORD_READ),
    }
    return render(request, "players/record.html", context)


@page(Permission.RECORD_READ)
def record_csv(request: OfficeRequest) -> HttpResponse:
    """The chosen part of the record as a CSV."""
    search = _search(request)
    table = _table(request, search)
    rows = (table.plain(each) for each in search.qs[:MOST_ROWS])
    answer = HttpResponse(csv_bytes(COLUMNS, rows), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{request.office.code}-record.csv"'
    return answer


def _search(request: OfficeRequest) -> RecordSearch:
    decisions = readable_decisions(request.rights).select_related("by").prefetch_related("words")
    return RecordSearch(request.GET, queryset=decisions, office=request.office)


def _table(request: OfficeRequest, search: RecordSearch) -> RecordTable:
    left_out = partial(is_detail_hidden, request.rights)
    return RecordTable(search.qs, office=request.office, left_out=left_out)


# ---- A region's history
class SectionsTable(tables.Table):
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
        parts = [_("late")] if value else []
        if (due := self.overdue.get(record.pk)) is not None:
            state = render_to_string("tournaments/deadline_state.html", {"each": due})
            parts.append(format_html('{}<span class="sub">{}</span>', state, due.words))
        return format_html_join(" ", "{}", ((words,) for words in parts)) or "–"


class PlayersTable(tables.Table):
    row_header = "number"
    caption = _lazy("Players of the region")
    empty_title = _lazy("No player")
    number = tables.Column(verbose_name=_lazy("Player"))
    sections = NumberColumn(verbose_name=_lazy("Rated sections"))

    class Meta:
        orderable = False
        prefix = "players-"
        empty_text = _lazy("Nobody in the register belongs to this region.")

    def render_number(self, record: Player) -> str:
        url, name = record.get_absolute_url(), record.shown_name
        return format_html('<a href="{}">{}</a><span class="sub mono">{}</span>', url, name, record.number)


@page(Permission.RECORD_READ)
def region_history(request: OfficeRequest, code: str) -> HttpResponse:
    region = get_object_or_404(request.rights.regions(Permission.RECORD_READ), code=code)
    sections = sections_with_late_flag(region)
    players = players_with_section_count(region)
    overdue = missed_deadlines_by_section(sections, today(request.office))
    context = {
        "region": region,
        "tiles": _tiles(sections, players, len(overdue)),
        "table": paged(SectionsTable(sections, overdue=overdue), request),
        "players": paged(PlayersTable(players), request),
    }
    return render(request, "ratings/office/region_history.html", context)


def sections_with_late_flag(region: Region) -> QuerySet[Section]:
    """The region's sections, the latest first, with `late`: whether a finding says that something was."""
    sections = Section.objects.filter(event__region=region).annotate(late=_something_late())
    return sections.select_related("event__federation").order_by("-ends", "event__number", "code")


def missed_deadlines_by_section(sections: QuerySet[Section], on: date) -> dict[int, SectionDeadline]:
    """The missed deadlines of the sections that the region still has to submit, by the section's key."""
    in_hand = sections.filter(stage__in=OPEN_TO_FILING).select_related("event__region")
    found = (
        (each.pk, find_pending_deadline(each, on)) for each in in_hand.prefetch_related("permission_requests")
    )
    return {key: due for key, due in found if due is not None and due.is_late}


def _something_late() -> Exists:
    """Whether a finding on the section says that something of it was late."""
    late = Q(key__endswith="-late") | Q(key__contains="-late:")
    return Exists(Finding.objects.filter(late, section=OuterRef("pk")))


def players_with_section_count(region: Region) -> QuerySet[Player]:
    """The region's players, with the number of rated sections of each, those with most first."""
    rated = Count("entries", filter=Q(entries__section__stage=Stage.RATED), distinct=True)
    players = Player.objects.of(region.federation).current().filter(region=region)
    return (
        players.annotate(sections=rated)
        .select_related("federation")
        .order_by("-sections", "sort_key", "number")
    )


def _tiles(sections: QuerySet[Section], players: QuerySet[Player], overdue: int) -> list[dict[str, Any]]:
    """The figures above the tables; `overdue`: the number of sections late and not submitted yet."""
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
