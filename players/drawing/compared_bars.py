"""The geometry of a few numbers drawn as bars on one scale: numbers in, coordinates of an SVG out. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

WIDTH, ROW = 480, 46
LEFT, RIGHT = 2, 400
"""The ends of the longest bar; the numbers stand right of it."""
BELOW, THICK = 20, 16
"""The place and the thickness of a bar in its row, below its words."""
LEAST = 1.5
"""The width of a bar of nothing, so that it is seen."""


@dataclass(frozen=True, slots=True)
class DrawnBar:
    x: str
    y: int
    width: str
    words_y: str
    number_x: str
    number_y: str
    negative: bool


@dataclass(frozen=True, slots=True)
class DrawnBars:
    """Bars in the units of their view box, with the line of nought that they begin at."""

    bars: tuple[DrawnBar, ...]
    nought: str
    height: int
    width: int = WIDTH
    thick: int = THICK


def draw(values: Sequence[Decimal]) -> DrawnBars:
    """Draw numbers as bars, from top to bottom; those below nought go to the left of its line."""
    low, high = min(Decimal(0), *values), max(Decimal(0), *values)
    span = (high - low) or Decimal(1)

    def at(value: Decimal) -> float:
        return LEFT + float((value - low) / span) * (RIGHT - LEFT)

    return DrawnBars(
        tuple(_bar(number, value, at(Decimal(0)), at(value)) for number, value in enumerate(values)),
        f"{at(Decimal(0)):.1f}",
        ROW * len(values),
    )


def _bar(number: int, value: Decimal, nought: float, end: float) -> DrawnBar:
    top = number * ROW
    left, right = sorted((nought, end))
    return DrawnBar(
        x=f"{left:.1f}",
        y=top + BELOW,
        width=f"{max(right - left, LEAST):.1f}",
        words_y=str(top + BELOW - 5),
        number_x=f"{max(right, nought) + 8:.1f}",
        number_y=str(top + BELOW + THICK - 3),
        negative=value < 0,
    )
