"""§1: the standings for readers: the rating list, and a replay's answers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from ratings.law.facts import PlayerId, State
from ratings.law.rule_outputs import Answer, ListedPlayer, RuleTable, Value, WorkingStep
from ratings.law.ruleset_helpers.shared_places import ranked
from ratings.rulesets.piskvorky.edition_undated.formulas import (
    GAMES_TO_ESTABLISH,
    POINTS_TO_ESTABLISH,
    points_of,
)
from ratings.rulesets.piskvorky.law.standing import PiskvorkyStanding


def rating_list(state: State[PiskvorkyStanding], track: str, on: date) -> list[ListedPlayer]:
    """The rating list: everyone with an established rating, best first; equal ratings share the rank."""
    return ranked(
        (player, standing.rating, standing.games, standing.status)
        for (player, of_track), standing in state.standings.items()
        if of_track == track and standing.established and standing.rating is not None
    )


def answers(state: State[PiskvorkyStanding], on: date) -> Iterator[Answer]:
    """The answers of a replay for every standing; on the list is whoever is established."""
    for (player, track), standing in state.standings.items():
        yield Answer(
            player=player,
            track=track,
            status=standing.status,
            rating=standing.rating,
            games=standing.games,
            listed=standing.established,
        )


def listed_steps(
    state: State[PiskvorkyStanding], player: PlayerId, track: str, on: date
) -> tuple[WorkingStep, ...]:
    """§2: what puts a player on the list, an established rating; nothing in the text takes anybody off."""
    standing = state.get(player, track) or PiskvorkyStanding()
    if standing.established:
        return (WorkingStep("2", "stays-listed", {}),)
    inputs: dict[str, Value] = {
        "games": standing.games,
        "least_games": GAMES_TO_ESTABLISH,
        "points": points_of(standing.wins, standing.losses, standing.games),
        "least_points": POINTS_TO_ESTABLISH,
    }
    return (WorkingStep("2", "not-yet-listed", inputs),)


def tables(state: State[PiskvorkyStanding], on: date) -> list[RuleTable]:
    """No tables: these rules yield ratings alone."""
    return []
