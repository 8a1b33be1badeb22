"""Which clauses the program reaches: those cited where code runs that an office, a page or a replay calls.

What is defined and never called carries nothing out, whatever its docstring says. So the names are followed
from the parts of a federation (`RULESET`, `OFFICE`, `PUBLICATION`, a demo's `HOOKS`), and from the functions
that every edition has.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ratings import rulesets

CITATION = re.compile(r"§(preamble|\d+(?:\.\d+)*)|\b(?<!\")(D-[A-Z]+-\d+)")
PACKAGE = Path(rulesets.__path__[0])
OF_EVERY_EDITION = (
    "check", "needs", "apply", "explain", "compute_performances", "rating_list", "answers", "tables",
    "measure",
)  # fmt: skip
"""The functions of `ruleset.Rules`: what the office calls of whatever edition is in force."""
NO_CODE = {"clauses.py"}
"""They say what clauses say, and carry nothing out."""

Item = tuple[str, str]
"""A module and a name at its top."""


@dataclass
class Module:
    """What stands at the top of a module, by name: its source, and the names that it uses."""

    items: dict[str, tuple[str, set[str]]] = field(default_factory=dict)
    imported: dict[str, Item] = field(default_factory=dict)
    """Name here → module and name there; the name is empty where it is the module itself."""


@cache
def module_of(path: Path) -> Module:
    source = path.read_text("utf-8")
    tree, lines, found = ast.parse(source), source.splitlines(), Module()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                found.imported[each.asname or each.name] = (node.module, each.name)
    above = 0
    for at, node in enumerate(tree.body):
        following = tree.body[at + 1] if at + 1 < len(tree.body) else None
        last = node.end_lineno or 0
        if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
            last = following.end_lineno or last  # what is said below an assignment
        text = "\n".join(lines[above:last])
        above = last
        for name in defined_by(node):
            found.items[name] = (text, set(used_in(node)))
    return found


def defined_by(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign | ast.AugAssign) else targets
    for target in targets:
        yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))


def used_in(node: ast.AST) -> Iterator[str]:
    """Names, and attributes of names: `check`, `edition.check`."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name):
            yield f"{each.value.id}.{each.attr}"


def file_of(module: str) -> Path | None:
    """Where a module of the rulesets lies; None where it is none of them."""
    if not module.startswith("ratings.rulesets"):
        return None
    place = PACKAGE.joinpath(*module.split(".")[2:])
    path = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return path if path.exists() else None


def resolved(module: str, name: str) -> Iterator[Item]:
    """Where a name that a module uses is defined; of a module handed over whole, what every edition has."""
    path = file_of(module)
    if path is None:
        return
    known, (first, _dot, rest) = module_of(path), name.partition(".")
    if first in known.items:
        yield module, first
    elif first in known.imported:
        source, there = known.imported[first]
        if file_of(f"{source}.{there}"):
            for each in (rest,) if rest else OF_EVERY_EDITION:
                yield from resolved(f"{source}.{there}", each)
        else:
            yield from resolved(source, there)


def reached(slug: str, package: str = "ratings.rulesets") -> set[Item]:
    """Everything that is used, from the federation's ruleset, its office and its publication on."""
    profile = f"{package}.{slug}.profile"
    waiting: list[Item] = [(profile, name) for name in ("OFFICE", "PUBLICATION", "WHAT_IF")]
    waiting.append((f"{package}.{slug}.demo", "HOOKS"))
    waiting.append((f"{package}.{slug}", "RULESET"))
    found: set[Item] = set()
    while waiting:
        module, name = waiting.pop()
        path = file_of(module)
        if (module, name) in found or path is None or name not in module_of(path).items:
            continue
        found.add((module, name))
        _text, uses = module_of(path).items[name]
        waiting += [item for use in sorted(uses) for item in resolved(module, use)]
    return found


def carried_out(slug: str) -> set[str]:
    """The clauses cited in what is reached, in the federation's own modules, and the headings above them."""
    cited: set[str] = set()
    for module, name in reached(slug):
        path = file_of(module)
        if path is not None and f".{slug}" in module and path.name not in NO_CODE:
            text, _uses = module_of(path).items[name]
            cited.update(a or b for a, b in CITATION.findall(text))
    return cited | {clause.rpartition(".")[0] for clause in cited if "." in clause}
