"""The numbers of the regulations, as the formulas have them."""

from __future__ import annotations

from collections.abc import Sequence

from ratings.law.parameters import Grid, Parameter, Parameters
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.pfo.edition_2009 import point_tables


def spans(bounds: Sequence[int]) -> tuple[str, ...]:
    """The rows of a table by their bounds, as text: `0–60`, `61–120` … and the last without an end."""
    starts = (0, *(bound + 1 for bound in bounds))
    return (*(f"{start}–{end}" for start, end in zip(starts, bounds, strict=False)), f"{starts[-1]}–")


PARAMETERS: Parameters = (
    Parameter("8", _("A newcomer's rating"), point_tables.START),
    Grid(
        "10",
        _("What a win against a higher rating brings"),
        (_("Difference"), _("Points")),
        tuple(zip(spans(point_tables.BOUNDS), point_tables.LOWER_WINS, strict=True)),
    ),
    Grid(
        "10",
        _("What a win against a lower rating brings"),
        (_("Difference"), _("Points")),
        tuple(zip(spans(point_tables.BOUNDS_OF_THE_HIGHER), point_tables.HIGHER_WINS, strict=True)),
    ),
    Grid(
        "11",
        _("What a draw brings"),
        (_("Difference"), _("To the higher rated"), _("To the lower rated")),
        tuple(
            zip(
                spans(point_tables.BOUNDS),
                point_tables.DRAWN_BY_THE_HIGHER,
                point_tables.DRAWN_BY_THE_LOWER,
                strict=True,
            )
        ),
    ),
    Parameter("12", _("For taking part in a Grand Prix tournament"), point_tables.PARTICIPATION),
    Grid(
        "12",
        _("European Grand Prix"),
        (_("Place"), _("Points")),
        (*enumerate(point_tables.EGP_PLACES, start=1), (_("any other"), point_tables.EGP_PARTICIPATION)),
    ),
    Parameter("12", _("World Championship, first place"), point_tables.WORLD_FIRST),
    Parameter("12", _("World Championship, less for each place"), point_tables.WORLD_STEP),
    Parameter("12", _("World Championship, places"), point_tables.WORLD_PLACES),
    Parameter("13", _("Share lost by missing the championship"), point_tables.MISSED_SHARE),
    Grid(
        "16",
        _("Points towards the season"),
        (_("Place"), _("Points")),
        tuple(enumerate(point_tables.SEASON_PLACES, start=1)),
    ),
    Parameter("16", _("More for winning every game"), point_tables.MAKS),
    Parameter("17", _("Tournaments that count in a season"), point_tables.COUNTED),
)
