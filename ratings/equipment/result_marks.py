"""The marks with which scores, results and byes are written for readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

MARKS: Mapping[str, tuple[str, str]] = {
    "1-0": ("1", "0"),
    "0-1": ("0", "1"),
    "1/2": ("½", "½"),
    "0-0": ("0", "0"),
    "+:-": ("+", "−"),
    "-:+": ("−", "+"),
    "-:-": ("−", "−"),
    "annulled": ("×", "×"),
}
BYES: Mapping[str, str] = {"pairing": "bye", "full": "bye", "half": "½", "zero": "–"}


def in_halves(points: Decimal) -> str:
    """A score as text: `4½`, `4`; half a point alone is `½`, and other parts of a point are decimals."""
    whole, rest = divmod(points, 1)
    return f"{whole or ''}½" if rest == Decimal("0.5") else f"{points.normalize():f}"


@dataclass(frozen=True, slots=True)
class Notation:
    """The marks of one federation's results in cross tables, and its scores there and in workings."""

    marks: Mapping[str, tuple[str, str]] = field(default_factory=lambda: MARKS)
    """The marks of both sides by result, the first mover's first."""
    byes: Mapping[str, str] = field(default_factory=lambda: BYES)
    """The mark of a round without an opponent, by the kind of bye."""
    score: Callable[[Decimal], str] = in_halves
    """The function that writes the points of a game or of an event."""
