"""The publication of the ratings of Czech piškvorky: lists, with one more layout."""

from __future__ import annotations

from ratings.equipment.downloads import SEMICOLONS
from ratings.equipment.publication_profile import Publication
from ratings.rulesets.piskvorky.expected_score import expected_score
from ratings.rulesets.piskvorky.source_and_omissions import ENACTED

PUBLICATION = Publication(
    decimals=0,  # D-PIS-2
    enacted=ENACTED,
    downloads=(SEMICOLONS,),
    expected_score=expected_score,  # §7
)
