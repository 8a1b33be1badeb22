"""The numbers of the first rules."""

from __future__ import annotations

from ratings.law.parameters import Parameter, Parameters

from . import DRAWN, GAMES_TO_SETTLE, WON

PARAMETERS: Parameters = (
    Parameter("2", "Pins of a won game", WON),
    Parameter("2", "Pins of a drawn game", DRAWN),
    Parameter("4", "Games after which one is settled", GAMES_TO_SETTLE),
)
