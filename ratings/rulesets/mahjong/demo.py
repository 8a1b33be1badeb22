"""Makes some people of the demo of Russian mahjong live abroad; its data are in `demo.toml`."""

from datetime import date, timedelta
from random import Random

from ratings.rulesets.demo import Person

INCLUDED_ABROAD, NOT_INCLUDED_ABROAD = 2, 3
"""The numbers of citizens who live abroad, with and without a decision that includes them (§2)."""


def move_citizens_abroad(rng: Random, people: list[Person], start: date) -> None:
    """§2: make some citizens live abroad, and include some of these in the rating by a decision."""
    keenest = sorted((p for p in people if p.region and p.joined < start), key=lambda p: (-p.zeal, p.number))
    for number, person in enumerate(keenest[5 : 5 + INCLUDED_ABROAD + NOT_INCLUDED_ABROAD]):
        person.resident = False
        if number < INCLUDED_ABROAD:
            on = start + timedelta(days=-20 - number)
            person.included_by = f"Решение Президиума от {on:%d.%m.%Y}"


HOOKS = {"population": {"finish": move_citizens_abroad}}
