"""What the public may know of a person beside name, number, region and ratings."""

from __future__ import annotations

import re
from datetime import date

from players.models import Federation, Player

ADULT = 18
"""Under that age nothing is said of somebody's birth or sex."""
TELEPHONE = re.compile(r"(?:tel\.?|cell)?\s*\+?[\d\s()/.-]{7,}", re.IGNORECASE)
SETTING = "births"
"""`none`, `group` (lists may be cut by age), `year` (downloads give an adult's year of birth)."""


def births_of(federation: Federation) -> str:
    """How much of births the federation publishes; a year unless it has said otherwise."""
    return str(federation.settings.get(SETTING, "year"))


def without_contacts(text: str) -> str:
    """An organizer's name as the public reads it: the mail address and the telephone are for the office."""
    parts = (part.strip() for part in re.split(r"[,;]", text))
    return ", ".join(part for part in parts if part and "@" not in part and not TELEPHONE.fullmatch(part))


def is_minor(player: Player, on: date) -> bool:
    """By year of birth alone: whoever turns 18 in that year is still a minor."""
    return player.born is not None and on.year - player.born <= ADULT


def public_year(player: Player, on: date, births: str) -> int | None:
    """The year of birth that a public file of a day may give."""
    hidden = births != "year" or player.withheld or is_minor(player, on)
    return None if hidden else player.born


def public_sex(player: Player, on: date) -> str:
    """A minor's sex, or that of somebody who is not to be named, is nobody's business."""
    return "" if player.withheld or is_minor(player, on) else player.sex
