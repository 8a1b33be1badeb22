"""The preamble: the ways in which players qualify for the World Championship (D-PFO-8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter

from ratings.law.facts import PlayerId, State
from ratings.rulesets.pfo.edition_2009.scoring import labels, standing_of
from ratings.rulesets.pfo.law.standing import PfoStanding, Season

Places = list[tuple[int, PlayerId]]
"""Place or rank, the lower the better."""


def qualified(state: State[PfoStanding], season: str | None = None) -> Iterator[tuple[str, str, PlayerId]]:
    """Season, way and player, by the priority of §preamble; who holds an earlier way leaves a later one.

    Two players of one way are level: the officials have to part them. Without a season: the newest.
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
    """The championship's places of one category, Polish citizens alone (D-PFO-11)."""
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
    """§17: the season's standing."""
    return [(row.place, row.player) for row in standing_of(state, season) if row.citizen]


def ranking(state: State[PfoStanding], season: str) -> Places:
    """The ranking of the day, as numbers of which the lowest is best."""
    return [(-int(s.rating), player) for (player, _track), s in state.standings.items() if s.citizen]


WAYS: dict[str, Callable[[State[PfoStanding], str], Places]] = {
    "champion": men,
    "women-champion": women,
    "grand-prix": grand_prix,
    "ranking": ranking,
}
"""By priority."""
