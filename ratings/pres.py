"""Pre-ratings (§58): what approval states, and what holds where a line states none (D-CSA-19)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from django.db.models import Max

from players.models import Federation, Player
from ratings.bulk import batches
from ratings.models import Fact, Standing, StatedPre
from ratings.rulesets import facts, journal
from ratings.rulesets.facts import NO_PRES, PlayerId
from ratings.rulesets.ruleset import Ruleset

Aliases = Mapping[PlayerId, PlayerId]
Stated = dict[PlayerId, tuple[int, int]]
"""The line that stated a pre-rating under a number, and what it states."""
LookUp = Callable[[Collection[PlayerId], int], Stated]
"""The last that was stated under each of some numbers above a line."""
_AT_ONCE = 500


class Asked(NamedTuple):
    """What an official says of somebody whose birth the register does not know; None: nobody knows it."""

    born: int | None
    sex: str = ""


Births = Mapping[PlayerId, Asked]
"""What is said of whom, by number."""
NO_BIRTHS: Births = MappingProxyType({})


def learn(player: Player, asked: Asked) -> None:
    """Put what is said of a player's birth into the entry, which the caller saves or lets go."""
    player.born, player.sex = asked.born, player.sex or asked.sex


# ---------------------------------------------------------------- what approval states


def state_pres(
    federation: Federation, record: facts.Section, players: Iterable[Player]
) -> tuple[facts.Section, list[Player]]:
    """The section with the pre-ratings that approval states, and those of them whose birth is not known.

    They stand for whoever has, by the standings last computed, too few counted games in a track that the
    section updates; for nobody else.
    """
    ruleset = federation.ruleset
    if ruleset.pre_rating is None:
        return record, []
    needed = needing_pre(ruleset, record, players)
    pres = {p.number: ruleset.pre_rating(p.born, p.sex or None, record) for p in needed}
    entries = tuple(replace(entry, pre=pres.get(entry.player)) for entry in record.entries)
    unknown = [player for player in needed if player.born is None] if "born" in ruleset.asks else []
    return replace(record, entries=entries), unknown


def needing_pre(ruleset: Ruleset, record: facts.Section, players: Iterable[Player]) -> list[Player]:
    """Whose pre-rating a section states."""
    people = {player.pk: player for player in players}
    tracks = ruleset.tracks_of(record)
    enough: dict[int, int] = dict.fromkeys(people, 0)
    for some in batches(sorted(people), _AT_ONCE):
        counted = Standing.objects.filter(player__in=some, track__in=tracks)
        for player in counted.filter(games__gte=ruleset.pre_until_games).values_list("player_id", flat=True):
            enough[player] += 1
    return [player for pk, player in people.items() if enough[pk] < len(tracks)]


# ---------------------------------------------------------------- what holds where none is stated


def entrants_without(record: facts.Section) -> list[PlayerId]:
    return [entry.player for entry in record.entries if entry.pre is None]


def stated_before(federation: Federation, numbers: Collection[PlayerId], line: int) -> Stated:
    """The last line above `line` that states a pre-rating under each of these numbers, and what it states."""
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
    """`Fact.pres` of a section's line with that number."""
    if not federation.ruleset.pre_values:
        return {}
    told = stated_before(federation, entrants_without(record), line)
    return {player: pre for player, (_line, pre) in told.items()}


def pres_of(row: Fact, record: facts.Section, names: Aliases) -> Mapping[PlayerId, int]:
    """`RatedSection.pres` of the section in a line of the journal, merges followed."""
    if not row.federation.ruleset.pre_values:
        return NO_PRES
    return with_merges(partial(stated_before, row.federation), record, row.number, row.pres, names)


def with_merges(
    look_up: LookUp, record: facts.Section, line: int, own: Mapping[str, int], names: Aliases
) -> dict[PlayerId, int]:
    """By the number with which each is read; what was stated under other numbers of theirs is looked up."""
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
    """What a section's line states, to be saved beside it."""
    return [
        StatedPre(federation=federation, player=entry.player, line=line, pre=entry.pre)
        for entry in record.entries
        if entry.pre is not None
    ]


# ---------------------------------------------------------------- who is taken at 1200 for want of any


def for_want_of_any(ruleset: Ruleset, state: facts.State[Any], fact: facts.Fact) -> Sequence[PlayerId]:
    """Who is unrated in a section, and has no pre-rating stated in it or above it; `state`: before it."""
    if not ruleset.pre_values or not isinstance(fact, facts.RatedSection):
        return ()
    abroad = fact.section.country not in (None, ruleset.country)
    tracks = ruleset.tracks_of(fact.section)
    return [
        entry.player
        for entry in fact.section.entries
        if entry.pre is None
        and entry.player not in fact.pres
        and not (abroad and entry.rating)
        and any(_unrated(state, entry.player, track) for track in tracks)
    ]


def _unrated(state: facts.State[Any], player: PlayerId, track: str) -> bool:
    standing = state.get(player, track)
    return standing is None or standing.rating is None
