"""The kinds of events that are played, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

PLACES = {
    "ECA": ("Gqeberha", "East London", "Mthatha", "Makhanda"),
    "FST": ("Bloemfontein", "Welkom", "Bethlehem"),
    "GAU": ("Johannesburg", "Pretoria", "Soweto", "Benoni", "Midrand", "Vereeniging"),
    "KZN": ("Durban", "Pietermaritzburg", "Richards Bay", "Newcastle", "Ladysmith"),
    "LIM": ("Polokwane", "Thohoyandou", "Tzaneen"),
    "MPU": ("Mbombela", "Emalahleni", "Secunda"),
    "NWE": ("Potchefstroom", "Rustenburg", "Mahikeng"),
    "NCA": ("Kimberley", "Upington"),
    "WCA": ("Cape Town", "Stellenbosch", "Paarl", "George", "Worcester"),
}
TREES = ("Marula", "Yellowwood", "Jacaranda", "Protea", "Baobab", "Aloe", "Fynbos", "Coral Tree", "Acacia")
BUSIEST = {"GAU": 1.0, "WCA": 0.8, "KZN": 0.75, "ECA": 0.5, "FST": 0.4, "LIM": 0.4, "MPU": 0.35, "NWE": 0.3}
"""How much of what the largest region plays the others do."""
LEAST_BUSY = 0.25

Control = tuple[int, int]
"""Minutes, and seconds a move."""


class Group(NamedTuple):
    """Who may enter one section of an event."""

    name: str
    youngest: int = 0
    oldest: int = 200
    above: int = 0
    """True strength, roughly what a rating limit asks."""
    below: int = 4000


OPEN = (Group("Open"),)
A_AND_B = (Group("A", above=1350), Group("B", below=1400))
TRIALS = (Group("U10", oldest=10), Group("U14", 11, 14), Group("U18", 15, 18))


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of event; `{place}`, `{year}` and `{tree}` stand in its names."""

    name: str
    a_year: float
    """In the busiest region."""
    format: str = "swiss"
    groups: tuple[Group, ...] = OPEN
    size: tuple[int, int] = (20, 44)
    rounds: tuple[int, ...] = (6,)
    days: int = 1
    apart: int = 1
    """Days between days of play: 7 in a league."""
    weekday: int = 5
    """0 is Monday."""
    months: tuple[int, ...] = tuple(range(1, 13))
    control: tuple[Control, ...] = ((15, 5),)
    platform: str = "otb"
    boards: int = 0
    """Of each team."""
    visitors: float = 0.08
    disabled: bool = False
    only: str = ""
    """A code: held in this region alone."""
    country: str = ""


WEEKEND = Kind(
    "{place} {tree} Open {year}",
    2.6,
    groups=A_AND_B,
    size=(22, 46),
    rounds=(7, 8),
    days=4,
    weekday=3,
    control=((90, 30), (60, 30)),
    visitors=0.15,
)
JUNIOR_TRIALS = Kind(
    "{place} Junior Trials {year}",
    1.8,
    groups=TRIALS,
    size=(16, 36),
    rounds=(6, 7),
    days=2,
    control=((60, 0), (60, 30)),
    months=(3, 4, 7, 8),
)
RAPID = Kind("{tree} Rapid, {place}", 6.5, size=(18, 44), rounds=(6, 7), control=((15, 5), (25, 10), (20, 5)))
BLITZ_NIGHT = Kind(
    "{place} Blitz Night", 4, size=(14, 30), rounds=(9, 11), weekday=4, control=((3, 2), (5, 3))
)
ONLINE_RAPID = Kind(
    "{place} Online Rapid",
    2,
    size=(16, 36),
    rounds=(7,),
    weekday=2,
    platform="online",
    control=((10, 5), (15, 5)),
    visitors=0.3,
)
ONLINE_BLITZ = Kind(
    "{tree} Online Blitz",
    1.4,
    size=(16, 34),
    rounds=(9,),
    weekday=4,
    platform="online",
    control=((3, 2),),
    visitors=0.4,
)
LEAGUE = Kind(
    "{place} Team League {year}",
    1.2,
    "round-robin",
    size=(24, 24),
    rounds=(5,),
    days=5,
    apart=7,
    weekday=6,
    control=((75, 30), (60, 30)),
    boards=4,
    months=(2, 3, 4, 5, 8, 9),
)
MASTERS = Kind(
    "{place} {tree} Masters {year}",
    1,
    "double-round-robin",
    size=(4, 6),
    rounds=(0,),
    days=5,
    weekday=2,
    groups=(Group("Masters", above=1800),),
    control=((90, 30),),
)
CLUB = Kind(
    "{place} Club Championship {year}",
    1.5,
    "round-robin",
    size=(8, 10),
    rounds=(0,),
    days=9,
    apart=7,
    weekday=1,
    control=((60, 30),),
    visitors=0,
)
KINDS = (WEEKEND, JUNIOR_TRIALS, RAPID, BLITZ_NIGHT, ONLINE_RAPID, ONLINE_BLITZ, LEAGUE, MASTERS, CLUB)
"""What every region plays, again and again."""
ONCE = (
    Kind(
        "South African {tree} Open {year}",
        1,
        groups=A_AND_B,
        size=(70, 110),
        rounds=(9,),
        days=7,
        weekday=5,
        months=(7, 12),
        control=((90, 30),),
        visitors=0.6,
    ),
    Kind(
        "South African Junior Championships {year}",
        1,
        groups=(*TRIALS, Group("U12 girls", 8, 12)),
        size=(46, 80),
        rounds=(9,),
        days=6,
        weekday=0,
        months=(1,),
        control=((60, 30),),
        visitors=0.7,
    ),
    Kind(
        "Board and Screen Mixed Rapid {year}",
        1,
        size=(20, 30),
        rounds=(6,),
        platform="mixed",
        control=((15, 10),),
        visitors=0.5,
        months=(5,),
    ),
    Kind(
        "{place} v. Guests, Scheveningen {year}",
        1,
        "scheveningen",
        size=(12, 12),
        rounds=(6,),
        days=3,
        weekday=4,
        control=((60, 30),),
        visitors=0.5,
        months=(9,),
    ),
    Kind(
        "Braille Championship {year}",
        1,
        size=(8, 12),
        rounds=(4,),
        days=2,
        control=((60, 0),),
        disabled=True,
        visitors=0.4,
        months=(10,),
        only="GAU",
    ),
    Kind(
        "Gaborone Winter Open {year}",
        1,
        size=(22, 30),
        rounds=(7,),
        days=4,
        weekday=3,
        control=((90, 30),),
        visitors=1,
        months=(6,),
        only="GAU",
        country="BOT",
    ),
)
"""Once a year in the whole country, now here and now there."""
