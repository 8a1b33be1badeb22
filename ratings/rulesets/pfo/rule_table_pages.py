"""The page of further results: the Grand Prix of each season."""

from __future__ import annotations

from ratings.equipment.publication_profile import Page
from ratings.law.translation_marks import gettext_noop as _

PAGES = (
    Page(
        code="grand-prix",
        name=_("Grand Prix"),
        about=_(
            "The standings of each season, and the players who represent Poland at the World Championship."
        ),
        tables=("standing", "qualification"),
    ),
)
