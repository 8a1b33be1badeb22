"""Tells the rules of one program from those of another, by a hash over the sources that a law reaches.

Comments, docstrings and layout do not count, and the version of Python does not either. Anything else does, a
reworded message too: whether another hash means other ratings is for a replay to say
(`ratings.recompute.rules_change`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec

from ratings.proof.program.build import AT_START, LAW, imported_names, path_of

READING = ("ratings.law.journal", "ratings.law.ruleset")
"""The modules beside a federation's own that work ratings and lists out of a journal."""
OURS = "ratings"


@cache
def rules_hash(slug: str) -> str:
    """The SHA-256, in hexadecimal, of the rules of a federation as this process runs them."""
    hashed = sha256()
    for name, source in sorted(sources_of(f"{LAW}.{slug}").items()):
        hashed.update(f"{name} {digest(source)}\n".encode())
    return hashed.hexdigest()


def sources_of(law: str) -> dict[str, bytes]:
    """The sources of a federation's law and of all that it and the journal's reading import, by module."""
    found: dict[str, bytes] = {}
    waiting = [law, *READING]
    while waiting:
        name = waiting.pop()
        if name in found or name.partition(".")[0] != OURS:
            continue
        source = source_of(name)
        if source is None:
            continue
        found[name] = source
        waiting += [name.rpartition(".")[0], *imported_names(source, package_of(name))]
    return found


def source_of(name: str) -> bytes | None:
    """The source of a module as it was when the process started; None where there is no module of that name.

    A federation whose folder lies elsewhere is read from there.
    """
    if path := path_of(AT_START, name):
        return AT_START[path]
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:
        return None
    loader = spec.loader if spec else None
    text = loader.get_source(name) if loader and hasattr(loader, "get_source") else None
    return None if text is None else text.encode()


def package_of(name: str) -> str:
    """The package from which a module's relative imports count."""
    path = path_of(AT_START, name)
    inside = (
        path.endswith("/__init__.py") if path else bool((spec := find_spec(name)) and spec.parent == name)
    )
    return name if inside else name.rpartition(".")[0]


@cache
def digest(source: bytes) -> str:
    return sha256(normal_form(source).encode()).hexdigest()


def normal_form(source: bytes) -> str:
    """A source as text without comments, docstrings and layout, alike under every version of Python."""
    return "".join(_told(ast.parse(source)))


def _told(node: object) -> Iterator[str]:
    """Tell a syntax tree depth first, without parts that are empty: newer versions of Python have more."""
    match node:
        case ast.AST():
            yield f"({type(node).__name__}"
            for name, value in ast.iter_fields(node):
                if value is not None and value != []:
                    yield f" {name}="
                    yield from _told(value)
            yield ")"
        case list():
            yield "["
            for each in node:
                if not _is_docstring(each):
                    yield from _told(each)
            yield "]"
        case _:
            yield repr(node)


def _is_docstring(node: object) -> bool:
    """Whether a statement is a text alone: a docstring of whatever stands around or above it."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
