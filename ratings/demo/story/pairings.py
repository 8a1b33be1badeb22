"""The formats of play: the pairings of each round, and the places at the end."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from ratings.demo.story.play_rounds import Hall, Pair
from ratings.equipment.demo import Kind
from ratings.law.facts import Left

HALF_BYE, LEAVES, NOTIFIED = 0.006, 0.018, 0.7
LUCK = 0.55
"""The share of one day's luck in a placement, of the spread of strength."""
LEVEL_ON_POINTS = 0.03
GAMES_OF_A_MATCH = 6


def rounds_of(rng: random.Random, kind: Kind, players: int) -> int:
    """The number of rounds that a kind of event has with so many players."""
    everybody = players - 1 + players % 2
    if kind.format == "double-round-robin":
        return 2 * everybody
    if kind.boards:
        return players // kind.boards - 1
    if kind.format == "scheveningen":
        return players // 2
    if kind.format == "knockout":
        return bracket(players).bit_length() - 1
    if kind.format == "round-robin":
        return everybody
    rounds = rng.choice(kind.rounds)
    return min(rounds, players - 2) if kind.format == "swiss" else rounds or GAMES_OF_A_MATCH


def play_out(hall: Hall, kind: Kind) -> dict[int, int]:
    """Play every round of a section in its format, and return the final places by starting number."""
    if kind.format == "placement":
        return place_all(hall)
    if kind.format == "knockout":
        return play_knockout(hall)
    if kind.boards:
        play_teams(hall, kind.boards)
    elif kind.format == "scheveningen":
        play_scheveningen(hall)
    elif kind.format == "swiss":
        play_swiss(hall)
    elif kind.format == "match":
        play_match(hall)
    else:
        play_round_robin(hall, twice=kind.format == "double-round-robin")
    return {player: place for place, player in enumerate(hall.order(), start=1)}


# ---------------------------------------------------------------- Swiss


def play_swiss(hall: Hall) -> None:
    """Play a Swiss: each round paired by score, with requested byes and players who leave."""
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
    """Choose players who leave a Swiss in its second half: starting number, first round missed, whether with
    notice.
    """
    for player in hall.players:
        if hall.rounds > 5 and len(hall.strengths) > 8 and hall.rng.random() < LEAVES:
            number = hall.rng.randint(hall.rounds // 2 + 1, hall.rounds - 1)
            yield player, Left(number, hall.rng.random() < NOTIFIED)


def _next_bye(hall: Hall, here: Sequence[int]) -> int:
    had = {player for _number, player, kind in hall.byes if kind == "pairing"}
    return next((player for player in reversed(here) if player not in had), here[-1])


def pair_by_score(hall: Hall, here: Sequence[int]) -> list[Pair]:
    """Pair one round of a Swiss: the upper half of each score group against its lower half, and nobody twice
    where that can be avoided.
    """
    free = list(here)
    pairs: list[Pair] = []
    while len(free) > 1:
        player = free.pop(0)
        group = sum(hall.scores[other] == hall.scores[player] for other in free)
        middle = group // 2
        candidates = [*free[middle:group], *reversed(free[:middle]), *free[group:]]
        opponent = next((o for o in candidates if frozenset((player, o)) not in hall.met), None)
        if opponent is None:
            opponent = _exchange(hall, pairs, player, free)
        free.remove(opponent)
        pairs.append(_colours(hall, player, opponent))
    return pairs


def _exchange(hall: Hall, pairs: list[Pair], player: int, free: list[int]) -> int:
    """Find an opponent for a player who met everybody left: break up an earlier pair, so that both get
    somebody new.
    """
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
    """Order a pair: the player who moved first less often moves first, else by toss."""
    balance = hall.firsts[one] - hall.firsts[two] or hall.rng.choice((-1, 1))
    return (one, two) if balance < 0 else (two, one)


# ---------------------------------------------------------------- everybody against everybody


def berger(size: int) -> list[list[Pair]]:
    """The pairings of a single round robin, round by round, for an even number of players."""
    ring = list(range(1, size))
    rounds = []
    for number in range(size - 1):
        seats = [size, *ring[number:], *ring[:number]]
        pairs = [(seats[place], seats[-place - 1]) for place in range(size // 2)]
        rounds.append([pair[::-1] if (number + place) % 2 else pair for place, pair in enumerate(pairs)])
    return rounds


def play_round_robin(hall: Hall, *, twice: bool = False) -> None:
    """Play everybody against everybody, in a double one with both colours; of an odd number one sits out each
    round.
    """
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
    """Play a league of teams in a round robin: each board against the same board of the other team. `boards`:
    those of a team.
    """
    teams = len(hall.strengths) // boards
    for number, matches in enumerate(berger(teams)[: hall.rounds], start=1):
        pairs = []
        for home, away in matches:
            for board in range(boards):
                pair = ((home - 1) * boards + board + 1, (away - 1) * boards + board + 1)
                pairs.append(pair[::-1] if board % 2 else pair)
        hall.play(number, pairs)


def play_scheveningen(hall: Hall) -> None:
    """Play two teams, each player of the one against each of the other."""
    half = len(hall.strengths) // 2
    for number in range(1, hall.rounds + 1):
        pairs = [(place + 1, half + (place + number - 1) % half + 1) for place in range(half)]
        hall.play(number, [pair[::-1] if (sum(pair) + number) % 2 else pair for pair in pairs])


# ---------------------------------------------------------------- two alone, and out at once


def play_match(hall: Hall) -> None:
    """Play a match of two players, who take turns to move first."""
    for number in range(1, hall.rounds + 1):
        hall.play(number, [(1, 2) if number % 2 else (2, 1)])


def bracket(players: int) -> int:
    """The most players, a power of two, that a knockout can take of so many."""
    return 1 << (players.bit_length() - 1)


def play_knockout(hall: Hall) -> dict[int, int]:
    """Play a knockout: losers are out, and losers of the same round share the place."""
    places: dict[int, int] = {}
    alive = list(hall.players)
    for number in range(1, hall.rounds + 1):
        half = len(alive) // 2
        alive = [_winner(hall, number, alive[at], alive[-at - 1]) for at in range(half)]
        places |= {player: half + 1 for player in hall.players if player not in {*alive, *places}}
    return places | {alive[0]: 1}


def _winner(hall: Hall, number: int, one: int, other: int) -> int:
    """The starting number of the winner of a knockout's pairing; where it stays drawn, the higher seeded goes
    on.
    """
    hall.meet(number, one, other)
    _round, first, second, result, _excused = hall.games[-1]
    if result == "1/2":
        return min(one, other)
    return first if result == "1-0" else second


# ---------------------------------------------------------------- places alone


def place_all(hall: Hall) -> dict[int, int]:
    """Place everybody without games, by strength and the luck of the day; now and then two share a place."""
    mean = sum(hall.strengths) / len(hall.strengths)
    spread = (sum((each - mean) ** 2 for each in hall.strengths) / len(hall.strengths)) ** 0.5
    luck = {player: hall.rng.gauss(0, LUCK * spread) for player in hall.players}
    order = sorted(hall.players, key=lambda player: -hall.strength(player) - luck[player])
    places: dict[int, int] = {}
    for place, player in enumerate(order, start=1):
        shared = place > 1 and hall.rng.random() < LEVEL_ON_POINTS
        places[player] = places[order[place - 2]] if shared else place
    return places
