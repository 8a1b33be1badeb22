"""The effect of rated sections in two figures each: how many ratings they moved, and by how much at most."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from ratings.journal.models import Fact
from ratings.results.models import Change
from tournaments.events.models import Section


class RatedEffect(NamedTuple):
    """The ratings that a section moved, first ones among them, and the most points gained or lost."""

    moves: int
    most: Decimal | None
    """None: no rating that was there before moved."""


def effects_of(sections: Iterable[Section]) -> dict[int, RatedEffect]:
    """The effect of each rated section, by its key; none while its ratings are worked out."""
    keys = [section.pk for section in sections]
    facts = Fact.objects.filter(section__in=keys, kind="rated").in_force()
    changes = Change.objects.filter(fact__in=facts).values_list(
        "fact__section_id", "before", "after", "points"
    )
    moved: defaultdict[int, list[Decimal]] = defaultdict(list)
    for section, before, after, points in changes:
        if points or (before is None and after is not None):
            moved[section].append(abs(points or Decimal(0)))
    return {section: RatedEffect(len(each), max(each) or None) for section, each in moved.items()}
