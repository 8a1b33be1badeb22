"""Two deeds about one thing, and what may come of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.races.scene import Scene

Order = tuple[int, ...]
"""The deeds that were done, by their place in the pair, in the order of the record."""
ONE_WINS: frozenset[Order] = frozenset({(0,), (1,)})
BOTH_IN_ANY_ORDER: frozenset[Order] = frozenset({(0, 1), (1, 0)})


@dataclass(frozen=True, slots=True)
class Deed:
    """A form that somebody sends, and the decisions that it leaves on record if it is done."""

    who: str
    """The first part of the person's address."""
    path: str
    fields: Mapping[str, object]
    records: tuple[str, ...]


def nothing_else(_done: Order) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two deeds that are sent in one moment."""

    deeds: tuple[Deed, Deed]
    look: Callable[[Order], str] = nothing_else
    """Look at what is stored once these deeds are done, in this order; return what is wrong, or nothing."""
    may: frozenset[Order] = ONE_WINS
    """What may be done of the two, and in which order."""


@dataclass(frozen=True, slots=True)
class Race:
    """A kind of pair. `prepare` makes a thing of its own for each."""

    name: str
    prepare: Callable[[Scene, int], Pair]
    settings: Mapping[str, object] = field(default_factory=dict)
    """Settings of the office in which it is run."""
