"""The parts that the workings of all rulesets share: the choice by kind of fact, openings, lines of games."""

from collections.abc import Callable, Iterable, Mapping
from decimal import localcontext
from itertools import takewhile
from typing import Any

from ratings.rulesets.facts import (
    ANNULLED,
    TOGETHER,
    Bye,
    Change,
    Fact,
    Game,
    GameLine,
    Opening,
    PlayerId,
    RatedSection,
    RuleTable,
    State,
    Value,
    Working,
    WorkingStep,
)
from ratings.rulesets.ruleset import CONTEXT

Explain = Callable[[State[Any], Any, PlayerId, str], Working]
"""A function of `(state before, fact, player, track)` that explains a fact of one kind."""

EMPTY_WORKING = Working(())
"""The working of a player whom the fact did not change."""


def explain_by_kind(
    kinds: Mapping[type, Explain],
) -> Callable[[State[Any], Fact, PlayerId, str], Working]:
    """The `explain` of an edition: the function in `kinds` for the fact's class, in the context of D-4.

    That function gets a `RatedSection` as it is, and of other facts the journal's own (`fact.fact`).
    """

    def explain(state: State[Any], fact: Fact, player: PlayerId, track: str) -> Working:
        subject = fact if isinstance(fact, RatedSection) else fact.fact
        explain_fact = kinds.get(type(subject))
        with localcontext(CONTEXT):
            return explain_fact(state, subject, player, track) if explain_fact else EMPTY_WORKING

    return explain


def single_step_working(step: WorkingStep, summary_key: str) -> Working:
    """A working of a single step, with a summary of the same values under `summary_key`."""
    return Working((step,), summary=(step._replace(key=summary_key),))


def explain_opening(
    clause: str,
    apply_opening: Callable[[State[Any], Opening], Change[Any]],
    state: State[Any],
    opening: Opening,
    player: PlayerId,
    track: str,
) -> Working:
    """The working of a rating taken over from before the record; `apply_opening` applies the opening."""
    change = apply_opening(state, opening)
    if (change.player, change.track) != (player, track):
        return EMPTY_WORKING
    inputs: dict[str, Value] = {"source": opening.source, "on": opening.on, "games": opening.games}
    step = WorkingStep(clause, "opening", inputs, change.after.rating)
    return single_step_working(step, "in-short-opening")


def contributions_table(
    name: str,
    fields: Mapping[str, str],
    takes_up: Callable[[Any], bool],
    nothing: Any,
    newest_first: Iterable[tuple[int, Any]],
) -> RuleTable | None:
    """A `PlayerFigures.collected`: what each section added to what a standing keeps for later, and all of it
    together; None if there is nothing.

    `name`: the table's; `fields`: for each column, the field of a standing that is added up; `takes_up`:
    whether a standing keeps anything; `nothing`: the standing to begin with.
    """
    rows: list[tuple[Value, ...]] = []
    known = nothing
    for line, standing in reversed([*takewhile(lambda each: takes_up(each[1]), newest_first)]):
        added = [getattr(standing, name) - getattr(known, name) for name in fields.values()]
        if any(added):
            rows.append((line, *added))
        known = standing
    if not rows:
        return None
    rows.append((TOGETHER, *(getattr(known, name) - getattr(nothing, name) for name in fields.values())))
    return RuleTable(name, ("line", *fields), tuple(rows), answered=False)


# ---- The lines of games
def bye_line(bye: Bye) -> GameLine:
    return GameLine(bye.round, "", False, bye.kind, None, None, None, "bye")


def unplayed_line(game: Game, player: PlayerId, note: str = "") -> GameLine:
    """The line of a game without play. `note`: a message key, where the result alone is not reason enough."""
    note = note or ("annulled" if game.result == ANNULLED else "without-play")
    opponent, first = game.opponent_of(player), game.first == player
    return GameLine(game.round, opponent, first, game.result, None, None, None, note)


def lines_by_round(
    player: PlayerId,
    games: Iterable[Game],
    byes: Iterable[Bye],
    line_of: Callable[[Game], GameLine],
    line_of_bye: Callable[[Bye], GameLine] = bye_line,
) -> tuple[GameLine, ...]:
    """The lines of all games and byes of a player, sorted by round."""
    lines = [line_of(game) for game in games if player in (game.first, game.second)]
    lines += [line_of_bye(bye) for bye in byes if bye.player == player]
    return tuple(sorted(lines, key=lambda line: line.round))
