"""What a correction makes of the ratings: everybody's before it beside everybody's after it.

One comparison serves the preview of a correction and the erratum that tells it afterwards.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, localcontext
from itertools import groupby
from typing import Any, NamedTuple

from players.digits import as_shown
from players.models import Federation, Player
from ratings.models import Change, Fact, RatingList
from ratings.outlook import Ahead, Outlook, differs, in_order, named, near, outlook, read
from ratings.rulesets.facts import Key, Needs, PlayerId, State
from ratings.rulesets.ruleset import CONTEXT, Ruleset
from ratings.states import AFTER_EVERYTHING, state_before
from tournaments.models import Section


class Difference(NamedTuple):
    """One rating before a correction and after it, with what it will take in at the next list."""

    player: PlayerId
    track: str
    before: Decimal | None
    """None: the player had no rating."""
    after: Decimal | None


@dataclass(frozen=True, slots=True)
class Corrected:
    """The same with the player, for a page."""

    player: Player
    track: str
    before: Decimal | None
    after: Decimal | None

    @property
    def by(self) -> Decimal | None:
        return None if self.before is None or self.after is None else self.after - self.before


def ratings_told(ruleset: Ruleset, state: State[Any], on: date) -> dict[Key, Decimal]:
    """Every rating in a state as it stands on a day, with what waits for the next list."""
    rules = ruleset.edition_on(max(on, ruleset.editions[0].in_force)).rules
    with localcontext(CONTEXT):
        return {
            (each.player, each.track): each.rating + each.further.get("pending", Decimal(0))
            for each in rules.answers(state, on)
            if each.rating is not None
        }


def differences(ruleset: Ruleset, before: State[Any], after: State[Any], on: date) -> list[Difference]:
    """The ratings that two states give otherwise on a day: who gets or loses one first, then by how far."""
    old, new = ratings_told(ruleset, before, on), ratings_told(ruleset, after, on)
    keys = {key for key in {**old, **new} if old.get(key) != new.get(key)}
    found = (Difference(*key, old.get(key), new.get(key)) for key in keys)
    return sorted(found, key=lambda each: (-_size(each), each.player, each.track))


def _size(found: Difference) -> Decimal:
    if found.before is None or found.after is None:
        return Decimal(10**6)
    return abs(found.after - found.before)


def with_players(federation: Federation, found: Collection[Difference]) -> list[Corrected]:
    people = named(federation, {each.player for each in found})
    return [Corrected(people[each.player], *each[1:]) for each in found if each.player in people]


# ---------------------------------------------------------------- un-rating ahead


@dataclass(frozen=True, slots=True)
class ListDay:
    """A day's published lists in which something stands."""

    on: date
    lists: list[RatingList]


@dataclass(frozen=True, slots=True)
class UnratingPreview:
    """What un-rating a section would do. Nothing is written."""

    seen: Outlook
    """The later sections that would be rated again otherwise."""
    ratings: list[Corrected] = field(default_factory=list)
    """Every rating that would be another as far as it is shown; empty where not all could be worked out
    (`seen.unseen`).
    """


def preview_unrating(section: Section, on: date) -> UnratingPreview:
    """Fold the record without a rated section, by the very rules that will run."""
    federation, fact = section.event.federation, standing_fact(section)
    if fact is None or fact.order is None:
        return UnratingPreview(Outlook())
    ahead = _without(federation, fact)
    seen = outlook(ahead)
    if seen.unseen:
        return UnratingPreview(seen)
    own = Change.objects.filter(fact=fact).values_list("player__number", flat=True)
    people = frozenset(own) | {player for player, _track in seen.state.standings}
    before, after = both_states(federation, ahead.start, seen.state, people, folded=bool(ahead.due))
    found = differences(federation.ruleset, before, after, on)
    places = federation.ruleset.decimals
    shown = [each for each in found if as_shown(each.before, places) != as_shown(each.after, places)]
    return UnratingPreview(seen, with_players(federation, shown))


def both_states(
    federation: Federation,
    start: int,
    folded_to: State[Any],
    people: frozenset[PlayerId],
    *,
    folded: bool = True,
) -> tuple[State[Any], State[Any]]:
    """The stored state, and what it becomes when the facts from `start` on give `folded_to`.

    Both hold these people; all of the office where ratings move by others' results and time.
    """
    moves_others = federation.ruleset.days_of_change is not None
    before = state_before(federation, AFTER_EVERYTHING, Needs.EVERYONE if moves_others else people)
    earlier = state_before(federation, start, people)
    after: State[Any] = State(wide=folded_to.wide if folded else earlier.wide)
    kept = ((key, standing) for key, standing in before.standings.items() if key[0] not in people)
    moved = ((key, standing) for key, standing in folded_to.standings.items() if key[0] in people)
    for key, standing in (*kept, *earlier.standings.items(), *moved):
        after.put(key, standing)
    return before, after


def standing_fact(section: Section) -> Fact | None:
    """The line of the journal by which the section is rated now."""
    return section.facts.filter(kind="rated").in_force().first()


def _without(federation: Federation, fact: Fact) -> Ahead:
    """The facts that would be folded again if a fact were not there, in order."""
    assert fact.order is not None
    ruleset = federation.ruleset
    rows = Fact.objects.filter(federation=federation).in_force().exclude(pk=fact.pk)
    rows = rows.select_related("takes", "section__event")
    if ruleset.annotate is None:
        behind = rows.filter(order__gt=fact.order).order_by("order")
        seen = near(behind)
        due = in_order(ruleset, read(federation, seen))
        return Ahead(federation, fact.order, due, behind.count() - seen.count())
    everything = in_order(ruleset, read(federation, rows))
    order = fact.order
    at = next(
        (
            at
            for at, each in enumerate(everything)
            if ruleset.order_key(each.fact) > order or differs(ruleset, each)
        ),
        len(everything),
    )
    due = everything[at:]
    return Ahead(federation, min([order, *(ruleset.order_key(each.fact) for each in due[:1])]), due, 0)


def lists_with(federation: Federation, fact: Fact, before: int | None = None) -> list[ListDay]:
    """The published lists that a rated section went into, newest day first; `before`: a line."""
    assert fact.section is not None
    lists = RatingList.objects.filter(federation=federation, fact__number__gt=fact.number)
    lists = lists.filter(on__gte=fact.section.ends)
    if before is not None:
        lists = lists.filter(fact__number__lt=before)
    if tracks := tracks_moved(fact):
        lists = lists.filter(track__in=tracks)
    return list(by_day(federation, lists.current().without_content().order_by("-on", "pk")))


def by_day(federation: Federation, lists: Iterable[RatingList]) -> Iterable[ListDay]:
    """Lists that stand in order of days, a day's together."""
    for on, of_day in groupby(lists, key=lambda each: each.on):
        found = list(of_day)
        for each in found:
            each.federation = federation
        yield ListDay(on, found)


def tracks_moved(fact: Fact) -> set[str]:
    """The tracks in which a fact moved somebody."""
    return set(Change.objects.filter(fact=fact).order_by().values_list("track", flat=True).distinct())
