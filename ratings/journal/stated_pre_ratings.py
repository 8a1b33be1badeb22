"""Looks up pre-ratings stated earlier (§58), for sections whose lines state none (D-CSA-19)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial

from django.db.models import Max

from players.office.models import Federation
from ratings.journal.models import Fact, StatedPre
from ratings.law import facts, journal
from ratings.law.facts import NO_PRES, PlayerId
from ratings.storage.bulk_writing import batches

Aliases = Mapping[PlayerId, PlayerId]


Stated = dict[PlayerId, tuple[int, int]]
"""For each number, the line that stated a pre-rating and the pre-rating."""


LookUp = Callable[[Collection[PlayerId], int], Stated]
"""A look-up of the last pre-ratings stated under some numbers above a line."""


_AT_ONCE = 500


def entrants_without(record: facts.Section) -> list[PlayerId]:
    return [entry.player for entry in record.entries if entry.pre is None]


def stated_before(federation: Federation, numbers: Collection[PlayerId], line: int) -> Stated:
    """For each of these numbers, the last line above `line` that states a pre-rating, and that pre-rating;
    numbers without one are left out.
    """
    found: Stated = {}
    for some in batches(sorted(numbers), _AT_ONCE):
        told = StatedPre.objects.filter(federation=federation, player__in=some, line__lt=line)
        newest = told.order_by().values("player").annotate(newest=Max("line"))
        lines = dict(newest.values_list("player", "newest"))
        rows = StatedPre.objects.filter(federation=federation, player__in=lines, line__in=set(lines.values()))
        found |= {
            player: (at, pre)
            for player, at, pre in rows.values_list("player", "line", "pre")
            if lines[player] == at
        }
    return found


def own_pres(federation: Federation, record: facts.Section, line: int) -> dict[PlayerId, int]:
    """Pre-ratings stated in earlier lines for entrants for whom this section's line states none, by number:
    stored beside the line as `Fact.pres`.
    """
    if federation.ruleset.pre_ratings is None:
        return {}
    told = stated_before(federation, entrants_without(record), line)
    return {player: pre for player, (_line, pre) in told.items()}


def pres_of(row: Fact, record: facts.Section, names: Aliases) -> Mapping[PlayerId, int]:
    """The pre-ratings with which the fold rates a section (`RatedSection.pres`): those stored beside its
    line, with merges followed.
    """
    if row.federation.ruleset.pre_ratings is None:
        return NO_PRES
    return with_merges(partial(stated_before, row.federation), record, row.number, row.pres, names)


def with_merges(
    look_up: LookUp, record: facts.Section, line: int, own: Mapping[str, int], names: Aliases
) -> dict[PlayerId, int]:
    """Pre-ratings from earlier lines, by the numbers that hold after merges. `own`: those found by a
    section's own numbers; `look_up` finds those stated under an entrant's other numbers.
    """
    found = dict(own)
    people = {journal.root(names, number): number for number in entrants_without(record)} if names else {}
    several: dict[PlayerId, list[PlayerId]] = {}
    for number in names:
        if (root := journal.root(names, number)) in people:
            several.setdefault(root, [root]).append(number)
    if several:
        told = look_up([each for group in several.values() for each in group], line)
        for root, group in several.items():
            found.pop(people[root], None)
            newest = max((told[each] for each in group if each in told), default=None)
            if newest:
                found[root] = newest[1]
    return found


def stated_rows(federation: Federation, record: facts.Section, line: int) -> list[StatedPre]:
    """Rows that keep the pre-ratings a section's line states, to look them up later; not yet saved."""
    return [
        StatedPre(federation=federation, player=entry.player, line=line, pre=entry.pre)
        for entry in record.entries
        if entry.pre is not None
    ]
