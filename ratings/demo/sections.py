"""A planned event played out: who enters each section, and the section as the journal writes it."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from heapq import nsmallest

from ratings.demo import play
from ratings.demo.calendar import Plan
from ratings.demo.kinds import Group
from ratings.demo.people import HOME, Person
from ratings.rulesets import facts

FEWEST = {"swiss": 8, "double-round-robin": 4}
FEWEST_OTHERS = 6
TEAMS = ("Knights", "Rooks", "Bishops", "Pawns", "Gambits", "Castles")
LEVEL = 90
"""How far two people's strength is told apart by whoever seeds them."""


@dataclass(slots=True)
class Crowd:
    """Everybody who could enter, by region."""

    people: Sequence[Person]
    start: date
    locals: dict[str, list[Person]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for person in self.people:
            self.locals.setdefault(person.region, []).append(person)

    def strength(self, person: Person, on: date) -> float:
        return person.strength((on - self.start).days)

    def draw(self, rng: random.Random, plan: Plan, group: Group, size: int) -> list[Person]:
        """So many who may enter a section, those with zeal first; some from other regions."""
        on = plan.starts
        visitors = round(size * plan.kind.visitors)
        own = [p for p in self.locals.get(plan.region, ()) if self._may_enter(p, group, on)]
        chosen = _drawn(rng, own, size - visitors)
        here = {person.number for person in chosen}
        pool = self.people if len(self.people) < 900 else rng.sample(self.people, 900)
        others = [p for p in pool if p.number not in here and self._may_enter(p, group, on)]
        return chosen + _drawn(rng, others, size - len(chosen))

    def _may_enter(self, person: Person, group: Group, on: date) -> bool:
        if person.joined > on or not group.youngest <= on.year - person.birth.year <= group.oldest:
            return False
        if "girls" in group.name and person.sex != "f":
            return False
        return group.above <= self.strength(person, on) < group.below

    def draw_abroad(self, rng: random.Random, plan: Plan, size: int) -> list[Person]:
        """A delegation, and whoever is at home there."""
        strong = Group("", youngest=12, above=1300)
        foreign = [p for p in self.locals.get("", ()) if p.joined <= plan.starts]
        chosen = _drawn(rng, foreign, size * 2 // 3)
        home = [p for p in self.people if p.nation == HOME and self._may_enter(p, strong, plan.starts)]
        return chosen + _drawn(rng, home, size - len(chosen))


def _drawn(rng: random.Random, people: Iterable[Person], count: int) -> list[Person]:
    """Without putting back, by zeal."""
    drawn = [(-math.log(1 - rng.random()) / person.zeal, person.number, person) for person in people]
    return [person for _key, _number, person in nsmallest(max(0, count), drawn)]


def play_event(rng: random.Random, crowd: Crowd, number: str, plan: Plan) -> Iterator[facts.Section]:
    """The sections of one event, as they ended; those for which too few came were not held."""
    busy: set[str] = set()
    letters = iter("ABCDEF")
    for group in plan.kind.groups:
        entrants = [person for person in _entrants(rng, crowd, plan, group) if person.number not in busy]
        if len(entrants) < FEWEST.get(plan.kind.format, FEWEST_OTHERS):
            continue
        busy |= {person.number for person in entrants}
        yield play_section(rng, crowd, f"{number}/{next(letters)}", plan, group.name, entrants)


def _entrants(rng: random.Random, crowd: Crowd, plan: Plan, group: Group) -> list[Person]:
    size = rng.randint(*plan.kind.size)
    if plan.kind.format != "swiss":
        size -= size % 2
    if plan.kind.country:
        return crowd.draw_abroad(rng, plan, size)
    return crowd.draw(rng, plan, group, size)


def play_section(
    rng: random.Random,
    crowd: Crowd,
    id_: str,
    plan: Plan,
    name: str,
    entrants: list[Person],
    *,
    calm: bool = False,
) -> facts.Section:
    """One section from its first to its last round. `calm`: nobody stays away."""
    kind = plan.kind
    if kind.boards:
        del entrants[len(entrants) - len(entrants) % (2 * kind.boards) :]
        rng.shuffle(entrants)
    elif kind.format == "scheveningen":
        del entrants[len(entrants) - len(entrants) % 2 :]
        entrants.sort(key=lambda person: person.region != plan.region)
    else:
        entrants.sort(key=lambda p: -crowd.strength(p, plan.starts) + rng.gauss(0, LEVEL))
    strengths = [max(100.0, crowd.strength(person, plan.starts)) for person in entrants]
    hall = play.Hall(rng, strengths, rounds_of(rng, plan, len(entrants)), calm)
    play_out(hall, plan)
    ids = [person.number for person in entrants]
    places = {player: place for place, player in enumerate(hall.order(), start=1)}
    minutes, increment = plan.control
    return facts.Section(
        id=id_,
        event=plan.name,
        name=name,
        starts=plan.starts,
        ends=plan.ends,
        format=kind.format,
        rounds=hall.rounds,
        entries=tuple(
            facts.Entry(
                player=person.number,
                place=places[start_number],
                rating=round(strengths[start_number - 1]) if kind.country else None,
                team=_team(plan, start_number, len(entrants)),
                left=hall.left.get(start_number),
            )
            for start_number, person in enumerate(entrants, start=1)
        ),
        games=play.games_of(hall, ids),
        byes=play.byes_of(hall, ids),
        country=kind.country or None,
        team=bool(kind.boards) or kind.format == "scheveningen",
        time_controls=(facts.TimeControl((Decimal(minutes),), Decimal(increment)),),
        platform=kind.platform,
        disabled=kind.disabled,
    )


def rounds_of(rng: random.Random, plan: Plan, players: int) -> int:
    """As many as the format has for so many players."""
    everybody = players - 1 + players % 2
    if plan.kind.format == "double-round-robin":
        return 2 * everybody
    if plan.kind.boards:
        return players // plan.kind.boards - 1
    if plan.kind.format == "scheveningen":
        return players // 2
    return everybody if plan.kind.format == "round-robin" else min(rng.choice(plan.kind.rounds), players - 2)


def play_out(hall: play.Hall, plan: Plan) -> None:
    if plan.kind.boards:
        play.play_teams(hall, plan.kind.boards)
    elif plan.kind.format == "scheveningen":
        play.play_scheveningen(hall)
    elif plan.kind.format == "swiss":
        play.play_swiss(hall)
    else:
        play.play_round_robin(hall, twice=plan.kind.format == "double-round-robin")


def _team(plan: Plan, start_number: int, players: int) -> str | None:
    if plan.kind.boards:
        return f"{plan.place} {TEAMS[(start_number - 1) // plan.kind.boards]}"
    if plan.kind.format == "scheveningen":
        return plan.place if start_number <= players // 2 else "Guests"
    return None


def round_days(plan: Plan, rounds: int) -> list[date]:
    return [plan.days[day] for day in play.spread(len(plan.days), rounds)]
