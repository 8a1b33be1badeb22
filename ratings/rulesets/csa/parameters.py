"""The numbers of the regulations, each with its clause and the days from which its values hold."""

from decimal import Decimal

from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.parameters import Numbers, Parameters, grid, in_force, parameter

PARAMETERS: Parameters = (
    grid(
        "17.size",
        _("Least size of a section"),
        (_("Clause"), _("Players (of each team, under 17.3)"), _("Rounds")),
        (
            ("17.1", 6, 5),
            ("17.2", 4, 6),
            ("17.3", 5, 5),
            ("17.4", 6, 4),
        ),
    ),
    parameter("18.rounds", _("Least rounds with a permission"), 5),
    parameter("18.days", _("Days in which a permission is asked for"), 1),
    parameter("20.1.from", _("Standard from so many minutes on"), Decimal(60), name="standard_from"),
    parameter("20.3.to", _("Blitz up to so many minutes"), Decimal(10), name="blitz_to"),
    parameter("23.least", _("Least minutes that are rated"), Decimal(5), name="least_minutes"),
    parameter("30.1.standard", _("K of Standard ratings"), Decimal(24)),
    parameter("30.2.rapid", _("K of Rapid ratings"), Decimal(30)),
    parameter("30.3.blitz", _("K of Blitz ratings"), Decimal(40)),
    parameter("31.share", _("K of Main ratings: share"), Decimal("0.24")),
    parameter(
        "31.per-minute", _("K of Main ratings: for each minute"), Decimal("0.713043"), name="k_per_minute"
    ),
    parameter("31.base", _("K of Main ratings: to begin with"), Decimal("14.43478"), name="k_base"),
    parameter("31.least", _("K of Main ratings: least minutes"), Decimal(5), name="k_least_minutes"),
    parameter("31.most", _("K of Main ratings: most minutes"), Decimal(120), name="k_most_minutes"),
    parameter("31.online", _("K of Main ratings online"), Decimal(20)),
    parameter("32.span", _("Performance: points between a score of half and all"), Decimal(850), name="span"),
    parameter(
        "37.equals", _("White's expected score between equals"), Decimal("0.541767"), name="between_equals"
    ),
    parameter(
        "37.per-point",
        _("Expected score for each point of difference"),
        Decimal("0.001164"),
        name="per_point",
    ),
    parameter("38.least", _("Least difference, white less black"), Decimal(-460), name="least_difference"),
    parameter(
        "38.greatest", _("Greatest difference, white less black"), Decimal(390), name="greatest_difference"
    ),
    parameter("39.performances", _("Performances weighed"), 5),
    parameter("40.days", _("Days until a performance weighs nothing"), 2920, name="weight_days"),
    parameter("40.divisor", _("What the weighed sum is divided by"), 15, name="weight_sum"),
    parameter("41.1.standard", _("Standard in Main ratings, in hundredths"), 100),
    parameter("41.2.rapid", _("Rapid in Main ratings, in hundredths"), 95),
    parameter("41.3.blitz", _("Blitz in Main ratings, in hundredths"), 90),
    parameter("44.rise", _("Greatest rise to a weight performance"), Decimal(500), name="greatest_rise"),
    parameter("45.floor", _("Least rating and performance"), Decimal(100)),
    parameter("47.share", _("Share of the rounds for a gain"), Decimal("0.8")),
    parameter("49.share", _("Share of the rounds in a team event"), Decimal("0.5")),
    parameter("51.points", _("Points of a penalty"), 20),
    parameter("54.games", _("Games for a first rating"), 10),
    grid(
        "59.pre-ratings",
        _("Pre-ratings"),
        (_("Age up to"), _("First column"), _("Second column")),
        (
            (6, 400, 200),  # §59.1
            (8, 500, 300),  # §59.2
            (10, 600, 400),  # §59.3
            (12, 700, 500),  # §59.4
            (14, 800, 600),  # §59.5
            (16, 900, 700),  # §59.6
            (18, 1000, 800),  # §59.7
            (20, 1100, 900),  # §59.8
            (_("Adult"), 1200, 1000),  # §59.9
        ),
    ),
    parameter("61.1.days", _("Days ahead for registering a section"), 3),
    parameter("61.2.norms", _("Days ahead, FIDE rated with norms"), 30),
    parameter("61.2.without-norms", _("Days ahead, FIDE rated without norms"), 7),
    parameter("62.days", _("Days to file results"), 14),
    parameter("10.days", _("Days to file results from abroad"), 30),
)

NUMBERS = Numbers(in_force(PARAMETERS))
"""The numbers that the first edition reads."""
