"""Previews un-rating a section: the later sections rated again, and every rating that changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from players.drawing.rating_rounding import as_shown
from players.office.models import Federation
from ratings.journal.models import Fact
from ratings.preview.compare_folds import FoldPreview, preview_fold
from ratings.preview.plan_fold import FoldPlan, differs, in_order, read_due, up_to_limit
from ratings.results.models import Change
from ratings.results.rating_differences import (
    Corrected,
    both_states,
    differences,
    standing_fact,
    with_players,
)
from tournaments.events.models import Section


@dataclass(frozen=True, slots=True)
class UnratingPreview:
    """The effect of un-rating a section. Nothing is written."""

    seen: FoldPreview
    """The later sections that would get other ratings."""
    ratings: list[Corrected] = field(default_factory=list)
    """Every rating that would change in the digits shown; empty if not all was worked out (`seen.unseen`)."""


def preview_unrating(section: Section, on: date) -> UnratingPreview:
    """Fold the record without a rated section, by the very rules that will run."""
    federation, fact = section.event.federation, standing_fact(section)
    if fact is None or fact.order is None:
        return UnratingPreview(FoldPreview())
    plan = _without(federation, fact)
    seen = preview_fold(plan)
    if seen.unseen:
        return UnratingPreview(seen)
    own = Change.objects.filter(fact=fact).values_list("player__number", flat=True)
    people = frozenset(own) | {player for player, _track in seen.state.standings}
    before, after = both_states(federation, plan.start, seen.state, people, folded=bool(plan.due))
    found = differences(federation.ruleset, before, after, on)
    places = federation.publication.decimals
    shown = [each for each in found if as_shown(each.before, places) != as_shown(each.after, places)]
    return UnratingPreview(seen, with_players(federation, shown))


def _without(federation: Federation, fact: Fact) -> FoldPlan:
    """The plan of facts to fold if a rated section's fact were not in the journal."""
    assert fact.order is not None
    ruleset = federation.ruleset
    rows = Fact.objects.filter(federation=federation).in_force().exclude(pk=fact.pk)
    rows = rows.select_related("takes", "first_rated", "section__event")
    if ruleset.journal.annotate is None:
        behind = rows.filter(order__gt=fact.order).order_by("order")
        seen = up_to_limit(behind)
        due = in_order(ruleset, read_due(federation, seen))
        return FoldPlan(federation, fact.order, due, behind.count() - seen.count())
    everything = in_order(ruleset, read_due(federation, rows))
    order = fact.order
    at = next(
        (
            at
            for at, each in enumerate(everything)
            if ruleset.journal.order_key(each.fact) > order or differs(ruleset, each)
        ),
        len(everything),
    )
    due = everything[at:]
    return FoldPlan(
        federation, min([order, *(ruleset.journal.order_key(each.fact) for each in due[:1])]), due, 0
    )
