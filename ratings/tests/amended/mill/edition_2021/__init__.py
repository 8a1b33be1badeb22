"""The mill's rules as amended in 2021: a won game brings more (§2), a clean sweep brings pins (§3, new), and
what were §§3 to 5 are §§4 to 6. The rest is as it was.
"""

from __future__ import annotations

from ..edition_1990 import needs, performances, rating_list
from .pins import apply, explain
from .reports import answers, check, tables
from .score import SCORING

__all__ = [
    "SCORING", "answers", "apply", "check", "explain", "needs", "performances", "rating_list", "tables",
]  # fmt: skip
