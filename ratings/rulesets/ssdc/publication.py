"""The publication of the Sevastopol Sports Dots Club's ratings: pages, and layouts of lists."""

from __future__ import annotations

from ratings.equipment.downloads import SEMICOLONS
from ratings.equipment.publication import Publication
from ratings.rulesets.ssdc.enacted_text import ENACTED
from ratings.rulesets.ssdc.pages import PAGES

PUBLICATION = Publication(
    decimals=0,  # D-4
    enacted=ENACTED,
    pages=PAGES,
    downloads=(SEMICOLONS,),
)
