"""Suggest a time control from free text (TRF 122); a person confirms it. Pure."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

_CODED = re.compile(r"(?:[0-9]+/)?([0-9]+)(?:\+([0-9]+))?")
_CLOCK = re.compile(r"\b([0-9]{1,2}):([0-5][0-9])\b")
_MINUTES = re.compile(r"([0-9]{1,3}(?:[.,][0-9])?)\s*(?:'|′|’|m\b|min)", re.IGNORECASE)
_SECONDS = re.compile(r"([0-9]{1,3})\s*(?:''|\"|″|”|s\b|sec)", re.IGNORECASE)
_BARE = re.compile(r"\b([0-9]{1,3})\s*\+\s*([0-9]{1,3})\b")
_INCREMENT_WITHOUT_UNIT = re.compile(r"(?:\+|plus)\s*([0-9]{1,3})\b")
LONGEST_INCREMENT = 180


def read_time_control(text: str) -> dict[str, Any] | None:
    """Read a time control from free text into the journal's form; None if the text is not plain.

    The form is `{"minutes": [90], "increment": 30}`: one number of minutes for each period.
    """
    plain = text.strip()
    if coded := _coded(plain):
        return coded
    if bare := _BARE.fullmatch(plain):
        return control([Decimal(bare[1])], int(bare[2]))
    seconds = [int(found) for found in _SECONDS.findall(plain)]
    without_seconds = _SECONDS.sub(" ", plain)
    minutes = [Decimal(found.replace(",", ".")) for found in _MINUTES.findall(without_seconds)]
    if not minutes and (clock := _CLOCK.search(plain)):
        minutes = [Decimal(int(clock[1]) * 60 + int(clock[2]))]
        without_seconds = _CLOCK.sub(" ", without_seconds)
    if not minutes or len(set(seconds)) > 1:
        return None
    if not seconds and "min" not in without_seconds.partition("+")[2]:
        seconds = [int(found) for found in _INCREMENT_WITHOUT_UNIT.findall(without_seconds)[-1:]]
    return control(minutes, seconds[0] if seconds else 0)


def control(minutes: list[Decimal], increment: int) -> dict[str, Any] | None:
    if not all(0 < part <= 999 for part in minutes) or increment > LONGEST_INCREMENT:
        return None
    return {"minutes": [as_number(part) for part in minutes], "increment": increment}


def as_number(value: Decimal) -> int | str:
    """A whole number as int, any other as text, since JSON has no exact decimals."""
    rounded = value.quantize(Decimal("0.0001")).normalize()
    return int(rounded) if rounded == rounded.to_integral() else format(rounded, "f")


def _coded(text: str) -> dict[str, Any] | None:
    """Read a time control in TRF26's code (record 222): periods in seconds, `40/6000+30:900+30`, `5400+30`.

    None if the text is no such code, or its periods are so short that they may be minutes.
    """
    parts = [_CODED.fullmatch(part) for part in text.split(":")]
    found = [part for part in parts if part]
    if len(found) < len(parts) or any(int(part[1]) < 180 for part in found):
        return None
    return control([Decimal(int(part[1])) / 60 for part in found], int(found[-1][2] or 0))
