"""The numbers of the regulations, each with its clause and the days from which its values hold."""

from decimal import Decimal

from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.parameters import Numbers, Parameters, grid, in_force, parameter

PARAMETERS: Parameters = (
    grid(
        "1.sizes",
        _("Least size of a competition"),
        (_("Status"), _("Players"), _("Members"), _("Of the place"), _("Sessions")),  # §1.2 §1.3 §1.5
        (
            ("city", 8, 2, 5, 3),
            ("region", 12, 2, 5, 3),
            ("national", 16, 6, 9, 4),
            ("special", 12, 6, None, 4),
            ("foreign", 24, 2, None, 5),
            ("european", 24, 2, None, 5),
            ("world", 24, 2, None, 5),
        ),
    ),
    parameter("2.competitions", _("Competitions to be listed"), 2),
    grid(
        "4.weights",
        _("Coefficient kA"),
        (_("Status"), _("Coefficient")),
        (
            ("city", 1),
            ("region", 2),
            ("foreign", 2),
            ("national", 3),
            ("european", 4),
            ("world", 5),
            ("special", 1),
            ("special", 2),
        ),
    ),
    parameter("5.years", _("Years until a competition weighs nothing"), 4),
    parameter(
        "5.absence", _("What all absences of a year weigh together, kC"), Decimal("0.12"), name="absence"
    ),
)

NUMBERS = Numbers(in_force(PARAMETERS))
"""The numbers that the first edition reads."""
