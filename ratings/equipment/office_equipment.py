"""A federation's equipment beside its law, in three parts: office, publication and demo.

No journal is read by it and no rating rests on it, so that the law can be run without.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ratings.equipment.demo import Demo
from ratings.equipment.office import Office
from ratings.equipment.publication import Publication
from ratings.law.fields import Field
from ratings.law.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Equipment:
    """The three parts of one federation, each a module of that name in its folder."""

    office: Office = field(default_factory=Office)
    publication: Publication = field(default_factory=Publication)
    demo: Demo | None = None
    """The material of an invented office; None: there is none to show."""


@cache
def equipment_of(ruleset: Ruleset) -> Equipment:
    """The equipment in the federation's folder: `OFFICE`, `PUBLICATION` and `DEMO`, as far as it has them."""
    found = {part: _part(ruleset, part) for part in ("office", "publication", "demo")}
    return Equipment(**{part: value for part, value in found.items() if value is not None})


def _part(ruleset: Ruleset, part: str) -> Any:
    module = f"ratings.rulesets.{ruleset.slug}.{part}"
    return getattr(import_module(module), part.upper()) if find_spec(module) else None


def form_fields(ruleset: Ruleset) -> tuple[Field, ...]:
    """The ruleset's own fields in a section's form: the journal's, then acceptance's."""
    return (*ruleset.sections.fields, *equipment_of(ruleset).office.filing_fields)
