"""Previews what rating a section does to ranks and the next lists: ranks to confirm, places that change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, localcontext
from itertools import islice
from typing import Any, NamedTuple

from players.drawing.rating_rounding import as_shown
from players.office.models import Federation
from players.register.models import Player
from ratings.journal.players_by_number import named
from ratings.journal.read_facts import AFTER_EVERYTHING
from ratings.law import rule_outputs
from ratings.law.facts import ListClosing, Placed, PlayerId, State
from ratings.law.ruleset import CONTEXT, Ruleset
from ratings.preview.compare_folds import FoldPreview
from ratings.preview.plan_fold import RatingPlan
from ratings.results.models import Standing
from ratings.results.read_states import newest_wide, state_before


class ListPlace(NamedTuple):
    """A player's place on a list: rank and rating."""

    rank: int
    rating: Decimal


@dataclass(frozen=True, slots=True)
class Shift:
    """A player's place on the next list without the section and with it; None: not on it."""

    player: Player
    without: ListPlace | None
    with_it: ListPlace | None


@dataclass(frozen=True, slots=True)
class NextList:
    track: str
    players: int
    shifts: list[Shift]
    """Players to whom the section gives another rating in the digits shown, the farthest first, cut at the
    most that are listed.
    """
    moved: int
    """The number of such players in all."""
    displaced: int
    """The number of others whose place would change though their rating does not."""


def ranks_gained(federation: Federation, seen: FoldPreview, on: date) -> list[tuple[Player, str, str]]:
    """The ranks that officials would have to confirm then and not now: player, rank and clause of each."""
    if not federation.ruleset.journal.ranks:
        return []
    people = {player for player, _track in seen.state.standings}
    rules = federation.ruleset.edition_on(on).rules
    now = _to_confirm(rules.tables(state_before(federation, AFTER_EVERYTHING, people), on))
    then = _to_confirm(rules.tables(seen.state, on))
    named_ = named(federation, {player for player, _rank, _clause in then - now})
    return [(named_[player], rank, clause) for player, rank, clause in sorted(then - now) if player in named_]


def _to_confirm(tables: Iterable[rule_outputs.RuleTable]) -> set[tuple[str, str, str]]:
    return {
        (str(said["player"]), str(said["rank"]), str(said["clause"]))
        for table in tables
        if table.confirms
        for said in (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    }


def next_lists(plan: RatingPlan, seen: FoldPreview, on: date, most: int = 20) -> list[NextList]:
    """The lists whose players the section moves, as they would close that day without the section and with
    it; up to `most` players each.
    """
    federation = plan.federation
    ruleset = federation.ruleset
    touched = {track for _player, track in seen.state.standings}
    tracks = [track.code for track in ruleset.tracks if track.code in touched]
    now = newest_standings(federation, tracks)
    then = State(dict(now.standings), seen.state.wide, set(now.due))
    for key, standing in seen.state.standings.items():
        then.put(key, standing)
    closing = Placed(plan.section.number + 1, ListClosing(on))
    found = (
        _next_list(
            federation, track, _closed(ruleset, now, closing), _closed(ruleset, then, closing), on, most
        )
        for track in tracks
    )
    return [each for each in found if each.moved or each.displaced]


def newest_standings(federation: Federation, tracks: list[str]) -> State[Any]:
    """The state with everybody's standing now, in these tracks alone."""
    state: State[Any] = State(wide=newest_wide(federation, AFTER_EVERYTHING))
    load = federation.ruleset.storage.load
    rows = Standing.objects.filter(federation=federation, track__in=tracks)
    for number, track, text in rows.values_list("player__number", "track", "state").iterator(5_000):
        state.put((number, track), load(track, text))
    return state


def _closed(ruleset: Ruleset, state: State[Any], closing: Placed) -> State[Any]:
    """The state after the closing of a list, which may add waiting points; the given one stays as it is."""
    after = State(dict(state.standings), state.wide, set(state.due))
    after.absorb(ruleset.apply(state, closing))
    return after


def _next_list(
    federation: Federation, track: str, now: State[Any], then: State[Any], on: date, most: int
) -> NextList:
    rules = federation.ruleset.edition_on(on).rules
    with localcontext(CONTEXT):
        before, after = (
            {row.player: ListPlace(row.rank, row.rating) for row in rules.rating_list(state, track, on)}
            for state in (now, then)
        )
    places = federation.publication.decimals
    moved = [
        name
        for name in {**before, **after}
        if _shown_rating(before, name, places) != _shown_rating(after, name, places)
    ]
    moved.sort(key=lambda name: (-_far(before.get(name), after.get(name)), name))
    displaced = sum(before[name].rank != after[name].rank for name in before.keys() & after.keys())
    displaced -= sum(
        name in before and name in after and before[name].rank != after[name].rank for name in moved
    )
    people = named(federation, islice(moved, most))
    shifts = [
        Shift(people[name], before.get(name), after.get(name)) for name in moved[:most] if name in people
    ]
    return NextList(track, len(after), shifts, len(moved), displaced)


def _shown_rating(listed: dict[PlayerId, ListPlace], name: PlayerId, places: int) -> Decimal | None:
    return as_shown(listed[name].rating, places) if name in listed else None


def _far(before: ListPlace | None, after: ListPlace | None) -> Decimal:
    """A sort key of shifts: the distance that a rating moves; for players who come or go, above all."""
    return abs(after.rating - before.rating) if before and after else Decimal(10**6)
