"""Names kept beside the journal, each under its seal; and the new salt of a changed name."""

from __future__ import annotations

from collections.abc import Iterable

from players.office.models import Federation
from players.register.models import Player, SealedName
from players.register.name_salt import new_salt
from ratings.law.facts import Player as Particulars
from ratings.law.seals import name_seal
from ratings.storage.bulk_writing import batches

TOGETHER = 500
"""The number of rows that one statement writes or looks up."""


def rename(player: Player) -> None:
    """Give a player whose name was changed another salt and no seal yet; nothing is saved here."""
    player.salt, player.name_seal = new_salt(), ""


def keep_names(federation: Federation, players: Iterable[Particulars]) -> None:
    """Store each player's name and salt, under the seal by which the journal knows the name; the caller holds
    the ledger's lock. A seal that is stored already is left as it is.
    """
    rows = {
        seal: SealedName(federation=federation, seal=seal, name=player.name, salt=player.salt)
        for player in players
        if player.name is not None and player.salt is not None
        for seal in [name_seal(player.name, player.salt)]
    }
    for some in batches(list(rows), TOGETHER):
        known = federation.sealed_names.filter(seal__in=some)
        for seal in known.values_list("seal", flat=True):
            del rows[seal]
    SealedName.objects.bulk_create(rows.values(), batch_size=TOGETHER)
