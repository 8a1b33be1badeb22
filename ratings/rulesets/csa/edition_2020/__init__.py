"""The regulations in force from 1 July 2020: the functions of the edition, and its numbers."""

from ratings.rulesets.csa.edition_2020 import acceptance, formulas, rating
from ratings.rulesets.csa.edition_2020.acceptance import check
from ratings.rulesets.csa.edition_2020.rating import (
    answers,
    apply,
    compute_performances,
    needs,
    rating_list,
    tables,
)
from ratings.rulesets.csa.edition_2020.working import explain
from ratings.rulesets.facts import Grid, Parameter, Parameters, gettext_noop as _

__all__ = ["answers", "apply", "check", "compute_performances", "explain", "needs", "rating_list", "tables"]

SIZES = (
    acceptance.USUAL_SIZE,
    acceptance.DOUBLE_ROUND_ROBIN_SIZE,
    acceptance.SCHEVENINGEN_SIZE,
    acceptance.DISABLED_SIZE,
)

PARAMETERS: Parameters = (
    Grid(
        "17",
        _("Least size of a section"),
        (_("Clause"), _("Players (of each team, under 17.3)"), _("Rounds")),
        tuple((size.clause, size.players, size.rounds) for size in SIZES),
    ),
    Parameter("18", _("Least rounds with a permission"), acceptance.ROUNDS_WITH_PERMISSION),
    Parameter("18", _("Days in which a permission is asked for"), acceptance.DAYS_TO_ASK),
    Parameter("20.1", _("Standard from so many minutes on"), formulas.STANDARD_FROM, name="standard_from"),
    Parameter("20.3", _("Blitz up to so many minutes"), formulas.BLITZ_TO, name="blitz_to"),
    Parameter("23", _("Least minutes that are rated"), formulas.LEAST_MINUTES, name="least_minutes"),
    Parameter("30.1", _("K of Standard ratings"), formulas.K_OF_KIND["standard"]),
    Parameter("30.2", _("K of Rapid ratings"), formulas.K_OF_KIND["rapid"]),
    Parameter("30.3", _("K of Blitz ratings"), formulas.K_OF_KIND["blitz"]),
    Parameter("31", _("K of Main ratings: share"), formulas.K_SCALE),
    Parameter("31", _("K of Main ratings: for each minute"), formulas.K_PER_MINUTE, name="k_per_minute"),
    Parameter("31", _("K of Main ratings: to begin with"), formulas.K_BASE, name="k_base"),
    Parameter("31", _("K of Main ratings: least minutes"), formulas.K_LEAST_TIME, name="k_least_minutes"),
    Parameter("31", _("K of Main ratings: most minutes"), formulas.K_MOST_TIME, name="k_most_minutes"),
    Parameter("31", _("K of Main ratings online"), formulas.K_ONLINE_MAIN),
    Parameter(
        "32", _("Performance: points between a score of half and all"), formulas.PERFORMANCE_SPAN, name="span"
    ),
    Parameter(
        "37", _("White's expected score between equals"), formulas.EXPECTED_AS_EQUALS, name="between_equals"
    ),
    Parameter(
        "37", _("Expected score for each point of difference"), formulas.EXPECTED_PER_POINT, name="per_point"
    ),
    Parameter(
        "38", _("Least difference, white less black"), formulas.LEAST_DIFFERENCE, name="least_difference"
    ),
    Parameter(
        "38", _("Greatest difference, white less black"), formulas.MOST_DIFFERENCE, name="greatest_difference"
    ),
    Parameter("39", _("Performances weighed"), formulas.PERFORMANCES_WEIGHED),
    Parameter("40", _("Days until a performance weighs nothing"), formulas.WEIGHT_DAYS, name="weight_days"),
    Parameter("40", _("What the weighed sum is divided by"), formulas.WEIGHT_SUM, name="weight_sum"),
    Parameter("41.1", _("Standard in Main ratings, in hundredths"), formulas.WEIGHT_OF_KIND["standard"]),
    Parameter("41.2", _("Rapid in Main ratings, in hundredths"), formulas.WEIGHT_OF_KIND["rapid"]),
    Parameter("41.3", _("Blitz in Main ratings, in hundredths"), formulas.WEIGHT_OF_KIND["blitz"]),
    Parameter("44", _("Greatest rise to a weight performance"), formulas.GREATEST_RISE, name="greatest_rise"),
    Parameter("45", _("Least rating and performance"), formulas.FLOOR),
    Parameter("47", _("Share of the rounds for a gain"), rating.SHARE_TO_GAIN),
    Parameter("49", _("Share of the rounds in a team event"), rating.SHARE_IN_TEAM_EVENT),
    Parameter("51", _("Points of a penalty"), rating.PENALTY_POINTS),
    Parameter("54", _("Games for a first rating"), formulas.FIRST_RATING_GAMES),
    Grid(
        "59",
        _("Pre-ratings"),
        (_("Age up to"), _("First column"), _("Second column")),
        (*rating.PRE_RATINGS, (_("Adult"), *rating.ADULT_PRE_RATINGS)),
    ),
    Parameter("61.1", _("Days ahead for registering a section"), acceptance.DAYS_TO_REGISTER[""][1]),
    Parameter("61.2", _("Days ahead, FIDE rated with norms"), acceptance.DAYS_TO_REGISTER["norm"][1]),
    Parameter("61.2", _("Days ahead, FIDE rated without norms"), acceptance.DAYS_TO_REGISTER["non-norm"][1]),
    Parameter("62", _("Days to file results"), acceptance.DAYS_TO_FILE),
    Parameter("10", _("Days to file results from abroad"), acceptance.DAYS_TO_FILE_ABROAD),
)
