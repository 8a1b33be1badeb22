"""Draws the people and results of the demo of Chess South Africa, whose data are in `demo.toml`."""

from datetime import date
from random import Random

from ratings.rulesets.demo import Person

MASTER_SHARE, MASTER_STRENGTH = 0.014, 2140
"""The share of master players, and their mean strength."""
JUNIOR_SHARE, VETERAN_SHARE = 0.52, 0.09
YOUNGEST, ADULT_AGE, OLDEST = 6, 21, 79
TITLES = (("GM", 2500), ("IM", 2330), ("FM", 2200), ("CM", 2080))
WOMENS_TITLES = (("WIM", 2080), ("WFM", 1930), ("WCM", 1800))
FIDE_ID_ABOVE = 1500
"""The strength above which players have a FIDE id."""
TITLED_SHARE = 0.75
"""The share of players strong enough for a title who hold it."""


def draw_age(rng: Random) -> int:
    """Draw a player's age at the start of the record; later beginners may be very young then."""
    kind = rng.random()
    if kind < JUNIOR_SHARE:
        return round(rng.triangular(YOUNGEST - 1, ADULT_AGE - 1, 12))
    if kind < 1 - VETERAN_SHARE:
        return round(rng.triangular(ADULT_AGE, 59, 28))
    return rng.randint(60, OLDEST)


def draw_strength_and_growth(rng: Random, age: int, sex: str) -> tuple[float, float]:
    """Draw a player's true strength, and its growth in points a year."""
    gift = rng.gauss(0, 1)
    if age < ADULT_AGE:
        base = 420 + 62 * (age - YOUNGEST) + gift * (70 + 12 * age)
        growth = max(5.0, rng.gauss(45, 25) + 75 * gift) * (1.0 if age < 17 else 0.6)
    elif age < 60:
        base, growth = 1430 + gift * 275, rng.gauss(0, 14)
    else:
        base, growth = 1340 + gift * 230, rng.gauss(-14, 8)
    base -= 60 if sex == "f" and age >= 16 else 0
    if age >= 12 and rng.random() < MASTER_SHARE:
        base = rng.gauss(MASTER_STRENGTH, 130)
    return max(240.0, min(2470.0, base)), growth


def give_titles_and_ids(rng: Random, people: list[Person], start: date) -> None:
    """Give the people titles and FIDE ids by their strength."""
    for person in people:
        if person.region:
            person.title = draw_title(rng, person)
        if person.base > FIDE_ID_ABOVE:
            person.fide_id = str(143 * 100_000 + int(person.number) % 100_000)


def draw_title(rng: Random, person: Person) -> str:
    if rng.random() > TITLED_SHARE:
        return ""
    titles = (*(WOMENS_TITLES if person.sex == "f" else ()), *TITLES)
    return max(((least, name) for name, least in titles if person.base >= least), default=(0, ""))[1]


# ---- Games
SMALLEST_CHANCE = 0.02


def draw_result(rng: Random, first_strength: float, second_strength: float) -> str:
    """Draw a game's result by the formula of §37, so that ratings settle at true strength."""
    expected = 0.542 + 0.001164 * (first_strength - second_strength)
    expected = max(SMALLEST_CHANCE, min(1 - SMALLEST_CHANCE, expected))
    level = (first_strength + second_strength) / 2
    draws = min(0.55, max(0.05, (level - 500) / 3500)) * 2 * min(expected, 1 - expected)
    chance = rng.random()
    if chance < draws:
        return "1/2"
    return "1-0" if chance < draws / 2 + expected else "0-1"


HOOKS = {
    "demo": {"result": draw_result},
    "population": {"ages": draw_age, "strength": draw_strength_and_growth, "finish": give_titles_and_ids},
}
