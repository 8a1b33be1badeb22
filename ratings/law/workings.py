"""The parts that all rulesets' workings share: the choice by kind of fact, openings, lines of games."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import localcontext
from typing import Any

from ratings.law.facts import ANNULLED, Bye, Change, Fact, Game, Opening, PlayerId, RatedSection, State
from ratings.law.reports import GameLine, Value, Working, WorkingStep
from ratings.law.ruleset import CONTEXT

Explain = Callable[[State[Any], Any, PlayerId, str], Working]
"""Explains what a fact of one kind did to a player in a track, from the state before the fact."""

NOTHING = Working(())
"""The working of somebody whom the fact did not move."""


def explain_by_kind(
    kinds: Mapping[type, Explain], state: State[Any], fact: Fact, player: PlayerId, track: str
) -> Working:
    """Explain a change by the function for the fact's kind, in the one arithmetic context (D-4).

    A rated section is handed on with all that the fold knows of it, any other fact as the journal says it.
    """
    said = fact if isinstance(fact, RatedSection) else fact.fact
    explain = kinds.get(type(said))
    with localcontext(CONTEXT):
        return explain(state, said, player, track) if explain else NOTHING


def in_one_step(step: WorkingStep, short: str) -> Working:
    """Make a working of a single step; `short` is the message key by which it is summed up."""
    return Working((step,), summary=(step._replace(key=short),))


def explain_opening(
    clause: str,
    take_over: Callable[[State[Any], Opening], Change[Any]],
    state: State[Any],
    opening: Opening,
    player: PlayerId,
    track: str,
) -> Working:
    """Explain a rating taken over from before the record; `take_over` gives the standing that comes of it."""
    change = take_over(state, opening)
    if (change.player, change.track) != (player, track):
        return NOTHING
    inputs: dict[str, Value] = {"source": opening.source, "on": opening.on, "games": opening.games}
    return in_one_step(WorkingStep(clause, "opening", inputs, change.after.rating), "in-short-opening")


# ------------------------------------------------------------------------------- the games, one line each


def bye_line(bye: Bye) -> GameLine:
    """A round without an opponent."""
    return GameLine(bye.round, "", False, bye.kind, None, None, None, "bye")


def unplayed_line(game: Game, player: PlayerId, note: str = "") -> GameLine:
    """A game without play, which moves nothing; `note` says why, where the rules have more to say of it."""
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
    """Make a line of every game and bye of the player, by round; within a round in the given order."""
    lines = [line_of(game) for game in games if player in (game.first, game.second)]
    lines += [line_of_bye(bye) for bye in byes if bye.player == player]
    return tuple(sorted(lines, key=lambda line: line.round))
