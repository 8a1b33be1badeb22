"""The page of further results: how everybody performed, for the Grand Prix."""

from __future__ import annotations

from ratings.equipment.publication_profile import Page
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.csa import edition_2020

PAGES = (
    Page(
        code="performances",
        name=_("Performances"),
        about=_("Everybody's performance in each event, and whether it counts for the Grand Prix."),
        of_section=edition_2020.section_performances,
    ),
)
