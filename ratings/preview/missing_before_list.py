"""Finds out what is still missing before a list: sections, the recompute, ranks to confirm."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from players.office.models import Federation, Ledger
from ratings.results.compute_rule_tables import proposals_on
from tournaments.events.models import OPEN_TO_FILING, Section, Stage
from tournaments.events.section_days import SectionDeadline, pressing


@dataclass(frozen=True, slots=True)
class MissingBeforeList:
    """The work that is left before the list of a day."""

    undecided: list[Section]
    """Sections that ended by then, submitted and not decided, the longest waiting first."""
    with_regions: list[SectionDeadline]
    """The deadlines by then of sections that their regions have still to hand in, the earliest first."""
    pending: bool
    """Whether the ratings are being recomputed."""
    ranks: int
    """The number of ranks that the rules propose and nobody has confirmed."""

    @property
    def nothing(self) -> bool:
        return not (self.undecided or self.with_regions or self.pending or self.ranks)


def missing_before(federation: Federation, day: date, today: date) -> MissingBeforeList:
    """Find out what is still missing before the list of a day, seen from today."""
    played = Section.objects.filter(event__federation=federation, ends__lte=day)
    related = played.select_related("event__federation", "event__region")
    undecided = related.filter(stage=Stage.SUBMITTED).order_by("submitted_on", "pk")
    open_ones = related.filter(stage__in=OPEN_TO_FILING).prefetch_related("permission_requests")
    due = (pressing(section, today) for section in open_ones)
    return MissingBeforeList(
        undecided=list(undecided),
        with_regions=sorted((each for each in due if each and each.last <= day), key=lambda each: each.last),
        pending=Ledger.objects.get(federation=federation).pending,
        ranks=ranks_to_confirm(federation, min(day, today)),
    )


def ranks_to_confirm(federation: Federation, on: date) -> int:
    """The number of ranks that the rules propose on a day; 0 where they know none."""
    return len(proposals_on(federation, on)) if federation.ruleset.journal.ranks else 0
