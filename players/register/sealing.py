"""Sealed names: the journal's lines hold seals; names and salts lie apart, where they can be deleted."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


def new_salt() -> str:
    """The salt of one name: 16 random bytes in hex."""
    return secrets.token_hex(16)
