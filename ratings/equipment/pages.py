"""The pages of further results of a federation's rules: those of its equipment, and one for the rest."""

from __future__ import annotations

from datetime import date
from functools import cache

from ratings.equipment.office_equipment import Page, equipment_of
from ratings.law.facts import State
from ratings.law.ruleset import Ruleset
from ratings.law.words import gettext_noop as _


@cache
def pages_of(ruleset: Ruleset) -> tuple[Page, ...]:
    """The pages that the equipment names, and one for all shown tables on none of them."""
    tables = ruleset.editions[-1].rules.tables(State(), date(2026, 1, 1))
    pages = equipment_of(ruleset).pages
    placed = {name for page in pages for name in page.tables}
    left = tuple(table.name for table in tables if table.shown and table.name not in placed)
    if not left:
        return pages
    rest = Page(code="further", name=_("Tables"), about=_("What else the rules yield."), tables=left)
    return (*pages, rest)
