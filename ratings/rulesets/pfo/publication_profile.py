"""The publication of the Polish Othello Federation's ranking: pages, layouts of lists, tie-breaks."""

from __future__ import annotations

from ratings.equipment.publication_profile import Publication
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.pfo.expected_score import expected_score
from ratings.rulesets.pfo.papp_download import DOWNLOADS
from ratings.rulesets.pfo.rule_table_pages import PAGES
from ratings.rulesets.pfo.source_and_omissions import ENACTED

PUBLICATION = Publication(
    decimals=0,  # D-4
    sides=(_("black"), _("white")),
    enacted=ENACTED,
    pages=PAGES,
    downloads=DOWNLOADS,
    tie_breaks=("discs",),
    expected_score=expected_score,  # §10
)
