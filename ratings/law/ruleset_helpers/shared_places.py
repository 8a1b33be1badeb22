"""Places in an order: equals share one, and the next is one more than all before it (1, 2, 2, 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal

from ratings.law.facts import PlayerId
from ratings.law.rule_outputs import ListedPlayer

Listed = tuple[PlayerId, Decimal, int, str]
"""A player who is to stand on a list, not yet ranked: the id, the rating, the games and the status."""


def shared_places(ordered: Iterable[object]) -> Iterator[int]:
    """Yield the place of each value of an order, from 1 on; neighbours that are equal share it."""
    place, before = 0, object()
    for number, value in enumerate(ordered, start=1):
        if value != before:
            place, before = number, value
        yield place


def recount(places: Iterable[int]) -> dict[int, int]:
    """The place that each of these places becomes when they are counted among themselves alone: 1, 3, 3, 5
    become 1, 2, 2, 4.
    """
    ordered = sorted(places)
    return dict(zip(ordered, shared_places(ordered), strict=True))


def ranked(
    listed: Iterable[Listed], shown: Callable[[Decimal], object] = lambda rating: rating
) -> list[ListedPlayer]:
    """Make the rows of a rating list, best first, equal ratings by id; ratings shown alike share the rank.

    `shown` gives a rating as the regulation has people see it; without it the exact ratings are compared.
    """
    ordered = sorted(listed, key=lambda each: (-each[1], each[0]))
    ranks = shared_places(shown(rating) for _player, rating, _games, _status in ordered)
    return [ListedPlayer(rank, *each) for rank, each in zip(ranks, ordered, strict=True)]
