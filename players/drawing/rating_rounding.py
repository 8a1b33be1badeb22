"""The digits with which an office shows a rating."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import overload


@overload
def as_shown(value: Decimal | int, places: int) -> Decimal: ...
@overload
def as_shown(value: None, places: int) -> None: ...
@overload
def as_shown(value: Decimal | int | None, places: int) -> Decimal | None: ...
def as_shown(value: Decimal | int | None, places: int) -> Decimal | None:
    """Round a rating half up to what readers see, so that two that look the same are the same."""
    return None if value is None else Decimal(value).quantize(_step(places), ROUND_HALF_UP)


@cache
def _step(places: int) -> Decimal:
    return Decimal(1).scaleb(-places)


def difference_shown(before: Decimal | None, after: Decimal | None, places: int) -> Decimal | None:
    """The difference of two ratings as readers reckon it, from the digits that they see beside it; None where
    there is only one.
    """
    if before is None or after is None:
        return None
    return as_shown(after, places) - as_shown(before, places)
