"""Invents players in every region and from abroad, some of whom begin while the record runs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from ratings.equipment.demo import Demo, Person, Pool, Population
from ratings.law import facts
from ratings.law.ruleset import Ruleset

MOST_ZEAL = 16.0
GROWN_UP = 21
SECOND_NAME = 0.15
BEFORE = 2500
"""The most days before the record's start since when a player may have been there."""


def invent_people(rng: random.Random, demo: Demo, *, start: date, today: date, scale: float) -> list[Person]:
    """Invent a demo's players, sorted by number: who began to play earlier has the lower one."""
    who = demo.population
    count = max(who.fewest, round(who.players * scale))
    regions = rng.choices(list(who.shares), list(who.shares.values()), k=count)
    people = [_player(rng, demo, region, start, today) for region in regions]
    if who.abroad:
        foreigners = max(who.fewest_foreigners, round(who.foreigners * scale))
        people += [_foreigner(rng, demo, start) for _n in range(foreigners)]
    people.sort(key=lambda person: person.joined)
    for number, person in enumerate(_distinct(people), start=who.first_number):
        person.number = str(number)
    who.finish(rng, people, start)
    for person in rng.sample([p for p in people if p.joined < start and p.region], who.withheld):
        person.withheld = True
    salts = random.Random(f"salts {start} {today}")
    for person in people:  # the same day tells the same story; a real office's salts are nobody's to foresee
        person.salt = salts.randbytes(16).hex()
    return people


def particulars(person: Person, ruleset: Ruleset) -> facts.Player:
    """The fact of a player's line in the journal; keys that the ruleset does not read are left out when it is
    written.
    """
    return facts.Player(
        id=person.number,
        name=person.name,
        salt=person.salt,
        nation=person.nation,
        region=person.region or None,
        resident=person.resident,
        included_by=person.included_by or None,
    )


def _distinct(people: Sequence[Person]) -> Iterator[Person]:
    """Yield the people, some with another year of birth, so that no two share it and a name: the matching
    would take two such for one.
    """
    seen: set[tuple[str, int]] = set()
    for person in people:
        while (person.name, person.birth.year) in seen:
            person.birth = person.birth.replace(year=person.birth.year - 1, day=min(person.birth.day, 28))
        seen.add((person.name, person.birth.year))
        yield person


def _player(rng: random.Random, demo: Demo, region: str, start: date, today: date) -> Person:
    who = demo.population
    languages = who.languages[region]
    pool = who.pools[rng.choices(list(languages), list(languages.values()))[0]]
    age = who.ages(rng)
    sex = "f" if rng.random() < who.women(age) else "m"
    surname, first_name = draw_name(rng, pool, sex)
    joined = _joined(rng, who, age, start, today)
    base, growth = who.strength(rng, age, sex)
    if joined >= start and age >= GROWN_UP:
        base = max(demo.population.lowest, base - who.beginners_lack)
    keen = base > who.keen
    zeal = min(MOST_ZEAL, rng.lognormvariate(0, 1.2)) * (1.5 if age < GROWN_UP or keen else 1)
    return Person(
        number="",
        surname=surname,
        first_name=first_name,
        sex=sex,
        birth=_birth(rng, start.year - age),
        nation=demo.home,
        region=region,
        joined=joined,
        base=base,
        growth=growth,
        zeal=max(2.0, zeal) if keen else zeal,
    )


def _foreigner(rng: random.Random, demo: Demo, start: date) -> Person:
    nation = rng.choice(list(demo.population.abroad))
    sex = "f" if rng.random() < 0.2 else "m"
    surname, first_name = draw_name(rng, demo.population.abroad[nation], sex)
    birth = _birth(rng, start.year - rng.randint(14, 55))
    joined = start - timedelta(days=rng.randint(1, 900))
    mean, spread, most = demo.population.foreign
    base = min(most, rng.gauss(mean, spread))
    return Person("", surname, first_name, sex, birth, nation, "", joined, base, 0, 1.0)


def draw_name(rng: random.Random, pool: Pool, sex: str) -> tuple[str, str]:
    """Draw a surname and first name from a pool; in some languages now and then two first names."""
    firsts = pool.women if sex == "f" else pool.men
    first = rng.choice(firsts)
    if pool.second_names and rng.random() < SECOND_NAME and (second := rng.choice(firsts)) != first:
        first = f"{first} {second}"
    surnames = pool.of_women if sex == "f" and pool.of_women else pool.surnames
    return rng.choice(surnames), first


def _birth(rng: random.Random, year: int) -> date:
    return date(year, 1, 1) + timedelta(days=rng.randrange(365))


def _joined(rng: random.Random, who: Population, age: int, start: date, today: date) -> date:
    if rng.random() < who.there(age):
        return start - timedelta(days=rng.randint(1, BEFORE))
    return start + timedelta(days=rng.randrange(max(1, (today - start).days)))
