"""The part of the record that a person may read: all of it, or what concerns their regions."""

from __future__ import annotations

from datetime import datetime

from django.db.models import CharField, Exists, OuterRef, Q, QuerySet, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Concat
from django.utils import timezone

from players.office.access import Permission, Rights
from players.office.models import Decision
from players.people.models import Transfer
from players.register.models import Player
from tournaments.cases.models import Case
from tournaments.events.models import Event, Section
from tournaments.review.take_back import slips_untold

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
            | Q(kind="move-event", sealed_details__region_before__in=_codes(rights))
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


def _codes(rights: Rights) -> list[str]:
    """The codes of the regions of which a person may read the record."""
    return list(rights.regions(Permission.RECORD_READ).values_list("code", flat=True))


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
