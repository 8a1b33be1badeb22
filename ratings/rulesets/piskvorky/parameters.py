"""The numbers of the regulations, each with its clause and the days from which its values hold."""

from decimal import Decimal

from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.parameters import Numbers, Parameters, grid, in_force, parameter

PARAMETERS: Parameters = (
    parameter("2.games", _("Games to be established"), 5),
    parameter("2.points", _("Points to be established"), Decimal("1.5")),
    parameter("5.span", _("A novice's points for winning all"), 250, name="novice_span"),
    parameter("6.tournaments", _("Founding tournaments"), 2, name="founding_tournaments"),
    parameter(
        "6.base", _("Rating to begin with in a founding tournament"), Decimal(1600), name="founding_base"
    ),
    parameter("6.span", _("Points for winning all in a founding tournament"), 400, name="founding_span"),
    grid(
        "7.points",
        _("What a game moves"),
        (
            _("Difference up to"),
            _("The higher rated wins"),
            _("The lower rated wins"),
            _("A draw, to the lower rated"),
        ),
        (
            (10, 16, 16, 0),
            (32, 15, 17, 1),
            (54, 14, 18, 2),
            (76, 13, 19, 3),
            (100, 12, 20, 4),
            (124, 11, 21, 5),
            (149, 10, 22, 6),
            (176, 9, 23, 7),
            (204, 8, 24, 8),
            (236, 7, 25, 9),
            (272, 6, 26, 10),
            (313, 5, 27, 11),
            (363, 4, 28, 12),
            (427, 3, 29, 13),
            (521, 2, 30, 14),
            (724, 1, 31, 15),
            (2000, 0, 32, 16),
        ),
    ),
)

NUMBERS = Numbers(in_force(PARAMETERS))
"""The numbers that the first edition reads."""
