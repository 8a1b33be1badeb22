"""D-1: where the order is that of play, or there is none, the order of approval leaves no trace."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import localcontext
from random import Random
from typing import Any

import pytest

from ratings.rulesets import rulesets
from ratings.rulesets.facts import Fact, Opening, Placed, RatedSection, State
from ratings.rulesets.ruleset import CONTEXT, Ruleset
from ratings.tests.strategies import record

AS_PLAYED = [rulesets()[slug] for slug in ("ssdc", "pfo", "piskvorky", "mahjong") if slug in rulesets()]
RECORDS, ORDERS = 50, 40


def openings_and_sections(ruleset: Ruleset, seed: int) -> tuple[list[Fact], list[RatedSection]]:
    """A record whose sections end on days of their own, and whose people are always the same."""
    facts = record(ruleset, seed, sections=6)
    people = {
        name: player
        for fact in facts
        if isinstance(fact, RatedSection)
        for name, player in fact.players.items()
    }
    days = sorted({fact.section.ends for fact in facts if isinstance(fact, RatedSection)})
    sections = {fact.section.ends: fact for fact in facts if isinstance(fact, RatedSection)}
    openings = [fact for fact in facts if isinstance(fact, Placed) and isinstance(fact.fact, Opening)]
    return list(openings), [
        replace(sections[day], players={name: people[name] for name in sections[day].players}) for day in days
    ]


def digest(ruleset: Ruleset, openings: list[Fact], approved: list[RatedSection]) -> list[Any]:
    """All that the office answers in the end, where these were approved one a day in this order."""
    later = max(fact.section.ends for fact in approved)
    rated = [replace(fact, number=100 + at, on=later + timedelta(at)) for at, fact in enumerate(approved)]
    state: State[Any] = State()
    for _step in ruleset.fold(ruleset.sort_for_fold([*openings, *rated]), state):
        pass
    day = later + timedelta(100)
    rules = ruleset.edition_on(day).rules
    with localcontext(CONTEXT):
        answers = sorted(repr(answer) for answer in rules.answers(state, day))
        return [*answers, *map(repr, rules.tables(state, day))]


@pytest.mark.long
@pytest.mark.parametrize("ruleset", AS_PLAYED, ids=lambda ruleset: ruleset.slug)
def test_two_thousand_orders_of_approval_give_one_digest(ruleset: Ruleset) -> None:
    for seed in range(RECORDS):
        openings, sections = openings_and_sections(ruleset, seed)
        dice = Random(seed)
        first = digest(ruleset, openings, sections)
        for _order in range(ORDERS):
            assert digest(ruleset, openings, dice.sample(sections, len(sections))) == first
