"""The pages of further results of a federation's rules: those of its equipment, and one for the rest."""

from __future__ import annotations

from datetime import date
from functools import cache

from ratings.equipment.find_equipment import equipment_of
from ratings.equipment.publication_profile import Page
from ratings.law.facts import State
from ratings.law.ruleset import Ruleset
from ratings.law.translation_marks import gettext_noop as _


@cache
def pages_of(ruleset: Ruleset) -> tuple[Page, ...]:
    """The pages of a federation's further results: those that its equipment names, and one for all shown
    tables that stand on none of them.
    """
    tables = tables_of_all_editions(ruleset)
    pages = equipment_of(ruleset).publication.pages
    placed = {name for page in pages for name in page.tables}
    left = tuple(name for name in tables if name not in placed)
    if not left:
        return pages
    rest = Page(code="further", name=_("Tables"), about=_("Further results of the rules."), tables=left)
    return (*pages, rest)


def tables_of_all_editions(ruleset: Ruleset) -> tuple[str, ...]:
    """The names of the tables that any edition shows, the newest edition's first, as readers may ask for past
    days.
    """
    found: dict[str, None] = {}
    for edition in reversed(ruleset.editions):
        day = max(edition.in_force, date(2026, 1, 1))
        found.update((table.name, None) for table in edition.rules.tables(State(), day) if table.shown)
    return tuple(found)
