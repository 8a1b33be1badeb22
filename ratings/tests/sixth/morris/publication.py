"""The page and the scores that readers of the mill see, in a count and a hand of their own."""

from __future__ import annotations

from decimal import Decimal

from ratings.equipment.notation import MARKS, Notation
from ratings.equipment.publication import Page, Publication
from ratings.law.scoring import Scoring

WON, DRAWN, LOST = Decimal(3), Decimal(1), Decimal(0)

PUBLICATION = Publication(
    decimals=0,
    sides=("light", "dark"),
    pages=(Page("thrift", "Thrift", "How many pins a game brought.", ("thrift",)),),
    scoring=Scoring(  # D-M-2
        byes={},
        games={"1-0": (WON, LOST), "0-1": (LOST, WON), "1/2": (DRAWN, DRAWN)},
    ),
    notation=Notation(
        marks={**MARKS, "1-0": ("W", "L"), "0-1": ("L", "W"), "1/2": ("=", "=")},
        byes=dict.fromkeys(("pairing", "full", "half", "zero"), "sits"),
        score=lambda points: f"{points} p",
    ),
)
