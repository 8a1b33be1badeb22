"""The rating system of Czech piškvorky, undated, clause by clause.

`formulas` are the formulas and the table, `rating` puts them together; `working` tells the same to a reader,
`acceptance` says what is odd in a section, `lists` what is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from ratings.law.facts import PlayerId, RatedSection, Section, State
from ratings.rulesets.piskvorky.edition_undated.acceptance import FORMATS, REQUIREMENTS, check
from ratings.rulesets.piskvorky.edition_undated.lists_and_tables import (
    answers,
    listed_steps,
    rating_list,
    tables,
)
from ratings.rulesets.piskvorky.edition_undated.rating import TRACK, apply, needs
from ratings.rulesets.piskvorky.edition_undated.working import collected, explain
from ratings.rulesets.piskvorky.law.standing import PiskvorkyStanding

__all__ = [
    "FORMATS",
    "REQUIREMENTS",
    "TRACK",
    "answers",
    "apply",
    "check",
    "collected",
    "explain",
    "listed_steps",
    "needs",
    "performances",
    "rating_list",
    "tables",
    "tracks_of",
]


def tracks_of(section: Section) -> tuple[str, ...]:
    """§1: the tracks that a section moves: the only one there is."""
    return (TRACK,)


def performances(
    state: State[PiskvorkyStanding], fact: RatedSection, track: str
) -> Mapping[PlayerId, Decimal]:
    """No performances: the text knows none."""
    return {}
