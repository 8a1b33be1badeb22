"""A player of the register as the open journal writes them."""

from __future__ import annotations

from players.models import Player
from ratings.rulesets import facts

WITHHELD = "withheld"
"""The name of whoever asked not to be named."""


def player_fact(player: Player) -> facts.Player:
    """The particulars as they stand now; what the ruleset does not read is not published."""
    reads = player.federation.ruleset.reads
    return facts.Player(
        id=player.number,
        name=WITHHELD if player.withheld else player.name,
        sex=(player.sex or None) if "sex" in reads else None,
        born=player.born if "born" in reads else None,
        nation=player.nation or None,
        resident=player.resident,
        region=player.region.code if player.region else None,
        included_by=player.included_by or None,
    )
