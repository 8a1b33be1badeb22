"""The parts that all workings share: a function for each kind of fact, openings, a line for each game."""

from __future__ import annotations

from datetime import date
from decimal import Decimal, getcontext
from functools import partial
from typing import Any

import pytest

from ratings.rulesets.facts import (
    Bye,
    Change,
    Game,
    GameLine,
    ListClosing,
    Opening,
    Placed,
    State,
    Value,
    Working,
    WorkingStep,
)
from ratings.rulesets.workings import (
    EMPTY_WORKING,
    Explain,
    bye_line,
    explain_by_kind,
    explain_opening,
    lines_by_round,
    unplayed_line,
)
from ratings.tests.sixth.morris import Standing

OPENING = Opening("1", "pins", Decimal("61.5"), 7, date(2020, 6, 30), "the list of June 2020")


def take_over(state: State[Any], opening: Opening) -> Change[Any]:
    return Change(opening.player, opening.track, None, Standing(opening.rating // 1, opening.games), None)


KINDS: dict[type, Explain] = {Opening: partial(explain_opening, "4", take_over)}


def explained(player: str, track: str) -> Working:
    return explain_by_kind(KINDS)(State(), Placed(3, OPENING), player, track)


def test_an_opening_is_one_step_with_what_the_rules_make_of_it_and_the_same_in_short() -> None:
    inputs: dict[str, Value] = {"source": "the list of June 2020", "on": date(2020, 6, 30), "games": 7}
    step = WorkingStep("4", "opening", inputs, Decimal(61))
    assert explained("1", "pins") == Working((step,), summary=(step._replace(key="in-short-opening"),))


@pytest.mark.parametrize(("player", "track"), [("2", "pins"), ("1", "needles")])
def test_an_opening_moved_nobody_else_and_no_other_track(player: str, track: str) -> None:
    assert explained(player, track) == EMPTY_WORKING


def test_a_fact_of_a_kind_that_has_no_function_moved_nobody() -> None:
    closing = Placed(4, ListClosing(date(2026, 3, 1)))
    assert explain_by_kind(KINDS)(State(), closing, "1", "pins") == EMPTY_WORKING


def test_a_working_is_worked_out_with_34_digits_whatever_the_caller_s_arithmetic() -> None:
    digits: list[int] = []

    def explain(state: State[Any], closing: ListClosing, player: str, track: str) -> Working:
        digits.append(getcontext().prec)
        return EMPTY_WORKING

    closing = Placed(4, ListClosing(date(2026, 3, 1)))
    explain_by_kind({ListClosing: explain})(State(), closing, "1", "pins")
    assert digits == [34]
    assert getcontext().prec != 34


def test_lines_stand_by_round_games_of_one_round_as_given_and_others_games_not_at_all() -> None:
    games = (
        Game(2, "1", "2", "annulled"),
        Game(2, "3", "1", "1-0"),
        Game(1, "2", "3", "1-0"),
        Game(1, "1", "3", "+:-"),
    )
    byes = (Bye(3, "1", "half"), Bye(3, "2", "full"))
    lines = lines_by_round("1", games, byes, lambda game: unplayed_line(game, "1"))
    assert [(line.round, line.opponent, line.note) for line in lines] == [
        (1, "3", "without-play"),
        (2, "2", "annulled"),
        (2, "3", "without-play"),
        (3, "", "bye"),
    ]


@pytest.mark.parametrize(("player", "opponent", "first"), [("1", "2", True), ("2", "1", False)])
def test_a_game_without_play_has_neither_rating_nor_score_on_either_side(
    player: str, opponent: str, first: bool
) -> None:
    line = unplayed_line(Game(1, "1", "2", "+:-"), player, "forfeit")
    assert line == GameLine(1, opponent, first, "+:-", None, None, None, "forfeit")


def test_a_bye_has_no_opponent_and_says_which_it_was() -> None:
    assert bye_line(Bye(3, "1", "half")) == GameLine(3, "", False, "half", None, None, None, "bye")
