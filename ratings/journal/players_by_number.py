"""Finds the players whom facts of the journal name."""

from __future__ import annotations

from collections.abc import Iterable

from players.office.models import Federation
from players.register.models import Player
from ratings.law.facts import PlayerId
from ratings.storage.bulk_writing import batches


def named(federation: Federation, numbers: Iterable[PlayerId]) -> dict[PlayerId, Player]:
    """The register's rows of these players, by number."""
    found: dict[PlayerId, Player] = {}
    for some in batches(sorted(numbers), 500):
        people = Player.objects.filter(federation=federation, number__in=some).select_related("federation")
        found |= {player.number: player for player in people}
    return found
