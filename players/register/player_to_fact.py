"""A player of the register as the open journal writes them."""

from __future__ import annotations

from players.register.models import Player
from ratings.law import facts


def player_fact(player: Player) -> facts.Player:
    """The player's particulars as they stand now: the name with its salt, or the seal of an unknown name."""
    known = not player.name_seal
    return facts.Player(
        id=player.number,
        name=player.name if known else None,
        salt=player.salt if known else None,
        seal=None if known else player.name_seal,
        nation=player.nation or None,
        region=player.region.code if player.region else None,
        resident=player.resident,
        included_by=player.included_by or None,
    )
