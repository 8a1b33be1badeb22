"""The numbers of the rules as amended: those that stayed are still the first edition's own."""

from __future__ import annotations

from ratings.rulesets.facts import Parameter, Parameters
from ratings.tests.amended.mill import edition_1990
from ratings.tests.amended.mill.edition_2021 import pins

PARAMETERS: Parameters = (
    Parameter("2", "Pins of a won game", pins.WON, name="win"),
    Parameter("2", "Pins of a drawn game", edition_1990.DRAWN, name="draw"),
    Parameter("3", "Pins of a clean sweep", pins.SWEEP),
    Parameter("3", "Games of a clean sweep", pins.GAMES_OF_A_SWEEP),
    Parameter("5", "Games after which one is settled", edition_1990.GAMES_TO_SETTLE),
)
