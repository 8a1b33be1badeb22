"""The rating system as known, undated; it holds for the whole record (D-9).

`weights` is the mean and its coefficients, `rating` admits competitions, `lists` answers for a day; `working`
tells it to a reader, `admission` says what may be admitted.
"""

from __future__ import annotations

from ratings.rulesets.mahjong.edition_undated.admission import (
    LIST_BEFORE_PLAY,
    admission,
    check,
    deadlines,
    final,
    preliminary,
    unrateable,
)
from ratings.rulesets.mahjong.edition_undated.apply_facts import HOME, TRACK, apply, needs, performances
from ratings.rulesets.mahjong.edition_undated.formulas import SPECIAL_WEIGHTS, days_of_change
from ratings.rulesets.mahjong.edition_undated.lists_and_tables import (
    SHOWN_DECIMALS,
    answers,
    counts,
    listed_steps,
    rating_list,
    rating_on,
    tables,
)
from ratings.rulesets.mahjong.edition_undated.working import explain

__all__ = [
    "HOME",
    "LIST_BEFORE_PLAY",
    "SHOWN_DECIMALS",
    "SPECIAL_WEIGHTS",
    "TRACK",
    "admission",
    "answers",
    "apply",
    "check",
    "counts",
    "days_of_change",
    "deadlines",
    "explain",
    "final",
    "listed_steps",
    "needs",
    "performances",
    "preliminary",
    "rating_list",
    "rating_on",
    "tables",
    "unrateable",
]
