"""§1: which games are rated, and how each moves two ratings at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from ratings.law.facts import PLAYED, Game, PlayerId, Section, State
from ratings.rulesets.ssdc.law.standing import SsdcStanding, rounded

CLASSIC, RAPID = "classic", "rapid"
TRACK_OF = {
    "classic": CLASSIC,  # §1.5.1
    "rapid": RAPID,  # §1.5.2
    "blitz": RAPID,  # §1.5.2
}
"""§1.5: the track that each time class moves; the organizer states the class (D-SSDC-10)."""

INITIAL = Decimal(1200)  # §1.6.1

ONE, TEN = Decimal(1), Decimal(10)
SCALE = Decimal(400)  # §1.4.1

K_NEW = Decimal(40)  # §1.4.2
K_HIGH = Decimal(10)  # §1.4.2
K_USUAL = Decimal(20)  # §1.4.2
NEW_FOR = 30  # §1.4.2: games since the rating was assigned
HIGH_FROM = Decimal(2400)  # §1.4.2


def tracks_of(section: Section) -> tuple[str, ...]:
    """§1.5: the tracks that a section moves: the one of its time class."""
    return (TRACK_OF[section.time_class or ""],)


def expected_score(own: Decimal, other: Decimal) -> Decimal:
    """§1.4.1: the score that a player is expected to make; the difference is divided by 400 first
    (D-SSDC-1).
    """
    return ONE / (ONE + TEN ** ((other - own) / SCALE))


def is_new(games: int) -> bool:
    """§1.4.2: whether a player with so many rated games in the track is within the first 30 (D-SSDC-3)."""
    return games < NEW_FOR


def k_factor(rating: Decimal, games: int) -> Decimal:
    """§1.4.2: K by the rated games before this one and by the rating as it is kept; being new comes first."""
    if is_new(games):
        return K_NEW
    return K_HIGH if rating >= HIGH_FROM else K_USUAL


def new_rating(rating: Decimal, k: Decimal, score: Decimal, expected: Decimal) -> Decimal:
    """§1.4.2: the rating after a game, rounded once (D-4)."""
    return rounded(rating + k * (score - expected))


class RatedGame(NamedTuple):
    """One rated game from one player's side, with all that it was rated by."""

    player: PlayerId
    opponent: PlayerId
    game: Game
    own: Decimal
    """The player's rating before the game; `other` is the opponent's then (D-SSDC-2)."""
    other: Decimal
    games: int
    """The number of the player's rated games before it."""
    k: Decimal
    score: Decimal
    expected: Decimal
    after: Decimal


@dataclass(slots=True)
class EntrantSection:
    """One entrant's rated games in a section, one after the other."""

    before: SsdcStanding | None
    start: Decimal
    """The rating before the section, or the initial one."""
    moves: list[RatedGame] = field(default_factory=list)

    @property
    def rating(self) -> Decimal:
        return self.moves[-1].after if self.moves else self.start

    @property
    def games(self) -> int:
        return (self.before.games if self.before else 0) + len(self.moves)


def play(state: State[SsdcStanding], section: Section) -> dict[PlayerId, EntrantSection]:
    """§1.3 §1.7: each entrant's section, its games rated one by one as they were played.

    Replays of drawn games are games like any (§1.7.1). An annulled game is none, its replay is (§1.7.2,
    D-SSDC-5); nor is what was decided without play (§1.7.3).
    """
    (track,) = tracks_of(section)
    cards = {}
    for entry in section.entries:
        before = state.get(entry.player, track)
        cards[entry.player] = EntrantSection(before, start_of(before))
    for game in in_order(section):
        first, second = cards[game.first], cards[game.second]
        moves = moves_of(game, first, second)
        for card, move in zip((first, second), moves, strict=True):
            card.moves.append(move)
    return cards


def start_of(before: SsdcStanding | None) -> Decimal:
    """§1.6: the rating with which an entrant begins: whoever enters for the first time gets the initial one,
    games or none (D-SSDC-4).
    """
    return INITIAL if before is None or before.rating is None else before.rating


def in_order(section: Section) -> Iterator[Game]:
    """§1.7: a section's rated games by round, and within a round in the given order (D-SSDC-2)."""
    return (game for game in sorted(section.games, key=lambda game: game.round) if game.played)


def moves_of(game: Game, first: EntrantSection, second: EntrantSection) -> tuple[RatedGame, RatedGame]:
    """§1.4: one game rated from either side, the first mover's first. Whatever one is expected to score, the
    other is not.
    """
    expected = expected_score(first.rating, second.rating)
    scores = PLAYED[game.result]
    return (
        move_of(game, game.first, game.second, (first, second), scores[0], expected),
        move_of(game, game.second, game.first, (second, first), scores[1], ONE - expected),
    )


def move_of(
    game: Game,
    player: PlayerId,
    opponent: PlayerId,
    cards: tuple[EntrantSection, EntrantSection],
    score: Decimal,
    expected: Decimal,
) -> RatedGame:
    own, other = cards
    k = k_factor(own.rating, own.games)
    after = new_rating(own.rating, k, score, expected)
    return RatedGame(player, opponent, game, own.rating, other.rating, own.games, k, score, expected, after)
