"""A score far from expectation, by the expected scores that the federation's own rules print in a working."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ratings.hints.hint import HintFound, HintKind

FEWEST_GAMES = 4
"""The fewest games: one upset in three games is chess, not a hint."""
FEWEST_POINTS = Decimal("1.5")
"""The fewest points between score and expectation. Against much weaker players a single lost game is already
many standard deviations: it takes a loss and a draw beside it.
"""
ONE = Decimal(1)
TENTH = Decimal("0.1")


@dataclass(frozen=True, slots=True)
class ExpectedGame:
    """A played game between two rated players, from the one's side, as the rules reckon with it."""

    round: int
    opponent: str
    opponent_rating: Decimal
    expected: Decimal
    score: Decimal


@dataclass(frozen=True, slots=True)
class ScoreDeviation:
    """The distance of a score from its expectation."""

    scored: Decimal
    expected: Decimal
    spread: Decimal
    """The standard deviation of the score: the square root of the sum of e × (1 − e). Draws make it smaller
    in truth, so that a deviation is understated by it and never overstated.
    """

    @property
    def points(self) -> Decimal:
        return self.scored - self.expected

    @property
    def deviations(self) -> Decimal:
        """The distance in standard deviations, without its sign."""
        return abs(self.points) / self.spread

    def is_far(self, far: int) -> bool:
        """Whether it is at least so many standard deviations, and `FEWEST_POINTS`, from the expectation."""
        return abs(self.points) >= FEWEST_POINTS and abs(self.points) >= far * self.spread


def far_scores(
    players: Mapping[str, Mapping[str, Sequence[ExpectedGame]]], entries: Mapping[str, int], far: int
) -> Iterator[HintFound]:
    """Yield a hint for each player whose score is far from expectation in every track in which they have a
    rating: a score that one of their ratings explains is no surprise.

    `players`: by number, the games by track; `entries`: the starting numbers; `far`: the standard deviations.
    """
    for number, tracks in players.items():
        measured = [(track, games, deviation_of(games)) for track, games in tracks.items()]
        if not measured or any(each is None or not each.is_far(far) for _track, _games, each in measured):
            continue
        track, games, least = min(
            ((track, games, each) for track, games, each in measured if each is not None),
            key=lambda row: row[2].deviations,
        )
        evidence = {
            "player": number,
            "entry": entries[number],
            "track": track,
            "scored": _plain(least.scored),
            "expected": f"{least.expected:.2f}",
            "spread": f"{least.spread:.2f}",
            "deviations": str(least.deviations.quantize(TENTH)),
            "games": [_told(game) for game in games],
        }
        results = [(game.round, game.opponent, _plain(game.score)) for game in games]
        yield HintFound(HintKind.FAR_SCORE, (number, results), evidence, (number,))


def deviation_of(games: Iterable[ExpectedGame]) -> ScoreDeviation | None:
    """The deviation of a score over some games; None where they are too few to tell."""
    played = list(games)
    variance = sum((game.expected * (ONE - game.expected) for game in played), Decimal(0))
    if len(played) < FEWEST_GAMES or variance <= 0:
        return None
    scored = sum((game.score for game in played), Decimal(0))
    expected = sum((game.expected for game in played), Decimal(0))
    return ScoreDeviation(scored, expected, variance.sqrt())


def _told(game: ExpectedGame) -> list[str]:
    """A game as the evidence keeps it: round, opponent, the opponent's rating, expected score, score."""
    rating, expected = f"{game.opponent_rating:.1f}", f"{game.expected:.3f}"
    return [str(game.round), game.opponent, rating, expected, _plain(game.score)]


def _plain(score: Decimal) -> str:
    return f"{score.normalize():f}"
