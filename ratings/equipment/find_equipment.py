"""A federation's equipment beside its law: office, publication, demo, and what readers may imagine.

No journal is read by it and no rating rests on it, so that the law can be run without.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from ratings.equipment.demo import Demo
from ratings.equipment.office_profile import Office
from ratings.equipment.publication_profile import Publication
from ratings.equipment.what_if import WhatIf
from ratings.law.fields import Field
from ratings.law.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Equipment:
    """The parts of one federation, each a module of that name in its folder."""

    office: Office
    publication: Publication
    demo: Demo | None = None
    """The material of an invented office; None: there is none to show."""
    what_if: WhatIf | None = None
    """The questions of an imagined section; None: readers imagine none."""


@cache
def equipment_of(ruleset: Ruleset) -> Equipment:
    """A federation's equipment, found in its folder: `OFFICE`, `PUBLICATION` and, where there are such,
    `DEMO` and `WHAT_IF`.
    """
    folder = f"ratings.rulesets.{ruleset.slug}"
    return Equipment(
        import_module(f"{folder}.office_profile").OFFICE,
        import_module(f"{folder}.publication_profile").PUBLICATION,
        import_module(f"{folder}.demo").DEMO if find_spec(f"{folder}.demo") else None,
        import_module(f"{folder}.what_if").WHAT_IF if find_spec(f"{folder}.what_if") else None,
    )


def form_fields(ruleset: Ruleset) -> tuple[Field, ...]:
    """The fields that a federation's section form has beside the common ones: the journal's, then
    acceptance's.
    """
    return (*ruleset.sections.fields, *equipment_of(ruleset).office.filing_fields)
