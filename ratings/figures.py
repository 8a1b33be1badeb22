"""Figures that the worker keeps ready for an official's desk, whose pages cannot wait for them: what
approving each waiting section would move, and how many likely doubles the register has.
"""

from __future__ import annotations

import time
from datetime import date, datetime, timedelta
from decimal import Decimal

from django.db.models import F, OuterRef, Q, Subquery
from django.utils import timezone

from players.models import Decision, Federation, Ledger
from players.settings import today
from ratings.as_if import from_today, preview, previewed_changes
from ratings.merging import pairs_to_look_through
from ratings.models import DoublesCount, ReviewFigures
from ratings.pre_ratings import births_filed
from tournaments.models import Section, SectionQuerySet
from tournaments.sections import Incomplete

# ---- The count of likely doubles in a register.
CHANGING = (
    *("approve", "correct", "forget-name", "import", "import-register", "match", "merge", "part"),
    *("submit", "take-fide", "two-persons", "unrate"),
)
"""The kinds of decisions after which the register, or who was told apart, is another."""
REST = timedelta(minutes=5)
"""The least time between two passes over one register."""


def doubles_out_of_date(federation: Federation, at: datetime) -> bool:
    """Whether the doubles were never counted, or the register has changed since and the rest is over."""
    counted = DoublesCount.objects.filter(federation=federation).first()
    if counted is None:
        return True
    since = Decision.objects.filter(federation=federation, number__gt=counted.decision, kind__in=CHANGING)
    return at - counted.at >= REST and since.exists()


def count_doubles(federation: Federation, at: datetime) -> bool:
    """Count the likely doubles anew where that is due; return whether it was."""
    if not doubles_out_of_date(federation, at):
        return False
    decision = Ledger.objects.values_list("decisions", flat=True).get(federation=federation)
    pairs = len(pairs_to_look_through(federation))
    told = {"pairs": pairs, "decision": decision, "at": at}
    DoublesCount.objects.update_or_create(federation=federation, defaults=told)
    return True


# ---- The figures of the sections that wait for an official.
LONGEST = 10.0
"""Seconds that one office's figures may take of a sweep; the rest waits for the next."""


def out_of_date(federation: Federation) -> SectionQuerySet:
    """Sections that wait for an official without figures, or with such as the journal has overtaken: those
    without any first, then the oldest.
    """
    lines = Subquery(Ledger.objects.filter(federation=OuterRef("event__federation")).values("facts")[:1])
    waiting = Section.objects.filter(event__federation=federation).awaiting_review()
    current = Q(figures__version=F("version"), figures__line=lines)
    return waiting.exclude(current).order_by(F("figures__at").asc(nulls_first=True), "pk")


def draw_up_figures(federation: Federation) -> int:
    """Draw up the figures that are missing or overtaken, for some seconds at most; return how many."""
    until = time.monotonic() + LONGEST
    drawn = 0
    if not Ledger.objects.pending().filter(federation=federation).exists():
        day = today(federation)
        for section in out_of_date(federation).select_related("event__federation", "event__region"):
            draw_up(section, day, timezone.now())
            drawn += 1
            if time.monotonic() > until:
                break
    return drawn


def draw_up(section: Section, on: date, at: datetime) -> ReviewFigures:
    """Preview a section as its review does, and keep the figures of what approving it would move."""
    line = Ledger.objects.values_list("facts", flat=True).get(federation=section.event.federation)
    points: list[Decimal] | None
    try:
        rows = preview(section, on, births_filed(section)).rows
        moves = from_today(section.event.federation, previewed_changes(rows), on)
        points = [abs(move.points or Decimal(0)) for move in moves if move.points or move.first]
    except (Incomplete, LookupError):
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
