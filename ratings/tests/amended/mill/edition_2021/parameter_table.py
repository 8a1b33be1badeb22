"""The numbers of the rules as amended: those that stayed are still the first edition's own."""

from __future__ import annotations

from ratings.law.parameters import Parameter, Parameters

from ..edition_1990 import DRAWN, GAMES_TO_SETTLE
from . import pins

PARAMETERS: Parameters = (
    Parameter("2", "Pins of a won game", pins.WON),
    Parameter("2", "Pins of a drawn game", DRAWN),
    Parameter("3", "Pins of a clean sweep", pins.SWEEP),
    Parameter("3", "Games of a clean sweep", pins.GAMES_OF_A_SWEEP),
    Parameter("5", "Games after which one is settled", GAMES_TO_SETTLE),
)
