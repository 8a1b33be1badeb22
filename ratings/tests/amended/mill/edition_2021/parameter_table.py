"""The numbers of the rules as amended: those that stayed are still the first edition's own."""

from __future__ import annotations

from ratings.rulesets.parameters import Parameters, parameter
from ratings.tests.amended.mill import edition_1990
from ratings.tests.amended.mill.edition_2021 import pins

PARAMETERS: Parameters = (
    parameter("2.won", "Pins of a won game", pins.WON, name="win"),
    parameter("2.drawn", "Pins of a drawn game", edition_1990.DRAWN, name="draw"),
    parameter("3.pins", "Pins of a clean sweep", pins.SWEEP),
    parameter("3.games", "Games of a clean sweep", pins.GAMES_OF_A_SWEEP),
    parameter("5.games", "Games after which one is settled", edition_1990.GAMES_TO_SETTLE),
)
