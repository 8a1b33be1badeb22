"""Where a regulation's numbers stand: in the module that uses them, and nowhere else as a figure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from functools import cache

from ratings.law.parameters import Grid
from ratings.law.ruleset import Edition, Ruleset

FIGURE = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
NO_NUMBER = re.compile(r"\{[^}]*\}|\bclause \d+|\d{4}/\d{4}|\b10\^")
"""Named places, citations, seasons as an example, and what is raised to a power."""
FOLLOWS = {("pfo", "award-world"): {Decimal(210)}}
"""§12: the first place has 200, each further one ten less, so that a sum begins at 210."""


def values_of(edition: Edition) -> set[Decimal]:
    """Every number that the edition's parameters name."""
    told = (
        value
        for each in edition.parameters
        for value in ((cell for row in each.rows for cell in row) if isinstance(each, Grid) else [each.value])
    )
    return {abs(Decimal(value)) for value in told if isinstance(value, int | Decimal)}


@cache
def strange_on(ruleset: Ruleset, day: date, key: str) -> set[Decimal]:
    """Figures in a message that are none of the numbers of the edition of a day."""
    return strange_figures(ruleset, ruleset.edition_of_day(day), key)


def strange_figures(ruleset: Ruleset, edition: Edition, key: str) -> set[Decimal]:
    """Figures in a message that are none of the edition's numbers."""
    said = {Decimal(figure) for figure in FIGURE.findall(NO_NUMBER.sub("", ruleset.messages[key]))}
    known = {Decimal(0), Decimal(1), Decimal(ruleset.kept_decimals)}
    return said - known - values_of(edition) - FOLLOWS.get((ruleset.slug, key), set())


def figures_repeated(source: str) -> Iterator[str]:
    """Of the text of a `parameters.py`: numbers that are written there instead of named."""
    for call in ast.walk(ast.parse(source)):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        if call.func.id == "Parameter" and not is_named(call.args[2]):
            yield f"line {call.lineno}: {ast.unparse(call.args[2])}"
        elif call.func.id == "Grid":
            yield from (f"line {call.lineno}: {figure}" for figure in figures_in(call.args[3]))


def is_named(value: ast.expr) -> bool:
    """`K`, `formulas.K`, `formulas.K["rapid"]`."""
    while isinstance(value, ast.Attribute | ast.Subscript):
        value = value.value
    return isinstance(value, ast.Name)


def figures_in(rows: ast.expr) -> Iterator[str]:
    """Numbers of a grid; 0 and 1 count places and are no numbers of a regulation."""
    for node in ast.walk(rows):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, int | float)
            and node.value not in (0, 1)
        ):
            yield str(node.value)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "Decimal":
            yield ast.unparse(node)
