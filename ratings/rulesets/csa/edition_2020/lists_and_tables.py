"""§25–§28, §67: the standings for readers: the rating list of a track, and a replay's answers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from ratings.law.facts import PlayerId, State
from ratings.law.rule_outputs import Answer, ListedPlayer, RuleTable, WorkingStep
from ratings.law.ruleset_helpers.shared_places import ranked
from ratings.rulesets.csa.edition_2020.formulas import FIRST_RATING_GAMES
from ratings.rulesets.csa.law.standing import CsaStanding

SHOWN_DECIMALS = 1  # §28
SHOWN = Decimal(1).scaleb(-SHOWN_DECIMALS)


def shown_rating(rating: Decimal) -> Decimal:
    """§28: a rating as people see it, with one decimal (D-CSA-17)."""
    return rating.quantize(SHOWN, ROUND_HALF_UP)


def rating_list(state: State[CsaStanding], track: str, on: date) -> list[ListedPlayer]:
    """The list of a track: everyone with a rating, best first; who shows the same rating shares the rank."""
    rated = (
        (player, standing.rating, standing.games, "rated")
        for (player, of_track), standing in state.standings.items()
        if of_track == track and standing.rating is not None
    )
    return ranked(rated, shown_rating)


def answers(state: State[CsaStanding], on: date) -> Iterator[Answer]:
    """The answers of a replay for every standing; on the list is whoever has a rating."""
    for (player, track), standing in state.standings.items():
        rated = standing.rating is not None
        yield Answer(
            player=player,
            track=track,
            status="rated" if rated else "unrated",
            rating=standing.rating,
            games=standing.games,
            listed=rated,
            further={"pending": standing.pending},
        )


def listed_steps(
    state: State[CsaStanding], player: PlayerId, track: str, on: date
) -> tuple[WorkingStep, ...]:
    """§54: what puts a player on the list of a track: a rating, from the tenth game on; nothing in the text
    takes anybody off.
    """
    standing = state.get(player, track) or CsaStanding()
    if standing.rating is not None:
        return (WorkingStep("54", "stays-listed", {}),)
    inputs = {"games": standing.games, "needed": FIRST_RATING_GAMES}
    return (WorkingStep("54", "not-yet-listed", inputs, FIRST_RATING_GAMES - standing.games),)


def tables(state: State[CsaStanding], on: date) -> list[RuleTable]:
    """No tables: these rules yield ratings alone."""
    return []
