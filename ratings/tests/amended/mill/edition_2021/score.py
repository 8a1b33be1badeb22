"""The score of a tournament as amended."""

from __future__ import annotations

from decimal import Decimal

from ratings.rulesets.facts import Scoring

SCORING = Scoring(  # D-M-2
    byes=dict.fromkeys(("pairing", "full"), Decimal(1)),
    games={
        "1-0": (Decimal(2), Decimal(0)),
        "0-1": (Decimal(0), Decimal(2)),
        "1/2": (Decimal(1), Decimal(1)),
    },
)
