"""Chess South Africa's demo: nine regions, some thousand players, a list on the first of every month."""

from __future__ import annotations

from random import Random

from ratings.equipment.demo import (
    ADMINISTRATOR,
    EVERY_MONTH,
    OFFICIAL,
    REGIONAL,
    Demo,
    DemoEvents,
    DemoHabits,
    DemoOpenings,
    PresentDays,
    SignIn,
)
from ratings.equipment.demo_tools import first_of, months_before
from ratings.rulesets.csa.demo.event_kinds import BUSY, KINDS, ONCE, PLACES, TREES
from ratings.rulesets.csa.demo.invented_players import POPULATION
from ratings.rulesets.csa.demo.present_events import LIVE, OFFERS, SWISS_MANAGER

MONTHS = 30
SMALLEST_CHANCE = 0.02


def result(rng: Random, first: float, second: float) -> str:
    """Draw a game's result from two true strengths by the very line of §37, so that ratings settle at true
    strength.
    """
    expected = 0.542 + 0.001164 * (first - second)
    expected = max(SMALLEST_CHANCE, min(1 - SMALLEST_CHANCE, expected))
    level = (first + second) / 2
    draws = min(0.55, max(0.05, (level - 500) / 3500)) * 2 * min(expected, 1 - expected)
    chance = rng.random()
    if chance < draws:
        return "1/2"
    return "1-0" if chance < draws / 2 + expected else "0-1"


DEMO = Demo(
    home="RSA",
    population=POPULATION,
    events=DemoEvents(
        places=PLACES,
        kinds=KINDS,
        once=ONCE,
        epithets=TREES,
        busy=BUSY,
        teams=("Knights", "Rooks", "Bishops", "Pawns", "Gambits", "Castles"),
    ),
    start=months_before(MONTHS),
    lists=first_of(EVERY_MONTH),  # §67
    result=result,
    sign_ins=(
        SignIn("Amahle", REGIONAL, "GAU"),
        SignIn("Pieter", REGIONAL, "WCA"),
        SignIn("Nomsa", OFFICIAL),
        SignIn("Thandi", ADMINISTRATOR),
        *(
            SignIn(name, REGIONAL, region, password=False)
            for name, region in (
                *(("Vuyo", "ECA"), ("Karlien", "FST"), ("Thivesh", "KZN"), ("Lesiba", "LIM")),
                *(("Sabelo", "MPU"), ("Naledi", "NWE"), ("Denzil", "NCA")),
            )
        ),
    ),
    present=PresentDays(
        live=LIVE,
        offers=OFFERS,
        fuller=70,
    ),
    style=SWISS_MANAGER,
    openings=DemoOpenings(
        shares=(
            (1.0, ("otb-main", "hyb-main")),
            (0.85, ("otb-standard", "hyb-standard")),
            (0.8, ("otb-rapid", "hyb-rapid")),
            (0.5, ("otb-blitz", "hyb-blitz")),
            (0.2, ("ol-main", "ol-rapid")),
            (0.1, ("ol-blitz",)),
        ),
        digits=4,
    ),
    habits=DemoHabits(
        moved=0.012,
        organizer="{region} Chess, {email}",
        arbiter_titles=("IA", "FA", "NA", "NA"),
    ),
)
