"""Where a regulation's numbers stand: in the module that uses them, and nowhere else as a figure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from decimal import Decimal
from importlib.util import find_spec, resolve_name
from pathlib import Path

from ratings.rulesets.facts import Grid
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
        for value in ((cell for row in each.rows for cell in row) if isinstance(each, Grid) else [each.value])
    )
    return {abs(Decimal(value)) for value in told if isinstance(value, int | Decimal)}


def strange_figures(slug: str, key: str, message: str) -> set[Decimal]:
    """Figures in a message of a ruleset for which it should have a place."""
    said = {Decimal(figure) for figure in FIGURE.findall(NO_NUMBER.sub("", message))}
    return said - {Decimal(0), Decimal(1)} - ARITHMETIC.get((slug, key), set())


def figures_repeated(source: str) -> Iterator[str]:
    """Of an edition's parameters: numbers that are written there instead of named."""
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


# ------------------------------------------------------------------------------- the clause of each number

ROOT = Path(__file__).resolve().parents[2]
CITED = re.compile(r"§(\d+(?:\.\d+)*)|\b(D-[A-Z]+-\d+)\b|\"(\d+(?:\.\d+)+)\"")


def numbers_named(path: Path) -> Iterator[tuple[str, str, str]]:
    """Each clause of an edition's parameters with the module and the name of a constant under it."""
    tree = ast.parse(path.read_text("utf-8"))
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    homes = dict(homes_of(tree, module))
    if path.name == "__init__.py":  # its own names put together what its modules name
        homes = {name: home for name, home in homes.items() if home != module}
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func) in ("Parameter", "Grid"):
            clause, value = ast.literal_eval(call.args[0]), call.args[-1]
            for node in ast.walk(value):
                if isinstance(node, ast.Attribute) and node.attr.isupper():
                    yield clause, homes[ast.unparse(node.value)], node.attr
                elif isinstance(node, ast.Name) and node.id in homes and node.id.isupper():
                    yield clause, homes[node.id], node.id


def homes_of(tree: ast.Module, module: str) -> Iterator[tuple[str, str]]:
    """The module in which each name stands, its own or imported; of an imported module, the module itself."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
            names = [each for target in targets for each in ast.walk(target)]
            yield from ((each.id, module) for each in names if isinstance(each, ast.Name))
        if isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), module.rpartition(".")[0])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield alias.name, base if alias.name.isupper() else inner


def clauses_beside(module: str, name: str) -> set[str]:
    """The clauses cited where a constant is given its value: on its lines, or in the docstring below."""
    spec = find_spec(module)
    assert spec
    assert spec.origin
    source = Path(spec.origin).read_text("utf-8")
    lines, body = source.splitlines(), ast.parse(source).body
    for node, below in zip(body, [*body[1:], None], strict=True):
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        if any(isinstance(each, ast.Name) and each.id == name for t in targets for each in ast.walk(t)):
            last = below if isinstance(below, ast.Expr) else node
            text = "\n".join(lines[node.lineno - 1 : last.end_lineno])
            return {"".join(found) for found in CITED.findall(text)}
    return set()


def is_cited(clause: str, cited: set[str]) -> bool:
    """Whether the clause, or a part of it (§59.1 of §59), is among those cited."""
    return any(each == clause or each.startswith(f"{clause}.") for each in cited)
