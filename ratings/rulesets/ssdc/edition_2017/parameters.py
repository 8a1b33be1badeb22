"""The numbers of the regulations, as the formulas have them."""

from __future__ import annotations

from ratings.law.parameters import Grid, Parameter, Parameters
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.ssdc.edition_2017 import acceptance, categories, lists, ranks, rated_games

PARAMETERS: Parameters = (
    Parameter("1.4.1", _("Points of difference for ten to one"), rated_games.SCALE),
    Parameter("1.4.2", _("K of a new player"), rated_games.K_NEW),
    Parameter("1.4.2", _("Games for which a player is new"), rated_games.NEW_FOR),
    Parameter("1.4.2", _("K of the highest ratings"), rated_games.K_HIGH),
    Parameter("1.4.2", _("The highest ratings begin at"), rated_games.HIGH_FROM),
    Parameter("1.4.2", _("K otherwise"), rated_games.K_USUAL),
    Parameter("1.6.1", _("Initial rating"), rated_games.INITIAL),
    Grid(
        "2.4.1",
        _("Rank by classic rating"),
        (_("From"), _("Rank")),
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
    Parameter("3.4", _("Steps for each limiting factor"), categories.LIMITING),
    Parameter("3.4.3", _("Steps for a guaranteed place"), categories.GUARANTEED),
    Parameter("3.4.4", _("Steps where the strong are shut out"), categories.SHUTS_OUT_THE_STRONG),
    Parameter("3.4.4", _("Strong from so high a rating on"), categories.STRONG_RATING),
    Parameter("3.4.4", _("Strong from this rank on"), categories.STRONG_RANK),
    Parameter("4.2", _("Days ahead for sending the regulations"), acceptance.DAYS_TO_ANNOUNCE),
    Parameter("4.3", _("Days to send the results"), acceptance.DAYS_TO_FILE),
    Parameter("4.5", _("Games to be listed"), lists.GAMES_TO_BE_LISTED),
    Parameter("D-SSDC-9", _("Calendar years in which one of them was played"), lists.YEARS_LISTED),
)
