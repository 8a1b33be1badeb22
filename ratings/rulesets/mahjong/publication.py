"""The publication of the Russian Mahjong Federation's ratings: pages, and layouts of lists."""

from __future__ import annotations

from ratings.equipment.downloads import SEMICOLONS
from ratings.equipment.publication import Publication
from ratings.rulesets.mahjong.edition_undated.lists import SHOWN_DECIMALS
from ratings.rulesets.mahjong.enacted_text import ENACTED
from ratings.rulesets.mahjong.pages import PAGES

PUBLICATION = Publication(
    decimals=SHOWN_DECIMALS,  # D-RMF-8
    enacted=ENACTED,
    pages=PAGES,
    downloads=(SEMICOLONS,),
)
