"""The parts that all rulesets' workings share: the choice by kind of fact, openings, lines of games."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import localcontext
from typing import Any

from ratings.rulesets.facts import (
    ANNULLED,
    Bye,
    Change,
    Fact,
    Game,
    GameLine,
    Opening,
    PlayerId,
    RatedSection,
    State,
    Value,
    Working,
    WorkingStep,
)
from ratings.rulesets.ruleset import CONTEXT

Explain = Callable[[State[Any], Any, PlayerId, str], Working]
"""A function that explains what a fact of one kind did to a player in a track, from the state before the
fact.
"""

NOTHING = Working(())
"""The empty working of a player whom the fact did not move."""


def explain_by_kind(
    kinds: Mapping[type, Explain], state: State[Any], fact: Fact, player: PlayerId, track: str
) -> Working:
    """The working of a change, by whichever of `kinds` explains the fact's class, in the one arithmetic
    context (D-4).

    A rated section is handed on with all that the fold knows of it, any other fact as the journal says it.
    """
    said = fact if isinstance(fact, RatedSection) else fact.fact
    explain = kinds.get(type(said))
    with localcontext(CONTEXT):
        return explain(state, said, player, track) if explain else NOTHING


def in_one_step(step: WorkingStep, short: str) -> Working:
    """A working of a single step; `short` is the message key of its summary."""
    return Working((step,), summary=(step._replace(key=short),))


def explain_opening(
    clause: str,
    take_over: Callable[[State[Any], Opening], Change[Any]],
    state: State[Any],
    opening: Opening,
    player: PlayerId,
    track: str,
) -> Working:
    """The working of a rating taken over from before the record.

    `clause`: that of the taking over; `take_over`: the edition's function that applies the opening.
    """
    change = take_over(state, opening)
    if (change.player, change.track) != (player, track):
        return NOTHING
    inputs: dict[str, Value] = {"source": opening.source, "on": opening.on, "games": opening.games}
    return in_one_step(WorkingStep(clause, "opening", inputs, change.after.rating), "in-short-opening")


# ------------------------------------------------------------------------------- the games, one line each
def bye_line(bye: Bye) -> GameLine:
    """The line of a working for a round without an opponent."""
    return GameLine(bye.round, "", False, bye.kind, None, None, None, "bye")


def unplayed_line(game: Game, player: PlayerId, note: str = "") -> GameLine:
    """The line of a working for a game without play, which moves nothing. `note`: the message key of the
    reason, where the rules have more to say than the result.
    """
    first = game.first == player
    note = note or ("annulled" if game.result == ANNULLED else "without-play")
    return GameLine(game.round, game.opponent_of(player), first, game.result, None, None, None, note)


def lines_by_round(
    player: PlayerId,
    games: Iterable[Game],
    byes: Iterable[Bye],
    line_of: Callable[[Game], GameLine],
    line_of_bye: Callable[[Bye], GameLine] = bye_line,
) -> tuple[GameLine, ...]:
    """The lines of a working for every game and bye of the player, by round; `line_of` and `line_of_bye` make
    one each.
    """
    lines = [line_of(game) for game in games if player in (game.first, game.second)]
    lines += [line_of_bye(bye) for bye in byes if bye.player == player]
    return tuple(sorted(lines, key=lambda line: line.round))
