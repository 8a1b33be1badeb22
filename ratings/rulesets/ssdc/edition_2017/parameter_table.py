"""The numbers of the regulations, as the formulas have them."""

from __future__ import annotations

from ratings.law.parameters import Grid, Parameter, Parameters
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.ssdc.edition_2017 import (
    acceptance,
    category_by_conditions,
    lists_and_tables,
    ranks,
    rate_games,
)

PARAMETERS: Parameters = (
    Parameter("1.4.1", _("Points of difference for ten to one"), rate_games.SCALE),
    Parameter("1.4.2", _("K of a new player"), rate_games.K_NEW),
    Parameter("1.4.2", _("Games for which a player is new"), rate_games.NEW_FOR),
    Parameter("1.4.2", _("K of the highest ratings"), rate_games.K_HIGH),
    Parameter("1.4.2", _("The highest ratings begin at"), rate_games.HIGH_FROM),
    Parameter("1.4.2", _("K otherwise"), rate_games.K_USUAL),
    Parameter("1.6.1", _("Initial rating"), rate_games.INITIAL),
    Grid(
        "2.4.1",
        _("Rank by classic rating"),
        (_("From"), _("Sports rank")),
        ranks.BY_RATING,
    ),
    Grid(
        "2.4.2",
        _("Rank by place"),
        (_("Category"), *(str(place) for place in range(1, ranks.PRIZE_PLACES + 1))),
        tuple(
            (category, *prizes, *[None] * (ranks.PRIZE_PLACES - len(prizes)))
            for category, prizes in ranks.BY_PLACE.items()
        ),
    ),
    Parameter("3.4", _("Steps for each limiting factor"), category_by_conditions.LIMITING),
    Parameter("3.4.3", _("Steps for a guaranteed place"), category_by_conditions.GUARANTEED),
    Parameter("3.4.4", _("Steps where the strong are shut out"), category_by_conditions.SHUTS_OUT_THE_STRONG),
    Parameter("3.4.4", _("Strong from so high a rating on"), category_by_conditions.STRONG_RATING),
    Parameter("3.4.4", _("Strong from this rank on"), category_by_conditions.STRONG_RANK),
    Parameter("4.2", _("Days ahead for sending the regulations"), acceptance.DAYS_TO_ANNOUNCE),
    Parameter("4.3", _("Days to send the results"), acceptance.DAYS_TO_FILE),
    Parameter("4.5", _("Games to be listed"), lists_and_tables.GAMES_TO_BE_LISTED),
    Parameter("D-SSDC-9", _("Calendar years in which one of them was played"), lists_and_tables.YEARS_LISTED),
)
