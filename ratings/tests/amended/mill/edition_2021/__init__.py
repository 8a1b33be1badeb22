"""The mill's rules as amended in 2021: a won game brings more (§2), a clean sweep brings pins (§3, new), and
what were §§3 to 5 are §§4 to 6. The rest is as it was.
"""

from __future__ import annotations

from ratings.tests.amended.mill.edition_2021.pins import apply, explain
from ratings.tests.amended.mill.edition_2021.reports import answers, check, tables
from ratings.tests.amended.mill.edition_2021.score import SCORING
from ratings.tests.sixth.morris import compute_performances, needs, rating_list

__all__ = [
    "SCORING",
    "answers",
    "apply",
    "check",
    "compute_performances",
    "explain",
    "needs",
    "rating_list",
    "tables",
]  # fmt: skip
