"""§10, §16–§27, §58: a section's time class, kind of games, tracks, and players' ages."""

from __future__ import annotations

from decimal import Decimal

from ratings.law.facts import Entry, Player, RatedSection, Section, TimeControl
from ratings.rulesets.csa.law.standing import ZERO

HOME = "RSA"  # §9 §10

STANDARD_FROM = Decimal(60)  # §20.1
BLITZ_TO = Decimal(10)  # §20.3; §20.2 lies between
FASTEST = Decimal(5)  # §23

PLATFORMS = {"otb": ("otb", "hyb"), "online": ("ol", "hyb"), "mixed": ("hyb",)}  # §24.1 §24.2 §24.3, D-CSA-2

PRE_RATINGS = (
    # age to, open, female
    (6, 400, 200),  # §59.1
    (8, 500, 300),  # §59.2
    (10, 600, 400),  # §59.3
    (12, 700, 500),  # §59.4
    (14, 800, 600),  # §59.5
    (16, 900, 700),  # §59.6
    (18, 1000, 800),  # §59.7
    (20, 1100, 900),  # §59.8
)
ADULT = (1200, 1000)  # §59.9
PRE_VALUES = tuple(sorted({*ADULT, *(value for _age, *row in PRE_RATINGS for value in row)}))
"""The values that a pre-rating can have."""
UNSTATED = ADULT[0]
"""D-CSA-19: the pre-rating of somebody of whom none was ever stated."""


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


def pre_rating_of(born: int | None, sex: str | None, section: Section) -> int:
    """§16 §58: the pre-rating in a section of somebody born in that year; None: not known (D-CSA-19)."""
    return pre_rating(None if born is None else section.starts.year - born, sex)


def pre_rating(age: int | None, sex: str | None) -> int:
    """§59: the pre-rating by age and sex; for what is not known, Adult, first column (D-CSA-5)."""
    column = 1 if sex == "f" else 0
    if age is not None:
        for age_to, *row in PRE_RATINGS:
            if age <= age_to:
                return row[column]
    return ADULT[column]


def pre_of(fact: RatedSection, entry: Entry) -> int:
    """§58: an entrant's pre-rating: the one in the entry, else the last one stated before (D-CSA-19)."""
    return fact.pres.get(entry.player, UNSTATED) if entry.pre is None else entry.pre


def stand_in(fact: RatedSection, entry: Entry) -> Decimal:
    """§36 §58: the rating at which an entrant without a rating is taken: the pre-rating; abroad, the one in
    the file (D-CSA-6).
    """
    if entry.rating and abroad(fact.section):
        return Decimal(entry.rating)
    return Decimal(pre_of(fact, entry))
