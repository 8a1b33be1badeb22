"""Play, round by round: who meets whom, who wins, who stays away. Results follow true strength."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ratings.rulesets.facts import FORFEITS, PLAYED, Bye, Game, Left

FORFEIT, EXCUSED = 0.009, 0.45
HALF_BYE, LEAVES, NOTIFIED = 0.006, 0.018, 0.7
SMALLEST_CHANCE = 0.02
BYE_HALVES = {"pairing": 2, "full": 2, "half": 1, "zero": 0}
Pair = tuple[int, int]
"""Two starting numbers, the first mover's first."""


@dataclass(slots=True)
class Hall:
    """A section while it is played. Players are known by starting number, from 1."""

    rng: random.Random
    strengths: Sequence[float]
    rounds: int
    calm: bool = False
    """Nobody stays away, leaves or asks for a bye."""
    games: list[tuple[int, int, int, str, str | None]] = field(default_factory=list)
    byes: list[tuple[int, int, str]] = field(default_factory=list)
    left: dict[int, Left] = field(default_factory=dict)
    halves: list[int] = field(default_factory=list)
    met: set[frozenset[int]] = field(default_factory=set)
    firsts: list[int] = field(default_factory=list)
    """How often each moved first, less how often second."""

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
                self.record(number, first, second, self._result(first, second))

    def record(self, number: int, first: int, second: int, result: str, excused: str | None = None) -> None:
        self.games.append((number, first, second, result, excused))
        self.met.add(frozenset((first, second)))
        if result in PLAYED:
            points = PLAYED[result]
            self.firsts[first] += 1
            self.firsts[second] -= 1
            won = (int(2 * points[0]), int(2 * points[1]))
        else:
            won = (2 * FORFEITS[result][0], 2 * FORFEITS[result][1])
        self.halves[first] += won[0]
        self.halves[second] += won[1]

    def sit_out(self, number: int, player: int, kind: str) -> None:
        self.byes.append((number, player, kind))
        self.halves[player] += BYE_HALVES[kind]

    def order(self, players: Iterable[int] | None = None) -> list[int]:
        """By points, then strength: the order of pairing, and at the end the places."""
        some = self.players if players is None else players
        return sorted(some, key=lambda player: (-self.halves[player], -self.strength(player)))

    def gone(self, player: int, number: int) -> bool:
        left = self.left.get(player)
        return left is not None and left.round <= number

    def _result(self, first: int, second: int) -> str:
        """By the very line of §37, so that ratings settle at true strength."""
        difference = self.strength(first) - self.strength(second)
        expected = 0.542 + 0.001164 * difference
        expected = max(SMALLEST_CHANCE, min(1 - SMALLEST_CHANCE, expected))
        level = (self.strength(first) + self.strength(second)) / 2
        draws = min(0.55, max(0.05, (level - 500) / 3500)) * 2 * min(expected, 1 - expected)
        chance = self.rng.random()
        if chance < draws:
            return "1/2"
        return "1-0" if chance < draws / 2 + expected else "0-1"

    def _forfeit(self, number: int, first: int, second: int) -> None:
        comes_first = self.rng.random() < 0.5
        side = "second" if comes_first else "first"
        excused = side if self.rng.random() < EXCUSED else None
        self.record(number, first, second, "+:-" if comes_first else "-:+", excused)


# ---------------------------------------------------------------- Swiss


def play_swiss(hall: Hall) -> None:
    """Rounds by score, with requested byes and departures."""
    if not hall.calm:
        hall.left = dict(_departures(hall))
    for number in range(1, hall.rounds + 1):
        here = []
        for player in hall.order():
            if hall.gone(player, number):
                hall.sit_out(number, player, "zero")
            elif not hall.calm and 1 < number < hall.rounds and hall.rng.random() < HALF_BYE:
                hall.sit_out(number, player, "half")
            else:
                here.append(player)
        if len(here) % 2:
            bye = _next_bye(hall, here)
            here.remove(bye)
            hall.sit_out(number, bye, "pairing")
        hall.play(number, pair_by_score(hall, here))


def _departures(hall: Hall) -> Iterator[tuple[int, Left]]:
    """Somebody leaves in the second half, and not always with a word."""
    for player in hall.players:
        if hall.rounds > 5 and len(hall.strengths) > 8 and hall.rng.random() < LEAVES:
            number = hall.rng.randint(hall.rounds // 2 + 1, hall.rounds - 1)
            yield player, Left(number, hall.rng.random() < NOTIFIED)


def _next_bye(hall: Hall, here: Sequence[int]) -> int:
    had = {player for _number, player, kind in hall.byes if kind == "pairing"}
    return next((player for player in reversed(here) if player not in had), here[-1])


def pair_by_score(hall: Hall, here: Sequence[int]) -> list[Pair]:
    """The upper half of each score group against its lower half; nobody twice, as far as that goes."""
    free = list(here)
    pairs: list[Pair] = []
    while len(free) > 1:
        player = free.pop(0)
        group = sum(hall.halves[other] == hall.halves[player] for other in free)
        middle = group // 2
        candidates = [*free[middle:group], *reversed(free[:middle]), *free[group:]]
        opponent = next((o for o in candidates if frozenset((player, o)) not in hall.met), None)
        if opponent is None:
            opponent = _exchange(hall, pairs, player, free)
        free.remove(opponent)
        pairs.append(_colours(hall, player, opponent))
    return pairs


def _exchange(hall: Hall, pairs: list[Pair], player: int, free: list[int]) -> int:
    """Everybody left is known already: break up an earlier pair so that both halves find somebody new."""
    for place in range(len(pairs) - 1, -1, -1):
        for one, two in (pairs[place], pairs[place][::-1]):
            if frozenset((player, one)) in hall.met:
                continue
            for other in free:
                if frozenset((two, other)) not in hall.met:
                    pairs[place] = _colours(hall, two, other)
                    free.remove(other)
                    free.insert(0, one)
                    return one
    return free[0]


def _colours(hall: Hall, one: int, two: int) -> Pair:
    """Whoever moved first less often does so; else it is tossed."""
    balance = hall.firsts[one] - hall.firsts[two] or hall.rng.choice((-1, 1))
    return (one, two) if balance < 0 else (two, one)


# ---------------------------------------------------------------- everybody against everybody


def berger(size: int) -> list[list[Pair]]:
    """The rounds of a single round robin of an even number of players."""
    ring = list(range(1, size))
    rounds = []
    for number in range(size - 1):
        seats = [size, *ring[number:], *ring[:number]]
        pairs = [(seats[place], seats[-place - 1]) for place in range(size // 2)]
        rounds.append([pair[::-1] if (number + place) % 2 else pair for place, pair in enumerate(pairs)])
    return rounds


def play_round_robin(hall: Hall, *, twice: bool = False) -> None:
    """Everybody meets everybody, in a double one with both colours; who is odd out sits out."""
    size = len(hall.strengths) + len(hall.strengths) % 2
    rounds = berger(size)
    if twice:
        rounds += [[pair[::-1] for pair in pairs] for pairs in rounds]
    for number, pairs in enumerate(rounds[: hall.rounds], start=1):
        idle = [min(pair) for pair in pairs if max(pair) > len(hall.strengths)]
        for player in idle:
            hall.sit_out(number, player, "pairing")
        hall.play(number, [pair for pair in pairs if max(pair) <= len(hall.strengths)])


def play_teams(hall: Hall, boards: int) -> None:
    """A league: teams of so many boards, everybody's board against the same board of the other."""
    teams = len(hall.strengths) // boards
    for number, matches in enumerate(berger(teams)[: hall.rounds], start=1):
        pairs = []
        for home, away in matches:
            for board in range(boards):
                pair = ((home - 1) * boards + board + 1, (away - 1) * boards + board + 1)
                pairs.append(pair[::-1] if board % 2 else pair)
        hall.play(number, pairs)


def play_scheveningen(hall: Hall) -> None:
    """Two teams, each player of one against each of the other."""
    half = len(hall.strengths) // 2
    for number in range(1, hall.rounds + 1):
        pairs = [(place + 1, half + (place + number - 1) % half + 1) for place in range(half)]
        hall.play(number, [pair[::-1] if (sum(pair) + number) % 2 else pair for pair in pairs])


# ---------------------------------------------------------------- as the journal has it


def games_of(hall: Hall, ids: Sequence[str]) -> tuple[Game, ...]:
    """In the order of play; `ids` by starting number, the first one's first."""
    return tuple(Game(n, ids[f - 1], ids[s - 1], result, excused) for n, f, s, result, excused in hall.games)


def byes_of(hall: Hall, ids: Sequence[str]) -> tuple[Bye, ...]:
    return tuple(Bye(number, ids[player - 1], kind) for number, player, kind in hall.byes)


def spread(days: int, rounds: int) -> list[int]:
    """On which day, from 0, each round is played: as evenly as it goes, the early days fuller."""
    return [day for day in range(days) for _n in range(rounds // days + (day < rounds % days))]
