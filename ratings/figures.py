"""Figures for an official's desk that the worker computes, because pages cannot wait for them."""

import time
from datetime import date, datetime, timedelta
from decimal import Decimal

from django.db.models import F, OuterRef, Q, Subquery
from django.utils import timezone

from players.decision_kinds import KINDS
from players.models import Decision, Federation, Ledger
from players.settings import today
from ratings.as_if import preview_rating
from ratings.merging import get_pairs_to_review
from ratings.models import DoublesCount, ReviewFigures
from ratings.pre_ratings import get_filed_births
from tournaments.models import Section, SectionQuerySet
from tournaments.sections import IncompleteSection

# ---- The count of likely doubles in a register
CHANGING_KINDS = tuple(name for name, kind in KINDS.items() if kind.changes_register)
DOUBLES_INTERVAL = timedelta(minutes=5)
"""The least time between two passes over one register."""


def recount_doubles_if_changed(federation: Federation, at: datetime) -> bool:
    """Count the likely doubles again if the register has changed since; return whether they were counted."""
    counted = DoublesCount.objects.filter(federation=federation).first()
    if counted is not None:
        since = Decision.objects.filter(
            federation=federation, number__gt=counted.decision, kind__in=CHANGING_KINDS
        )
        if at - counted.at < DOUBLES_INTERVAL or not since.exists():
            return False
    decision = Ledger.objects.values_list("decisions", flat=True).get(federation=federation)
    pairs = len(get_pairs_to_review(federation))
    DoublesCount.objects.update_or_create(
        federation=federation, defaults={"pairs": pairs, "decision": decision, "at": at}
    )
    return True


# ---- The figures of the sections that wait for an official
LONGEST_SWEEP_SECONDS = 10.0
"""Seconds that one office's figures may take in a sweep; the rest waits for the next."""


def list_sections_lacking_figures(federation: Federation) -> SectionQuerySet:
    """Waiting sections without current figures: those without any first, then the oldest."""
    lines = Subquery(Ledger.objects.filter(federation=OuterRef("event__federation")).values("facts")[:1])
    waiting = Section.objects.filter(event__federation=federation).awaiting_review()
    current = Q(figures__version=F("version"), figures__line=lines)
    return waiting.exclude(current).order_by(F("figures__at").asc(nulls_first=True), "pk")


def compute_review_figures(federation: Federation) -> int:
    """Draw up figures that are missing or old, for at most `LONGEST_SWEEP_SECONDS`; return how many."""
    until = time.monotonic() + LONGEST_SWEEP_SECONDS
    drawn = 0
    if not Ledger.objects.pending().filter(federation=federation).exists():
        day = today(federation)
        for section in list_sections_lacking_figures(federation).select_related(
            "event__federation", "event__region"
        ):
            save_review_figures(section, day, timezone.now())
            drawn += 1
            if time.monotonic() > until:
                break
    return drawn


def save_review_figures(section: Section, on: date, at: datetime) -> ReviewFigures:
    """Preview a section as its review does, and store the figures of what approving it would change."""
    line = Ledger.objects.values_list("facts", flat=True).get(federation=section.event.federation)
    points: list[Decimal] | None
    try:
        moves = preview_rating(section, on, get_filed_births(section)).own
        points = [Decimal(0) if move.first else abs(move.points) for move in moves if move.movement.moves]
    except (IncompleteSection, LookupError):
        points = None
    found, _new = ReviewFigures.objects.update_or_create(
        section=section,
        defaults={
            "version": section.version,
            "line": line,
            "at": at,
            "on": on,
            "moves": None if points is None else len(points),
            "most": (max(points) or None) if points else None,
        },
    )
    return found
