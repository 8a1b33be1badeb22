"""The regulations in force from 1 July 2020, clause by clause.

`play` reads a section, `conduct` tallies it, `formulas` are the formulas, `rating` puts them together;
`working` and `lines` tell the same to a reader, `lists` is what is shown. `acceptance` says what may be
rated, with `particulars`, `officials` and `days` for what else a filing needs.
"""

from __future__ import annotations

from ratings.rulesets.csa.edition_2020.acceptance import FORMATS, check, unrateable
from ratings.rulesets.csa.edition_2020.grand_prix import counts, section_performances
from ratings.rulesets.csa.edition_2020.lists import answers, rating_list, tables
from ratings.rulesets.csa.edition_2020.play import HOME, tracks_of
from ratings.rulesets.csa.edition_2020.rating import apply, needs, performances
from ratings.rulesets.csa.edition_2020.working import explain

__all__ = [
    "FORMATS",
    "HOME",
    "NOT_COMPUTED",
    "answers",
    "apply",
    "check",
    "counts",
    "explain",
    "needs",
    "performances",
    "rating_list",
    "section_performances",
    "tables",
    "tracks_of",
    "unrateable",
]

OFFICE = "the office's own pages see to it, not the rules of rating"
CONFIRMED = "no program can know it: the region confirms it when it submits a section"
WORDS = "defines words; nothing to compute"

NOT_COMPUTED = {
    "2": WORDS,
    "3": WORDS,
    **dict.fromkeys(("4", "4.1", "4.2", "4.3", "4.4"), WORDS),
    **dict.fromkeys(("5", "5.1", "5.2", "5.3", "5.4", "5.5", "5.6", "5.7"), WORDS),
    "7": CONFIRMED,
    "11": OFFICE,
    "12": OFFICE,
    "21": "the record holds one time control for both players of a game",
    "63": "un-rating takes the section out of the journal and folds again, in every federation (D-2)",
    "64": OFFICE,
    "D-CSA-4": "about the printed examples; the tests show them beside the exact values",
    "D-CSA-21": "settled by the readers of event files, before the record is made",
}
"""Clauses that no formula here cites, and why."""
