"""The regulations in force from 1 July 2020, as functions."""

from ratings.rulesets.csa.edition_2020.acceptance import check
from ratings.rulesets.csa.edition_2020.rating import (
    answers,
    apply,
    compute_performances,
    measure,
    needs,
    rating_list,
    tables,
)
from ratings.rulesets.csa.edition_2020.working import explain

__all__ = [
    "answers",
    "apply",
    "check",
    "compute_performances",
    "explain",
    "measure",
    "needs",
    "rating_list",
    "tables",
]
