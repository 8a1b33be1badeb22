"""The publication of the Sevastopol Sports Dots Club's ratings: pages, and layouts of lists."""

from __future__ import annotations

from ratings.equipment.downloads import SEMICOLONS
from ratings.equipment.publication_profile import Publication
from ratings.rulesets.ssdc.rule_table_pages import PAGES
from ratings.rulesets.ssdc.source_and_omissions import ENACTED

PUBLICATION = Publication(
    decimals=0,  # D-4
    enacted=ENACTED,
    pages=PAGES,
    downloads=(SEMICOLONS,),
)
