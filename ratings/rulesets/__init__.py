"""The regulations. Every package in this folder is a ruleset, found by its folder's name."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ratings.rulesets.ruleset import Ruleset


@cache
def rulesets() -> Mapping[str, Ruleset]:
    """Every ruleset by its slug. Nothing registers itself: a folder here with an `__init__.py` is enough."""
    found: dict[str, Ruleset] = {}
    for name in sorted(module.name for module in iter_modules(__path__) if module.ispkg):
        ruleset: Ruleset = import_module(f"{__name__}.{name}").RULESET
        found[ruleset.slug] = ruleset
    return MappingProxyType(found)
