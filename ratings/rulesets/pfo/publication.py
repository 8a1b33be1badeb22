"""The publication of the Polish Othello Federation's ranking: pages, layouts of lists, tie-breaks."""

from __future__ import annotations

from ratings.equipment.publication import Publication
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.pfo.downloads import DOWNLOADS
from ratings.rulesets.pfo.enacted_text import ENACTED
from ratings.rulesets.pfo.pages import PAGES

PUBLICATION = Publication(
    decimals=0,  # D-4
    sides=(_("black"), _("white")),
    enacted=ENACTED,
    pages=PAGES,
    downloads=DOWNLOADS,
    tie_breaks=("discs",),
)
