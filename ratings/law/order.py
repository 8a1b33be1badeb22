"""D-1: the orders in which journals are folded."""

from __future__ import annotations

from datetime import date

from ratings.law.facts import Fact, Opening, RatedSection


def by_rating_order(fact: Fact) -> int:
    """D-1: the order in which the office took the facts in."""
    return fact.number


def by_order_of_play(fact: Fact) -> int:
    """D-1: section end date, then start date, then the order in which the office rated.

    One whole number of 63 bits, so that a database sorts it as the core does: the day of the end (20 bits),
    how long ago it began (12 bits, the longest first), the number (31 bits). Openings are where the record
    starts, before everything; other facts stand by their own day.
    """
    if isinstance(fact, RatedSection):
        ends, starts = fact.section.ends, fact.section.starts
    elif isinstance(fact.fact, Opening):
        return fact.number
    else:
        ends = starts = getattr(fact.fact, "on", date.min)
    length = (ends - starts).days
    return (ends.toordinal() << 43) | ((4095 - length) << 31) | fact.number
