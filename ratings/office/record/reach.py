"""The part of the record that a person may read: all of it, or what concerns their regions."""

from __future__ import annotations

from django.db.models import CharField, Q, QuerySet, Value
from django.db.models.functions import Concat

from players.office.access import Permission, Rights
from players.office.models import Decision
from players.register.models import Player
from tournaments.cases.models import Case
from tournaments.events.models import Event, Section

OF_PLAYERS = ("correct", "merge", "part", "confirm-rank")
"""Decisions about its players that a region reads; what officials gave out of them is not told."""
NOT_OF_REGIONS = (
    *("open-file", "open-proof", "give-data", "withdraw-words"),
    *("take", "give-back", "hand-over", "note", "answer-hint", "leave-hints", "take-list", "give-back-list"),
)
TOLD_TO_REGIONS = frozenset(
    {
        "adjustments",
        "after",
        "before",
        "clause",
        "confirmed",
        "declared",
        "due",
        "ends",
        "entries",
        "fact",
        "fields",
        "files",
        "ids_kept",
        "into",
        "last",
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
        "region",
        "remarks",
        "reopened",
        "section",
        "sections",
        "sha256",
        "starts",
        "track",
        "waived",
        "words",
    }
)
"""The details that a region reads of decisions about its events and sections; of a player's not the reason,
which may speak of others.
"""


def reachable(rights: Rights) -> QuerySet[Decision]:
    """The decisions that a person may read, the newest first."""
    decisions = Decision.objects.filter(federation=rights.federation)
    if Permission.RECORD_READ in rights.everywhere:
        return decisions
    of_region = about_events(Event.objects.within(rights, Permission.RECORD_READ))
    return decisions.filter(
        (of_region & ~Q(kind__in=NOT_OF_REGIONS))
        | Q(kind__in=OF_PLAYERS, about__in=_abouts(players_within(rights), "player ", "number"))
        | Q(about__in=_abouts(Case.objects.within(rights, Permission.RECORD_READ), "case ", "pk"))
    )


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
    of_player = decision.about.startswith("player ")
    return detail not in TOLD_TO_REGIONS or (of_player and detail == "reason")


def _abouts(
    rows: QuerySet[Event] | QuerySet[Section] | QuerySet[Player] | QuerySet[Case], *parts: str
) -> QuerySet[Event]:
    """The words by which decisions name these rows: fields as they are, all else as it is written."""
    fields = {"number", "event__number", "code", "pk"}
    joined = Concat(*(each if each in fields else Value(each) for each in parts), output_field=CharField())
    return rows.order_by().annotate(named=joined).values("named")  # type: ignore[return-value]
