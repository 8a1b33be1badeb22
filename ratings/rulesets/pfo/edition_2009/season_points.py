"""§15–§17: a section's points towards a season, and a season's standing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ratings.law.facts import FORFEITS, PLAYED, Game, Player, PlayerId, RatedSection, Section, State
from ratings.law.ruleset_helpers.shared_places import recount, shared_places
from ratings.rulesets.pfo.edition_2009.point_tables import COUNTED, MAKS, season_points
from ratings.rulesets.pfo.law.standing import PfoStanding, Season

HOME = "POL"
GRAND_PRIX, CHAMPIONSHIP, EUROPEAN, WORLD = "gpp", "mp", "egp", "woc"
TRACK = "ranking"

WON = {"1-0": (True, False), "0-1": (False, True)}


class Score(NamedTuple):
    """One player's points from one section towards its season (D-PFO-7)."""

    place: int
    """The place that counts: at a European Grand Prix the one among the Polish players alone."""
    points: int
    """Points by place, without those for winning every game."""
    maks: bool
    """§16: whether the player won every game."""
    games_won: int
    """The games won that count for ties: those of Grand Prix tournaments."""
    championship: int | None
    """The place in a section of the championship, for who does not play for the women's title; else None."""
    women: int | None
    """The place in a section of the championship, for who plays for the women's title; else None."""

    @property
    def total(self) -> int:
        return self.points + MAKS * self.maks


class GamesPlayed(NamedTuple):
    """The numbers of one player's games in a section."""

    games: int = 0
    """The number of games played, forfeits not counted (D-3)."""
    won: int = 0
    forfeited: int = 0


def citizen(player: Player) -> bool:
    """§14, D-6: whether a player is a citizen of Poland; not so where the nation is not known."""
    return player.nation == HOME


def scores(fact: RatedSection) -> dict[PlayerId, Score]:
    """§15 §16 §17: the points of a section towards its season, by player; empty where the section does not
    score.
    """
    section = fact.section
    if section.status not in (GRAND_PRIX, CHAMPIONSHIP, EUROPEAN):
        return {}
    places = {entry.player: entry.place for entry in section.entries if entry.place is not None}
    women = {entry.player for entry in section.entries if entry.women}
    if section.status == EUROPEAN:
        if section.country not in (None, HOME):
            return {}
        places = places_among_citizens(places, fact.players)
    played = tally(section.games)
    return {
        player: score(section, place, played.get(player, GamesPlayed()), women=player in women)
        for player, place in places.items()
    }


def places_among_citizens(
    places: Mapping[PlayerId, int], players: Mapping[PlayerId, Player]
) -> dict[PlayerId, int]:
    """§17: the places of the Polish players as if no foreigner had played; who shared a place shares it
    still.
    """
    own = {player: place for player, place in places.items() if citizen(players[player])}
    counted = recount(own.values())
    return {player: counted[place] for player, place in own.items()}


def score(section: Section, place: int, played: GamesPlayed, *, women: bool) -> Score:
    """§16: the points of one place in a section towards the season; `women`: whether the player plays for the
    women's title.
    """
    champion = place if section.status == CHAMPIONSHIP else None
    return Score(
        place=place,
        points=season_points(place),
        maks=0 < played.games == played.won and not played.forfeited,
        games_won=played.won if section.status == GRAND_PRIX else 0,
        championship=None if women else champion,
        women=champion if women else None,
    )


def tally(games: Iterable[Game]) -> dict[PlayerId, GamesPlayed]:
    """Games played and won, and games forfeited, by player; an annulled game is none (D-7)."""
    found: dict[PlayerId, GamesPlayed] = {}
    for game in games:
        won = WON.get(game.result, (False, False))
        kept = FORFEITS.get(game.result, (True, True))
        for side, player in enumerate((game.first, game.second)):
            before = found.get(player, GamesPlayed())
            found[player] = GamesPlayed(
                before.games + (game.result in PLAYED),
                before.won + won[side],
                before.forfeited + (not kept[side]),
            )
    return found


def with_score(seasons: tuple[Season, ...], label: str, scored: Score) -> tuple[Season, ...]:
    """§17: a player's seasons with one more section's points in the season `label`."""
    by_label = {season.label: season for season in seasons}
    before = by_label.get(label, Season(label))
    by_label[label] = Season(
        label=label,
        best=tuple(sorted((*before.best, scored.total), reverse=True)[:COUNTED]),
        won=before.won + (scored.place == 1),
        games_won=before.games_won + scored.games_won,
        championship=best_of(before.championship, scored.championship),
        maks=before.maks + scored.maks,
        women=best_of(before.women, scored.women),
    )
    return tuple(by_label[name] for name in sorted(by_label))


def best_of(*places: int | None) -> int | None:
    return min((place for place in places if place is not None), default=None)


class Ranked(NamedTuple):
    """One player's row in a season's standing."""

    place: int
    """The place, shared where nothing in §17 parts the players."""
    player: PlayerId
    season: Season
    citizen: bool
    playoff: bool
    """Whether a play-off gave the first place."""


def standing_of(state: State[PfoStanding], label: str) -> list[Ranked]:
    """§17: a season's standing: by points, tournaments won, games won; a full tie for first is parted by its
    play-off.
    """
    rows = [
        (season, player, standing.citizen)
        for (player, _track), standing in state.standings.items()
        for season in standing.seasons
        if season.label == label
    ]
    rows.sort(key=lambda row: (*_worth(row[0]), row[1]))
    tied = {player for season, player, _citizen in rows if _worth(season) == _worth(rows[0][0])}
    winner = dict(state.wide.playoffs).get(label) if state.wide else None
    if winner not in tied or len(tied) == 1:
        winner = None
    rows.sort(key=lambda row: row[1] != winner)
    places = shared_places((player == winner, _worth(season)) for season, player, _citizen in rows)
    return [
        Ranked(place, player, season, own, player == winner)
        for place, (season, player, own) in zip(places, rows, strict=True)
    ]


def tied_for_first(standing: list[Ranked]) -> tuple[PlayerId, ...]:
    """§17: the players who share first place before any play-off; empty where one player is alone there."""
    first = [row.player for row in standing if _worth(row.season) == _worth(standing[0].season)]
    return tuple(first) if len(first) > 1 else ()


def _worth(season: Season) -> tuple[int, int, int]:
    return -season.points, -season.won, -season.games_won


def labels(state: State[PfoStanding]) -> list[str]:
    """The labels of the seasons of which there is a result, in order."""
    return sorted({season.label for standing in state.standings.values() for season in standing.seasons})
