"""Final places as they follow from a file's points and discs, and from its finals: a person confirms them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from tournaments.events.models import Entry, Game, Section

_FOR_PLACES = re.compile(r"(?P<first>[0-9]{1,3})\s?[-–/]\s?(?P<second>[0-9]{1,3})")
_FINAL = re.compile(r"f(?:inals?)?|finał|finale", re.IGNORECASE)
_WON: Mapping[str, tuple[int, int]] = {"1-0": (1, 0), "0-1": (0, 1), "+:-": (1, 0), "-:+": (0, 1)}
Worth = tuple[Decimal, int]


def proposed_places(section: Section, entries: Sequence[Entry]) -> dict[int, int]:
    """The place of each entry, by starting number: more points first, then more discs where all have them;
    who has the same shares the place. A final between two, or a game for two places, decides these.

    Nothing where a place or somebody's points are known otherwise: then a person gives them all.
    """
    if not entries or any(entry.place is not None or entry.points is None for entry in entries):
        return {}
    discs = all(entry.discs is not None for entry in entries)
    worth = {
        entry.number: (entry.points or Decimal(0), (entry.discs or 0) if discs else 0) for entry in entries
    }
    places = _shared(worth)
    if section.finals:
        played = section.games.select_related("first", "second").order_by("order")
        _play_off(places, section, list(played))
    return places


def _shared(worth: Mapping[int, Worth]) -> dict[int, int]:
    """Places by worth, the greatest first; equal ones share, and leave the next out."""
    order = sorted(worth.values(), reverse=True)
    first = {each: place for place, each in reversed(list(enumerate(order, start=1)))}
    return {number: first[each] for number, each in worth.items()}


def _play_off(places: dict[int, int], section: Section, games: Iterable[Game]) -> None:
    """Give the places that finals were about to their players: to who won more games of them the better."""
    won: dict[tuple[int, int], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for game in games:
        if about := _about(section.name_of_round(game.round)):
            for player, point in zip((game.first, game.second), _WON.get(game.result, (0, 0)), strict=True):
                won[about][player.number] += point
    for (better, worse), points in sorted(won.items()):
        if len(points) == 2 and len(set(points.values())) == 2:
            loser, winner = sorted(points, key=lambda number: points[number])
            places |= {winner: better, loser: worse}


def _about(name: str) -> tuple[int, int] | None:
    """The two places for which a round of this name is played; None: for others, or for none."""
    if found := _FOR_PLACES.fullmatch(name):
        first, second = int(found["first"]), int(found["second"])
        return (first, second) if second == first + 1 else None
    return (1, 2) if _FINAL.fullmatch(name) else None
