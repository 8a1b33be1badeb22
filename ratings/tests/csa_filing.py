"""A filing with which nothing is wrong, and what Chess South Africa finds in others."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import combinations, cycle
from typing import Any

from ratings.rulesets.csa import RULESET
from ratings.rulesets.facts import Arbiter, Entrant, Filing, Finding, Level, Section
from ratings.tests.csa_record import DAY, section_of

GUGU = Arbiter("Gugu Radebe", "FA", "14399001")
JOHAN = Arbiter("Johan Marais", "NA", "101000900", in_register=True)


def section(players: int = 6, rounds: int = 5, **fields: Any) -> Section:
    """Everyone plays in some round; each round has a result. Nobody minds who meets whom."""
    pairs = cycle(combinations(range(players), 2))
    numbers = range(1, rounds + 1)
    lines = [
        f"{number} P{white} 1-0 P{black}" for number, (white, black) in zip(numbers, pairs, strict=False)
    ]
    lines += [f"{rounds} P{player} 1/2 P0" for player in range(1, players)]
    return section_of("\n".join(lines), **fields)


def entrant(number: int = 0, **changes: Any) -> Entrant:
    """Thabo Dlamini of the register, number `P0`."""
    thabo = Entrant(
        f"P{number}", "Dlamini", "Thabo", "1991-04-02", "m", fide_id="14300001", handle="thabo", section="A"
    )
    return replace(thabo, **changes)


def sound(filed: Section, /, **changes: Any) -> Filing:
    """Everything in time, everybody named."""
    filing = Filing(
        registered=filed.starts - timedelta(3),
        filed=filed.ends,
        handed_in=filed.ends,
        round_dates=(DAY,) * filed.rounds,
        region="GAU",
        by_region=True,
        organizer="Lindiwe Mabaso, 101000777",
        arbiters=(GUGU, JOHAN),
        entrants=(entrant(),),
    )
    return replace(filing, **changes)


def check(filed: Section, filing: Filing | None = None) -> list[Finding]:
    rules: Any = RULESET.edition_on(filed.starts).rules
    found: list[Finding] = rules.check(filed, filing or sound(filed))
    assert all(one.clause in RULESET.words.clauses for one in found)
    assert all(RULESET.words.messages[one.key].format(**one.params) for one in found)
    return found


def findings(filed: Section, filing: Filing | None = None) -> list[tuple[str, str, Level]]:
    return [(found.clause, found.key, found.level) for found in check(filed, filing)]


def found_with(filed: Section | None = None, /, **changes: Any) -> list[tuple[str, str, Level]]:
    """What is found in a sound filing of a sound section, changed in this."""
    filed = filed or section()
    return findings(filed, sound(filed, **changes))
