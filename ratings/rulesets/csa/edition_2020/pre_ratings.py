"""§16, §36, §58, §59: pre-ratings: the ratings at which players without a rating are taken."""

from __future__ import annotations

from decimal import Decimal

from ratings.law.facts import Entry, RatedSection, Section
from ratings.rulesets.csa.edition_2020.tracks import abroad

PRE_RATINGS = (
    # age to, open, female
    (6, 400, 200),  # §59.1
    (8, 500, 300),  # §59.2
    (10, 600, 400),  # §59.3
    (12, 700, 500),  # §59.4
    (14, 800, 600),  # §59.5
    (16, 900, 700),  # §59.6
    (18, 1000, 800),  # §59.7
    (20, 1100, 900),  # §59.8
)
ADULT = (1200, 1000)  # §59.9
PRE_VALUES = tuple(sorted({*ADULT, *(value for _age, *row in PRE_RATINGS for value in row)}))
"""The values that a pre-rating can have."""
UNSTATED = ADULT[0]
"""D-CSA-19: the pre-rating of somebody of whom none was ever stated."""


def pre_rating_of(born: int | None, sex: str | None, section: Section) -> int:
    """§16 §58: the pre-rating in a section of somebody born in that year; None: not known (D-CSA-19)."""
    return pre_rating(None if born is None else section.starts.year - born, sex)


def pre_rating(age: int | None, sex: str | None) -> int:
    """§59: the pre-rating by age and sex; for what is not known, Adult, first column (D-CSA-5)."""
    column = 1 if sex == "f" else 0
    if age is not None:
        for age_to, *row in PRE_RATINGS:
            if age <= age_to:
                return row[column]
    return ADULT[column]


def pre_of(fact: RatedSection, entry: Entry) -> int:
    """§58: an entrant's pre-rating: the one in the entry, else the last one stated before (D-CSA-19)."""
    return fact.pres.get(entry.player, UNSTATED) if entry.pre is None else entry.pre


def stand_in(fact: RatedSection, entry: Entry) -> Decimal:
    """§36 §58: the rating at which an entrant without a rating is taken: the pre-rating; abroad, the one in
    the file (D-CSA-6).
    """
    if entry.rating and abroad(fact.section):
        return Decimal(entry.rating)
    return Decimal(pre_of(fact, entry))
