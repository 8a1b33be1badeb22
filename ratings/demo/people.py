"""Invented players: from juniors who grow stronger by the month to veterans, in every region."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from ratings.demo.names import ABROAD, LANGUAGES, POOLS, draw_name
from ratings.rulesets import facts

HOME = "RSA"
FIRST_NUMBER = 101_000_001
PLAYERS = 2_700
FOREIGNERS = 60
WITHHELD = 2
MOST_ZEAL = 16.0
KEEN = 1900
"""Whoever is stronger plays often."""
BEGINNERS_LACK = 260
MASTERS, MASTER = 0.014, 2140
"""How many are much stronger than that, and how strong."""
SHARES = {
    **{"GAU": 0.27, "WCA": 0.19, "KZN": 0.17, "ECA": 0.09, "FST": 0.07},
    **{"LIM": 0.07, "MPU": 0.06, "NWE": 0.05, "NCA": 0.03},
}
JUNIORS, VETERANS = 0.52, 0.09
YOUNGEST, GROWN_UP, OLDEST = 6, 21, 79
TITLES = (("GM", 2500), ("IM", 2330), ("FM", 2200), ("CM", 2080))
WOMENS_TITLES = (("WIM", 2080), ("WFM", 1930), ("WCM", 1800))
WITH_FIDE_ID = 1500
"""Whoever is stronger has an id of FIDE's too."""
TITLED = 0.75
"""Whoever is strong enough holds the title that often."""


@dataclass(slots=True)
class Person:
    """A player with what no register knows: true strength, and how it grows."""

    number: str
    surname: str
    first_name: str
    sex: str
    birth: date
    nation: str
    region: str
    """Empty: from abroad."""
    joined: date
    """Plays from this day on; before `start`: has a rating when the record begins."""
    base: float
    """True strength at the start of the record."""
    growth: float
    """Points a year."""
    zeal: float
    """How readily they enter: 1 is common."""
    title: str = ""
    fide_id: str = ""
    withheld: bool = False
    """Asked not to be named."""

    def strength(self, days: int) -> float:
        """True strength so many days after the record's start."""
        return self.base + self.growth * days / 365

    @property
    def name(self) -> str:
        return f"{self.surname}, {self.first_name}"

    def fact(self) -> facts.Player:
        """The player's line in the journal."""
        return facts.Player(
            id=self.number,
            name="withheld" if self.withheld else self.name,
            sex=self.sex,
            born=self.birth.year,
            nation=self.nation,
            region=self.region or None,
        )


def invent_people(rng: random.Random, *, start: date, today: date, scale: float) -> list[Person]:
    """Everybody of the record, by number: who began earlier has the lower one."""
    count = max(240, round(PLAYERS * scale))
    people = [_player(rng, region, start, today) for region in _regions(rng, count)]
    people += [_foreigner(rng, start) for _n in range(max(8, round(FOREIGNERS * scale)))]
    people.sort(key=lambda person: person.joined)
    for number, person in enumerate(_distinct(people), start=FIRST_NUMBER):
        person.number = str(number)
        if person.base > WITH_FIDE_ID:
            person.fide_id = str(143 * 100_000 + number % 100_000)
    for person in rng.sample([p for p in people if p.joined < start and p.nation == HOME], WITHHELD):
        person.withheld = True
    return people


def _regions(rng: random.Random, count: int) -> Sequence[str]:
    return rng.choices(list(SHARES), list(SHARES.values()), k=count)


def _distinct(people: Sequence[Person]) -> Iterator[Person]:
    """Nobody shares name and year of birth: those two the matching would take for one."""
    seen: set[tuple[str, int]] = set()
    for person in people:
        while (person.name, person.birth.year) in seen:
            person.birth = person.birth.replace(year=person.birth.year - 1, day=min(person.birth.day, 28))
        seen.add((person.name, person.birth.year))
        yield person


def _player(rng: random.Random, region: str, start: date, today: date) -> Person:
    languages = LANGUAGES[region]
    pool = POOLS[rng.choices(list(languages), list(languages.values()))[0]]
    age = _age(rng)
    sex = "f" if rng.random() < (0.36 if age < GROWN_UP else 0.17) else "m"
    surname, first_name = draw_name(rng, pool, sex)
    joined = _joined(rng, age, start, today)
    base, growth = _strength(rng, age, sex)
    if joined >= start and age >= GROWN_UP:
        base = max(500.0, base - BEGINNERS_LACK)
    zeal = min(MOST_ZEAL, rng.lognormvariate(0, 1.2)) * (1.5 if age < GROWN_UP or base > KEEN else 1)
    person = Person(
        number="",
        surname=surname,
        first_name=first_name,
        sex=sex,
        birth=_birth(rng, start.year - age),
        nation=HOME,
        region=region,
        joined=joined,
        base=base,
        growth=growth,
        zeal=max(2.0, zeal) if base > KEEN else zeal,
    )
    person.title = _title(rng, person)
    return person


def _foreigner(rng: random.Random, start: date) -> Person:
    nation = rng.choice(list(ABROAD))
    sex = "f" if rng.random() < 0.2 else "m"
    surname, first_name = draw_name(rng, ABROAD[nation], sex)
    birth = _birth(rng, start.year - rng.randint(14, 55))
    joined = start - timedelta(days=rng.randint(1, 900))
    return Person(
        "", surname, first_name, sex, birth, nation, "", joined, min(1950, rng.gauss(1550, 200)), 0, 1.0
    )


def _age(rng: random.Random) -> int:
    """Of a player at the start of the record; some of the later beginners are not even at school then."""
    kind = rng.random()
    if kind < JUNIORS:
        return round(rng.triangular(YOUNGEST - 1, GROWN_UP - 1, 12))
    if kind < 1 - VETERANS:
        return round(rng.triangular(GROWN_UP, 59, 28))
    return rng.randint(60, OLDEST)


def _birth(rng: random.Random, year: int) -> date:
    return date(year, 1, 1) + timedelta(days=rng.randrange(365))


def _strength(rng: random.Random, age: int, sex: str) -> tuple[float, float]:
    """True strength, and points a year: a gifted child gains far more than the others."""
    gift = rng.gauss(0, 1)
    if age < GROWN_UP:
        base = 420 + 62 * (age - YOUNGEST) + gift * (70 + 12 * age)
        growth = max(5.0, rng.gauss(45, 25) + 75 * gift) * (1.0 if age < 17 else 0.6)
    elif age < 60:
        base, growth = 1430 + gift * 275, rng.gauss(0, 14)
    else:
        base, growth = 1340 + gift * 230, rng.gauss(-14, 8)
    base -= 60 if sex == "f" and age >= 16 else 0
    if age >= 12 and rng.random() < MASTERS:
        base = rng.gauss(MASTER, 130)
    return max(240.0, min(2470.0, base)), growth


def _joined(rng: random.Random, age: int, start: date, today: date) -> date:
    """Two in three of the grown-ups were there before the record, but few of the small children."""
    there = 0.68 if age >= GROWN_UP else min(0.62, 0.06 * (age - YOUNGEST + 1))
    if rng.random() < there:
        return start - timedelta(days=rng.randint(1, 2500))
    return start + timedelta(days=rng.randrange(max(1, (today - start).days)))


def _title(rng: random.Random, person: Person) -> str:
    if rng.random() > TITLED:
        return ""
    own = (*(WOMENS_TITLES if person.sex == "f" else ()), *TITLES)
    fitting = [(least, title) for title, least in own if person.base >= least]
    return max(fitting)[1] if fitting else ""
