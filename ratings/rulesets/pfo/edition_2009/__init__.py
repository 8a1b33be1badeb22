"""The regulations in force from 12 December 2009, clause by clause.

`point_tables` are numbers, `rating` folds with them, `season_points` and `qualification` are the
season's; `working`
tells the same to a reader, `acceptance` says what may be rated, `lists` what is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from ratings.law.facts import PlayerId, RatedSection, State
from ratings.rulesets.pfo.edition_2009.acceptance import FORMATS, REQUIREMENTS, check, unrateable
from ratings.rulesets.pfo.edition_2009.lists_and_tables import (
    answers,
    listed_steps,
    rating_list,
    tables,
)
from ratings.rulesets.pfo.edition_2009.rating import annotate, apply, needs
from ratings.rulesets.pfo.edition_2009.season_points import HOME, TRACK
from ratings.rulesets.pfo.edition_2009.working import explain
from ratings.rulesets.pfo.law.standing import PfoStanding

__all__ = [
    "FORMATS",
    "HOME",
    "REQUIREMENTS",
    "TRACK",
    "annotate",
    "answers",
    "apply",
    "check",
    "explain",
    "listed_steps",
    "needs",
    "performances",
    "rating_list",
    "tables",
    "unrateable",
]


def performances(state: State[PfoStanding], fact: RatedSection, track: str) -> Mapping[PlayerId, Decimal]:
    """No performances: the text knows none."""
    return {}
