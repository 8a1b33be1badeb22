"""The mill's first rules: those of the tests' sixth federation, clause by clause."""

from __future__ import annotations

from ratings.tests.sixth.morris import (
    DRAWN,
    GAMES_TO_SETTLE,
    STAKES,
    TRACK,
    WON,
    Card,
    Standing,
    answers,
    apply,
    card_of,
    check,
    compute_performances,
    dump,
    explain,
    lines_of,
    load,
    needs,
    rateable,
    rating_list,
    tables,
)

__all__ = [
    "DRAWN",
    "GAMES_TO_SETTLE",
    "STAKES",
    "TRACK",
    "WON",
    "Card",
    "Standing",
    "answers",
    "apply",
    "card_of",
    "check",
    "compute_performances",
    "dump",
    "explain",
    "lines_of",
    "load",
    "needs",
    "rateable",
    "rating_list",
    "tables",
]  # fmt: skip
