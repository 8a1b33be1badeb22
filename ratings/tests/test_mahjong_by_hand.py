"""Russian mahjong: the ruleset against a second one, written from the text alone."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random

from hypothesis import given, settings

from ratings.rulesets.facts import Fact, RatedSection, State
from ratings.rulesets.mahjong import RULESET, edition_undated
from ratings.rulesets.mahjong.standing import MahjongStanding
from ratings.rulesets.ruleset import CONTEXT
from ratings.tests.mahjong_by_hand import by_hand
from ratings.tests.strategies import record, seeds


def agree(state: State[MahjongStanding], facts: list[Fact], on: date) -> None:
    rows = by_hand(facts, on)
    with localcontext(CONTEXT):
        found = {answer.player: answer for answer in edition_undated.answers(state, on)}
    assert found.keys() == rows.keys()
    for name, answer in found.items():
        row = rows[name]
        assert (answer.games, answer.listed) == (row["games"], row["listed"])
        assert (answer.rating is None) == (row["rating"] is None)
        if answer.rating is not None:
            assert Fraction(answer.rating) == row["rating"]
            assert answer.rating == answer.rating.quantize(Decimal(1).scaleb(-16))


def last_day(facts: list[Fact]) -> date:
    return max(fact.on for fact in facts if isinstance(fact, RatedSection))


@given(seed=seeds)
@settings(max_examples=60)
def test_two_implementations_agree_on_any_day_after_the_last_admission(seed: int) -> None:
    facts = record(RULESET, seed, sections=14)
    state: State[MahjongStanding] = State()
    for _step in RULESET.fold(facts, state):
        pass
    dice, newest = Random(seed), last_day(facts)
    changing = edition_undated.days_of_change(state.wide, newest, newest + timedelta(5 * 366))
    changing = dice.sample(changing, min(4, len(changing)))
    days = [newest, newest + timedelta(dice.randint(1, 1500))]
    days += [day + timedelta(shift) for day in changing for shift in (-1, 0) if day > newest]
    for day in days:
        agree(state, facts, day)


@given(seed=seeds)
@settings(max_examples=20)
def test_two_implementations_agree_after_each_fact(seed: int) -> None:
    facts = record(RULESET, seed, sections=10)
    folded: list[Fact] = []
    for fact, _changes, state in RULESET.fold(facts):
        folded.append(fact)
        if any(isinstance(each, RatedSection) for each in folded):
            agree(state, folded, last_day(folded))


@given(seed=seeds)
@settings(max_examples=20)
def test_between_days_of_change_nothing_moves(seed: int) -> None:
    facts = record(RULESET, seed, sections=6)
    state: State[MahjongStanding] = State()
    for _step in RULESET.fold(facts, state):
        pass
    newest = last_day(facts)
    changing = set(edition_undated.days_of_change(state.wide, newest, newest + timedelta(400)))
    with localcontext(CONTEXT):
        before = list(edition_undated.answers(state, newest))
        for day in (newest + timedelta(days) for days in range(1, 400)):
            after = list(edition_undated.answers(state, day))
            if day not in changing:
                assert after == before
            before = after


@given(seed=seeds)
@settings(max_examples=30)
def test_the_rating_stored_with_a_change_is_that_of_its_day(seed: int) -> None:
    for fact, changes, state in RULESET.fold(record(RULESET, seed)):
        if not isinstance(fact, RatedSection):
            continue
        answers = {answer.player: answer.rating for answer in edition_undated.answers(state, fact.on)}
        for change in changes:
            assert change.after.rating == answers.get(change.player)
            if change.points is not None and change.before is not None and change.before.rating is not None:
                assert change.before.rating + change.points == change.after.rating
