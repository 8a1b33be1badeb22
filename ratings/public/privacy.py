"""What the public may know of a person beside name, number, region and ratings."""

from __future__ import annotations

import re
from datetime import date

from players.models import Federation, Player

ADULT = 18
"""Under that age, and where nobody knows the age, nothing is said of somebody's birth or sex."""
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
    """By year of birth alone: whoever turns 18 in that year is still a minor. Whose birth nobody knows is not
    known for one: where an office asks for no births, search engines may show everybody.
    """
    return player.born is not None and on.year - player.born <= ADULT


def is_adult(player: Player, on: date) -> bool:
    """Known as one. Whose birth nobody knows may be a child."""
    return player.born is not None and not is_minor(player, on)


def public_year(player: Player, on: date, births: str) -> int | None:
    """The year of birth that a public file of a day may give."""
    told = births == "year" and is_adult(player, on) and not player.withheld
    return player.born if told else None


def public_sex(player: Player, on: date) -> str:
    """An adult's. That of a minor, of somebody without a known birth or of who is not to be named is nobody's
    business.
    """
    return player.sex if is_adult(player, on) and not player.withheld else ""


def public_id(player: Player, on: date) -> bool:
    """Whether a file may give the id that another federation gave: it leads to what is hidden here."""
    return not (player.withheld or is_minor(player, on))
