"""Plays games round by round: pairings, results, absences. Results follow true strength."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from ratings.law.facts import ANNULLED, PLAYED, Bye, Game, Left, Section
from ratings.law.ruleset import Ruleset
from ratings.law.scoring import Scoring

FORFEIT, EXCUSED = 0.009, 0.45
MOST_REPLAYS = 3
Pair = tuple[int, int]
"""Two starting numbers, the first mover's first."""


@dataclass(slots=True)
class SectionInPlay:
    """A section while it is played: who is there, every game and bye so far, the scores. Players are known by
    starting number, from 1.
    """

    rng: random.Random
    strengths: Sequence[float]
    rounds: int
    result: Callable[[random.Random, float, float], str]
    calm: bool = False
    """Whether everybody plays every round: no absence, no departure, no requested bye."""
    excuses: bool = False
    """Whether a forfeit may be marked as excused, as some rulesets ask."""
    replays: bool = False
    """Whether a drawn game is played again at once, the sides exchanged."""
    annulled: float = 0
    """The share of games that the arbiter annuls and has played again."""
    games: list[tuple[int, int, int, str, str | None]] = field(default_factory=list)
    byes: list[tuple[int, int, str]] = field(default_factory=list)
    left: dict[int, Left] = field(default_factory=dict)
    scoring: Scoring = field(default_factory=Scoring)
    scores: list[Decimal] = field(default_factory=list)
    met: set[frozenset[int]] = field(default_factory=set)
    firsts: list[int] = field(default_factory=list)
    """By starting number, how often each moved first, less how often second."""

    def __post_init__(self) -> None:
        self.scores = [Decimal(0)] * (len(self.strengths) + 1)
        self.firsts = [0] * (len(self.strengths) + 1)

    @property
    def players(self) -> range:
        return range(1, len(self.strengths) + 1)

    def strength(self, player: int) -> float:
        return self.strengths[player - 1]

    def play(self, number: int, pairs: Iterable[Pair]) -> None:
        """Play the games of a round; now and then somebody does not come and loses by forfeit."""
        for first, second in pairs:
            if not self.calm and self.rng.random() < FORFEIT:
                self._forfeit(number, first, second)
            else:
                self.meet(number, first, second)

    def meet(self, number: int, first: int, second: int) -> None:
        """Play a pairing: one game, with an annulled one before it or replays of a draw after it where the
        event has such.
        """
        if self.annulled and self.rng.random() < self.annulled:
            self.games.append((number, first, second, ANNULLED, None))
        result = self._one_game(number, first, second)
        replayed = 0
        while self.replays and result == "1/2" and replayed < MOST_REPLAYS:
            first, second, replayed = second, first, replayed + 1
            result = self._one_game(number, first, second)

    def _one_game(self, number: int, first: int, second: int) -> str:
        result = self.result(self.rng, self.strength(first), self.strength(second))
        self.record(number, first, second, result)
        return result

    def record(self, number: int, first: int, second: int, result: str, excused: str | None = None) -> None:
        self.games.append((number, first, second, result, excused))
        self.met.add(frozenset((first, second)))
        if result in PLAYED:
            self.firsts[first] += 1
            self.firsts[second] -= 1
        points = self.scoring.of_game(result)
        self.scores[first] += points[0]
        self.scores[second] += points[1]

    def sit_out(self, number: int, player: int, kind: str) -> None:
        self.byes.append((number, player, kind))
        self.scores[player] += self.scoring.of_bye(kind)

    def order(self, players: Iterable[int] | None = None) -> list[int]:
        """Order players by points, then strength: the order of pairing, and at the end the places."""
        some = self.players if players is None else players
        return sorted(some, key=lambda player: (-self.scores[player], -self.strength(player)))

    def gone(self, player: int, number: int) -> bool:
        left = self.left.get(player)
        return left is not None and left.round <= number

    def _forfeit(self, number: int, first: int, second: int) -> None:
        comes_first = self.rng.random() < 0.5
        side = "second" if comes_first else "first"
        excused = side if self.excuses and self.rng.random() < EXCUSED else None
        self.record(number, first, second, "+:-" if comes_first else "-:+", excused)


# ---------------------------------------------------------------- as the journal has it


def placed_anew(section: Section, ruleset: Ruleset) -> Section:
    """The section with the places that follow from its results; players level on points keep their order."""
    scores = ruleset.edition_of_day(section.starts).scoring.totals(
        ((game.first, game.second, game.result) for game in section.games),
        ((bye.player, bye.kind) for bye in section.byes),
    )
    order = sorted(section.entries, key=lambda entry: (-scores[entry.player], entry.place or 0))
    places = {entry.player: place for place, entry in enumerate(order, start=1)}
    return replace(section, entries=tuple(replace(e, place=places[e.player]) for e in section.entries))


def games_of(section: SectionInPlay, ids: Sequence[str]) -> tuple[Game, ...]:
    """The games played, in order, as facts of the journal. `ids`: the players' ids by starting number, from
    the first.
    """
    return tuple(
        Game(n, ids[f - 1], ids[s - 1], result, excused) for n, f, s, result, excused in section.games
    )


def byes_of(section: SectionInPlay, ids: Sequence[str]) -> tuple[Bye, ...]:
    return tuple(Bye(number, ids[player - 1], kind) for number, player, kind in section.byes)
