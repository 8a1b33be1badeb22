"""Draws up the figures of the sections that wait for an official: the worker's part in the queue."""

from __future__ import annotations

import time
from datetime import date, datetime
from decimal import Decimal

from django.db.models import F, OuterRef, Q, Subquery
from django.utils import timezone

from players.office.models import Federation, Ledger
from players.office.settings_schema import today
from ratings.office.desk.models import ReviewFigures
from ratings.office.sections.rating_moves import from_today, previewed_changes
from ratings.office.sections.unknown_births import births_filed
from ratings.preview.approval import preview
from tournaments.events.models import Section, SectionQuerySet
from tournaments.events.section_fact import Incomplete

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
