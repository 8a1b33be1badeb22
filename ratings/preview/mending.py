"""Previews correcting a rated section and rating it anew: everybody's rating before and after, at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from players.drawing.rating_rounding import as_shown
from players.office.models import Federation
from ratings.journal.append import day_of
from ratings.journal.models import Fact
from ratings.law import facts
from ratings.preview.compare_folds import FoldPreview, preview_fold
from ratings.preview.plan_fold import (
    FoldPlan,
    differs,
    in_order,
    lines_to_add,
    not_in_journal,
    read_due,
    up_to_limit,
)
from ratings.results.assign_pre_ratings import NO_BIRTHS, Births
from ratings.results.models import Change as StoredChange
from ratings.results.rating_differences import (
    Corrected,
    both_states,
    differences,
    standing_fact,
    with_players,
)
from tournaments.events.models import Finding, Section
from tournaments.events.section_fact import rows_in_memory
from tournaments.mending.apply_changes import Applied, work_out_changes
from tournaments.mending.change_rows import Change
from tournaments.review.entries_of_merged import read_who_stays


@dataclass(frozen=True, slots=True)
class MendingPreview:
    """The effect of correcting a rated section and rating it anew. Nothing is written."""

    applied: Applied
    seen: FoldPreview = field(default_factory=FoldPreview)
    """The later sections that would get other ratings."""
    ratings: list[Corrected] = field(default_factory=list)
    """Every rating that would change in the digits shown; empty if not all was worked out (`seen.unseen`)."""

    @property
    def allowed(self) -> list[Finding]:
        """The findings that the correction brings and the office would allow with its words."""
        return [each for each in self.applied.found if each.level == "waivable"]


def preview_mending(
    section: Section, changes: Sequence[Change], on: date, births: Births = NO_BIRTHS
) -> MendingPreview:
    """Fold the record with a rated section as it would be corrected, by the very rules that will run.

    Raises `Refused` where a change cannot be made, and `Incomplete` where the section is not whole.
    """
    federation, fact = section.event.federation, standing_fact(section)
    applied, added = _as_corrected(section.pk, changes, on, births)
    if fact is None or fact.order is None:
        return MendingPreview(applied)
    plan = _instead(federation, fact, added)
    seen = preview_fold(plan)
    if seen.unseen:
        return MendingPreview(applied, seen)
    own = StoredChange.objects.filter(fact=fact).values_list("player__number", flat=True)
    people = frozenset(own) | {player for player, _track in seen.state.standings}
    before, after = both_states(federation, plan.start, seen.state, people, folded=bool(plan.due))
    found = differences(federation.ruleset, before, after, on)
    places = federation.publication.decimals
    shown = [each for each in found if as_shown(each.before, places) != as_shown(each.after, places)]
    return MendingPreview(applied, seen, with_players(federation, shown))


def _as_corrected(
    key: int, changes: Sequence[Change], on: date, births: Births
) -> tuple[Applied, list[facts.Fact]]:
    """The corrections, and the facts that approving the corrected section would add: worked out in memory, by
    what will make them. Nothing is written, and nobody who writes is waited for.
    """
    section = Section.objects.select_related("event__federation").get(pk=key)
    with rows_in_memory(section):
        read_who_stays(section)
        applied = work_out_changes(section, changes)
        return applied, lines_to_add(section, day_of(section.event.federation, on), births)


def _instead(federation: Federation, fact: Fact, added: list[facts.Fact]) -> FoldPlan:
    """The plan of facts to fold with these in place of a rated section's fact; with other days the section
    may stand elsewhere in the order of play.
    """
    assert fact.order is not None
    ruleset = federation.ruleset
    order = min([fact.order, *map(ruleset.journal.order_key, added)])
    rows = Fact.objects.filter(federation=federation).in_force().exclude(pk=fact.pk)
    rows = rows.select_related("takes", "first_rated", "section__event")
    if ruleset.journal.annotate is None:
        behind = rows.filter(order__gt=order).order_by("order")
        seen = up_to_limit(behind)
        due = in_order(ruleset, [*read_due(federation, seen), *not_in_journal(added)])
        return FoldPlan(federation, order, due, behind.count() - seen.count())
    everything = in_order(ruleset, [*read_due(federation, rows), *not_in_journal(added)])
    keys = [ruleset.journal.order_key(each.fact) for each in everything]
    at = next(
        at for at, each in enumerate(everything) if keys[at] > order or differs(ruleset, each)
    )  # what is added differs
    return FoldPlan(federation, min(order, keys[at]), everything[at:], 0)
