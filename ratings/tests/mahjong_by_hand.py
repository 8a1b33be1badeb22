"""A second Russian mahjong rating, written from the text alone: the printed formula in exact fractions."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from fractions import Fraction
from math import floor
from typing import Any

from ratings.rulesets.facts import Fact, Player, RatedSection

KA = {"city": 1, "region": 2, "foreign": 2, "national": 3, "european": 4, "world": 5}


def by_hand(facts: Iterable[Fact], on: date) -> dict[str, dict[str, Any]]:
    """Rating, games and whether listed of everyone with a place in the rating, on a day."""
    admitted = []
    register: dict[str, Player] = {}
    for fact in sorted(facts, key=lambda fact: fact.number):
        if isinstance(fact, RatedSection):
            admitted.append(fact.section)
            register.update(fact.players)
        elif isinstance(fact.fact, Player):
            register[fact.fact.id] = fact.fact
    rows = {}
    for name in {entry.player for section in admitted for entry in section.entries}:
        person = register[name]
        if person.nation == "RUS" and (person.resident or person.included_by):
            rows[name] = row(admitted, name, on)
    return rows


def row(admitted: list[Any], name: str, on: date) -> dict[str, Any]:
    above = below = Fraction(0)
    games = 0
    for section in admitted:
        ka = section.coefficient if section.status == "special" else KA[section.status]
        kb = time_coefficient(section.ends, on)
        place = {entry.player: entry.place for entry in section.entries}.get(name)
        if place is None:
            r = Fraction(0)
            same = [other for other in admitted if other.ends.year == section.ends.year]
            kc = Fraction(12, 100) / len(same)
        else:
            players = len(section.entries)
            r, kc = Fraction(players - place, players - 1), Fraction(1)
            games += 1
        above += r * ka * kb * kc
        below += ka * kb * kc
    rating = Fraction(floor(above / below * 10**16 + Fraction(1, 2)), 10**16) if below else None
    return {"rating": rating, "games": games, "listed": rating is not None and games >= 2}


def time_coefficient(ends: date, on: date) -> Fraction:
    kb = Fraction(1)
    for years in (1, 2, 3, 4):
        day = (ends.month, ends.day)
        if day == (2, 29) and (ends.year + years) % 4:
            day = (2, 28)
        if on >= date(ends.year + years, *day) + timedelta(1):
            kb -= Fraction(1, 4)
    return kb
