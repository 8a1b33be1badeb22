"""The preamble: the ways in which players qualify for the World Championship (D-PFO-8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter

from ratings.law.facts import PlayerId, State
from ratings.rulesets.pfo.edition_2009.season_points import labels, standing_of
from ratings.rulesets.pfo.law.standing import PfoStanding, Season

Places = list[tuple[int, PlayerId]]
"""Players with a place, or another number of which the lowest is best."""


def qualified(state: State[PfoStanding], season: str | None = None) -> Iterator[tuple[str, str, PlayerId]]:
    """The players who qualify for the World Championship as season, way and player, by the priority of
    §preamble; who qualified by an earlier way is left out of later ones.

    Two players of one way are level: the officials have to part them. `season`: its label; None: the newest.
    """
    known = labels(state)
    season = season or (known[-1] if known else None)
    if season is None:
        return
    holders: set[PlayerId] = set()
    for way, places_of in WAYS.items():
        found = leaders([row for row in places_of(state, season) if row[1] not in holders])
        for player in found:
            yield season, way, player
        if len(found) == 1:
            holders.update(found)


def leaders(places: Places) -> list[PlayerId]:
    best = min((place for place, _player in places), default=None)
    return sorted(player for place, player in places if place == best)


def champions(state: State[PfoStanding], season: str, place_in: Callable[[Season], int | None]) -> Places:
    """The places of Polish citizens in a season's championship, in the category that `place_in` reads
    (D-PFO-11).
    """
    return [
        (place, player)
        for (player, _track), standing in state.standings.items()
        if standing.citizen and (place := place_in(standing.season(season))) is not None
    ]


def men(state: State[PfoStanding], season: str) -> Places:
    return champions(state, season, attrgetter("championship"))


def women(state: State[PfoStanding], season: str) -> Places:
    return champions(state, season, attrgetter("women"))


def grand_prix(state: State[PfoStanding], season: str) -> Places:
    """§17: the places of Polish citizens in a season's standing."""
    return [(row.place, row.player) for row in standing_of(state, season) if row.citizen]


def ranking(state: State[PfoStanding], season: str) -> Places:
    """The ratings of Polish citizens in the ranking, negated, so that the lowest number is best."""
    return [(-int(s.rating), player) for (player, _track), s in state.standings.items() if s.citizen]


WAYS: dict[str, Callable[[State[PfoStanding], str], Places]] = {
    "champion": men,
    "women-champion": women,
    "grand-prix": grand_prix,
    "ranking": ranking,
}
"""The ways to qualify by name, in the order of priority: each gives the places of which the best
qualifies.
"""
