"""The games of a plain table: each row is a game, or a bye if `second` is empty."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import ByeKind, Result, SheetBye, SheetGame, SheetPlayer
from tournaments.formats.plain_table.cell_values import read_whole, round_of
from tournaments.formats.plain_table.cells import Block, FileCell, Record

RESULTS: dict[str, Result] = {
    **dict.fromkeys(("1-0", "1:0"), "1-0"),
    **dict.fromkeys(("0-1", "0:1"), "0-1"),
    **dict.fromkeys(("1/2", "1/2-1/2", "½", "½-½", "½:½", "0.5", "0.5-0.5", "0.5:0.5", "=", "=-="), "1/2"),
    **dict.fromkeys(("0-0", "0:0"), "0-0"),
    **dict.fromkeys(("+:-", "+-", "+--", "+/-"), "+:-"),
    **dict.fromkeys(("-:+", "-+", "--+", "-/+"), "-:+"),
    **dict.fromkeys(("-:-", "--", "---", "-/-"), "-:-"),
    "annulled": "annulled",
}
"""Results as people write them, without blanks and with points for decimal commas."""
BYES: dict[str, ByeKind] = {
    "pairing": "pairing",
    "bye": "pairing",
    "full": "full",
    "half": "half",
    "zero": "zero",
}
WORTH: Mapping[Result, tuple[Decimal, Decimal]] = {
    "1-0": (Decimal(1), Decimal(0)),
    "0-1": (Decimal(0), Decimal(1)),
    "1/2": (Decimal("0.5"), Decimal("0.5")),
    "+:-": (Decimal(1), Decimal(0)),
    "-:+": (Decimal(0), Decimal(1)),
}
BYE_WORTH: Mapping[ByeKind, Decimal] = {
    "pairing": Decimal(1),
    "full": Decimal(1),
    "half": Decimal("0.5"),
}
_DASHES = str.maketrans({"–": "-", "—": "-", "−": "-", "‑": "-", ",": "."})
_DATED_HALF = re.compile(r"[0-9]{4}-(?:01-02|02-01)")
"""`1/2` as a spreadsheet changes it: the first of February or the second of January."""


@dataclass(slots=True)
class SheetGames:
    games: list[SheetGame] = field(default_factory=list)
    byes: list[SheetBye] = field(default_factory=list)

    @property
    def played_again(self) -> frozenset[int]:
        """The start numbers of those who played twice in a round. The same row twice is no second game here:
        it may be a copy, and the points tell.
        """
        rows = {(game.round, game.first, game.second, game.result) for game in self.games}
        seats = Counter((round_, player) for round_, *pair, _result in rows for player in pair)
        return frozenset(player for (_round, player), games in seats.items() if games > 1)


def points_of(play: SheetGames) -> Mapping[int, Decimal]:
    """The points that games and byes add up to, by start number."""
    counted: dict[int, Decimal] = defaultdict(Decimal)
    for game in play.games:
        first, second = WORTH.get(game.result, (Decimal(0), Decimal(0)))
        counted[game.first] += first
        counted[game.second] += second
    for bye in play.byes:
        counted[bye.player] += BYE_WORTH.get(bye.kind, Decimal(0))
    return counted


def read_play(blocks: Iterable[Block], players: Mapping[int, SheetPlayer], notes: Notes) -> SheetGames:
    play = SheetGames()
    for block in blocks:
        if set(block.columns.values()) < {"round", "first", "second", "result"}:
            continue  # the header is complained of already
        for record in block.records:
            _read_record(record, players, play, notes)
    _check_byes(play, notes)
    return by_round(play, notes)


def by_round(play: SheetGames, notes: Notes) -> SheetGames:
    """Put the games in the order of play: by round, and within a round as the rows stand."""
    ordered = sorted(play.games, key=lambda game: game.round)
    if ordered != play.games:
        early = next(b for a, b in zip(play.games, play.games[1:], strict=False) if b.round < a.round)
        notes.notice("table-rounds-mixed", early.line, round=early.round)
        notes.adjusts("table-rounds-mixed", early.line, "", "")
        play.games = ordered
    play.byes.sort(key=lambda bye: bye.round)
    _tell_missing(play, notes)
    return play


def _tell_missing(play: SheetGames, notes: Notes) -> None:
    there = {game.round for game in play.games} | {bye.round for bye in play.byes}
    missing = [str(number) for number in range(1, max(there, default=0)) if number not in there]
    if missing:
        notes.notice("table-rounds-missing", rounds=", ".join(missing))


def _read_record(record: Record, players: Mapping[int, SheetPlayer], play: SheetGames, notes: Notes) -> None:
    round_ = round_of(record["round"], notes)
    first = _player(record["first"], players, notes)
    alone = not record["second"].text
    second = None if alone else _player(record["second"], players, notes)
    if alone:
        kind = _bye(record["result"], notes)
        if round_ and first and kind:
            play.byes.append(SheetBye(round_, first, kind, record["round"].line))
        return
    result = _result(record["result"], notes)
    if not (round_ and first and second and result):
        return
    if first == second:
        notes.blocks("plays-self", **record["second"].place, number=first, round=round_)
        return
    play.games.append(SheetGame(round_, first, second, result, line=record["round"].line))
    if result == "0-0":
        names = {"number": first, "opponent": second, "round": round_}
        notes.notice("both-lost", **record["result"].place, **names)


def _player(cell: FileCell, players: Mapping[int, SheetPlayer], notes: Notes) -> int | None:
    number = read_whole(cell.text)
    if number in players:
        return number
    key = "table-player-not-listed" if number else "table-player-not-read"
    notes.blocks(key, **cell.place, text=cell.shown)
    return None


def _result(cell: FileCell, notes: Notes) -> Result | None:
    bare = cell.text.replace(" ", "").translate(_DASHES).lower()
    if _DATED_HALF.fullmatch(bare):
        notes.adjusts("table-half-as-date", cell.line, cell.shown, "1/2")
        return "1/2"
    result = RESULTS.get(bare)
    if result is None:
        known = bare in BYES
        key = "table-bye-with-second" if known else "table-result-not-read" if bare else "table-no-result"
        notes.blocks(key, **cell.place, **({"text": cell.shown} if bare else {}))
    return result


def _bye(cell: FileCell, notes: Notes) -> ByeKind | None:
    kind = BYES.get(cell.text.lower())
    if kind is None:
        notes.blocks("table-bye-not-read", **cell.place, text=cell.shown)
    return kind


def _check_byes(play: SheetGames, notes: Notes) -> None:
    """Keep one bye for each player and round; block a second row of it."""
    times = Counter((bye.round, bye.player) for bye in play.byes)
    kept: dict[tuple[int, int], SheetBye] = {}
    for bye in play.byes:
        first = kept.setdefault((bye.round, bye.player), bye)
        if times[bye.round, bye.player] > 1 and first is not bye:
            notes.blocks("table-bye-twice", bye.line, number=bye.player, round=bye.round, first=first.line)
    play.byes = list(kept.values())
