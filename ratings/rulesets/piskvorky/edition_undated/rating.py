"""§1–§7: the effect of each fact: a tournament rated, a rating taken over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from ratings.law.facts import (
    PLAYED,
    Change,
    Fact,
    Game,
    Needs,
    Opening,
    Outcome,
    PlayerId,
    RatedSection,
    Section,
    State,
)
from ratings.rulesets.piskvorky.edition_undated.formulas import (
    gain,
    is_established,
    rounded_founding,
    rounded_novice,
)
from ratings.rulesets.piskvorky.law.standing import PiskvorkyStanding, whole

TRACK = "rating"
FOUNDING_TOURNAMENTS = 2  # §6


class PlayedGame(NamedTuple):
    """One played game from one player's side."""

    game: Game
    opponent: PlayerId
    first: bool
    scores: tuple[Decimal, Decimal]
    """The scores of the player and of the opponent."""
    met: PiskvorkyStanding
    """The opponent's standing before the tournament (§4)."""


@dataclass(slots=True)
class EntrantGames:
    """One entrant's games in a tournament, with the standing before it."""

    before: PiskvorkyStanding
    """§4: the standing before the tournament, which holds until it is over."""
    games: list[PlayedGame] = field(default_factory=list)

    def counted(self, *, founding: bool) -> Iterator[PlayedGame]:
        """§3 §6: the games that enter the rating: in a founding tournament all, else those against
        established players.
        """
        return (played for played in self.games if founding or played.met.established)


def needs(fact: Fact) -> frozenset[PlayerId] | Needs:
    """The players whose standings `apply` reads: a tournament's entrants, or the one of an opening."""
    if isinstance(fact, RatedSection):
        return frozenset(entry.player for entry in fact.section.entries)
    return frozenset((fact.fact.player,)) if isinstance(fact.fact, Opening) else frozenset()


def apply(state: State[PiskvorkyStanding], fact: Fact) -> Outcome[PiskvorkyStanding]:
    """The standings that a fact moves, and as federation-wide part how many founding tournaments there were
    after it.
    """
    if isinstance(fact, RatedSection):
        return rate(state, fact.section)
    if isinstance(fact.fact, Opening):
        # An office that begins with ratings has had its founding tournaments (§6).
        return Outcome([take_over(state, fact.fact)], FOUNDING_TOURNAMENTS)
    return Outcome([], state.wide)


def is_founding(state: State[PiskvorkyStanding]) -> bool:
    """§6: whether the next tournament is one of the first two in the order of play (D-PIS-7)."""
    return (state.wide or 0) < FOUNDING_TOURNAMENTS


def rate(state: State[PiskvorkyStanding], section: Section) -> Outcome[PiskvorkyStanding]:
    founding = is_founding(state)
    changes = []
    for player, card in cards_of(state, section).items():
        before = state.get(player, TRACK)
        after = standing_after(card, founding=founding)
        both = before and before.rating is not None and after.rating is not None
        points = after.rating - before.rating if both else None  # type: ignore[union-attr,operator]
        changes.append(Change(player, TRACK, before, after, points))
    return Outcome(changes, (state.wide or 0) + 1 if founding else state.wide)


def cards_of(state: State[PiskvorkyStanding], section: Section) -> Mapping[PlayerId, EntrantGames]:
    """§4: each entrant's standing before the tournament and played games, in the order of play."""
    cards = {
        entry.player: EntrantGames(state.get(entry.player, TRACK) or PiskvorkyStanding())
        for entry in section.entries
    }
    for game in section.games:
        if not game.played:
            continue
        scores = PLAYED[game.result]
        first, second = cards[game.first], cards[game.second]
        first.games.append(PlayedGame(game, game.second, True, scores, second.before))
        second.games.append(PlayedGame(game, game.first, False, (scores[1], scores[0]), first.before))
    return cards


def standing_after(card: EntrantGames, *, founding: bool) -> PiskvorkyStanding:
    """§3: an entrant's standing after a tournament, by the formula for a founding one, an established player
    or a novice.
    """
    if founding:
        return found(card)
    return settle(card) if card.before.established else collect(card)


def tally(games: Iterator[PlayedGame]) -> tuple[int, int, int]:
    """The numbers of wins, losses and games; a game that both lost is a loss of each."""
    wins = losses = count = 0
    for played in games:
        mine, theirs = played.scores
        wins += mine > theirs
        losses += mine < theirs or not mine
        count += 1
    return wins, losses, count


def found(card: EntrantGames) -> PiskvorkyStanding:
    """§6: the standing after a founding tournament: all founding games so far in one formula (D-PIS-3)."""
    before = card.before
    wins, losses, games = tally(card.counted(founding=True))
    wins, losses, games = before.wins + wins, before.losses + losses, before.games + games
    return PiskvorkyStanding(rounded_founding(wins, losses, games), games, True, wins, losses)


def collect(card: EntrantGames) -> PiskvorkyStanding:
    """§5: the standing of a novice, by the games against established players of this tournament and all
    before (D-PIS-1).

    Once there are enough (§2) the rating is established, and what was collected is done with.
    """
    before = card.before
    wins, losses, games = tally(card.counted(founding=False))
    wins, losses, games = before.wins + wins, before.losses + losses, before.games + games
    opposition = before.opposition + met_by(card)
    if not games:
        return PiskvorkyStanding()  # D-PIS-5
    rating = rounded_novice(opposition, wins, losses, games)
    if is_established(wins, losses, games):
        return PiskvorkyStanding(rating, games, True)
    return PiskvorkyStanding(rating, games, False, wins, losses, opposition)


def met_by(card: EntrantGames) -> Decimal:
    """§5: the sum of the ratings of the established opponents in a tournament, one for each game."""
    ratings = [played.met.rating for played in card.counted(founding=False)]
    return sum((rating for rating in ratings if rating is not None), Decimal(0))


def settle(card: EntrantGames) -> PiskvorkyStanding:
    """§7: the standing of an established player, by the sum of gains and losses against others (D-PIS-4)."""
    assert card.before.rating is not None  # established
    gains = [gain_of(card.before, played) for played in card.counted(founding=False)]
    return PiskvorkyStanding(card.before.rating + sum(gains), card.before.games + len(gains), True)


def gain_of(before: PiskvorkyStanding, played: PlayedGame) -> int:
    assert before.rating is not None  # both are established
    assert played.met.rating is not None
    return gain(before.rating, played.met.rating, played.scores)


def take_over(state: State[PiskvorkyStanding], opening: Opening) -> Change[PiskvorkyStanding]:
    """§1: the change by which a rating of the list before the record is taken over, as established, with its
    games.
    """
    after = PiskvorkyStanding(whole(opening.rating), opening.games, True)
    return Change(opening.player, TRACK, state.get(opening.player, TRACK), after, None)
