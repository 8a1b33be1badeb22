"""Plays a planned event out: who enters each section, and the section as the journal writes it."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from heapq import nsmallest
from typing import Any

from ratings.demo.story import formats_of_play, simulate_games
from ratings.equipment.demo import Demo, EntryGroup, Person, PlannedEvent
from ratings.law import facts
from ratings.law.ruleset import Ruleset

FEWEST = {"swiss": 8, "double-round-robin": 4, "match": 2}
FEWEST_OTHERS = 6
LOOKED_AT = 900
LEVEL = 90
"""The spread, in points, of organisers' error about players' strength when they seed them."""


@dataclass(slots=True)
class EntrantPool:
    """The people from whom sections draw their entrants, and the demo whose rules they play by."""

    ruleset: Ruleset
    demo: Demo
    people: Sequence[Person]
    start: date
    locals: dict[str, list[Person]] = field(default_factory=dict)
    """The people by the code of their region; the empty code: from abroad."""

    def __post_init__(self) -> None:
        for person in self.people:
            self.locals.setdefault(person.region, []).append(person)

    def strength(self, person: Person, on: date) -> float:
        return max(self.demo.population.lowest, person.strength((on - self.start).days))

    def draw(self, rng: random.Random, plan: PlannedEvent, group: EntryGroup, size: int) -> list[Person]:
        """Draw up to `size` people who may enter a section, the keen more often; some from abroad or other
        regions.
        """
        foreign = [p for p in self.locals.get("", ()) if p.joined <= plan.starts]
        guests = _drawn(rng, foreign, round(size * plan.kind.foreign))
        here, on, size = {guest.number for guest in guests}, plan.starts, size - len(guests)
        visitors = round(size * plan.kind.visitors)
        own = [p for p in self.locals.get(plan.region, ()) if self._may_enter(p, group, on)]
        chosen = _drawn(rng, own, size - visitors)
        here |= {person.number for person in chosen}
        pool = self.people if len(self.people) < LOOKED_AT else rng.sample(self.people, LOOKED_AT)
        if plan.kind.foreign:
            pool = [person for person in pool if person.region]
        others = [p for p in pool if p.number not in here and self._may_enter(p, group, on)]
        return [*guests, *chosen, *_drawn(rng, others, size - len(chosen))]

    def _may_enter(self, person: Person, group: EntryGroup, on: date) -> bool:
        if person.joined > on or not group.youngest <= on.year - person.birth.year <= group.oldest:
            return False
        if group.women and person.sex != "f":
            return False
        return group.above <= self.strength(person, on) < group.below


def _drawn(rng: random.Random, people: Iterable[Person], count: int) -> list[Person]:
    """Draw people by lot, nobody twice, the keen (`zeal`) more often."""
    drawn = [(-math.log(1 - rng.random()) / person.zeal, person.number, person) for person in people]
    return [person for _key, _number, person in nsmallest(max(0, count), drawn)]


def play_event(
    rng: random.Random, pool: EntrantPool, number: str, plan: PlannedEvent
) -> Iterator[facts.Section]:
    """Play the sections of an event and yield each as it ended, named `NUMBER/A`, `NUMBER/B` …; one for which
    too few came is not held.
    """
    busy: set[str] = set()
    letters = iter("ABCDEF")
    for group in plan.kind.groups:
        entrants = [person for person in _entrants(rng, pool, plan, group) if person.number not in busy]
        if len(entrants) < FEWEST.get(plan.kind.format, FEWEST_OTHERS):
            continue
        busy |= {person.number for person in entrants}
        yield play_section(rng, pool, f"{number}/{next(letters)}", plan, group.name, entrants)


def _entrants(rng: random.Random, pool: EntrantPool, plan: PlannedEvent, group: EntryGroup) -> list[Person]:
    size = rng.randint(*plan.kind.size)
    if plan.kind.format not in ("swiss", "placement"):
        size -= size % 2
    return pool.draw(rng, plan, group, size)


def play_section(
    rng: random.Random,
    pool: EntrantPool,
    id_: str,
    plan: PlannedEvent,
    name: str,
    entrants: list[Person],
    *,
    calm: bool = False,
) -> facts.Section:
    """Play one section with these entrants from its first to its last round, as a fact for the journal.
    `calm`: nobody stays away.
    """
    kind = plan.kind
    _seat(rng, pool, plan, entrants)
    strengths = [pool.strength(person, plan.starts) for person in entrants]
    hall = _hall(rng, pool, plan, strengths, calm=calm)
    places = formats_of_play.play_out(hall, kind)
    ids = [person.number for person in entrants]
    rated_there = bool(kind.country) and "rating" in pool.ruleset.journal.reads
    return facts.Section(
        id=id_,
        event=plan.name,
        name=name,
        starts=plan.starts,
        ends=plan.ends,
        format=kind.format,
        rounds=hall.rounds,
        entries=_entries(pool, plan, entrants, places, strengths if rated_there else None, hall.left),
        games=simulate_games.games_of(hall, ids),
        byes=simulate_games.byes_of(hall, ids),
        country=kind.country or None,
        team=bool(kind.boards) or kind.format == "scheveningen",
        **journal_particulars(pool.ruleset, plan),
    )


def _hall(
    rng: random.Random, pool: EntrantPool, plan: PlannedEvent, strengths: list[float], *, calm: bool
) -> simulate_games.SectionInPlay:
    return simulate_games.SectionInPlay(
        rng,
        strengths,
        formats_of_play.rounds_of(rng, plan.kind, len(strengths)),
        pool.demo.result,
        calm=calm,
        excuses="excused" in pool.ruleset.journal.reads,
        replays=plan.kind.replays,
        annulled=plan.kind.annulled,
        scoring=pool.ruleset.edition_of_day(plan.starts).scoring,
    )


def _entries(
    pool: EntrantPool,
    plan: PlannedEvent,
    entrants: list[Person],
    places: Mapping[int, int],
    ratings: list[float] | None,
    left: Mapping[int, facts.Left],
) -> tuple[facts.Entry, ...]:
    """Write who entered, by starting number, with their places; `ratings` where the file states them."""
    women_play = plan.particulars.get("status") in pool.ruleset.sections.women_play_in
    return tuple(
        facts.Entry(
            player=person.number,
            place=places[start_number],
            rating=round(ratings[start_number - 1]) if ratings else None,
            women=person.sex == "f" and women_play,
            team=_team(pool.demo, plan, start_number, len(entrants)),
            left=left.get(start_number),
        )
        for start_number, person in enumerate(entrants, start=1)
    )


def journal_particulars(ruleset: Ruleset, plan: PlannedEvent) -> dict[str, Any]:
    """The planned particulars of a section that the journal holds; the other ones are for
    acceptance alone.
    """
    names = {field.name for field in ruleset.sections.fields}
    return {name: value for name, value in plan.particulars.items() if name in names}


def _seat(rng: random.Random, pool: EntrantPool, plan: PlannedEvent, entrants: list[Person]) -> None:
    """Sort entrants into the order of starting numbers and strike those whom the format has no room for, in
    place.
    """
    kind = plan.kind
    if kind.boards:
        del entrants[len(entrants) - len(entrants) % (2 * kind.boards) :]
        rng.shuffle(entrants)
    elif kind.format == "scheveningen":
        del entrants[len(entrants) - len(entrants) % 2 :]
        entrants.sort(key=lambda person: person.region != plan.region)
    else:
        entrants.sort(key=lambda p: -pool.strength(p, plan.starts) + rng.gauss(0, LEVEL))
        if kind.format == "knockout":
            del entrants[formats_of_play.bracket(len(entrants)) :]


def _team(demo: Demo, plan: PlannedEvent, start_number: int, players: int) -> str | None:
    if plan.kind.boards:
        return f"{plan.place} {demo.events.teams[(start_number - 1) // plan.kind.boards]}"
    if plan.kind.format == "scheveningen":
        return plan.place if start_number <= players // 2 else "Guests"
    return None


def round_days(plan: PlannedEvent, rounds: int) -> list[date]:
    return [plan.days[day] for day in spread(len(plan.days), rounds)]


def spread(days: int, rounds: int) -> list[int]:
    """The day, from 0, of each round: as even as possible, the early days fuller."""
    return [day for day in range(days) for _n in range(rounds // days + (day < rounds % days))]
