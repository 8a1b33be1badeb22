"""When it is played: a season of events in every region."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from ratings.demo.kinds import BUSIEST, KINDS, LEAST_BUSY, ONCE, PLACES, TREES, Control, Kind

NEWS = timedelta(days=70)


@dataclass(frozen=True, slots=True)
class Plan:
    """An event as it is to be held."""

    kind: Kind
    name: str
    region: str
    place: str
    days: tuple[date, ...]
    control: Control

    @property
    def starts(self) -> date:
        return self.days[0]

    @property
    def ends(self) -> date:
        return self.days[-1]


def plan_events(rng: random.Random, *, start: date, end: date, scale: float) -> list[Plan]:
    """Every event that begins and ends within these days, in order of play; the last weeks are fuller."""
    years = range(start.year, end.year + 1)
    fresh = end - NEWS
    plans = [plan for year in years for plan in _season(rng, year, scale) if start <= plan.starts]
    news = [plan for year in years[-2:] for plan in _season(rng, year, scale) if fresh <= plan.starts]
    plans += [plan for plan in news if plan.kind in KINDS]
    plans = [plan for plan in plans if plan.ends <= end]
    return sorted(plans, key=lambda plan: (plan.starts, plan.ends, plan.name))


def _season(rng: random.Random, year: int, scale: float) -> Iterator[Plan]:
    for region in PLACES:
        for kind in KINDS:
            wanted = kind.a_year * BUSIEST.get(region, LEAST_BUSY) * scale
            for _n in range(int(wanted) + (rng.random() < wanted % 1)):
                yield plan_event(rng, kind, region, year)
    for kind in ONCE:
        yield plan_event(rng, kind, kind.only or rng.choice(list(PLACES)), year)


def plan_event(rng: random.Random, kind: Kind, region: str, year: int) -> Plan:
    """One event on some day of that year that suits it."""
    first = date(year, rng.choice(kind.months), rng.randint(1, 28))
    first += timedelta(days=(kind.weekday - first.weekday()) % 7)
    days = tuple(first + timedelta(days=kind.apart * day) for day in range(kind.days))
    place = "Gaborone" if kind.country else rng.choice(PLACES[region])
    name = kind.name.format(place=place, year=year, tree=rng.choice(TREES))
    return Plan(kind, name, region, place, days, rng.choice(kind.control))


def numbered(plans: Sequence[Plan]) -> Iterator[tuple[str, Plan]]:
    """Each plan with its event's number, `YYYY-NNN`, as they come."""
    of_year: dict[int, int] = {}
    for plan in plans:
        year = plan.starts.year
        of_year[year] = of_year.get(year, 0) + 1
        yield f"{year}-{of_year[year]:03}", plan
