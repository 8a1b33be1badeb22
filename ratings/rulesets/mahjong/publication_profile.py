"""The publication of the Russian Mahjong Federation's ratings: pages, and layouts of lists."""

from __future__ import annotations

from ratings.equipment.downloads import SEMICOLONS
from ratings.equipment.publication_profile import Publication
from ratings.rulesets.mahjong.edition_undated.lists_and_tables import SHOWN_DECIMALS
from ratings.rulesets.mahjong.rule_table_pages import PAGES
from ratings.rulesets.mahjong.source_and_omissions import ENACTED

PUBLICATION = Publication(
    decimals=SHOWN_DECIMALS,  # D-RMF-8
    enacted=ENACTED,
    pages=PAGES,
    downloads=(SEMICOLONS,),
)
