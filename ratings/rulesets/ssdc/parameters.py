"""The numbers of the regulations, each with its clause and the days from which its values hold."""

from decimal import Decimal

from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.parameters import Numbers, Parameters, grid, in_force, parameter

PARAMETERS: Parameters = (
    parameter("1.4.1.scale", _("Points of difference for ten to one"), Decimal(400), name="scale"),
    parameter("1.4.2.new", _("K of a new player"), Decimal(40)),
    parameter("1.4.2.games", _("Games for which a player is new"), 30),
    parameter("1.4.2.high", _("K of the highest ratings"), Decimal(10)),
    parameter("1.4.2.high-from", _("The highest ratings begin at"), Decimal(2400), name="high_rating"),
    parameter("1.4.2.usual", _("K otherwise"), Decimal(20)),
    parameter("1.6.1.initial", _("Initial rating"), Decimal(1200)),
    grid(
        "2.4.1.ranks",
        _("Rank by classic rating"),
        (_("From"), _("Sports rank")),
        (
            (2500, "G"),
            (2400, "H"),
            (2300, "M"),
            (2200, "C"),
            (2000, "1"),
            (1800, "2"),
            (1600, "3"),
        ),
    ),
    grid(
        "2.4.2.ranks",
        _("Rank by place"),
        (_("Category"), "1", "2", "3", "4"),
        (
            ("highest", "G", "G", "G", "H"),
            ("first", "H", "M", "M", "C"),
            ("second", "C", "1", "1", "2"),
            ("third", "2", "3", "3", "3"),
            ("fourth", None, None, None, None),
        ),
    ),
    parameter("3.4.steps", _("Steps for each limiting factor"), 1),
    parameter("3.4.3.steps", _("Steps for a guaranteed place"), 2),
    parameter("3.4.4.steps", _("Steps where the strong are shut out"), 2),
    parameter("3.4.4.rating", _("Strong from so high a rating on"), 2200, name="strong_rating"),
    parameter("3.4.4.rank", _("Strong from this rank on"), "C"),
    parameter("4.2.days", _("Days ahead for sending the regulations"), 7),
    parameter("4.3.days", _("Days to send the results"), 3),
    parameter("4.5.games", _("Games to be listed"), 5),
    parameter("D-SSDC-9.years", _("Calendar years in which one of them was played"), 2),
)

NUMBERS = Numbers(in_force(PARAMETERS))
"""The numbers that the first edition reads."""
