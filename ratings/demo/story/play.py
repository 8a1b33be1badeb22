"""Plays games round by round: pairings, results, absences. Results follow true strength."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from ratings.law.facts import ANNULLED, BYE_HALVES, FORFEITS, PLAYED, Bye, Game, Left, Section

FORFEIT, EXCUSED = 0.009, 0.45
MOST_REPLAYS = 3
Pair = tuple[int, int]
"""Two starting numbers, the first mover's first."""


@dataclass(slots=True)
class Hall:
    """A section while it is played. Players are known by starting number, from 1."""

    rng: random.Random
    strengths: Sequence[float]
    rounds: int
    result: Callable[[random.Random, float, float], str]
    calm: bool = False
    """Whether everybody plays every round: no absence, no departure, no requested bye."""
    excuses: bool = False
    """Whether anybody asks if a forfeit was excused."""
    replays: bool = False
    """A drawn game is played again at once, the sides exchanged."""
    annulled: float = 0
    """The number of games that the arbiter annuls and has played again."""
    games: list[tuple[int, int, int, str, str | None]] = field(default_factory=list)
    byes: list[tuple[int, int, str]] = field(default_factory=list)
    left: dict[int, Left] = field(default_factory=dict)
    halves: list[int] = field(default_factory=list)
    met: set[frozenset[int]] = field(default_factory=set)
    firsts: list[int] = field(default_factory=list)
    """The number of times each moved first, less the times second."""

    def __post_init__(self) -> None:
        self.halves = [0] * (len(self.strengths) + 1)
        self.firsts = [0] * (len(self.strengths) + 1)

    @property
    def players(self) -> range:
        return range(1, len(self.strengths) + 1)

    def strength(self, player: int) -> float:
        return self.strengths[player - 1]

    def play(self, number: int, pairs: Iterable[Pair]) -> None:
        """One round's games; now and then somebody does not come."""
        for first, second in pairs:
            if not self.calm and self.rng.random() < FORFEIT:
                self._forfeit(number, first, second)
            else:
                self.meet(number, first, second)

    def meet(self, number: int, first: int, second: int) -> None:
        """A game, annulled ones and replays included."""
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
        won = halves_of(result)
        self.halves[first] += won[0]
        self.halves[second] += won[1]

    def sit_out(self, number: int, player: int, kind: str) -> None:
        self.byes.append((number, player, kind))
        self.halves[player] += BYE_HALVES[kind]

    def order(self, players: Iterable[int] | None = None) -> list[int]:
        """Order players by points, then strength: the order of pairing, and at the end the places."""
        some = self.players if players is None else players
        return sorted(some, key=lambda player: (-self.halves[player], -self.strength(player)))

    def gone(self, player: int, number: int) -> bool:
        left = self.left.get(player)
        return left is not None and left.round <= number

    def _forfeit(self, number: int, first: int, second: int) -> None:
        comes_first = self.rng.random() < 0.5
        side = "second" if comes_first else "first"
        excused = side if self.excuses and self.rng.random() < EXCUSED else None
        self.record(number, first, second, "+:-" if comes_first else "-:+", excused)


def halves_of(result: str) -> tuple[int, int]:
    """Half points of each side."""
    if result in PLAYED:
        first, second = PLAYED[result]
        return int(2 * first), int(2 * second)
    won = FORFEITS.get(result, (False, False))
    return 2 * won[0], 2 * won[1]


# ---------------------------------------------------------------- as the journal has it


def placed_anew(section: Section) -> Section:
    """Give the section the places that follow from its results; players who are level keep their order."""
    halves: Counter[str] = Counter()
    for game in section.games:
        for player, won in zip((game.first, game.second), halves_of(game.result), strict=True):
            halves[player] += won
    for bye in section.byes:
        halves[bye.player] += BYE_HALVES[bye.kind]
    order = sorted(section.entries, key=lambda entry: (-halves[entry.player], entry.place or 0))
    places = {entry.player: place for place, entry in enumerate(order, start=1)}
    return replace(section, entries=tuple(replace(e, place=places[e.player]) for e in section.entries))


def games_of(hall: Hall, ids: Sequence[str]) -> tuple[Game, ...]:
    """The games in the order of play; `ids` by starting number, the first one's first."""
    return tuple(Game(n, ids[f - 1], ids[s - 1], result, excused) for n, f, s, result, excused in hall.games)


def byes_of(hall: Hall, ids: Sequence[str]) -> tuple[Bye, ...]:
    return tuple(Bye(number, ids[player - 1], kind) for number, player, kind in hall.byes)
