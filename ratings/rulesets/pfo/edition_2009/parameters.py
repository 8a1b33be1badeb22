"""The numbers of the regulations, as the formulas have them."""

from __future__ import annotations

from collections.abc import Sequence

from ratings.law.parameters import Grid, Parameter, Parameters
from ratings.law.words import gettext_noop as _
from ratings.rulesets.pfo.edition_2009 import points


def spans(bounds: Sequence[int]) -> tuple[str, ...]:
    """The rows of a table by their bounds, as text: `0–60`, `61–120` … and the last without an end."""
    starts = (0, *(bound + 1 for bound in bounds))
    return (*(f"{start}–{end}" for start, end in zip(starts, bounds, strict=False)), f"{starts[-1]}–")


PARAMETERS: Parameters = (
    Parameter("8", _("A newcomer's rating"), points.START),
    Grid(
        "10",
        _("What a win against a higher rating brings"),
        (_("Difference"), _("Points")),
        tuple(zip(spans(points.BOUNDS), points.LOWER_WINS, strict=True)),
    ),
    Grid(
        "10",
        _("What a win against a lower rating brings"),
        (_("Difference"), _("Points")),
        tuple(zip(spans(points.BOUNDS_OF_THE_HIGHER), points.HIGHER_WINS, strict=True)),
    ),
    Grid(
        "11",
        _("What a draw brings"),
        (_("Difference"), _("To the higher rated"), _("To the lower rated")),
        tuple(
            zip(
                spans(points.BOUNDS),
                points.DRAWN_BY_THE_HIGHER,
                points.DRAWN_BY_THE_LOWER,
                strict=True,
            )
        ),
    ),
    Parameter("12", _("For taking part in a Grand Prix tournament"), points.PARTICIPATION),
    Grid(
        "12",
        _("European Grand Prix"),
        (_("Place"), _("Points")),
        (*enumerate(points.EGP_PLACES, start=1), (_("any other"), points.EGP_PARTICIPATION)),
    ),
    Parameter("12", _("World Championship, first place"), points.WORLD_FIRST),
    Parameter("12", _("World Championship, less for each place"), points.WORLD_STEP),
    Parameter("12", _("World Championship, places"), points.WORLD_PLACES),
    Parameter("13", _("Share lost by missing the championship"), points.MISSED_SHARE),
    Grid(
        "16",
        _("Points towards the season"),
        (_("Place"), _("Points")),
        tuple(enumerate(points.SEASON_PLACES, start=1)),
    ),
    Parameter("16", _("More for winning every game"), points.MAKS),
    Parameter("17", _("Tournaments that count in a season"), points.COUNTED),
)
