"""A second Sports Dots Club, written from the text alone: plain loops, logarithms, nothing shared."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

from ratings.rulesets.facts import Fact, Opening, RatedSection, Section

Office = dict[tuple[str, str], dict[str, Any]]

SCORES = {"1-0": (2, 0), "0-1": (0, 2), "1/2": (1, 1), "0-0": (0, 0)}
LADDER = "321CMHG"
PRIZES = {"highest": "GGGH", "first": "HMMC", "second": "C112", "third": "2333", "fourth": ""}


def by_hand(facts: Iterable[Fact]) -> tuple[Office, dict[str, tuple[str, str]]]:
    """Rating, games and years with a game by player and track; the highest rank by play with its ground."""
    office: Office = {}
    ranks: dict[str, tuple[str, str]] = {}
    sections = []
    for fact in facts:
        if isinstance(fact, RatedSection):
            sections.append((fact.section.ends, fact.section.starts, fact.number, fact.section))
        elif isinstance(fact.fact, Opening):
            given = fact.fact
            office[given.player, given.track] = {
                "rating": round6(given.rating),
                "games": given.games,
                "years": {given.on.year} if given.games else set(),
            }
    for _ends, _starts, _number, section in sorted(sections, key=lambda item: item[:3]):
        rate(office, section)
        award(office, ranks, section)
    return office, ranks


def round6(value: Decimal) -> Decimal:
    return value.quantize(Decimal("0.000001"), ROUND_HALF_UP)


def rate(office: Office, section: Section) -> None:
    track = "classic" if section.time_class == "classic" else "rapid"
    for entry in section.entries:
        office.setdefault((entry.player, track), {"rating": Decimal(1200), "games": 0, "years": set()})
    for number in range(1, section.rounds + 1):
        for game in section.games:
            if game.round == number and game.result in SCORES:
                sides = (office[game.first, track], office[game.second, track])
                play(sides, SCORES[game.result], section.ends.year)


def play(sides: tuple[dict[str, Any], ...], scores: tuple[int, int], year: int) -> None:
    before = [side["rating"] for side in sides]
    for number, side in enumerate(sides):
        own, other = before[number], before[1 - number]
        with localcontext() as context:
            context.prec = 60
            chance = 1 / (1 + ((other - own) / 400 * Decimal(10).ln()).exp())
            k = 40 if side["games"] < 30 else 10 if own >= 2400 else 20
            side["rating"] = round6(own + k * (Decimal(scores[number]) / 2 - chance))
    for side in sides:
        side["games"] += 1
        side["years"].add(year)


def award(office: Office, ranks: dict[str, tuple[str, str]], section: Section) -> None:
    for entry in section.entries:
        player = entry.player
        if section.time_class == "classic":
            rating = office[player, "classic"]["rating"]
            shown = int(rating.quantize(Decimal(1), ROUND_HALF_UP))
            for rank, least in zip(LADDER, (1600, 1800, 2000, 2200, 2300, 2400, 2500), strict=True):
                if shown >= least:
                    propose(ranks, player, rank, "SSDC 2.4.1")
        prizes = PRIZES[str(section.category)]
        if entry.place is not None and entry.place <= len(prizes):
            propose(ranks, player, prizes[entry.place - 1], "SSDC 2.4.2")


def propose(ranks: dict[str, tuple[str, str]], player: str, rank: str, ground: str) -> None:
    if player not in ranks or LADDER.index(rank) > LADDER.index(ranks[player][0]):
        ranks[player] = (rank, ground)


def listed(row: dict[str, Any], on: date) -> bool:
    return row["games"] >= 5 and (on.year in row["years"] or on.year - 1 in row["years"])
