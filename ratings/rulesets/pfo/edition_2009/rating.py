"""§8–§14: a section rated game by game, awards, the championship missed; a rating taken over; a play-off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple, TypeGuard

from ratings.law.facts import (
    PLAYED,
    Change,
    Entry,
    Fact,
    Game,
    Needs,
    Opening,
    Outcome,
    PlayerId,
    Playoff,
    RatedSection,
    State,
)
from ratings.rulesets.pfo.edition_2009.point_tables import (
    PARTICIPATION,
    START,
    egp_award,
    game_points,
    loss_of_the_absent,
    world_award,
)
from ratings.rulesets.pfo.edition_2009.season_points import (
    CHAMPIONSHIP,
    EUROPEAN,
    GRAND_PRIX,
    TRACK,
    Score,
    citizen,
    scores,
    with_score,
)
from ratings.rulesets.pfo.law.standing import PfoStanding, Seasons

RATED = (GRAND_PRIX, CHAMPIONSHIP)  # §8 §12: games of the others move nothing
LAST = "last-of-the-championship"
"""The note on the section that is the last of its season's championship (D-PFO-5)."""


class RatedGame(NamedTuple):
    """A played game with both ratings before it, and the points that it gives each, the first
    mover's first.
    """

    game: Game
    ratings: tuple[int, int]
    points: tuple[int, int]


class EntrantResult(NamedTuple):
    """The effect of a section on one entrant, with all that a working shows of it."""

    entry: Entry
    before: PfoStanding | None
    start: int
    """The rating before the section, or the initial one."""
    games: int
    """The number of rated games."""
    award: int
    """§12: the points for a place or for taking part."""
    score: Score | None
    """The points towards the season; None: this section gives none."""
    after: PfoStanding

    @property
    def points(self) -> Decimal | None:
        """The points of the whole change; None for a debutant, who had no rating to move."""
        return self.after.rating - self.before.rating if self.before else None


def annotate(ordered: list[Fact]) -> list[Fact]:
    """§13: add a note to the section that is the last of each season's championship; only the order of facts
    shows it.
    """
    last = {fact.section.season: fact.number for fact in ordered if is_championship(fact)}
    numbers = set(last.values())
    return [
        replace(fact, notes=(LAST,) if fact.number in numbers else ())
        if isinstance(fact, RatedSection)
        else fact
        for fact in ordered
    ]


def is_championship(fact: Fact) -> TypeGuard[RatedSection]:
    return isinstance(fact, RatedSection) and fact.section.status == CHAMPIONSHIP


def needs(fact: Fact) -> frozenset[PlayerId] | Needs:
    """The players whose standings `apply` reads: a section's entrants; where it ends a championship,
    everyone's.
    """
    if isinstance(fact, RatedSection):
        return Needs.EVERYONE if LAST in fact.notes else frozenset(e.player for e in fact.section.entries)
    return frozenset((fact.fact.player,)) if isinstance(fact.fact, Opening) else frozenset()


def apply(state: State[PfoStanding], fact: Fact) -> Outcome[PfoStanding]:
    """The standings that a fact moves, and the federation-wide part after it."""
    if isinstance(fact, RatedSection):
        return rate(state, fact)
    if isinstance(fact.fact, Opening):
        return Outcome([take_over(state, fact.fact)], state.wide)
    if isinstance(fact.fact, Playoff):
        return Outcome([], with_playoff(state.wide, fact.fact))
    return Outcome([], state.wide)


def rate(state: State[PfoStanding], fact: RatedSection) -> Outcome[PfoStanding]:
    """The changes that a section makes: its entrants', and those of whoever missed the championship that ends
    with it.
    """
    _moves, reckonings = reckon(state, fact)
    changes = [
        Change(reckoning.entry.player, TRACK, reckoning.before, reckoning.after, reckoning.points)
        for reckoning in reckonings
    ]
    changes += [miss(state, player) for player in absent(state, fact)]
    return Outcome(changes, after_section(state.wide, fact))


def reckon(state: State[PfoStanding], fact: RatedSection) -> tuple[list[RatedGame], list[EntrantResult]]:
    """§8–§12 §16: the section's rated games, in order, and its effect on each entrant whom it concerns, in
    the order of the entries.
    """
    section = fact.section
    entries = [entry for entry in section.entries if concerns(state, fact, entry.player)]
    standings = {entry.player: state.get(entry.player, TRACK) for entry in entries}
    ratings = {player: int(known.rating) if known else START for player, known in standings.items()}
    start = dict(ratings)
    moves = play(ratings, section.games) if section.status in RATED else []
    games = Counter(player for move in moves for player in move.game[1:3])
    scored = scores(fact)
    reckonings = []
    for entry in entries:
        player = entry.player
        given = award(section.status, entry, games[player])
        before = standings[player]
        known = before or PfoStanding(Decimal(START), excused=state.wide.running if state.wide else ())
        score = scored.get(player)
        after = known._replace(
            rating=Decimal(ratings[player] + given),
            games=known.games + games[player],
            citizen=citizen(fact.players[player]),
            seasons=with_score(known.seasons, section.season or "", score) if score else known.seasons,
        )
        reckonings.append(EntrantResult(entry, before, start[player], games[player], given, score, after))
    return moves, reckonings


def concerns(state: State[PfoStanding], fact: RatedSection, player: PlayerId) -> bool:
    """§12 §14: whether a section may move a player: everyone, where games are rated; elsewhere citizens, and
    foreigners with a rating (D-PFO-3).
    """
    if fact.section.status in RATED or citizen(fact.players[player]):
        return True
    return state.get(player, TRACK) is not None


def play(ratings: dict[PlayerId, int], games: Iterable[Game]) -> list[RatedGame]:
    """§8 §9: rate games one after the other, round by round: each moves both players' numbers in `ratings` at
    once (D-PFO-1).
    """
    moves = []
    for game in sorted(games, key=lambda game: game.round):
        if game.result not in PLAYED:
            continue
        before = ratings[game.first], ratings[game.second]
        points = game_points(*before, game.result)
        ratings[game.first] += points[0]
        ratings[game.second] += points[1]
        moves.append(RatedGame(game, before, points))
    return moves


def award(status: str | None, entry: Entry, games: int) -> int:
    """§12: an entrant's points beside games: for taking part in a Grand Prix tournament (D-PFO-4), or by
    place in a European one or the World Championship (D-PFO-3).
    """
    if status == GRAND_PRIX:
        return PARTICIPATION if games else 0
    if status == CHAMPIONSHIP or entry.place is None:
        return 0
    return egp_award(entry.place) if status == EUROPEAN else world_award(entry.place)


# ------------------------------------------------------------------------------- the championship missed


def absent(state: State[PfoStanding], fact: RatedSection) -> list[PlayerId]:
    """§13: the players who missed a championship that ends with this section: they had a rating before it and
    entered none of it (D-PFO-5).
    """
    if LAST not in fact.notes:
        return []
    here = {entry.player for entry in fact.section.entries}
    label = fact.section.season or ""
    return sorted(
        player
        for (player, _track), standing in state.standings.items()
        if player not in here and label not in standing.excused and not standing.season(label).entered
    )


def miss(state: State[PfoStanding], player: PlayerId) -> Change[PfoStanding]:
    """§13: the change of a player who missed the championship: a tenth of the rating lost."""
    before = state.standings[player, TRACK]
    loss = Decimal(loss_of_the_absent(int(before.rating)))
    return Change(player, TRACK, before, before._replace(rating=before.rating - loss), -loss)


def after_section(wide: Seasons | None, fact: RatedSection) -> Seasons | None:
    """The federation-wide part after a section: a championship is under way from its first section to its
    last.
    """
    if not is_championship(fact):
        return wide
    known, label = wide or Seasons(), fact.section.season or ""
    running = {*known.running, label} if LAST not in fact.notes else {*known.running} - {label}
    after = known._replace(running=tuple(sorted(running)))
    return wide if after == known else after


# ------------------------------------------------------------------------------- other facts


def take_over(state: State[PfoStanding], opening: Opening) -> Change[PfoStanding]:
    """§8: the change by which a rating from before the record is carried on, in whole points (D-PFO-10)."""
    before = state.get(opening.player, TRACK)
    rating = opening.rating.quantize(Decimal(1), ROUND_HALF_UP)
    after = (before or PfoStanding(rating))._replace(rating=rating, games=opening.games)
    return Change(opening.player, TRACK, before, after, None)


def with_playoff(wide: Seasons | None, playoff: Playoff) -> Seasons:
    """§17: the federation-wide part with a play-off's winner; of several for a season the last stands
    (D-PFO-7).
    """
    known = wide or Seasons()
    winners = {**dict(known.playoffs), playoff.season: playoff.winner}
    return known._replace(playoffs=tuple(sorted(winners.items())))
