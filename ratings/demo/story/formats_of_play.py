"""The formats of play: the pairings of each round, and the places at the end."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from ratings.demo.story.simulate_games import Pair, SectionInPlay
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


def play_out(section: SectionInPlay, kind: Kind) -> dict[int, int]:
    """Play every round of a section in its format, and return the final places by starting number."""
    if kind.format == "placement":
        return place_all(section)
    if kind.format == "knockout":
        return play_knockout(section)
    if kind.boards:
        play_teams(section, kind.boards)
    elif kind.format == "scheveningen":
        play_scheveningen(section)
    elif kind.format == "swiss":
        play_swiss(section)
    elif kind.format == "match":
        play_match(section)
    else:
        play_round_robin(section, twice=kind.format == "double-round-robin")
    return {player: place for place, player in enumerate(section.order(), start=1)}


# ---------------------------------------------------------------- Swiss


def play_swiss(section: SectionInPlay) -> None:
    """Play a Swiss: each round paired by score, with requested byes and players who leave."""
    if not section.calm:
        section.left = dict(_departures(section))
    for number in range(1, section.rounds + 1):
        here = []
        for player in section.order():
            if section.gone(player, number):
                section.sit_out(number, player, "zero")
            elif not section.calm and 1 < number < section.rounds and section.rng.random() < HALF_BYE:
                section.sit_out(number, player, "half")
            else:
                here.append(player)
        if len(here) % 2:
            bye = _next_bye(section, here)
            here.remove(bye)
            section.sit_out(number, bye, "pairing")
        section.play(number, pair_by_score(section, here))


def _departures(section: SectionInPlay) -> Iterator[tuple[int, Left]]:
    """Choose players who leave a Swiss in its second half: starting number, first round missed, whether with
    notice.
    """
    for player in section.players:
        if section.rounds > 5 and len(section.strengths) > 8 and section.rng.random() < LEAVES:
            number = section.rng.randint(section.rounds // 2 + 1, section.rounds - 1)
            yield player, Left(number, section.rng.random() < NOTIFIED)


def _next_bye(section: SectionInPlay, here: Sequence[int]) -> int:
    had = {player for _number, player, kind in section.byes if kind == "pairing"}
    return next((player for player in reversed(here) if player not in had), here[-1])


def pair_by_score(section: SectionInPlay, here: Sequence[int]) -> list[Pair]:
    """Pair one round of a Swiss: the upper half of each score group against its lower half, and nobody twice
    where that can be avoided.
    """
    free = list(here)
    pairs: list[Pair] = []
    while len(free) > 1:
        player = free.pop(0)
        group = sum(section.scores[other] == section.scores[player] for other in free)
        middle = group // 2
        candidates = [*free[middle:group], *reversed(free[:middle]), *free[group:]]
        opponent = next((o for o in candidates if frozenset((player, o)) not in section.met), None)
        if opponent is None:
            opponent = _exchange(section, pairs, player, free)
        free.remove(opponent)
        pairs.append(_colours(section, player, opponent))
    return pairs


def _exchange(section: SectionInPlay, pairs: list[Pair], player: int, free: list[int]) -> int:
    """Find an opponent for a player who met everybody left: break up an earlier pair, so that both get
    somebody new.
    """
    for place in range(len(pairs) - 1, -1, -1):
        for one, two in (pairs[place], pairs[place][::-1]):
            if frozenset((player, one)) in section.met:
                continue
            for other in free:
                if frozenset((two, other)) not in section.met:
                    pairs[place] = _colours(section, two, other)
                    free.remove(other)
                    free.insert(0, one)
                    return one
    return free[0]


def _colours(section: SectionInPlay, one: int, two: int) -> Pair:
    """Order a pair: the player who moved first less often moves first, else by toss."""
    balance = section.firsts[one] - section.firsts[two] or section.rng.choice((-1, 1))
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


def play_round_robin(section: SectionInPlay, *, twice: bool = False) -> None:
    """Play everybody against everybody, in a double one with both colours; of an odd number one sits out each
    round.
    """
    size = len(section.strengths) + len(section.strengths) % 2
    rounds = berger(size)
    if twice:
        rounds += [[pair[::-1] for pair in pairs] for pairs in rounds]
    for number, pairs in enumerate(rounds[: section.rounds], start=1):
        idle = [min(pair) for pair in pairs if max(pair) > len(section.strengths)]
        for player in idle:
            section.sit_out(number, player, "pairing")
        section.play(number, [pair for pair in pairs if max(pair) <= len(section.strengths)])


def play_teams(section: SectionInPlay, boards: int) -> None:
    """Play a league of teams in a round robin: each board against the same board of the other team. `boards`:
    those of a team.
    """
    teams = len(section.strengths) // boards
    for number, matches in enumerate(berger(teams)[: section.rounds], start=1):
        pairs = []
        for home, away in matches:
            for board in range(boards):
                pair = ((home - 1) * boards + board + 1, (away - 1) * boards + board + 1)
                pairs.append(pair[::-1] if board % 2 else pair)
        section.play(number, pairs)


def play_scheveningen(section: SectionInPlay) -> None:
    """Play two teams, each player of the one against each of the other."""
    half = len(section.strengths) // 2
    for number in range(1, section.rounds + 1):
        pairs = [(place + 1, half + (place + number - 1) % half + 1) for place in range(half)]
        section.play(number, [pair[::-1] if (sum(pair) + number) % 2 else pair for pair in pairs])


# ---------------------------------------------------------------- two alone, and out at once


def play_match(section: SectionInPlay) -> None:
    """Play a match of two players, who take turns to move first."""
    for number in range(1, section.rounds + 1):
        section.play(number, [(1, 2) if number % 2 else (2, 1)])


def bracket(players: int) -> int:
    """The most players, a power of two, that a knockout can take of so many."""
    return 1 << (players.bit_length() - 1)


def play_knockout(section: SectionInPlay) -> dict[int, int]:
    """Play a knockout: losers are out, and losers of the same round share the place."""
    places: dict[int, int] = {}
    alive = list(section.players)
    for number in range(1, section.rounds + 1):
        half = len(alive) // 2
        alive = [_winner(section, number, alive[at], alive[-at - 1]) for at in range(half)]
        places |= {player: half + 1 for player in section.players if player not in {*alive, *places}}
    return places | {alive[0]: 1}


def _winner(section: SectionInPlay, number: int, one: int, other: int) -> int:
    """The starting number of the winner of a knockout's pairing; where it stays drawn, the higher seeded goes
    on.
    """
    section.meet(number, one, other)
    _round, first, second, result, _excused = section.games[-1]
    if result == "1/2":
        return min(one, other)
    return first if result == "1-0" else second


# ---------------------------------------------------------------- places alone


def place_all(section: SectionInPlay) -> dict[int, int]:
    """Place everybody without games, by strength and the luck of the day; now and then two share a place."""
    mean = sum(section.strengths) / len(section.strengths)
    spread = (sum((each - mean) ** 2 for each in section.strengths) / len(section.strengths)) ** 0.5
    luck = {player: section.rng.gauss(0, LUCK * spread) for player in section.players}
    order = sorted(section.players, key=lambda player: -section.strength(player) - luck[player])
    places: dict[int, int] = {}
    for place, player in enumerate(order, start=1):
        shared = place > 1 and section.rng.random() < LEVEL_ON_POINTS
        places[player] = places[order[place - 2]] if shared else place
    return places
