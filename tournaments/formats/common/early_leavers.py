"""Players who left before the end, as byes suggest; a person says whether they gave notice."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple


class Absence(NamedTuple):
    """A bye as `left_early` reads it; `player` is any number that tells the players apart."""

    round: int
    player: int
    kind: str


def left_early(byes: Iterable[Any], rounds: int) -> dict[int, int]:
    """Map each early leaver to the first round of their zero-point byes that last till the end.

    `byes`: anything with `round`, `player` and `kind`. One round missed at the very end is no departure.
    """
    missed: dict[int, set[int]] = {}
    for bye in byes:
        if bye.kind == "zero":
            missed.setdefault(bye.player, set()).add(bye.round)
    found = {}
    for player, absent in missed.items():
        backwards = sorted(absent, reverse=True)
        if not rounds or backwards[0] != rounds or len(backwards) < 2:
            continue
        first = rounds
        for later, earlier in pairwise(backwards):
            if earlier != later - 1:
                break
            first = earlier
        if 1 < first < rounds:
            found[player] = first
    return found
