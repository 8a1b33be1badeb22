"""The two orders in which rulesets fold facts, each as a key to sort by (D-1)."""

from __future__ import annotations

from datetime import date

from ratings.law.facts import Fact, Opening, RatedSection

MOST_DAYS_OF_A_SECTION = 4095
"""The most days from a section's first to its last for which the order of play has room: 12 bits."""
DAY_BITS = 43
"""The bits below the day of the end in the order of play: those of the length and of the line's number."""


def by_rating_order(fact: Fact) -> int:
    """The place of a fact in the fold where sections count in the order in which the office first rated them:
    its line's number, of a section that of its first `rated` line (D-1, D-2).
    """
    return fact.place


def first_place_of(day: date) -> int:
    """The first place in the order of play for what ended on a day: after everything that ended before it."""
    return day.toordinal() << DAY_BITS


def by_order_of_play(fact: Fact) -> int:
    """The place of a fact in the fold where sections count in the order of play: by their end, then their
    start, then the order in which the office first rated (D-1, D-2).

    One whole number of 63 bits, so that a database sorts it as the core does: the day of the end (20 bits),
    the length in days (12 bits, the longest first), the number (31 bits). Openings come before everything, as
    the record starts there; other facts are placed by their own day.
    """
    if isinstance(fact, RatedSection):
        ends, starts = fact.section.ends, fact.section.starts
    elif isinstance(fact.fact, Opening):
        return fact.place
    else:
        ends = starts = getattr(fact.fact, "on", date.min)
    length = (ends - starts).days
    return first_place_of(ends) | ((MOST_DAYS_OF_A_SECTION - length) << 31) | fact.place
