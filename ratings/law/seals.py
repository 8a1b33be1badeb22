"""The seal that stands in the journal for a name that is withheld."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from unicodedata import normalize

from ratings.law.facts import Player


def name_seal(name: str, salt: str) -> str:
    """The seal of a name, in hex: SHA-256 over the salt's 16 bytes and the name in UTF-8 (NFC)."""
    return sha256(bytes.fromhex(salt) + normalize("NFC", name).encode()).hexdigest()


def sealed(player: Player) -> Player:
    """The player's particulars with the seal in place of name and salt, for a journal that withholds the
    name; unchanged if they are sealed already.
    """
    if player.name is None or player.salt is None:
        return player
    return replace(player, name=None, salt=None, seal=name_seal(player.name, player.salt))
