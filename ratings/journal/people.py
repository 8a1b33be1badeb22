"""What else rating a section today would do: later sections re-rated, ranks, places on the next list.

The record is folded as it would be then, from the first fact that differs, by the very rules that will run.
Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable

from players.office.models import Federation
from players.register.models import Player
from ratings.law.facts import PlayerId
from ratings.storage.bulk import batches


def named(federation: Federation, numbers: Iterable[PlayerId]) -> dict[PlayerId, Player]:
    """Players by their numbers, any many of them."""
    found: dict[PlayerId, Player] = {}
    for some in batches(sorted(numbers), 500):
        people = Player.objects.filter(federation=federation, number__in=some).select_related("federation")
        found |= {player.number: player for player in people}
    return found
