"""The page that readers of the mill see, and the marks in which its scores are written."""

from __future__ import annotations

from ratings.equipment.publication_profile import Page, Publication
from ratings.equipment.result_marks import MARKS, Notation

PUBLICATION = Publication(
    decimals=0,
    sides=("light", "dark"),
    pages=(Page("thrift", "Thrift", "How many pins a game brought.", ("thrift",)),),
    notation=Notation(
        marks={**MARKS, "1-0": ("W", "L"), "0-1": ("L", "W"), "1/2": ("=", "=")},
        byes=dict.fromkeys(("pairing", "full", "half", "zero"), "sits"),
        score=lambda points: f"{points} p",
    ),
)
