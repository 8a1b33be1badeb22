"""The state before each of many facts, in a few queries however many there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.models import Fact, FactQuerySet
from ratings.journal.read_facts import aliases, folded_fact
from ratings.law.facts import RatedSection, State
from ratings.results.models import Change
from ratings.results.read_states import history_before


def before_each(
    federation: Federation, rated: FactQuerySet, track: str
) -> Iterator[tuple[RatedSection, State[Any]]]:
    """Each of these rated sections, in order, with the state before it: its entrants' standings in one track.

    The state is one object that moves on with them, without the federation-wide part.
    """
    names = aliases(federation)
    rows = list(rated.select_related("takes", "first_rated").order_by("order"))
    for row in rows:
        row.federation = federation
    facts = [(row.order, fact) for row in rows if isinstance(fact := folded_fact(row, names), RatedSection)]
    if not facts:
        return
    entered = {entry.player for _order, fact in facts for entry in fact.section.entries}
    people = Player.objects.filter(federation=federation, number__in=entered)
    keys = dict(people.values_list("pk", "number"))
    first, last = rows[0].order or 0, rows[-1].order or 0
    state: State[Any] = State()
    load = federation.ruleset.storage.load
    for known in history_before(federation, first, keys):
        if known.track == track:
            state.put((keys[known.player], track), load(track, known.state))
    moves = _changes(federation, first, last, track)
    move = next(moves, None)
    for order, fact in facts:
        while move is not None and move[0] < (order or 0):
            if move[1] in keys:
                state.put((keys[move[1]], track), load(track, move[2]))
            move = next(moves, None)
        yield fact, state


def _changes(federation: Federation, first: int, last: int, track: str) -> Iterator[tuple[int, int, str]]:
    """Each change in a track by facts from place `first` up to `last`, in order: place, player's key,
    standing after as stored.
    """
    between = Fact.objects.filter(federation=federation, order__gte=first, order__lt=last)
    changes = Change.objects.filter(fact__in=between.values("pk"), track=track)
    return changes.order_by("order").values_list("order", "player_id", "state").iterator()
