"""§4: the standings for readers: the rating list, an extract from it, a replay's answers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from ratings.law.facts import PlayerId, State
from ratings.law.rule_outputs import Answer, Extract, ExtractRow, ListedPlayer, RuleTable, WorkingStep
from ratings.law.ruleset_helpers.shared_places import ranked
from ratings.rulesets.ssdc.edition_2017.ranks import (
    award_of,
    confirmed_of,
    height,
    holders,
    players_of,
    proposals,
    rank_of,
    standings_of,
    whole,
)
from ratings.rulesets.ssdc.edition_2017.rate_games import CLASSIC, RAPID, is_new
from ratings.rulesets.ssdc.law.standing import SsdcStanding

GAMES_TO_BE_LISTED = 5  # §4.5
YEARS_LISTED = 2  # §4.5, D-SSDC-9: the year of the list and the one before


PROPOSAL = ("player", "held", "rank", "clause", "figure", "section")
CONFIRMED = ("player", "rank", "on", "clause", "by-play")
GROUND = "SSDC "
"""The word before the clause in the grounds of ranks that the journal writes."""


def is_listed(standing: SsdcStanding, on: date) -> bool:
    """§4.5: whether a player stands on a track's list of a day: enough rated games, one of them this year or
    last (§4.5.1).
    """
    enough = standing.games >= GAMES_TO_BE_LISTED
    return enough and any(0 <= on.year - year < YEARS_LISTED for year in standing.years)


def listed_steps(
    state: State[SsdcStanding], player: PlayerId, track: str, on: date
) -> tuple[WorkingStep, ...]:
    """§4.5, D-SSDC-9: what keeps a player on a track's list: five rated games, and one of them this year or
    last.
    """
    standing = state.get(player, track) or SsdcStanding()
    if standing.games < GAMES_TO_BE_LISTED:
        inputs = {"needed": GAMES_TO_BE_LISTED, "games": standing.games}
        return (WorkingStep("4.5", "not-yet-listed", inputs, GAMES_TO_BE_LISTED - standing.games),)
    last = max((year for year in standing.years if year <= on.year), default=0)
    if not is_listed(standing, on):
        return (WorkingStep("4.5", "off-the-list", {"year": last}),)
    return (WorkingStep("4.5", "stays-listed", {"until": date(last + YEARS_LISTED - 1, 12, 31)}),)


def status_of(standing: SsdcStanding) -> str:
    """§1.4.2: `new` until the 30th rated game of the track is played, then `rated`."""
    return "new" if is_new(standing.games) else "rated"


def rating_list(state: State[SsdcStanding], track: str, on: date) -> list[ListedPlayer]:
    """§4.1: the rating list of a day, best first; who shows the same rating shares the rank."""
    listed = (
        (player, standing.rating, standing.games, status_of(standing))
        for (player, of_track), standing in state.standings.items()
        if of_track == track and standing.rating is not None and is_listed(standing, on)
    )
    return ranked(listed, whole)


def answers(state: State[SsdcStanding], on: date) -> Iterator[Answer]:
    """The answers of a replay for every rating; one that is off the list stays as it is (§4.5)."""
    for (player, track), standing in state.standings.items():
        if standing.rating is not None:
            yield Answer(
                player=player,
                track=track,
                status=status_of(standing),
                rating=standing.rating,
                games=standing.games,
                listed=is_listed(standing, on),
            )


def tables(state: State[SsdcStanding], on: date) -> list[RuleTable]:
    """§2.4: three tables of ranks: the highest for which play gives each player a ground, confirmed or not
    (D-SSDC-7); those that wait for an official; and those confirmed.
    """
    found = [(player, award_of(state, player)) for player in players_of(state)]
    ranks = [(player, award.rank, f"SSDC {award.clause}") for player, award in found if award]
    open_ = [(player, held, *award) for player, held, award in proposals(state)]
    closed = [
        (player, confirmed.rank, confirmed.on, confirmed.ground.removeprefix(GROUND), by_play)
        for player, confirmed, by_play in sorted(
            holders(state), key=lambda each: -height(each.confirmed.rank)
        )
    ]
    about = "proposals-about"
    return [
        RuleTable("ranks", ("player", "rank", "ground"), tuple(ranks), shown=False),
        RuleTable("proposals", PROPOSAL, tuple(open_), answered=False, about=about, confirms=True),
        RuleTable("confirmed-ranks", CONFIRMED, tuple(closed), answered=False, about="confirmed-ranks-about"),
    ]


def rank_steps(state: State[SsdcStanding], player: PlayerId, on: date) -> tuple[WorkingStep, ...]:
    """§2.3.2 §2.4 §2.5: the steps for a player's ranks: the one held, and one that waits for an official;
    empty for whoever took part in nothing.
    """
    confirmed, award = confirmed_of(state, player), award_of(state, player)
    if confirmed:
        clause = confirmed.ground.removeprefix(GROUND)
        step = WorkingStep(clause, "rank-held", {"on": confirmed.on}, confirmed.rank)
    elif standings_of(state, player):
        step = WorkingStep("2.3.2", "rank-none", {})
    else:
        return ()
    if award is None or height(award.rank) <= height(rank_of(state, player)):
        return (step,)
    return step, WorkingStep(award.clause, "rank-proposed", {}, award.rank)


def extract(state: State[SsdcStanding], player: PlayerId, on: date) -> Extract | None:
    """§4.6: the certificate of a player's confirmed rank and ratings; None of somebody who took part in
    nothing.

    `state` is that of the day (`resolve(journal, on)`), and `on` the day for the list's conditions.
    """
    rows = []
    for track in (CLASSIC, RAPID):
        standing = state.get(player, track)
        if standing is not None and standing.rating is not None:
            rating, games = standing.rating, standing.games
            shown, listed = whole(rating), is_listed(standing, on)
            rows.append(ExtractRow(track, rating, shown, games, status_of(standing), listed))
    return Extract(player, on, rank_of(state, player), tuple(rows)) if rows else None
