"""The kinds of events in the demo, and their places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from ratings.equipment.demo import EntryGroup, Kind
from ratings.law.facts import TimeControl

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
BUSY = {
    **{"GAU": 1.0, "WCA": 0.8, "KZN": 0.75, "ECA": 0.5, "FST": 0.4},
    **{"LIM": 0.4, "MPU": 0.35, "NWE": 0.3, "NCA": 0.25},
}
"""The number of events in each region, as a share of that in the busiest."""

A_AND_B = (EntryGroup("A", above=1350), EntryGroup("B", below=1400))
TRIALS = (EntryGroup("U10", oldest=10), EntryGroup("U14", 11, 14), EntryGroup("U18", 15, 18))


def variant(minutes: int, increment: int, *, platform: str = "otb", disabled: bool = False) -> dict[str, Any]:
    """A section's fields for one time control (minutes, and seconds a move) on a platform."""
    control = TimeControl((Decimal(minutes),), Decimal(increment))
    return {"time_controls": (control,), "platform": platform, "disabled": disabled}


def variants(*controls: tuple[int, int], platform: str = "otb") -> tuple[Mapping[str, Any], ...]:
    """The variants of a kind of event, one for each time control of minutes and seconds a move."""

    def each() -> Iterator[Mapping[str, Any]]:
        for minutes, increment in controls:
            yield variant(minutes, increment, platform=platform)

    return tuple(each())


WEEKEND = Kind(
    "{place} {epithet} Open {year}",
    2.6,
    groups=A_AND_B,
    size=(22, 46),
    rounds=(7, 8),
    days=4,
    weekday=3,
    variants=variants((90, 30), (60, 30)),
    visitors=0.15,
)
JUNIOR_TRIALS = Kind(
    "{place} Junior Trials {year}",
    1.8,
    groups=TRIALS,
    size=(16, 36),
    rounds=(6, 7),
    days=2,
    variants=variants((60, 0), (60, 30)),
    months=(3, 4, 7, 8),
)
RAPID = Kind(
    "{epithet} Rapid, {place}",
    6.5,
    size=(18, 44),
    rounds=(6, 7),
    variants=variants((15, 5), (25, 10), (20, 5)),
)
BLITZ_NIGHT = Kind(
    "{place} Blitz Night", 4, size=(14, 30), rounds=(9, 11), weekday=4, variants=variants((3, 2), (5, 3))
)
ONLINE_RAPID = Kind(
    "{place} Online Rapid",
    2,
    size=(16, 36),
    rounds=(7,),
    weekday=2,
    variants=variants((10, 5), (15, 5), platform="online"),
    visitors=0.3,
)
ONLINE_BLITZ = Kind(
    "{epithet} Online Blitz",
    1.4,
    size=(16, 34),
    rounds=(9,),
    weekday=4,
    variants=variants((3, 2), platform="online"),
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
    variants=variants((75, 30), (60, 30)),
    boards=4,
    months=(2, 3, 4, 5, 8, 9),
)
MASTERS = Kind(
    "{place} {epithet} Masters {year}",
    1,
    "double-round-robin",
    size=(4, 6),
    rounds=(0,),
    days=5,
    weekday=2,
    groups=(EntryGroup("Masters", above=1800),),
    variants=variants((90, 30)),
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
    variants=variants((60, 30)),
    visitors=0,
)
KINDS = (WEEKEND, JUNIOR_TRIALS, RAPID, BLITZ_NIGHT, ONLINE_RAPID, ONLINE_BLITZ, LEAGUE, MASTERS, CLUB)
"""The events that every region plays, again and again."""
ONCE = (
    Kind(
        "South African {epithet} Open {year}",
        groups=A_AND_B,
        size=(70, 110),
        rounds=(9,),
        days=7,
        months=(7, 12),
        variants=variants((90, 30)),
        visitors=0.6,
    ),
    Kind(
        "South African Junior Championships {year}",
        groups=(*TRIALS, EntryGroup("U12 girls", 8, 12, women=True)),
        size=(46, 80),
        rounds=(9,),
        days=6,
        weekday=0,
        months=(1,),
        variants=variants((60, 30)),
        visitors=0.7,
    ),
    Kind(
        "Board and Screen Mixed Rapid {year}",
        size=(20, 30),
        variants=variants((15, 10), platform="mixed"),
        visitors=0.5,
        months=(5,),
    ),
    Kind(
        "{place} v. Guests, Scheveningen {year}",
        format="scheveningen",
        size=(12, 12),
        rounds=(6,),
        days=3,
        weekday=4,
        variants=variants((60, 30)),
        visitors=0.5,
        months=(9,),
    ),
    Kind(
        "Braille Championship {year}",
        size=(8, 12),
        rounds=(4,),
        days=2,
        variants=(variant(60, 0, disabled=True),),
        visitors=0.4,
        months=(10,),
        only="GAU",
    ),
    Kind(
        "Gaborone Winter Open {year}",
        groups=(EntryGroup("Open", youngest=12, above=1300),),
        size=(22, 30),
        rounds=(7,),
        days=4,
        weekday=3,
        variants=variants((90, 30)),
        visitors=1,
        foreign=2 / 3,
        months=(6,),
        only="GAU",
        country="BOT",
        places=("Gaborone",),
    ),
)
"""The events held once a year in the whole country, now here and now there."""
