"""The rounds of an `.ELO` file: scheduled ones by comments or by who plays again, finals behind them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.othello_elo.lines import EloGameLine, RoundMark
from tournaments.formats.trf_layout.columns import MOST_ROUNDS

LONGEST_NAME = 20  # characters of a final's name that are kept
Pair = frozenset[str]


@dataclass(slots=True)
class EloPart:
    """Games that stand together below one comment; `mark` None: below none."""

    mark: RoundMark | None
    games: list[EloGameLine] = field(default_factory=list)


@dataclass(slots=True)
class EloRounds:
    """The games of a file by round, scheduled ones first; `finals`: the names of the rounds behind those."""

    games: list[tuple[int, EloGameLine]] = field(default_factory=list)
    scheduled: int = 0
    finals: list[str] = field(default_factory=list)


def in_rounds(items: Iterable[RoundMark | EloGameLine], notes: Notes) -> EloRounds:
    """Give each game its round. Finals and what else was played beside the rounds follow the scheduled ones,
    in the order of the file: no comment with a name, such as `3-4`, makes an early round of them.
    """
    read = EloRounds()
    parts = list(_parts(items))
    beside = _beside(parts)
    for part in (part for part in parts if part not in beside):
        _add_scheduled(part, read, notes)
    for part in beside:
        _add_finals(part, read, notes)
    beyond = next((game for round_, game in read.games if round_ > MOST_ROUNDS), None)
    if beyond:
        notes.blocks("elo-too-many-rounds", beyond.line, beyond.column, most=MOST_ROUNDS)
        read.games = [(round_, game) for round_, game in read.games if round_ <= MOST_ROUNDS]
        read.finals = read.finals[: max(0, MOST_ROUNDS - read.scheduled)]
    return read


def _parts(items: Iterable[RoundMark | EloGameLine]) -> Iterator[EloPart]:
    part = EloPart(None)
    for item in items:
        if isinstance(item, RoundMark):
            if part.games:
                yield part
            part = EloPart(item)
        else:
            part.games.append(item)
    if part.games:
        yield part


def _beside(parts: Sequence[EloPart]) -> list[EloPart]:
    """The parts beside the scheduled rounds: with the name of a final, or without a number below rounds. If
    a file has nothing else, they are its rounds.
    """
    scheduled, beside = list[EloPart](), list[EloPart]()
    for part in parts:
        named = part.mark is not None and not part.mark.number
        (beside if named and (scheduled or (part.mark and part.mark.final)) else scheduled).append(part)
    return beside if scheduled else []


def _add_scheduled(part: EloPart, read: EloRounds, notes: Notes) -> None:
    if part.mark and part.mark.number:
        read.games += [(part.mark.number, game) for game in part.games]
        read.scheduled = max(read.scheduled, part.mark.number)
        return
    _tell(part, read.scheduled + 1, notes)
    before, placed = read.scheduled, _by_order(part.games)
    if placed[-1] > _most_games(part.games) * 3 / 2:
        placed = _spread(part.games)
        notes.notice("elo-rounds-spread", part.games[0].line, rounds=max(placed))
    read.games += [(before + round_, game) for round_, game in zip(placed, part.games, strict=True)]
    read.scheduled = before + max(placed)


def _add_finals(part: EloPart, read: EloRounds, notes: Notes) -> None:
    assert part.mark
    first = read.scheduled + len(read.finals) + 1
    _tell(part, first, notes)
    placed = _by_order(part.games)
    read.finals += [_name(part.mark)] * placed[-1]
    read.games += [(first + round_ - 1, game) for round_, game in zip(placed, part.games, strict=True)]


def _name(mark: RoundMark) -> str:
    return (mark.final or mark.text.strip("%: "))[:LONGEST_NAME].strip()


def _tell(part: EloPart, round_: int, notes: Notes) -> None:
    if part.mark is None:
        notes.notice("elo-rounds-by-order", part.games[0].line)
        notes.adjusts("elo-rounds-by-order", part.games[0].line, "", str(round_))
    else:
        notes.adjusts("elo-round-without-number", part.mark.line, part.mark.text, str(round_))


# ---------------------------------------------------------------- games without a number of their round


def _by_order(games: Sequence[EloGameLine]) -> list[int]:
    """The round of each game, from 1: a new one begins where somebody plays again."""
    placed, round_, seats = list[int](), 1, set[str]()
    for game in games:
        if seats & {game.first, game.second}:
            round_, seats = round_ + 1, set()
        seats |= {game.first, game.second}
        placed.append(round_)
    return placed


def _most_games(games: Iterable[EloGameLine]) -> int:
    return max(Counter(player for game in games for player in {game.first, game.second}).values())


def _spread(games: Sequence[EloGameLine]) -> list[int]:
    """The rounds of games that are not listed by rounds, such as by winner: as in a table where everybody met
    everybody once, else each in the first round in which neither plays.
    """
    pairs = [frozenset((game.first, game.second)) for game in games]
    players = sorted({player for pair in pairs for player in pair})
    if Counter(pairs) == Counter(map(frozenset, combinations(players, 2))):
        return [_round_of_all(pair, players) for pair in pairs]
    seats: dict[int, set[str]] = {}
    placed = []
    for pair in pairs:
        round_ = next(number for number in range(1, len(pairs) + 1) if not pair & seats.get(number, set()))
        seats.setdefault(round_, set()).update(pair)
        placed.append(round_)
    return placed


def _round_of_all(pair: Pair, players: Sequence[str]) -> int:
    """The round of a pair where everybody meets everybody: the last player stays, the others go round."""
    size = len(players) + len(players) % 2
    one, other = sorted(players.index(player) for player in pair)
    return (2 * one if other == size - 1 else one + other) % (size - 1) + 1
