"""Invented players: from juniors who grow stronger by the month to veterans, in every region."""

from __future__ import annotations

from datetime import date
from random import Random

from ratings.equipment.demo import Person, Population
from ratings.rulesets.csa.demo.name_pools import ABROAD, LANGUAGES, POOLS

MASTERS, MASTER = 0.014, 2140
"""The share of players who are much stronger than all others, and their mean strength."""
JUNIORS, VETERANS = 0.52, 0.09
YOUNGEST, GROWN_UP, OLDEST = 6, 21, 79
TITLES = (("GM", 2500), ("IM", 2330), ("FM", 2200), ("CM", 2080))
WOMENS_TITLES = (("WIM", 2080), ("WFM", 1930), ("WCM", 1800))
WITH_FIDE_ID = 1500
"""The strength above which players have a FIDE id too."""
TITLED = 0.75
"""The share of players strong enough for a title who hold it."""


def age(rng: Random) -> int:
    """Draw a player's age at the start of the record; some later beginners are not even at school then."""
    kind = rng.random()
    if kind < JUNIORS:
        return round(rng.triangular(YOUNGEST - 1, GROWN_UP - 1, 12))
    if kind < 1 - VETERANS:
        return round(rng.triangular(GROWN_UP, 59, 28))
    return rng.randint(60, OLDEST)


def strength(rng: Random, age: int, sex: str) -> tuple[float, float]:
    """Draw a player's true strength, and its gain in points a year: a gifted child gains far more than
    others.
    """
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


def there(age: int) -> float:
    """The share of people of an age who played before the record: two in three adults, but few small
    children.
    """
    return 0.68 if age >= GROWN_UP else min(0.62, 0.06 * (age - YOUNGEST + 1))


def finish(rng: Random, people: list[Person], start: date) -> None:
    """Give the invented people titles and FIDE ids by their strength."""
    for person in people:
        if person.region:
            person.title = title(rng, person)
        if person.base > WITH_FIDE_ID:
            person.fide_id = str(143 * 100_000 + int(person.number) % 100_000)


def title(rng: Random, person: Person) -> str:
    if rng.random() > TITLED:
        return ""
    own = (*(WOMENS_TITLES if person.sex == "f" else ()), *TITLES)
    fitting = [(least, name) for name, least in own if person.base >= least]
    return max(fitting)[1] if fitting else ""


POPULATION = Population(
    first_number=101_000_001,
    players=2_700,
    fewest=240,
    pools=POOLS,
    languages=LANGUAGES,
    shares={
        **{"GAU": 0.27, "WCA": 0.19, "KZN": 0.17, "ECA": 0.09, "FST": 0.07},
        **{"LIM": 0.07, "MPU": 0.06, "NWE": 0.05, "NCA": 0.03},
    },
    strength=strength,
    ages=age,
    women=lambda age: 0.36 if age < GROWN_UP else 0.17,
    there=there,
    keen=1900,
    beginners_lack=260,
    abroad=ABROAD,
    foreigners=60,
    foreign=(1550, 200, 1950),
    withheld=2,
    finish=finish,
)
