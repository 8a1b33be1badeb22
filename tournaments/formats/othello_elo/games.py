"""The games of an `.ELO` file: results by the sign, discs added up but for those of finals."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import Result, SheetGame
from tournaments.formats.othello_elo.lines import UNKNOWN, EloGameLine, RoundMark
from tournaments.formats.othello_elo.players import EloPlayer, EloPlayers
from tournaments.formats.othello_elo.rounds import in_rounds
from tournaments.formats.plain_table.games import SheetGames, by_round

RESULTS: dict[str, Result] = {">": "1-0", "<": "0-1", "=": "1/2"}
SWAPPED: dict[Result, Result] = {"1-0": "0-1", "0-1": "1-0", "1/2": "1/2"}
FULL_BOARD = (64, 63)
"""The discs of both sides together in a finished game; some do not count one empty square."""


@dataclass(slots=True)
class Sums:
    """An `.ELO` file's games, with points and discs added up; finals beside the rounds count for neither."""

    play: SheetGames = field(default_factory=SheetGames)
    total: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    unknown: set[str] = field(default_factory=set)
    """Players with a game whose discs the file lacks."""
    scheduled: int = 0
    finals: tuple[str, ...] = ()
    """The names of the rounds behind the scheduled ones."""

    def discs_of(self, id_: str) -> int | None:
        return None if id_ in self.unknown or id_ not in self.total else self.total[id_]


def read_games(
    items: Iterable[RoundMark | EloGameLine], players: EloPlayers, notes: Notes
) -> tuple[SheetGames, Sums]:
    play, sums, read = SheetGames(), Sums(), []
    rounds = in_rounds(items, notes)
    sums.scheduled, sums.finals = rounds.scheduled, tuple(rounds.finals)
    for round_, game in rounds.games:
        if _is_of_two(game, players, notes):
            read.append(game)
            play.games.append(_game(round_, game, players))
            _check_discs(game, notes)
            if round_ <= rounds.scheduled:
                sums.play.games.append(play.games[-1])
                _count(game, sums)
    _tell_colours(read, notes)
    _tell_unknown(play, players, notes)
    return by_round(play, notes), sums


# ---------------------------------------------------------------- games


def _is_of_two(game: EloGameLine, players: EloPlayers, notes: Notes) -> bool:
    """Whether a game has two players who can be told apart; False with a note that says why not."""
    if UNKNOWN in (game.first, game.second) and players.several_unknown:
        notes.blocks("elo-several-unknown", game.line, game.column, game=game.text)
        return False
    if game.first == game.second:
        key = "elo-several-unknown" if game.first == UNKNOWN else "elo-plays-self"
        notes.blocks(key, game.line, game.column, game=game.text)
        return False
    return True


def _game(round_: int, game: EloGameLine, players: EloPlayers) -> SheetGame:
    """A line's game as the sheet has it: `first` is black, who moves first, wherever the line names them."""
    first, second = (players.by_id[id_].number for id_ in (game.first, game.second))
    result = RESULTS[game.sign]
    if game.colour == "W":
        first, second, result = second, first, SWAPPED[result]
    return SheetGame(round_, first, second, result, line=game.line)


def _count(game: EloGameLine, sums: Sums) -> None:
    if game.discs is None:
        sums.unknown |= {game.first, game.second}
        return
    sums.total[game.first] += game.discs[0]
    sums.total[game.second] += game.discs[1]


def _check_discs(game: EloGameLine, notes: Notes) -> None:
    if game.discs is None:
        if "(" in game.text:
            notes.adjusts("elo-discs-of-one", game.line, game.text, "")
        return
    first, second = game.discs
    if first + second not in FULL_BOARD:
        notes.notice("elo-disc-sum", game.line, game.column, game=game.text, sum=first + second)
    told = ">" if first > second else "<" if first < second else "="
    if told != game.sign:
        notes.adjusts("elo-sign-counts", game.line, game.text, RESULTS[game.sign])
        if first != second:
            notes.notice("elo-discs-contradict", game.line, game.column, game=game.text)


def _tell_colours(games: list[EloGameLine], notes: Notes) -> None:
    silent = [game for game in games if not game.colour]
    if silent:
        notes.notice("elo-colours-missing", silent[0].line, games=len(silent))
        notes.adjusts("elo-colours-missing", silent[0].line, silent[0].text, "")


def _tell_unknown(play: SheetGames, players: EloPlayers, notes: Notes) -> None:
    """Note that players without a number are taken for one; block it if that one plays twice in a round."""
    somebody: EloPlayer | None = players.by_id.get(UNKNOWN)
    if somebody is None:
        return
    seats = [(g.round, g.line) for g in play.games if somebody.number in (g.first, g.second)]
    rounds: set[int] = set()
    for round_, line in seats:
        if round_ in rounds:
            notes.blocks("elo-unknown-twice", line, round=round_)
            return
        rounds.add(round_)
    if len(seats) > 1:
        notes.notice("elo-unknown-is-one", seats[0][1], games=len(seats))
        notes.adjusts("elo-unknown-is-one", seats[0][1], UNKNOWN, somebody.surname)
