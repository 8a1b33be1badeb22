"""The standings for readers: the ranking, a replay's answers, seasons, World Championship places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date

from ratings.law.facts import PlayerId, State
from ratings.law.rule_outputs import Answer, ListedPlayer, RuleTable, Value, WorkingStep
from ratings.law.ruleset_helpers.shared_places import ranked
from ratings.rulesets.pfo.edition_2009.qualification import WAYS, qualified
from ratings.rulesets.pfo.edition_2009.season_points import Ranked, labels, standing_of, tied_for_first
from ratings.rulesets.pfo.law.standing import PfoStanding

Cells = tuple[Value | tuple[Value, ...], ...]
SEASON = (
    "place",
    "player",
    "points",
    "best",
    "every-game-won",
    "tournaments-won",
    "games-won",
    "note",
)
QUALIFIED = ("priority", "way", "player", "note")


def rating_list(state: State[PfoStanding], track: str, on: date) -> list[ListedPlayer]:
    """§3 §14: the ranking: everyone with a rating, best first, foreigners marked (D-PFO-6); equals share the
    rank.
    """
    return ranked(
        (player, standing.rating, standing.games, "rated" if standing.citizen else "foreign")
        for (player, of_track), standing in state.standings.items()
        if of_track == track
    )


def answers(state: State[PfoStanding], on: date) -> Iterator[Answer]:
    """The answers of a replay for everyone; who has a rating is on the list."""
    for (player, track), standing in state.standings.items():
        yield Answer(player, track, "rated", standing.rating, standing.games, listed=True)


def listed_steps(
    state: State[PfoStanding], player: PlayerId, track: str, on: date
) -> tuple[WorkingStep, ...]:
    """§13: a rating stays in the ranking, and every championship that the player misses costs a tenth."""
    if state.get(player, track) is None:
        return ()
    return (WorkingStep("13", "stays-listed", {}),)


def tables(state: State[PfoStanding], on: date) -> list[RuleTable]:
    """§17: the standing of each season, and (D-PFO-8) the players who qualify for the World Championship by
    the newest.

    A replay answers the seasons in one table; pages show one for each, with all that parts its players.
    """
    seasons: list[Cells] = []
    found = []
    known = labels(state)
    for label in known:
        standing = standing_of(state, label)
        seasons += [(label, row.player, row.season.points, row.season.best) for row in standing]
        found.append(season_table(label, standing))
    answered = RuleTable("seasons", ("season", "player", "points", "best"), tuple(seasons), shown=False)
    return [answered, *found, qualification(state, known[-1] if known else "")]


def season_table(label: str, standing: list[Ranked]) -> RuleTable:
    """§16 §17: the table of one season's standing, with all that parts its players. `label`: the season's."""
    rows = tuple(
        (
            row.place,
            row.player,
            row.season.points,
            row.season.best,
            row.season.maks,
            row.season.won,
            row.season.games_won,
            notes_of(row),
        )
        for row in standing
    )
    tied = tied_for_first(standing)
    return RuleTable("standing", SEASON, rows, answered=False, part=label, about="standing-about", tied=tied)


def notes_of(row: Ranked) -> tuple[str, ...]:
    notes = {"foreign": not row.citizen, "won-the-play-off": row.playoff}
    return tuple(note for note, applies in notes.items() if applies)


def qualification(state: State[PfoStanding], season: str) -> RuleTable:
    """§preamble: the table of players who qualify for the World Championship, by priority; two of one way are
    level, and the officials part them (D-PFO-11).
    """
    found = list(qualified(state))
    level = Counter(way for _season, way, _player in found)
    order = list(WAYS)
    rows = tuple(
        (order.index(way) + 1, way, player, "level" if level[way] > 1 else "")
        for _season, way, player in found
    )
    return RuleTable(
        "qualification", QUALIFIED, rows, answered=False, part=season, about="qualification-about"
    )
