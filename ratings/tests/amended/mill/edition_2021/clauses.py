"""What each clause says as amended."""

from __future__ import annotations

from collections.abc import Mapping

from ratings.tests.sixth.morris import RULESET as MORRIS

BEFORE = MORRIS.words.clauses
CLAUSES: Mapping[str, str] = {
    "1": BEFORE["1"],
    "2": "A won game brings seven pins and a drawn one two; at a fair twice as many.",
    "3": "Whoever wins every game of a tournament, of three at least, gets five pins more.",
    "4": BEFORE["3"],
    "5": BEFORE["4"],
    "6": BEFORE["5"],
    "D-M-1": BEFORE["D-M-1"],
    "D-M-2": "A tournament is scored two for a won game, and one for a drawn one or a bye.",
}
