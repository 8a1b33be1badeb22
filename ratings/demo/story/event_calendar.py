"""Plans the days of play: a season of events in every region."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from ratings.equipment.demo import Demo, Kind, PlannedEvent

FOUNDING_APART = timedelta(days=30)


def plan_events(
    rng: random.Random, demo: Demo, *, start: date, end: date, scale: float
) -> list[PlannedEvent]:
    """Plan every event that begins and ends within these days, in order of play. `scale`: the share of the
    usual number; the demo may hold twice as many in the last weeks.
    """
    founding = list(_founding(rng, demo, start))
    start = max([start, *(plan.ends + timedelta(days=1) for plan in founding)])
    years = range(start.year, end.year + 1)
    fresh = end - timedelta(days=demo.present.fuller)
    plans = [plan for year in years for plan in _season(rng, demo, year, scale) if start <= plan.starts]
    if demo.present.fuller:
        news = [plan for year in years[-2:] for plan in _season(rng, demo, year, scale)]
        plans += [plan for plan in news if plan.kind in demo.events.kinds and fresh <= plan.starts]
    plans = [plan for plan in plans if plan.ends <= end]
    return sorted([*founding, *plans], key=lambda plan: (plan.starts, plan.ends, plan.name))


def _founding(rng: random.Random, demo: Demo, start: date) -> Iterator[PlannedEvent]:
    for place, kind in enumerate(demo.events.founding):
        region = kind.only or next(iter(demo.events.places))
        first = on_weekday(start + place * FOUNDING_APART, kind.weekday)
        yield plan_on(rng, demo, kind, region, first)


def _season(rng: random.Random, demo: Demo, year: int, scale: float) -> Iterator[PlannedEvent]:
    for region in demo.events.places:
        for kind in demo.events.kinds:
            wanted = kind.a_year * demo.events.busy.get(region, 1) * scale
            for _n in range(int(wanted) + (rng.random() < wanted % 1)):
                yield plan_event(rng, demo, kind, region, year)
    for kind in demo.events.once:
        if year % kind.every:
            continue
        yield plan_event(rng, demo, kind, kind.only or rng.choice(list(demo.events.places)), year)


def plan_event(rng: random.Random, demo: Demo, kind: Kind, region: str, year: int) -> PlannedEvent:
    """Plan an event of a kind in a region, on a suitable weekday in a month of the kind's, drawn by lot."""
    first = date(year, rng.choice(kind.months), rng.randint(1, 28))
    return plan_on(rng, demo, kind, region, on_weekday(first, kind.weekday))


def plan_on(
    rng: random.Random,
    demo: Demo,
    kind: Kind,
    region: str,
    first: date,
    place: str = "",
    variant: Mapping[str, Any] | None = None,
) -> PlannedEvent:
    """Plan an event whose first day is `first`; a place or variant that is not given is drawn from the kind's
    own.
    """
    days = tuple(first + timedelta(days=kind.apart * day) for day in range(kind.days))
    place = place or rng.choice(kind.places or demo.events.places[region])
    chosen = variant or rng.choice(kind.variants)
    return PlannedEvent(
        kind,
        kind.name.format(place=place, year=days[-1].year, epithet=rng.choice(demo.events.epithets)),
        region,
        place,
        days,
        {**chosen, **demo.events.of_day(days[-1])},
    )


def on_weekday(day: date, weekday: int) -> date:
    """Return that day, or the next one of that weekday."""
    return day + timedelta(days=(weekday - day.weekday()) % 7)


def numbered(plans: Sequence[PlannedEvent]) -> Iterator[tuple[str, PlannedEvent]]:
    """Each planned event behind its number (`2024-017`), counted by year."""
    of_year: dict[int, int] = {}
    for plan in plans:
        year = plan.starts.year
        of_year[year] = of_year.get(year, 0) + 1
        yield f"{year}-{of_year[year]:03}", plan
