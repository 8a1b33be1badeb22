"""Where readers find what else the rules yield: how everybody performed, for the Grand Prix."""

from __future__ import annotations

from ratings.rulesets.csa import edition_2020
from ratings.rulesets.equipment import Page
from ratings.rulesets.words import gettext_noop as _

PAGES = (
    Page(
        code="performances",
        name=_("Performances"),
        about=_("How everybody performed in each event, and whether it counts for the Grand Prix."),
        of_section=edition_2020.section_performances,
    ),
)
