"""A second piškvorky, written from the text alone: the record at once, exact fractions, nothing shared."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import floor
from typing import Any

from ratings.rulesets.facts import Fact, Opening, RatedSection, Section

UPPER = (10, 32, 54, 76, 100, 124, 149, 176, 204, 236, 272, 313, 363, 427, 521, 724)
RESULTS = {"1-0": (1, -1), "0-1": (-1, 1), "1/2": (0, 0), "0-0": (-1, -1)}


def by_hand(facts: Iterable[Fact]) -> dict[str, dict[str, Any]]:
    """Rating, status and games of every player."""
    people: dict[str, dict[str, Any]] = {}
    sections = []
    for fact in facts:
        if isinstance(fact, RatedSection):
            sections.append((fact.section.ends, fact.section.starts, fact.number, fact.section))
        elif isinstance(fact.fact, Opening):
            given = fact.fact
            rating = nearest(Fraction(given.rating))
            people[given.player] = {"status": "established", "rating": rating, "games": given.games}
    ordered = [item[3] for item in sorted(sections, key=lambda item: item[:3])]
    if not people:
        found(people, ordered[:2])
        ordered = ordered[2:]
    for section in ordered:
        later(people, section)
    return people


def nearest(value: Fraction) -> int:
    """Half up, away from zero."""
    size = floor(abs(value) + Fraction(1, 2))
    return size if value >= 0 else -size


def sides(section: Section) -> list[tuple[str, str, int, int]]:
    """Player, opponent, what it was for each: 1 won, 0 drawn, -1 lost."""
    found = []
    for game in section.games:
        if game.result in RESULTS:
            first, second = RESULTS[game.result]
            found.append((game.first, game.second, first, second))
            found.append((game.second, game.first, second, first))
    return found


def found(people: dict[str, dict[str, Any]], sections: list[Section]) -> None:
    for section in sections:
        for entry in section.entries:
            mine = [side for each in sections for side in sides(each) if side[0] == entry.player]
            balance = sum(side[2] for side in mine)
            rating = Fraction(1600)
            if mine:
                rating += Fraction(400 * balance, len(mine))
            people[entry.player] = {"status": "established", "rating": nearest(rating), "games": len(mine)}


def later(people: dict[str, dict[str, Any]], section: Section) -> None:
    for entry in section.entries:
        people.setdefault(entry.player, {"status": "unrated", "rating": None, "games": 0, "met": []})
    before = {name: dict(row) for name, row in people.items()}
    for entry in section.entries:
        row = people[entry.player]
        mine = [
            (before[opponent]["rating"], result, other)
            for player, opponent, result, other in sides(section)
            if player == entry.player and before[opponent]["status"] == "established"
        ]
        row["games"] += len(mine)
        if before[entry.player]["status"] == "established":
            row["rating"] += sum(
                moved(before[entry.player]["rating"], rating, result, other) for rating, result, other in mine
            )
        else:
            novice(row, mine)


def novice(row: dict[str, Any], mine: list[tuple[int, int, int]]) -> None:
    row["met"] = row["met"] + mine
    games = len(row["met"])
    if games:
        mean = Fraction(sum(rating for rating, _result, _other in row["met"]), games)
        balance = sum(result for _rating, result, _other in row["met"])
        row["rating"] = nearest(mean + Fraction(250 * balance, games))
        points = sum(Fraction(result + 1, 2) for _rating, result, _other in row["met"])
        row["status"] = "established" if games >= 5 and points >= Fraction(3, 2) else "novice"


def moved(own: int, other: int, result: int, theirs: int) -> int:
    if result == theirs == -1:
        return 0
    row = sum(abs(own - other) > upper for upper in UPPER)
    if result == 0:
        return row if own < other else -row
    winner_is_higher = own >= other if result == 1 else other >= own
    return result * (16 - row if winner_is_higher else 16 + row)
