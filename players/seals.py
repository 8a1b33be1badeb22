"""Hashes and seals of the record of decisions.

The hash of a row covers the row before and its own canonical form, in which words and personal values are
salted digests. So words can be withdrawn with their salt without breaking the chain, and nobody can try
likely words against a digest whose salt is gone.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Protocol

WORD_KEYS = frozenset(
    {"after", "before", "declared", "files", "name", "note", "reason", "remarks", "source", "waived", "words"}
)
"""The keys of details that hold free text or personal values."""
SEALED = "sealed"


class HashedDecision(Protocol):
    """The parts of a decision that its hash covers."""

    number: int
    kind: str
    by_id: int | None
    at: datetime
    on: date
    about: str
    sealed_details: dict[str, Any]
    held: str


@dataclass(frozen=True, slots=True)
class SealedWords:
    """A value that is sealed whatever its key."""

    value: Any


SealOpening = tuple[str, str, Any]
"""The words of one sealed detail: its key, the salt that proves them, the value."""


def seal_details(details: Mapping[str, Any]) -> tuple[dict[str, Any], list[SealOpening]]:
    """Replace a decision's words by salted digests; return the details as stored, and the openings. Empty
    values stay.
    """
    kept: dict[str, Any] = {}
    openings = []
    for key, value in details.items():
        words = value.value if isinstance(value, SealedWords) else value
        if (key in WORD_KEYS or isinstance(value, SealedWords)) and words not in (None, "", [], {}):
            opening = key, new_salt(), json.loads(_canonical(words))
            openings.append(opening)
            kept[key] = {SEALED: digest(*opening[1:])}
        else:
            kept[key] = json.loads(_canonical(words))
    return kept, openings


def is_sealed(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {SEALED}


def digest(salt: str, value: Any) -> str:
    """SHA-256 over the salt's 16 bytes and the value's canonical JSON, in hexadecimal."""
    return hashlib.sha256(bytes.fromhex(salt) + _canonical(value).encode()).hexdigest()


def compute_hash(decision: HashedDecision, previous: str) -> str:
    """The hash of a row, over it and `previous`, the hash of the row before (empty for the first)."""
    row = [
        previous,
        decision.number,
        decision.kind,
        decision.by_id,
        decision.at.astimezone(UTC).isoformat(timespec="microseconds"),
        decision.on.isoformat(),
        decision.about,
        decision.sealed_details,
        *([decision.held] if decision.held else []),
    ]
    return hashlib.sha256(_canonical(row).encode()).hexdigest()


def _canonical(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def new_salt() -> str:
    """A random salt of 16 bytes, in hexadecimal."""
    return secrets.token_hex(16)
