"""§10, §17–§27: a section's time class, kind of games and tracks, and whose ratings it moves."""

from __future__ import annotations

from decimal import Decimal

from ratings.law.facts import Player, Section, TimeControl
from ratings.rulesets.csa.law.standing import ZERO

HOME = "RSA"  # §9 §10

STANDARD_FROM = Decimal(60)  # §20.1
BLITZ_TO = Decimal(10)  # §20.3; §20.2 lies between
FASTEST = Decimal(5)  # §23

PLATFORMS = {"otb": ("otb", "hyb"), "online": ("ol", "hyb"), "mixed": ("hyb",)}  # §24.1 §24.2 §24.3, D-CSA-2


def time_per_player(control: TimeControl) -> Decimal:
    """§19: the minutes that a player has for 60 moves; n seconds a move make n minutes (D-CSA-1,
    D-CSA-20).
    """
    return sum(control.minutes, ZERO) + control.increment


def time_of(section: Section) -> Decimal:
    """§22: the minutes of the fastest control of a section."""
    return min(time_per_player(control) for control in section.time_controls)


def kind_of(minutes: Decimal) -> str:
    """§20: the kind of games (`standard`, `rapid`, `blitz`) played in so many minutes a player."""
    if minutes >= STANDARD_FROM:
        return "standard"
    return "rapid" if minutes > BLITZ_TO else "blitz"


def tracks_of(section: Section) -> tuple[str, ...]:
    """§25 §26 §27: the tracks that a section moves: Main and that of its kind of games, on each platform for
    which it counts (D-CSA-2).

    §25.1 Main always, §25.2 §25.3 §25.4 one of the others; at boards, online, hybrid: §26.1 §26.2 §26.3.
    """
    kind = kind_of(time_of(section))
    platforms = PLATFORMS[section.platform or ""]
    return tuple(f"{platform}-{track}" for platform in platforms for track in ("main", kind))


def abroad(section: Section) -> bool:
    """§10: whether a section was held outside the federation's country."""
    return section.country not in (None, HOME)


def is_rated(player: Player, section: Section) -> bool:
    """§10: whether a section moves a player's ratings: abroad, South Africans' alone; at home, everyone's
    (D-CSA-18).
    """
    return player.nation == HOME or not abroad(section)
