"""The digits with which an office shows a rating."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import overload


@overload
def as_shown(value: Decimal | int, places: int) -> Decimal: ...
@overload
def as_shown(value: None, places: int) -> None: ...
@overload
def as_shown(value: Decimal | int | None, places: int) -> Decimal | None: ...
def as_shown(value: Decimal | int | None, places: int) -> Decimal | None:
    """A rating as a reader sees it, half up: two that are the same so are the same to everybody."""
    return None if value is None else Decimal(value).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
