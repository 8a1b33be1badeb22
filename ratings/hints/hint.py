"""A hint as the searches return it: its kind, what identifies it, and its evidence."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class HintKind(StrEnum):
    """The kinds of hints, in the order in which a review shows them."""

    SAME_EVENT = "same-event"
    TWO_PLACES = "two-places"
    LOOK_ALIKE = "look-alike"
    FAR_SCORE = "far-score"


@dataclass(frozen=True, slots=True)
class HintFound:
    """Something odd that a search found in a section.

    `identity` and `evidence` hold what JSON can: numbers of players, keys of sections, days in ISO form,
    decimals as text.
    """

    kind: HintKind
    identity: tuple[Any, ...]
    """The facts that make it this hint: while they stay, an answer to it holds."""
    evidence: dict[str, Any]
    players: tuple[str, ...] = ()
    """The numbers of the players of whom it speaks."""

    @property
    def key(self) -> str:
        """The hint's key within its section: the same for the same facts, whenever it is found."""
        facts = json.dumps(self.identity, ensure_ascii=True, default=str)
        return f"{self.kind}-{hashlib.sha256(facts.encode()).hexdigest()[:20]}"
