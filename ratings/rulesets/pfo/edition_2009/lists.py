"""What the standings say to readers: the ranking, a replay's answers, seasons, World Championship places."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from ratings.rulesets.facts import State
from ratings.rulesets.pfo.edition_2009.qualification import qualified
from ratings.rulesets.pfo.edition_2009.scoring import labels, standing_of
from ratings.rulesets.pfo.standing import Standing
from ratings.rulesets.reports import Answer, Row, Table, Value


def rating_list(state: State[Standing], track: str, on: date) -> list[Row]:
    """§3 §14: everyone with a rating, best first, foreigners marked (D-PFO-6); equals share the rank."""
    rated = [
        (standing.rating, player, standing)
        for (player, of_track), standing in state.standings.items()
        if of_track == track
    ]
    rated.sort(key=lambda row: (-row[0], row[1]))
    rows: list[Row] = []
    for number, (rating, player, standing) in enumerate(rated, start=1):
        level = bool(rows) and rows[-1].rating == rating
        status = "rated" if standing.citizen else "foreign"
        rows.append(Row(rows[-1].rank if level else number, player, rating, standing.games, status))
    return rows


def answers(state: State[Standing], on: date) -> Iterator[Answer]:
    """Everyone; who has a rating is listed."""
    for (player, track), standing in state.standings.items():
        yield Answer(player, track, "rated", standing.rating, standing.games, listed=True)


def tables(state: State[Standing], on: date) -> list[Table]:
    """§17: each season's standing. D-PFO-8: who goes to the World Championship by the newest of them."""
    seasons: list[tuple[Value | tuple[Value, ...], ...]] = []
    for label in labels(state):
        for row in standing_of(state, label):
            seasons.append((label, row.player, row.season.points, row.season.best))
    return [
        Table("seasons", ("season", "player", "points", "best"), tuple(seasons)),
        Table("qualification", ("season", "way", "player"), tuple(qualified(state)), answered=False),
    ]
