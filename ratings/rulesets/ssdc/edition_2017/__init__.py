"""The regulations of 27 January 2017, as amended to 12 October 2018, clause by clause.

`rated_games` rates games one by one, `ranks` are the sports ranks, `categories` the worth of a tournament;
`rating` puts together what a fact does, `working` tells it, `acceptance` says what may be rated, `lists`
what is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from ratings.law.facts import PlayerId, RatedSection, State
from ratings.rulesets.ssdc.edition_2017.acceptance import (
    FORMATS,
    REQUIREMENTS,
    check,
    deadlines,
    unrateable,
)
from ratings.rulesets.ssdc.edition_2017.apply_facts import apply, needs
from ratings.rulesets.ssdc.edition_2017.category_by_conditions import (
    CATEGORIES,
    FRIENDLY,
    Conditions,
    category_of,
)
from ratings.rulesets.ssdc.edition_2017.lists_and_tables import (
    answers,
    extract,
    listed_steps,
    rank_steps,
    rating_list,
    tables,
)
from ratings.rulesets.ssdc.edition_2017.ranks import RANKS, holders, proposals
from ratings.rulesets.ssdc.edition_2017.rate_games import tracks_of
from ratings.rulesets.ssdc.edition_2017.working import explain
from ratings.rulesets.ssdc.law.standing import SsdcStanding

__all__ = [
    "CATEGORIES",
    "FORMATS",
    "FRIENDLY",
    "RANKS",
    "REQUIREMENTS",
    "Conditions",
    "answers",
    "apply",
    "category_of",
    "check",
    "deadlines",
    "explain",
    "extract",
    "holders",
    "listed_steps",
    "needs",
    "performances",
    "proposals",
    "rank_steps",
    "rating_list",
    "tables",
    "tracks_of",
    "unrateable",
]


def performances(state: State[SsdcStanding], fact: RatedSection, track: str) -> Mapping[PlayerId, Decimal]:
    """No performances: the text knows none."""
    return {}
