"""A regulation's numbers stand in its table of parameters, and nowhere else as a figure."""

from __future__ import annotations

import re
from decimal import Decimal

from ratings.rulesets.parameters import Grid
from ratings.rulesets.ruleset import Edition

FIGURE = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
NO_NUMBER = re.compile(r"\{[^}]*\}|\bclause \d+|\d{4}/\d{4}|\b10\^")
"""Named places, citations, seasons as an example, and what is raised to a power."""
ARITHMETIC = {
    ("csa", "time"): {Decimal(60)},  # §19: moves, and seconds a minute
    ("csa", "k-main"): {Decimal(100)},  # §31: K is in hundredths
    ("csa", "k-main-held"): {Decimal(100)},
    ("csa", "performance"): {Decimal("0.5")},  # §32: an even score
    ("csa", "first-rating"): {Decimal("0.5")},
}
"""Figures that belong to a formula or a unit, and that no amendment of a number alters."""
WITHOUT_PLACES = {
    ("csa", "too-fast"),
    ("ssdc", "new"),
    ("mahjong", "no-coefficient"),
    ("mahjong", "planned-0"),
}
"""Statuses and findings, shown without an edition, so that their figures have to be those of all editions."""


def values_of(edition: Edition) -> set[Decimal]:
    """Every number that the edition's parameters name."""
    told = (
        value
        for each in edition.parameters
        for value in (
            (cell for row in each.shown_rows for cell in row) if isinstance(each, Grid) else [each.value]
        )
    )
    return {abs(Decimal(value)) for value in told if isinstance(value, int | Decimal)}


def strange_figures(slug: str, key: str, message: str) -> set[Decimal]:
    """Figures in a message of a ruleset for which it should have a place."""
    said = {Decimal(figure) for figure in FIGURE.findall(NO_NUMBER.sub("", message))}
    return said - {Decimal(0), Decimal(1)} - ARITHMETIC.get((slug, key), set())
