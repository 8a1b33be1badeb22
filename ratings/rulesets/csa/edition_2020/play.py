"""§10, §16–§27, §58: what a section holds: its time, its kind of games, its tracks, its players' ages."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from ratings.rulesets.csa.standing import ZERO
from ratings.rulesets.facts import Entry, Player, Section, TimeControl

HOME = "RSA"  # §9 §10

STANDARD_FROM = Decimal(60)  # §20.1
BLITZ_TO = Decimal(10)  # §20.3; §20.2 lies between
FASTEST = Decimal(5)  # §23

PLATFORMS = {"otb": ("otb", "hyb"), "online": ("ol", "hyb"), "mixed": ("hyb",)}  # §24.1 §24.2 §24.3, D-CSA-2

PRE_RATINGS = (
    # age to, open, female
    (6, Decimal(400), Decimal(200)),  # §59.1
    (8, Decimal(500), Decimal(300)),  # §59.2
    (10, Decimal(600), Decimal(400)),  # §59.3
    (12, Decimal(700), Decimal(500)),  # §59.4
    (14, Decimal(800), Decimal(600)),  # §59.5
    (16, Decimal(900), Decimal(700)),  # §59.6
    (18, Decimal(1000), Decimal(800)),  # §59.7
    (20, Decimal(1100), Decimal(900)),  # §59.8
)
ADULT = (Decimal(1200), Decimal(1000))  # §59.9


def time_per_player(control: TimeControl) -> Decimal:
    """§19: minutes a player has for 60 moves; n seconds a move make n minutes (D-CSA-1, D-CSA-20)."""
    return sum(control.minutes, ZERO) + control.increment


def time_of(section: Section) -> Decimal:
    """§22: the minutes of the fastest control of a section."""
    return min(time_per_player(control) for control in section.time_controls)


def kind_of(minutes: Decimal) -> str:
    """§20: the kind of games played in that time."""
    if minutes >= STANDARD_FROM:
        return "standard"
    return "rapid" if minutes > BLITZ_TO else "blitz"


def tracks_of(section: Section) -> tuple[str, ...]:
    """§25 §26 §27: Main and its own kind, on each platform that the section counts for (D-CSA-2).

    §25.1 Main always, §25.2 §25.3 §25.4 one of the others; at boards, online, hybrid: §26.1 §26.2 §26.3.
    """
    kind = kind_of(time_of(section))
    platforms = PLATFORMS[section.platform or ""]
    return tuple(f"{platform}-{track}" for platform in platforms for track in ("main", kind))


def abroad(section: Section) -> bool:
    """§10: held outside the federation's country."""
    return section.country not in (None, HOME)


def is_rated(player: Player, section: Section) -> bool:
    """§10: abroad, only South Africans' ratings move; at home, everyone's (D-CSA-18)."""
    return player.nation == HOME or not abroad(section)


def age_of(player: Player, section: Section) -> int | None:
    """§16: the year of the section's first day less the year of birth; None where it is not known."""
    return None if player.born is None else section.starts.year - player.born


@lru_cache(maxsize=500)
def pre_rating(age: int | None, sex: str | None) -> Decimal:
    """§58 §59: what an unrated player is taken at; not known: Adult, first column (D-CSA-5, D-CSA-19)."""
    column = 1 if sex == "f" else 0
    if age is not None:
        for age_to, *row in PRE_RATINGS:
            if age <= age_to:
                return row[column]
    return ADULT[column]


def stand_in(entry: Entry, player: Player, section: Section) -> Decimal:
    """§36 §58: what somebody without a rating is taken at; abroad, what the file gives (D-CSA-6)."""
    if entry.rating and abroad(section):
        return Decimal(entry.rating)
    return pre_rating(age_of(player, section), player.sex)
