"""The effect of a planned fold: each rating before and after, and the sections rated anew."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from typing import Any, TypeVar

from players.drawing.rating_rounding import as_shown
from players.office.models import Federation
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.journal.players_by_number import named
from ratings.law import facts, rule_outputs
from ratings.law.facts import Change, PlayerId, State
from ratings.law.ruleset import CONTEXT
from ratings.preview.plan_fold import (
    AT_ONCE,
    MOST_FOLDED,
    NOBODY_MERGED,
    Due,
    FoldPlan,
    RatingPlan,
    needed_by_all,
)
from ratings.results.assign_pre_ratings import for_want_of_any
from ratings.results.models import Change as Stored
from ratings.results.read_states import state_before
from ratings.storage.bulk_writing import batches

Step = TypeVar("Step")


@dataclass(frozen=True, slots=True)
class RatingMove:
    """A player's rating after a later fact, now and as it would be, waiting points included."""

    player: Player
    track: str
    now: Decimal | None
    then: Decimal | None

    @property
    def by(self) -> Decimal | None:
        return None if self.now is None or self.then is None else self.then - self.now


@dataclass(frozen=True, slots=True)
class Rerated:
    """A fact in the journal after which ratings would differ from the stored ones, in the digits shown: the
    number of players and the largest moves.
    """

    fact: Fact
    players: int
    largest: list[RatingMove]


@dataclass(slots=True)
class FoldPreview:
    """The effects of a decision as previewed: the section's own changes, and later facts rated again."""

    own: list[Change[Any]] = field(default_factory=list)
    rerated: list[Rerated] = field(default_factory=list)
    unseen: int = 0
    """The number of facts behind the section that were not worked out, being too many."""
    state: State[Any] = field(default_factory=State)
    """The state after the last folded fact, of everybody whom those facts read or moved."""
    unstated: set[PlayerId] = field(default_factory=set)
    """Players who would be taken at the pre-rating of a man without an age, as none was ever stated (§58)."""


Tell = Callable[[int, int], object]
"""A function that hears how many facts are folded by now, of how many."""


def preview_fold(
    plan: FoldPlan,
    largest: int = 3,
    merged: Mapping[PlayerId, PlayerId] = NOBODY_MERGED,
    tell: Tell | None = None,
) -> FoldPreview:
    """Fold a plan's facts and find each one that would give other ratings than those stored.

    `largest`: the number of moves told of each. `merged`: numbers whose stored ratings are compared as those
    of another player. `tell`: told of each fact that is folded.
    """
    own = plan.section.number if isinstance(plan, RatingPlan) else None
    seen = plan.due[: plan.at + 1 + MOST_FOLDED] if isinstance(plan, RatingPlan) else plan.due
    found = FoldPreview(unseen=len(plan.due) - len(seen) + plan.unread)
    for some in batches(_telling(_fold(plan, seen, found.unstated), tell, len(seen)), AT_ONCE):
        stored = _stored([each.row for each, _changes, _after in some if each.row], merged)
        for each, changes, state in some:
            found.state = state
            if each.fact.number == own:
                found.own = changes
            elif each.row and (
                moved := _compared(plan.federation, each.row, stored[each.row.pk], changes, largest)
            ):
                found.rerated.append(moved)
    return found


def _telling(steps: Iterator[Step], tell: Tell | None, total: int) -> Iterator[Step]:
    """The same steps; `tell` hears of each."""
    for done, step in enumerate(steps, start=1):
        if tell is not None:
            tell(done, total)
        yield step


def _fold(
    plan: FoldPlan, due: list[Due], unstated: set[PlayerId] | None = None
) -> Iterator[tuple[Due, list[Change[Any]], State[Any]]]:
    """Fold a plan's facts one by one; yield each with its changes and the state after it. `unstated` collects
    entrants without a rating for whom no pre-rating was ever stated.
    """
    ruleset, state = plan.federation.ruleset, _state(plan, due)
    steps = ruleset.fold([each.fact for each in due], state)
    for each in due:
        if unstated is not None:
            unstated.update(for_want_of_any(ruleset, state, each.fact))
        _fact, changes, after = next(steps)
        yield each, changes, after


def with_points(before: Decimal | None, points: Decimal | None, after: Decimal | None) -> Decimal | None:
    """The rating with a fact's points in it, whether they count at once or from the next list on."""
    return after if before is None or points is None else before + points


def _stored(
    rows: list[Fact], merged: Mapping[PlayerId, PlayerId]
) -> dict[int, dict[facts.Key, Decimal | None]]:
    """The ratings that facts gave as they are stored: by the fact's key, then by player and track. Where a
    fact moved two entries merged by now, the one who stays counts.
    """
    found: dict[int, dict[facts.Key, Decimal | None]] = defaultdict(dict)
    changes = Stored.objects.filter(fact__in=rows)
    values = changes.values_list("player__number", "fact_id", "track", "before", "points", "after")
    for number, fact, track, *told in sorted(values, key=lambda each: each[0] not in merged):
        found[fact][merged.get(number, number), track] = with_points(*told)
    return found


def _compared(
    federation: Federation,
    row: Fact,
    now: Mapping[facts.Key, Decimal | None],
    changes: Iterable[Change[Any]],
    largest: int,
) -> Rerated | None:
    """Compare the changes of a fact with those stored (`now`), in the digits shown; None where they agree."""
    then = {(each.player, each.track): _shown_rating(each) for each in changes}
    places = federation.publication.decimals
    keys = [
        key for key in {**now, **then} if as_shown(now.get(key), places) != as_shown(then.get(key), places)
    ]
    if not keys:
        return None
    people = named(federation, {player for player, _track in keys})
    moved = [
        RatingMove(people[player], track, now.get((player, track)), then.get((player, track)))
        for player, track in keys
        if player in people
    ]
    moved.sort(key=lambda each: (-abs(each.by or Decimal(0)), each.player.sort_key, each.track))
    return Rerated(row, len({player for player, _track in keys}), moved[:largest])


def _shown_rating(change: Change[Any]) -> Decimal | None:
    before = change.before.rating if change.before is not None else None
    return with_points(before, change.points, change.after.rating)


def previewed_changes(plan: RatingPlan) -> list[Change[Any]]:
    """The changes that the section itself would make."""
    *_, (_each, changes, _state) = _fold(plan, plan.due[: plan.at + 1])
    return changes


def previewed_working(plan: RatingPlan, player: PlayerId, track: str) -> rule_outputs.Working:
    """The working of the change that the section would make to a player's rating."""
    rules, state = plan.federation.ruleset.rules_for(plan.section), state_before_section(plan)
    with localcontext(CONTEXT):
        return rules.explain(state, plan.section, player, track)


def state_before_section(plan: RatingPlan) -> State[Any]:
    """The state from which the section itself would be rated."""
    state = _state(plan, plan.due[: plan.at + 1])
    for _step in plan.federation.ruleset.fold([each.fact for each in plan.due[: plan.at]], state):
        pass
    return state


def _state(plan: FoldPlan, due: list[Due]) -> State[Any]:
    """The state before the plan's first fact, with everybody whose standing these facts read."""
    rules = plan.federation.ruleset.rules_for
    needs = needed_by_all(rules(each.fact).needs(each.fact) for each in due)
    return state_before(plan.federation, plan.start, needs)
