"""Sealed names: the journal's lines hold seals; names and salts are kept apart, where they can be deleted."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


def new_salt() -> str:
    """A new salt for one name: 16 random bytes in hexadecimal."""
    return secrets.token_hex(16)
