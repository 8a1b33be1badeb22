"""The pages of the record: who did what, as a page and as a file, and a region's own history.

Officials read the whole record; people of regions read the part that concerns their regions.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from functools import reduce
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
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from players.access import OfficeRequest, Permission, Rights, permitted
from players.models import Decision, Player, Region, Transfer
from players.pages.record import RecordFilter, RecordTable
from players.pages.tables import NumberColumn, StageColumn, paged
from players.settings import today
from ratings.rulesets.downloads import csv_bytes
from tournaments.models import OPEN_TO_FILING, Case, Event, Finding, Section, Stage
from tournaments.review import slips_untold
from tournaments.sections import SectionDeadline, pressing

# ---- The part of the record that a person may read.
OF_PLAYERS = ("correct", "merge", "part", "confirm-rank")
"""Decisions about its players that a region reads; what officials gave out of them is not told."""
OF_TRANSFERS = ("ask-transfer", "grant-transfer", "refuse-transfer")
"""Decisions that the giving and the taking region of a transfer read, wherever the player belongs since."""
NOT_OF_REGIONS = (
    *("open-file", "open-proof", "give-data", "withdraw-words"),
    *("take", "give-back", "hand-over", "note", "answer-hint", "leave-hints", "take-list", "give-back-list"),
    *("propose-mend", "drop-mend"),
)
"""Decisions that are the office's own: its work on a section, and corrections until they are confirmed."""
TOLD_TO_REGIONS = frozenset(
    {
        "adjustments",
        "after",
        "before",
        "changed",
        "clause",
        "confirmed",
        "corrections",
        "days_before",
        "days_now",
        "decision",
        "declared",
        "due",
        "ends",
        "edited",
        "entries",
        "event_days_before",
        "event_days_now",
        "fact",
        "fields",
        "files",
        "given",
        "ground",
        "id_kind",
        "ids_kept",
        "into",
        "last",
        "left_out",
        "line",
        "named",
        "new",
        "new_players",
        "number",
        "out_of",
        "outcome",
        "player",
        "players",
        "rank",
        "reason",
        "refusal",
        "region",
        "region_before",
        "regions",
        "remarks",
        "reopened",
        "section",
        "sections",
        "sections_moved",
        "sha256",
        "starts",
        "track",
        "until",
        "waived",
        "words",
    }
)
"""The details that a region reads of decisions about its events and sections; of a player's not the reason,
which may speak of others, and of a transfer not the proof, which is whose who attached it.
"""


def reachable(rights: Rights, at: datetime | None = None) -> QuerySet[Decision]:
    """The decisions that a person may read at a moment (None: now), the newest first.

    Of an event that moved, the region that gave it reads that it did and nothing else. Regions read of a
    return or a refusal when they opened it or its letter goes out, and never of one that was taken back.
    """
    decisions = Decision.objects.filter(federation=rights.federation)
    if Permission.RECORD_READ in rights.everywhere:
        return decisions
    untold = slips_untold(rights.federation, at or timezone.now())
    return (
        decisions.exclude(kind__in=NOT_OF_REGIONS)
        .exclude(number__in=untold)
        .filter(
            about_events(Event.objects.within(rights, Permission.RECORD_READ))
            | Q(kind__in=OF_PLAYERS, about__in=_abouts(players_within(rights), "player ", "number"))
            | Q(Exists(_transfers_told(rights)), kind__in=OF_TRANSFERS)
            | Q(
                kind="move-event",
                sealed_details__region_before__in=list(
                    rights.regions(Permission.RECORD_READ).values_list("code", flat=True)
                ),
            )
            | Q(about__in=_abouts(Case.objects.within(rights, Permission.RECORD_READ), "case ", "pk"))
        )
    )


def _transfers_told(rights: Rights) -> QuerySet[Transfer]:
    """The transfers from or to a person's regions, joined to the decision that asked for one or answered it:
    by the player, the region that takes, and the day.
    """
    regions = rights.regions_for(Permission.RECORD_READ)
    decided = Q(asked_kind=OuterRef("kind"), asked_on=OuterRef("on")) | (
        ~Q(asked_kind=OuterRef("kind")) & Q(decided_on=OuterRef("on"))
    )
    found = Transfer.objects.filter(
        Q(giving__in=regions) | Q(taking__in=regions), federation=rights.federation
    )
    named = Concat(Value("player "), "player__number", output_field=CharField())
    told = found.annotate(named=named, asked_kind=Value("ask-transfer", output_field=CharField()))
    region = KeyTextTransform("region", OuterRef("sealed_details"))
    return told.filter(decided, named=OuterRef("about"), taking__code=region)


def about_events(events: QuerySet[Event]) -> Q:
    """Decisions about these events and their sections."""
    sections = Section.objects.filter(event__in=events)
    keys = _abouts(sections, "section ", "event__number", "/", "code")
    return Q(about__in=_abouts(events, "event ", "number")) | Q(about__in=keys)


def players_within(rights: Rights) -> QuerySet[Player]:
    """The players of a person's regions."""
    regions = rights.regions_for(Permission.RECORD_READ)
    return Player.objects.of(rights.federation).filter(region__in=regions)


def is_kept_from(rights: Rights, decision: Decision, detail: str) -> bool:
    """Whether this detail of a decision is not for a person of regions alone."""
    if Permission.RECORD_READ in rights.everywhere:
        return False
    if decision.kind in OF_TRANSFERS:
        return detail not in TOLD_TO_REGIONS or detail == "sha256"
    of_player = decision.about.startswith("player ")
    return detail not in TOLD_TO_REGIONS or (of_player and detail == "reason")


def _abouts(
    rows: QuerySet[Event] | QuerySet[Section] | QuerySet[Player] | QuerySet[Case], *parts: str
) -> QuerySet[Event]:
    """The words by which decisions name these rows: fields as they are, all else as it is written."""
    fields = {"number", "event__number", "code", "pk"}
    joined = Concat(*(each if each in fields else Value(each) for each in parts), output_field=CharField())
    return rows.order_by().annotate(named=joined).values("named")  # type: ignore[return-value]


MOST_PLAYERS = 50
"""The players whom one search follows: more are no name of anybody."""


class RecordSearch(RecordFilter):
    """The filters of the record, with those of events and players."""

    event = django_filters.CharFilter(label=_lazy("Event or section"), method="of_event")
    player = django_filters.CharFilter(label=_lazy("Player"), method="of_player")

    class Meta(RecordFilter.Meta):
        fields = ("kind", "by", "event", "player", "about", "since", "until")

    def of_event(self, decisions: QuerySet[Decision], name: str, wanted: str) -> QuerySet[Decision]:
        """Decisions about events of this number, or whose name has these words, and about their sections; or
        about one section (`2026-132/A`).
        """
        words = wanted.strip()
        number, _slash, code = words.partition("/")
        if code and any(letter.isdigit() for letter in number):
            return decisions.filter(about__iexact=f"section {number}/{code}")
        events = Event.objects.filter(federation=self.office)
        return decisions.filter(about_events(events.filter(Q(number=words) | Q(name__icontains=words))))

    def of_player(self, decisions: QuerySet[Decision], name: str, wanted: str) -> QuerySet[Decision]:
        """Decisions about such players, or that name them by number."""
        players = Player.objects.of(self.office).matching(wanted).order_by("number")
        found = players.values_list("number", "merged__number")[:MOST_PLAYERS]
        numbers = sorted({number for pair in found for number in pair if number})
        if not numbers:
            return decisions.none()
        named = reduce(or_, (Q(as_text__contains=f'"{number}"') for number in numbers))
        told = decisions.annotate(as_text=Cast("sealed_details", CharField()))
        return told.filter(Q(about__in=[f"player {number}" for number in numbers]) | named)


# ---- The record: who did what, searched by person, day, event and player; as a page and as a file.
MOST_ROWS = 20_000
"""The decisions of one file, the newest first: a longer record is taken out by its days."""
COLUMNS = ("number", "at", "who", "kind", "about", "told")


@permitted(Permission.RECORD_READ)
@never_cache
@require_safe
def record(request: OfficeRequest) -> HttpResponse:
    chosen = _chosen(request)
    table = paged(_table(request, chosen), request)
    everywhere = Permission.RECORD_READ in request.rights.everywhere
    context = {
        "table": table,
        "form": chosen.form,
        "query": request.GET.urlencode(),
        "everywhere": everywhere,
        "regions": request.rights.regions(Permission.RECORD_READ),
    }
    return render(request, "players/record.html", context)


@permitted(Permission.RECORD_READ)
@never_cache
@require_safe
def record_csv(request: OfficeRequest) -> HttpResponse:
    """The chosen part of the record as a CSV."""
    chosen = _chosen(request)
    table = _table(request, chosen)
    rows = (table.plain(each) for each in chosen.qs[:MOST_ROWS])
    answer = HttpResponse(csv_bytes(COLUMNS, rows), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{request.office.code}-record.csv"'
    return answer


def _chosen(request: OfficeRequest) -> RecordSearch:
    decisions = reachable(request.rights).select_related("by").prefetch_related("words")
    return RecordSearch(request.GET, queryset=decisions, office=request.office)


def _table(request: OfficeRequest, chosen: RecordSearch) -> RecordTable:
    def left_out(decision: Decision, detail: str) -> bool:
        return is_kept_from(request.rights, decision, detail)

    return RecordTable(chosen.qs, office=request.office, left_out=left_out)


# ---- A region's history: what it filed, what was rated, what came late, and its players.
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
