"""The regulations of 27 January 2017, as amended to 12 October 2018, clause by clause.

`play` rates the games one by one, `ranks` are the sports ranks, `categories` the worth of a tournament;
`rating` puts together what a fact does, `working` tells it, `acceptance` says what may be rated, `lists`
what is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from ratings.rulesets.facts import PlayerId, RatedSection, State
from ratings.rulesets.ssdc.edition_2017.acceptance import FORMATS, check, unrateable
from ratings.rulesets.ssdc.edition_2017.categories import CATEGORIES, FRIENDLY, Conditions, category_of
from ratings.rulesets.ssdc.edition_2017.lists import answers, extract, held, rating_list, tables
from ratings.rulesets.ssdc.edition_2017.play import tracks_of
from ratings.rulesets.ssdc.edition_2017.ranks import RANKS, holders, proposals
from ratings.rulesets.ssdc.edition_2017.rating import apply, needs
from ratings.rulesets.ssdc.edition_2017.working import explain
from ratings.rulesets.ssdc.standing import Standing

__all__ = [
    "CATEGORIES",
    "FORMATS",
    "FRIENDLY",
    "NOT_COMPUTED",
    "RANKS",
    "Conditions",
    "answers",
    "apply",
    "category_of",
    "check",
    "explain",
    "extract",
    "held",
    "holders",
    "needs",
    "performances",
    "proposals",
    "rating_list",
    "tables",
    "tracks_of",
    "unrateable",
]

WORDS = "says what the words mean; nothing to compute"
PEOPLE = "who decides or acts: a matter for people"
OFFICE = "the office's own pages see to it, not the rules of rating"

NOT_COMPUTED = {
    "1.1": WORDS,
    "1.2": "which tournaments are official: the office rates those and no others",
    "1.8": PEOPLE,
    "1.8.1": "nobody can write a rating: all follow from the journal by a replay",
    "2.1": WORDS,
    "2.2": "ranks come of rated tournaments alone, as ratings do",
    "4.1.1": "the Club may divide its list by age or otherwise; it has not said how",
    "4.2.1": PEOPLE,
    "4.2.2": PEOPLE,
    "4.3.1": OFFICE,
    "4.4": OFFICE,
    "5.1": "the first day of an edition is data of the ruleset, set by whoever adds the amendment",
}
"""Clauses that no formula here cites, and why."""


def performances(state: State[Standing], fact: RatedSection, track: str) -> Mapping[PlayerId, Decimal]:
    """The text has no such figure."""
    return {}
