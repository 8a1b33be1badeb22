"""The numbers of the rules, as the formulas have them."""

from __future__ import annotations

from ratings.law.parameters import Grid, Parameter, Parameters
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.piskvorky.edition_undated import formulas, rating

PARAMETERS: Parameters = (
    Parameter("2", _("Games to be established"), formulas.GAMES_TO_ESTABLISH),
    Parameter("2", _("Points to be established"), formulas.POINTS_TO_ESTABLISH),
    Parameter("5", _("A novice's points for winning all"), formulas.NOVICE_SPAN),
    Parameter("6", _("Founding tournaments"), rating.FOUNDING_TOURNAMENTS),
    Parameter("6", _("Rating to begin with in a founding tournament"), formulas.FOUNDING_BASE),
    Parameter("6", _("Points for winning all in a founding tournament"), formulas.FOUNDING_SPAN),
    Grid(
        "7",
        _("What a game moves"),
        (
            _("Difference up to"),
            _("The higher rated wins"),
            _("The lower rated wins"),
            _("A draw, to the lower rated"),
        ),
        formulas.TABLE,
    ),
)
