"""Sealed names: the journal's lines hold seals; names and salts lie apart, where they can be deleted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ratings.law.facts import Player as Particulars
from ratings.law.facts import name_seal

if TYPE_CHECKING:
    from players.office.models import Federation
    from players.register.models import Player
from players.register.sealing import new_salt

TOGETHER = 500
"""Rows that one statement writes or looks up."""


def rename(player: Player) -> None:
    """Give a player whose name was changed another salt; nothing is saved here."""
    player.salt, player.name_seal = new_salt(), ""


def keep_names(federation: Federation, players: Iterable[Particulars]) -> None:
    """Keep each name with its salt beside the seal under which the journal knows it."""
    from players.register.models import SealedName

    rows = {
        seal: SealedName(federation=federation, seal=seal, name=player.name, salt=player.salt)
        for player in players
        if player.name is not None and player.salt is not None
        for seal in [name_seal(player.name, player.salt)]
    }
    SealedName.objects.bulk_create(rows.values(), batch_size=TOGETHER, ignore_conflicts=True)
