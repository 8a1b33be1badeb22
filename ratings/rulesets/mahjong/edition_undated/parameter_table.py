"""The numbers of the rating system, as the formulas have them."""

from __future__ import annotations

from ratings.law.parameters import Grid, Parameter, Parameters
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.mahjong.edition_undated.admission import REPRESENTED, SIZES
from ratings.rulesets.mahjong.edition_undated.formulas import (
    ABSENCE,
    COMPETITIONS_NEEDED,
    SPECIAL_WEIGHTS,
    WEIGHTS,
    YEARS_OF_WEIGHT,
)

PARAMETERS: Parameters = (
    Grid(
        "1",
        _("Least size of a competition"),
        (_("Status"), _("Players"), _("Members"), _("Of the place"), _("Sessions")),
        tuple(
            (status, size.players, size.members, REPRESENTED.get(status), size.sessions)
            for status, size in SIZES.items()
        ),
    ),
    Parameter("2", _("Competitions to be listed"), COMPETITIONS_NEEDED),
    Grid(
        "4",
        _("Coefficient kA"),
        (_("Status"), _("Coefficient")),
        (
            *WEIGHTS.items(),
            *(("special", weight) for weight in SPECIAL_WEIGHTS),
        ),
    ),
    Parameter("5", _("Years until a competition weighs nothing"), YEARS_OF_WEIGHT),
    Parameter("5", _("What all absences of a year weigh together, kC"), ABSENCE),
)
