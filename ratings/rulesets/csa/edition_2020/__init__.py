"""The regulations in force from 1 July 2020, clause by clause.

`tracks` and `pre_ratings` read a section, `section_tally` counts it, `formulas` are the formulas, `rating`
puts them together; `working` tells the same to a reader, `lists` is what is shown. `acceptance` says what may
be rated, with `required_particulars`, `officials` and `submission_days` for what else a filing needs.
"""

from __future__ import annotations

from ratings.rulesets.csa.edition_2020.acceptance import FORMATS, REQUIREMENTS, check, unrateable
from ratings.rulesets.csa.edition_2020.formulas import expected_of
from ratings.rulesets.csa.edition_2020.lists_and_tables import (
    SHOWN_DECIMALS,
    answers,
    listed_steps,
    rating_list,
    tables,
)
from ratings.rulesets.csa.edition_2020.performance_tables import counts, section_performances
from ratings.rulesets.csa.edition_2020.pre_ratings import PRE_VALUES, pre_rating_of
from ratings.rulesets.csa.edition_2020.rating import apply, needs, performances
from ratings.rulesets.csa.edition_2020.section_tally import SCORING
from ratings.rulesets.csa.edition_2020.submission_days import deadlines
from ratings.rulesets.csa.edition_2020.tracks import HOME, tracks_of
from ratings.rulesets.csa.edition_2020.working.explain import collected, explain

__all__ = [
    "FORMATS",
    "HOME",
    "PRE_VALUES",
    "REQUIREMENTS",
    "SCORING",
    "SHOWN_DECIMALS",
    "answers",
    "apply",
    "check",
    "collected",
    "counts",
    "deadlines",
    "expected_of",
    "explain",
    "listed_steps",
    "needs",
    "performances",
    "pre_rating_of",
    "rating_list",
    "section_performances",
    "tables",
    "tracks_of",
    "unrateable",
]
