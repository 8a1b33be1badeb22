"""§§5 and 6, and what readers see."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from ratings.rulesets.facts import Answer, Filing, Finding, RuleTable, Section, State
from ratings.tests.sixth.morris import Standing, answers as answers_of_1990, check as check_of_1990


def check(section: Section, filing: Filing) -> list[Finding]:
    """§6: a board for every two players."""
    return [replace(finding, clause="6") for finding in check_of_1990(section, filing)]


def answers(state: State[Standing], on: date) -> Iterable[Answer]:
    return answers_of_1990(state, on)


def tables(state: State[Standing], on: date) -> list[RuleTable]:
    """Whoever is settled, by the games played; thrift is told no more."""
    rows = sorted((key[0], each.games) for key, each in state.standings.items() if each.status == "settled")
    return [RuleTable("settled-by-games", ("player", "games"), tuple(rows), answered=False)]
