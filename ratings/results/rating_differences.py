"""Compares everybody's ratings before and after a correction.

One comparison serves the preview of a correction and the erratum that tells it afterwards.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, localcontext
from itertools import groupby
from typing import Any, NamedTuple

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.journal.players_by_number import named
from ratings.journal.read_facts import AFTER_EVERYTHING
from ratings.law.facts import Key, Needs, PlayerId, State
from ratings.law.ruleset import CONTEXT, Ruleset
from ratings.lists.models import RatingList
from ratings.results.models import Change
from ratings.results.read_states import state_before
from tournaments.events.models import Section


class RatingDifference(NamedTuple):
    """A player's rating in a track before and after a correction, waiting points included."""

    player: PlayerId
    track: str
    before: Decimal | None
    """The rating before; None: the player had no rating."""
    after: Decimal | None


@dataclass(frozen=True, slots=True)
class Corrected:
    """A rating before a correction and after it with the player's row of the register, for a page."""

    player: Player
    track: str
    before: Decimal | None
    after: Decimal | None

    @property
    def by(self) -> Decimal | None:
        return None if self.before is None or self.after is None else self.after - self.before


def ratings_told(ruleset: Ruleset, state: State[Any], on: date) -> dict[Key, Decimal]:
    """Every rating in a state as it is on a day, waiting points added, by player's number and track."""
    rules = ruleset.edition_on(max(on, ruleset.editions[0].in_force)).rules
    with localcontext(CONTEXT):
        return {
            (each.player, each.track): each.rating + each.further.get("pending", Decimal(0))
            for each in rules.answers(state, on)
            if each.rating is not None
        }


def differences(ruleset: Ruleset, before: State[Any], after: State[Any], on: date) -> list[RatingDifference]:
    """The ratings that differ between two states on a day: ratings gained or lost first, then the largest."""
    old, new = ratings_told(ruleset, before, on), ratings_told(ruleset, after, on)
    keys = {key for key in {**old, **new} if old.get(key) != new.get(key)}
    found = (RatingDifference(*key, old.get(key), new.get(key)) for key in keys)
    return sorted(found, key=lambda each: (-_size(each), each.player, each.track))


def _size(found: RatingDifference) -> Decimal:
    if found.before is None or found.after is None:
        return Decimal(10**6)
    return abs(found.after - found.before)


def with_players(federation: Federation, found: Collection[RatingDifference]) -> list[Corrected]:
    people = named(federation, {each.player for each in found})
    return [Corrected(people[each.player], *each[1:]) for each in found if each.player in people]


@dataclass(frozen=True, slots=True)
class ListDay:
    """The published lists of one day, of those that hold a section's ratings."""

    on: date
    lists: list[RatingList]


def both_states(
    federation: Federation,
    start: int,
    folded_to: State[Any],
    people: frozenset[PlayerId],
    *,
    folded: bool = True,
) -> tuple[State[Any], State[Any]]:
    """The stored state, and the state it becomes if the facts from place `start` on give `folded_to` instead.

    Both hold these people; all of the office where ratings move by others' results and time. `folded`:
    whether any fact was folded, so that the federation-wide part is that of `folded_to`.
    """
    moves_others = federation.ruleset.calendar.days_of_change is not None
    before = state_before(federation, AFTER_EVERYTHING, Needs.EVERYONE if moves_others else people)
    earlier = state_before(federation, start, people)
    after: State[Any] = State(wide=folded_to.wide if folded else earlier.wide)
    kept = ((key, standing) for key, standing in before.standings.items() if key[0] not in people)
    moved = ((key, standing) for key, standing in folded_to.standings.items() if key[0] in people)
    for key, standing in (*kept, *earlier.standings.items(), *moved):
        after.put(key, standing)
    return before, after


def standing_fact(section: Section) -> Fact | None:
    """The `rated` line in force for a section; None if it is not rated."""
    return section.facts.filter(kind="rated").in_force().first()


def lists_with(federation: Federation, fact: Fact, before: int | None = None) -> list[ListDay]:
    """The published lists that hold a rated section, in this version or an earlier one of its tracks and day.

    They are grouped by day, newest first; `before`: only those published above that line.
    """
    assert fact.section is not None
    lists = RatingList.objects.filter(federation=federation, fact__number__gt=fact.first.number)
    lists = lists.filter(on__gte=fact.section.ends)
    if before is not None:
        lists = lists.filter(fact__number__lt=before)
    if tracks := tracks_moved(fact):
        lists = lists.filter(track__in=tracks)
    return list(by_day(federation, lists.current().without_content().order_by("-on", "pk")))


def by_day(federation: Federation, lists: Iterable[RatingList]) -> Iterable[ListDay]:
    """Group lists that are sorted by day into one `ListDay` for each."""
    for on, of_day in groupby(lists, key=lambda each: each.on):
        found = list(of_day)
        for each in found:
            each.federation = federation
        yield ListDay(on, found)


def tracks_moved(fact: Fact) -> set[str]:
    """The codes of the tracks in which a fact changed somebody's standing."""
    return set(Change.objects.filter(fact=fact).order_by().values_list("track", flat=True).distinct())
