"""Reads and writes the World Othello Federation's `.ELO` file, as PAPP, Othello Storm and people write it."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from itertools import chain, combinations, islice

from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.particulars import PROVISIONAL_SUFFIX, nation_code
from tournaments.formats.dates import can_be_ambiguous_date, read_date, read_days
from tournaments.formats.plain_table import sort_by_round
from tournaments.formats.sheet import (
    FileKind,
    FileSource,
    Notes,
    OtherId,
    Reading,
    Result,
    Sheet,
    SheetGame,
    SheetGames,
    SheetPlayer,
    Unused,
)
from tournaments.formats.table_rows import sum_points
from tournaments.formats.text import MOST_PLAY, Text, normalize_surnames
from tournaments.formats.trf_layout import MOST_ROUNDS

# ---- Lines: games before a per cent sign, a comment behind it
#
#     %%Tournament: Warsaw Open          headers
#     %_%  11037, NOWAK, Anna, POL, 5.0, 231        players: number, names, country, score, discs
#     %1 11037 Anna Nowak 5/7            final places, in some files
#     %Round: 1                                     some programs write %%Round: 1
#       5707 (28)<(36)   5725 B          first, discs, sign, discs, second, colour of the first
#       5707 < 5725                      the older form
#       5707 (28<36) 5725                another program's
UNKNOWN_ID = "?"
"""The sign for a missing number; files have one or several of them (`??????`)."""
LONGEST_COMMENT = 200  # characters of a comment that are kept
HEADERS = {
    **{"tournament": "name", "country": "country", "date": "date"},
    **{"sender": "", "creator": "", "creationdate": ""},
}
"""Fields by the header's key; empty if the header is ignored."""
ADDED_RESULTS = "addedresults"
"""The header, without a colon, of games that were played outside the rounds."""
_SIMILARITY = 0.75  # of a misspelt key: Contry, Tournement

# Blanks are matched possessively (`*+`), because a line of hundreds of them would be tried in as many ways.
_HEADER = re.compile(r"%%\s*+([A-Za-z ]{3,20}?)\s*+(?::\s*+(.*))?")
_PLAYER = re.compile(r"%{1,2}_%\s*(\+?)\s*([0-9]{1,7}|\?{1,7})\s*,(.*)")
_DECIMAL_COMMA = re.compile(r"(?<=[,\s])([0-9]{1,3}),([05])(?=\s*(?:,|$))")
"""In a score: `2,5`, in a line whose other commas have a blank behind them."""
_BLANK_BEHIND_COMMA = re.compile(r",\s")
_SEPARATORS = " \t,;"
"""Characters between the games of a line."""
_PLACE = (re.compile(r"([0-9]{1,3})[.)=]?"), re.compile(r"[0-9]{2,7}|\?{1,7}"))
"""The first words of a final place; names and the score follow."""
_SCORE = re.compile(r"([0-9]{1,2}(?:[.,]5|½)?|½)(?:/[0-9]{1,2})?")
_ROUND = re.compile(
    r"%{1,2}\s*(?:round|ronde|runda|runde|kolo|turno)\W{0,3}([0-9]{1,3})(?!\s?[/–-]\s?[0-9]|[\w/–-]).*",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"%{1,2}\s*(?:round|ronde|runda|runde|kolo|turno)\W{0,3}"
    r"(?P<name>[0-9]{1,3}\s?[-–/]\s?[0-9]{1,3}|[0-9]{1,3}P|[A-Z]{1,3}\s?[0-9]{0,2}|of\s[0-9]{1,3})",
    re.IGNORECASE,
)
"""A round with a name: `3-4`, `12P`, `F`, `SF1`, `PO`, `of 16`; `RR` is all against all."""
ALL_AGAINST_ALL = "RR"
_FINALS = re.compile(
    r"%.{0,30}\b(?:semi|demi|quarter|quart|fina[lł]|p[óo][łl]fina|[ćc]wier[ćc]fina|[čc]tvrtfin|play|barrage|tie)"
    r".{0,40}",
    re.IGNORECASE,
)
_LEGEND = re.compile(r"%{1,2}\s*(?:id\s*,.*|b\s+%?w|%?\s*)", re.IGNORECASE)
_GAME = re.compile(
    r"(?P<first>[0-9]{1,7}|\?{1,7})\s*+"
    r"(?:\(\s*+(?P<discs>[0-9]{1,2})\s*+\)?\s*+)?"
    r"(?P<sign>[<>=])\s*+(?:\(?\s*+(?P<other>[0-9]{1,2})\s*+\))?"
    r"\s*+(?P<second>[0-9]{1,7}|\?{1,7})(?![0-9?])(?:\s++(?P<colour>[BWbw])(?![A-Za-z]))?"
)


@dataclass(frozen=True, slots=True)
class EloHeader:
    field: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class EloPlayerLine:
    id: str
    """Without leading zeros; or `UNKNOWN_ID`."""
    new: bool
    """Whether PAPP marks the player as not in the list of players yet: the number is the file's own."""
    parts: tuple[str, ...]
    """The fields after the number."""
    line: int


@dataclass(frozen=True, slots=True)
class PlaceLine:
    place: int
    id: str
    name: str
    score: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class RoundMark:
    number: int | None
    """None: a round without a number, such as a final."""
    line: int
    text: str
    final: str = ""
    """The name of a final or of another play-off, if any."""


@dataclass(frozen=True, slots=True)
class EloGameLine:
    first: str
    second: str
    sign: str
    """`<`, `>` or `=`."""
    discs: tuple[int, int] | None
    """None unless the file has both."""
    colour: str
    """`B` or `W`, of the first player; or empty."""
    line: int
    column: int
    text: str


Item = EloHeader | EloPlayerLine | PlaceLine | RoundMark | EloGameLine | Unused


def is_line_of_games(line: str) -> bool:
    """Whether a line has at least one game and nothing else."""
    play = line.partition("%")[0][:LONGEST_COMMENT]
    return bool(_GAME.search(play)) and not _GAME.sub("", play).strip(_SEPARATORS)


def is_header(line: str) -> bool:
    found = _HEADER.fullmatch(line.rstrip())
    return found is not None and found[2] is not None and _match_key(found[1]) in HEADERS


def read_items(lines: Iterable[str], notes: Notes) -> Iterator[Item]:
    for number, line in enumerate(lines, 1):
        play, mark, comment = line.partition("%")
        if play.strip():
            found = list(_GAME.finditer(play))
            yield from (_game(game, number) for game in found)
            edges = [0, *(edge for game in found for edge in game.span()), len(play)]
            between = ((play[start:end], start) for start, end in zip(edges[::2], edges[1::2], strict=True))
            text, start = next(((text, at) for text, at in between if text.strip(_SEPARATORS)), ("", 0))
            if text:
                column = start + len(text) - len(text.lstrip(_SEPARATORS)) + 1
                notes.blocks("elo-line-not-read", number, column, text=text.strip(_SEPARATORS)[:40])
            if len(found) > 1:
                notes.adjusts("elo-several-games", number, play.strip()[:LONGEST_COMMENT], str(len(found)))
        if mark and (item := _read_comment(f"%{comment.rstrip()}", number, notes, beside=bool(play.strip()))):
            yield item


def _read_comment(text: str, line: int, notes: Notes, *, beside: bool) -> Item | None:
    """Read a comment; None if it is empty or a legend. `beside`: it follows a game, and is not understood."""
    if len(text) > LONGEST_COMMENT:
        notes.adjusts("text-cut", line, text[: LONGEST_COMMENT + 1], text[:LONGEST_COMMENT])
        text = text[:LONGEST_COMMENT]
    if _LEGEND.fullmatch(text):
        return None
    if not beside:
        for read in (_read_header, _read_player, _read_place, _read_round):
            if (item := read(text, line, notes)) is not None:
                return item
    return Unused(text, line)


def _read_header(text: str, line: int, notes: Notes) -> EloHeader | RoundMark | None:
    found = _HEADER.fullmatch(text)
    key = _match_key(found[1]) if found else ""
    if found is None or not key:
        return None
    if key == ADDED_RESULTS:
        return RoundMark(None, line, text)
    if found[2] is None:
        return None
    if "".join(found[1].lower().split()) != key:
        notes.adjusts("elo-header-spelling", line, found[1], key.capitalize())
    return EloHeader(HEADERS[key], found[2].strip(), line)


def _match_key(text: str) -> str:
    """The key of `HEADERS`, or `ADDED_RESULTS`, that a word means, even if it is misspelt a little; empty if
    none.
    """
    bare = "".join(text.lower().split())
    return next(iter(get_close_matches(bare, [*HEADERS, ADDED_RESULTS], 1, _SIMILARITY)), "")


def _read_player(text: str, line: int, notes: Notes) -> EloPlayerLine | None:
    found = _PLAYER.fullmatch(text)
    if found is None:
        return None
    fields = unicodedata.normalize("NFC", found[3])
    if _BLANK_BEHIND_COMMA.search(fields):
        fields = _DECIMAL_COMMA.sub(r"\1.\2", fields)
    parts = tuple(" ".join(part.split()) for part in fields.split(","))
    return EloPlayerLine(normalize_id(found[2]), bool(found[1]), parts, line)


def _read_place(text: str, line: int, notes: Notes) -> PlaceLine | None:
    words = unicodedata.normalize("NFC", text.lstrip("% ")).replace(",", " ").split()
    if len(words) < 4:
        return None
    place, id_ = (shape.fullmatch(word) for shape, word in zip(_PLACE, words, strict=False))
    score = _SCORE.fullmatch(words[-1])
    name = " ".join(words[2:-1])
    if not (score and place and id_) or any(letter.isdigit() for letter in name):
        return None
    return PlaceLine(int(place[1]), normalize_id(id_[0]), name, score[1], line, text)


def _read_round(text: str, line: int, notes: Notes) -> RoundMark | None:
    if found := _ROUND.fullmatch(text):
        return RoundMark(int(found[1]), line, text)
    if found := _NAMED.fullmatch(text.rstrip()):
        name = found["name"]
        return RoundMark(None, line, text, "" if name.upper() == ALL_AGAINST_ALL else name)
    return RoundMark(None, line, text, text.strip("%: ")) if _FINALS.fullmatch(text) else None


def is_mark_of_final(text: str, name: str) -> bool:
    """Whether the reader understands this comment as the mark of a final of that name."""
    mark = _read_comment(text, 1, Notes(), beside=False)
    return (
        isinstance(mark, RoundMark) and mark.number is None and name in (mark.final, mark.text.strip("%: "))
    )


def is_place_line(text: str) -> bool:
    """Whether the reader understands this comment as a final place."""
    return isinstance(_read_comment(text, 1, Notes(), beside=False), PlaceLine)


def normalize_id(text: str) -> str:
    return text.lstrip("0?") or UNKNOWN_ID


def _game(found: re.Match[str], line: int) -> EloGameLine:
    one, other = found["discs"], found["other"]
    return EloGameLine(
        normalize_id(found["first"]),
        normalize_id(found["second"]),
        found["sign"],
        (int(one), int(other)) if one and other else None,
        (found["colour"] or "").upper(),
        line,
        found.start() + 1,
        " ".join(found[0].split()),
    )


# ---- Players: comments have the names and some the places, games the numbers
_PLAYER_SCORE = re.compile(r"([0-9]{1,3})(?:[.,]([05])0*|(½))?")
_DISCS = re.compile(r"([0-9]{1,5})(?:\.0+)?")
_NOBODY = frozenset({"", "?", "??", "???"})
SURNAME, FIRST_NAME, NATION, POINTS, DISCS = range(5)
"""The fields after a number."""
MOST_PARTS = 6
"""The most fields after a number: a rating by the world federation may follow."""


@dataclass(slots=True)
class EloPlayer:
    number: int
    """The start number, in the order in which the file names the players."""
    id: str
    line: int
    surname: str = ""
    first_name: str = ""
    nation: str = ""
    new: bool = False
    points: Decimal | None = None
    """As filed."""
    discs: int | None = None
    """As filed; None for 0 too, which some write for an unknown number."""
    place: int | None = None


def read_players(
    player_lines: Iterable[EloPlayerLine],
    places: Sequence[PlaceLine],
    games: Iterable[EloGameLine],
    notes: Notes,
    *,
    has_discs: bool,
) -> dict[str, EloPlayer]:
    """Collect the players by id. `has_discs`: discs follow the score, not another tie-break."""
    players: dict[str, EloPlayer] = {}
    for line in player_lines:
        _add_player(line, players, notes, has_discs=has_discs)
    for game in games:
        for id_ in (game.first, game.second):
            if id_ not in players:
                players[id_] = EloPlayer(len(players) + 1, id_, game.line)
    _name_by_places(places, players)
    _set_places(places, players, notes)
    unknown = players.get(UNKNOWN_ID)
    if unknown and not unknown.surname:
        notes.blocks("elo-nobody-known", unknown.line)
    nameless = [player for player in players.values() if not player.surname and player is not unknown]
    if nameless:
        sample = nameless[0]
        notes.notice("elo-names-missing", sample.line, count=len(nameless), sample=sample.id)
        for player in nameless:
            notes.adjusts("elo-names-missing", player.line, "", player.id)
    return players


def _add_player(line: EloPlayerLine, players: dict[str, EloPlayer], notes: Notes, *, has_discs: bool) -> None:
    if first := players.get(line.id):
        if line.id != UNKNOWN_ID:
            notes.blocks("elo-player-twice", line.line, id=line.id, first=first.line)
        return
    player = players[line.id] = EloPlayer(len(players) + 1, line.id, line.line)
    parts = dict(enumerate(line.parts))
    player.surname = parts.get(SURNAME, "")[:100]
    player.first_name = parts.get(FIRST_NAME, "")[:100]
    player.new = line.new
    player.nation = _nation(parts.get(NATION, ""), line, notes)
    player.points = _points(parts.get(POINTS, ""), line.line, notes)
    discs = _DISCS.fullmatch(parts.get(DISCS, ""))
    player.discs = int(discs[1]) or None if discs and has_discs else None
    if line.new and line.id != UNKNOWN_ID:
        notes.adjusts("elo-provisional-number", line.line, f"+{line.id}", line.id)
    if len(line.parts) > MOST_PARTS:
        notes.notice("elo-player-too-long", line.line, id=line.id)


def _nation(text: str, line: EloPlayerLine, notes: Notes) -> str:
    nation = nation_code(text, "")
    if not nation and text not in _NOBODY:
        notes.adjusts("elo-nation-not-read", line.line, text[:40], "")
    return nation


def _points(text: str, line: int, notes: Notes) -> Decimal | None:
    found = _PLAYER_SCORE.fullmatch(text)
    if found:
        return Decimal(f"{found[1]}.{'5' if found[3] else found[2] or 0}")
    if text not in _NOBODY:
        notes.adjusts("elo-score-not-read", line, text[:40], "")
    return None


def _name_by_places(places: Iterable[PlaceLine], players: Mapping[str, EloPlayer]) -> None:
    """Take names that no other line has from the lines of places, both names as the surname."""
    for line in places:
        player = players.get(line.id)
        if player and not player.surname:
            player.surname = line.name[:100]
            score = line.score.replace("½", ".5").replace(",", ".")
            player.points = Decimal(score) if player.points is None else player.points


def _set_places(places: Sequence[PlaceLine], players: Mapping[str, EloPlayer], notes: Notes) -> None:
    """Set the players' final places by the file's comments; none, with a note, if any of them is wrong."""
    if odd := _odd_place(places, players):
        line, key = odd
        notes.notice(key, line.line, 1, text=line.text[:60])
        notes.adjusts("elo-places-left-out", line.line, line.text, "")
        return
    for line in places:
        players[line.id].place = line.place
    if places and len(places) < len(players):
        notes.notice("elo-places-of-some", places[0].line, placed=len(places), players=len(players))


def _odd_place(places: Sequence[PlaceLine], players: Mapping[str, EloPlayer]) -> tuple[PlaceLine, str] | None:
    """The first wrong place and the key of its message, if any."""
    seen: set[str] = set()
    for line in places:
        if line.id not in players or line.id == UNKNOWN_ID:
            return line, "elo-place-of-stranger"
        if line.id in seen:
            return line, "elo-place-twice"
        seen.add(line.id)
    expected: dict[int, int] = {}
    for at, place in enumerate(sorted(line.place for line in places), 1):
        expected.setdefault(place, at)
    odd = (line for line in places if expected[line.place] != line.place)
    return next(((line, "elo-place-out-of-line") for line in odd), None)


# ---- Rounds: scheduled ones by comments or by who plays again, then finals
LONGEST_NAME = 20  # characters of a final's name that are kept
Pair = frozenset[str]


EloPart = tuple[RoundMark | None, list[EloGameLine]]
"""The games below one comment, or above the first."""


class EloRounds:
    """Gives each game its round. Games outside the scheduled rounds, such as finals, follow these in the
    order of the file, whatever the name of theirs, such as `3-4`.
    """

    def __init__(self, items: Iterable[RoundMark | EloGameLine], notes: Notes) -> None:
        self.notes = notes
        self.games: list[tuple[int, EloGameLine]] = []
        self.scheduled = 0
        self.last_rounds: dict[str, int] = defaultdict(int)
        """The last scheduled round of each player."""
        self.finals: list[str] = []
        """The names of the rounds behind the scheduled ones."""
        parts = list(_split_parts(items))
        # Parts with the name of a final, or without a number below rounds, are outside the scheduled rounds.
        # If a file has nothing else, they are its rounds.
        scheduled, extra = list[EloPart](), list[EloPart]()
        for part in parts:
            mark = part[0]
            outside = mark is not None and not mark.number and (bool(scheduled) or bool(mark.final))
            (extra if outside else scheduled).append(part)
        for mark, games in scheduled or parts:
            self._add_scheduled(mark, games)
        for mark, games in extra if scheduled else ():
            assert mark
            first = self.scheduled + len(self.finals) + 1
            self._note_round(mark, games, first)
            rounds = _rounds_by_order(games)
            self.finals += [(mark.final or mark.text.strip("%: "))[:LONGEST_NAME].strip()] * rounds[-1]
            self.games += [(first + round_ - 1, game) for round_, game in zip(rounds, games, strict=True)]
        beyond = next((game for round_, game in self.games if round_ > MOST_ROUNDS), None)
        if beyond:
            notes.blocks("elo-too-many-rounds", beyond.line, beyond.column, most=MOST_ROUNDS)
            self.games = [(round_, game) for round_, game in self.games if round_ <= MOST_ROUNDS]
            self.finals = self.finals[: max(0, MOST_ROUNDS - self.scheduled)]

    def _add_scheduled(self, mark: RoundMark | None, games: Sequence[EloGameLine]) -> None:
        played = Counter(player for game in games for player in {game.first, game.second})
        if mark and mark.number:
            numbered = [mark.number] * len(games)
        else:
            # Groups are played side by side: a part follows the last round of its own players.
            before, rounds = max(self.last_rounds[player] for player in played), _rounds_by_order(games)
            self._note_round(mark, games, before + 1)
            if rounds[-1] > max(played.values()) * 3 / 2:
                rounds = _spread_rounds(games)
                self.notes.notice("elo-rounds-spread", games[0].line, rounds=max(rounds))
            numbered = [before + round_ for round_ in rounds]
        self.games += zip(numbered, games, strict=True)
        self.last_rounds |= dict.fromkeys(played, max(numbered))
        self.scheduled = max(self.scheduled, *numbered)

    def _note_round(self, mark: RoundMark | None, games: Sequence[EloGameLine], round_: int) -> None:
        if mark is None:
            self.notes.notice("elo-rounds-by-order", games[0].line)
            self.notes.adjusts("elo-rounds-by-order", games[0].line, "", str(round_))
        else:
            self.notes.adjusts("elo-round-without-number", mark.line, mark.text, str(round_))


def _split_parts(items: Iterable[RoundMark | EloGameLine]) -> Iterator[EloPart]:
    mark, games = None, list[EloGameLine]()
    for item in items:
        if isinstance(item, RoundMark):
            if games:
                yield mark, games
            mark, games = item, []
        else:
            games.append(item)
    if games:
        yield mark, games


def _rounds_by_order(games: Sequence[EloGameLine]) -> list[int]:
    """The round of each game, from 1: a new one begins where somebody plays again."""
    rounds, round_, seats = list[int](), 1, set[str]()
    for game in games:
        if seats & {game.first, game.second}:
            round_, seats = round_ + 1, set()
        seats |= {game.first, game.second}
        rounds.append(round_)
    return rounds


def _spread_rounds(games: Sequence[EloGameLine]) -> list[int]:
    """The rounds of games that are not listed by rounds, such as by winner: a round robin's pairing table if
    everybody met everybody once, else each in the first round in which neither plays.
    """
    pairs = [frozenset((game.first, game.second)) for game in games]
    players = sorted({player for pair in pairs for player in pair})
    if Counter(pairs) == Counter(map(frozenset, combinations(players, 2))):
        return [_round_robin_round(pair, players) for pair in pairs]
    seats: dict[int, set[str]] = {}
    rounds = []
    for pair in pairs:
        round_ = next(number for number in range(1, len(pairs) + 1) if not pair & seats.get(number, set()))
        seats.setdefault(round_, set()).update(pair)
        rounds.append(round_)
    return rounds


def _round_robin_round(pair: Pair, players: Sequence[str]) -> int:
    """The round of a pair in a round robin's pairing table: the last player stays, the others rotate."""
    size = len(players) + len(players) % 2
    one, other = sorted(players.index(player) for player in pair)
    return (2 * one if other == size - 1 else one + other) % (size - 1) + 1


# ---- Games: results by the sign, sums of discs without finals
RESULTS: dict[str, Result] = {">": "1-0", "<": "0-1", "=": "1/2"}
SWAPPED: dict[Result, Result] = {"1-0": "0-1", "0-1": "1-0", "1/2": "1/2"}
FULL_BOARD_SUMS = (64, 63)
"""The sum of discs in a finished game; some do not count one empty square."""


def read_games(
    rounds: EloRounds, players: Mapping[str, EloPlayer], notes: Notes, *, several_unknown: bool
) -> tuple[SheetGames, dict[str, int]]:
    """The games, and the sums of discs by id of those whose discs the file has, without those of finals.

    `several_unknown`: more than one player has no number, so that games name nobody.
    """
    play, read = SheetGames(), []
    discs, lacking = defaultdict[str, int](int), set[str]()
    for round_, game in rounds.games:
        if _has_two_players(game, notes, several_unknown=several_unknown):
            read.append(game)
            # In the sheet `first` is black, who moves first, wherever the line names them.
            pair = (game.first, game.second)
            first, second = (players[id_].number for id_ in pair)
            result = RESULTS[game.sign]
            if game.colour == "W":
                first, second, result = second, first, SWAPPED[result]
            play.games.append(SheetGame(round_, first, second, result, line=game.line))
            _check_discs(game, notes)
            if round_ > rounds.scheduled:
                continue
            if game.discs is None:
                lacking |= set(pair)
            for id_, counted in zip(pair, game.discs or (0, 0), strict=True):
                discs[id_] += counted
    colourless = [game for game in read if not game.colour]
    if colourless:
        notes.notice("elo-colours-missing", colourless[0].line, games=len(colourless))
        notes.adjusts("elo-colours-missing", colourless[0].line, colourless[0].text, "")
    _check_unknown(play, players, notes)
    return sort_by_round(play, notes), {id_: sum_ for id_, sum_ in discs.items() if id_ not in lacking}


def _has_two_players(game: EloGameLine, notes: Notes, *, several_unknown: bool) -> bool:
    """Whether a game has two different known players; False with a note."""
    if several_unknown and UNKNOWN_ID in (game.first, game.second):
        notes.blocks("elo-several-unknown", game.line, game.column, game=game.text)
        return False
    if game.first == game.second:
        key = "elo-several-unknown" if game.first == UNKNOWN_ID else "elo-plays-self"
        notes.blocks(key, game.line, game.column, game=game.text)
        return False
    return True


def _check_discs(game: EloGameLine, notes: Notes) -> None:
    if game.discs is None:
        if "(" in game.text:
            notes.adjusts("elo-discs-of-one", game.line, game.text, "")
        return
    first, second = game.discs
    if first + second not in FULL_BOARD_SUMS:
        notes.notice("elo-disc-sum", game.line, game.column, game=game.text, sum=first + second)
    sign = ">" if first > second else "<" if first < second else "="
    if sign != game.sign:
        notes.adjusts("elo-sign-counts", game.line, game.text, RESULTS[game.sign])
        if first != second:
            notes.notice("elo-discs-contradict", game.line, game.column, game=game.text)


def _check_unknown(play: SheetGames, players: Mapping[str, EloPlayer], notes: Notes) -> None:
    """Note that all games without a number count as one player's; block a second game in a round."""
    unknown = players.get(UNKNOWN_ID)
    if unknown is None:
        return
    seats = [(g.round, g.line) for g in play.games if unknown.number in (g.first, g.second)]
    rounds: set[int] = set()
    for round_, line in seats:
        if round_ in rounds:
            notes.blocks("elo-unknown-twice", line, round=round_)
            return
        rounds.add(round_)
    if len(seats) > 1:
        notes.notice("elo-unknown-is-one", seats[0][1], games=len(seats))
        notes.adjusts("elo-unknown-is-one", seats[0][1], UNKNOWN_ID, unknown.surname)


# ---- The file as a whole
_SOURCE = FileSource("PAPP, Othello Storm", _("the .ELO file, as it is sent to the World Othello Federation"))
ELO = FileKind("elo", ".ELO", (_SOURCE,))
KINDS: tuple[FileKind, ...] = (ELO,)
DIALECT = "ELO"
NEW_NUMBER_KIND = f"wof{PROVISIONAL_SUFFIX}"
"""The kind of numbers that a program gave to new players; the world federation often keeps them."""
_OTHER_TIE_BREAK = re.compile(r"%\s*id\s*,.*\b(?:mbq|bq)\b.*", re.IGNORECASE)
"""The legend above the players if no discs follow the score."""
_DAY_SEPARATOR = re.compile(r"\s+(?:-|–|to|do)\s+")


def recognises(text: Text) -> bool:
    """Whether the text has a header of this format, or a line of nothing but games."""
    return any(is_header(line) or is_line_of_games(line) for line in text.lines)


def read_text(text: Text, notes: Notes) -> Reading:
    items = list(islice(read_items(text.lines, notes), MOST_PLAY + 1))
    if len(items) > MOST_PLAY:
        raise notes.refusal("too-much-play", most=MOST_PLAY)
    headers = dict[str, EloHeader]()
    for item in items:
        if isinstance(item, EloHeader):
            _add_header(item, headers, notes)
    listed = [item for item in items if isinstance(item, EloPlayerLine)]
    places = [item for item in items if isinstance(item, PlaceLine)]
    games = [item for item in items if isinstance(item, EloGameLine)]
    unused = [item for item in items if isinstance(item, Unused)]
    if unused:
        notes.notice("elo-comments-left-out", unused[0].line, count=len(unused))
    if not games and not listed:
        raise notes.refusal("elo-no-games")
    has_discs = not any(_OTHER_TIE_BREAK.fullmatch(line[:200].rstrip()) for line in text.lines)
    players = read_players(listed, places, games, notes, has_discs=has_discs)
    rounds = EloRounds([item for item in items if isinstance(item, RoundMark | EloGameLine)], notes)
    several_unknown = sum(line.id == UNKNOWN_ID for line in listed) > 1
    play, discs = read_games(rounds, players, notes, several_unknown=several_unknown)
    if not play.games:
        notes.blocks("elo-no-games")
    rows = tuple(normalize_surnames(list(_rows(players, play, rounds.scheduled, discs, notes)), notes))
    texts = {name: header.text for name, header in headers.items()}
    starts, ends = _days(headers, notes)
    return notes.reading(
        Sheet(
            dialect=DIALECT,
            family=ELO.code,
            name=texts.get("name", ""),
            federation=texts.get("country", "").strip("?"),
            starts=starts,
            ends=ends,
            rounds_played=rounds.scheduled,
            finals=tuple(rounds.finals),
            rows=rows,
            games=tuple(play.games),
            unused=tuple(unused),
            encoding=text.encoding,
        )
    )


def _add_header(header: EloHeader, headers: dict[str, EloHeader], notes: Notes) -> None:
    if not header.field:
        return
    first = headers.setdefault(header.field, header)
    if first is not header:
        notes.notice("elo-header-twice", header.line, first=first.line)
        notes.adjusts("elo-header-twice", header.line, header.text, "")


def _days(headers: Mapping[str, EloHeader], notes: Notes) -> tuple[date | None, date | None]:
    """The first day, and the last if the file gives two."""
    header = headers.get("date")
    if header is None or not header.text.strip("?"):
        return None, None
    texts = [" ".join(text.split()) for text in _DAY_SEPARATOR.split(header.text)]
    days = read_days(texts, day_first=True)
    if None in days or len(days) > 2:
        key = "date-unclear" if any(map(can_be_ambiguous_date, texts)) else "date-not-read"
        notes.notice(key, header.line, text=header.text[:40])
        notes.adjusts("elo-date-not-read", header.line, header.text[:40], "")
        return None, None
    if days != [read_date(text, day_first=True) for text in texts]:
        notes.adjusts("date-settled", header.line, header.text[:40], " – ".join(map(str, days)))
    return days[0], days[1] if len(days) == 2 else None


def _rows(
    players: Mapping[str, EloPlayer],
    play: SheetGames,
    scheduled: int,
    discs: Mapping[str, int],
    notes: Notes,
) -> Iterator[SheetPlayer]:
    counted = sum_points(play.until(scheduled))
    seated = {player for game in play.games for player in (game.first, game.second)}
    idle = [player for player in players.values() if player.number not in seated]
    if idle and play.games:
        notes.notice("elo-without-games", idle[0].line, count=len(idle), sample=_name(idle[0]))
    for player in players.values():
        points = counted.get(player.number, Decimal(0))
        if player.points is not None and player.points != points:
            both = {"filed": f"{player.points:f}", "counted": f"{points:f}"}
            notes.notice("elo-points-differ", player.line, None, player=_name(player), **both)
        surname = player.surname or player.id
        known = player.id if player.id != UNKNOWN_ID else None
        yield SheetPlayer(
            start_number=player.number,
            name=_name(player),
            surname=surname,
            first_name=player.first_name,
            federation=player.nation,
            identifier=None if player.new else known,
            other_ids=(OtherId(NEW_NUMBER_KIND, known),) if player.new and known else (),
            points=points if player.points is None else player.points,
            place=player.place,
            discs=_discs(player, discs.get(player.id), notes),
            line=player.line,
        )


def _name(player: EloPlayer) -> str:
    return ", ".join(filter(None, (player.surname, player.first_name))) or player.id


def _discs(player: EloPlayer, counted: int | None, notes: Notes) -> int | None:
    """The sum of a player's discs; if a game lacks them, those that the file gives for the whole event."""
    if counted is None:
        return player.discs
    if player.discs not in (None, counted):
        both = {"filed": player.discs or 0, "counted": counted}
        notes.notice("elo-discs-differ", player.line, None, player=_name(player), **both)
    return counted


# ---- Writer. `read(write(sheet))` has the same players, places and games. The format has no byes and no
# forfeits. Games are written in its older form, without discs, because a sheet has no discs of single games.
SIGNS: dict[Result, str] = {"1-0": ">", "0-1": "<", "1/2": "="}
"""The results that the format has."""
CREATOR = "Federation Ratings"
_NUMBER = re.compile(r"[1-9][0-9]{0,6}")
FIRST_OWN_NUMBER = 9_000_000
"""The first of the numbers that the world federation gives to nobody."""


def can_write(results: Iterable[str]) -> bool:
    """Whether an `.ELO` file can hold these results: there are some, and all were played to the end."""
    results = list(results)
    return bool(results) and all(result in SIGNS for result in results)


def keep_othello_numbers(sheet: Sheet) -> Sheet:
    """The sheet with these numbers only: the world federation's, else a provisional one of a program, else a
    provisional one that this file gives.
    """
    return replace(sheet, rows=tuple(map(_with_number, sheet.rows)))


def _with_number(row: SheetPlayer) -> SheetPlayer:
    worldwide = (row.identifier or "").lstrip("0")
    if _NUMBER.fullmatch(worldwide):
        return replace(row, identifier=worldwide, other_ids=())
    known = tuple(id_ for id_ in row.other_ids if id_.kind == NEW_NUMBER_KIND)
    own = OtherId(NEW_NUMBER_KIND, str(FIRST_OWN_NUMBER + row.start_number))
    return replace(row, identifier=None, other_ids=known or (own,))


def write(sheet: Sheet) -> bytes:
    """Write a sheet whose results are `can_write`; byes are left out, as the format has none."""
    sheet = keep_othello_numbers(sheet)
    lines = chain(_header_lines(sheet), _player_lines(sheet), _round_lines(sheet), _place_lines(sheet))
    return "".join(f"{line}\r\n" for line in lines).encode()


def _header_lines(sheet: Sheet) -> Iterator[str]:
    yield f"%%Tournament: {_plain(sheet.name)}"
    yield f"%%Country: {_plain(sheet.federation)}"
    if sheet.starts:
        days = dict.fromkeys((sheet.starts, sheet.ends or sheet.starts))
        yield f"%%Date: {' - '.join(f'{day:%d/%m/%Y}' for day in days)}"
    yield f"%%Creator: {CREATOR}"
    yield ""


def _player_lines(sheet: Sheet) -> Iterator[str]:
    yield "%        ID, NAME, Firstname, COUNTRY, score, disc-count, rating"
    for row in sheet.rows:
        discs = "?" if row.discs is None else row.discs
        points = f"{row.points.normalize():f}"
        names = f"{_part(row.surname or row.name)}, {_part(row.first_name)}"
        nation, number = row.federation or "?", row.identifier or f"+{_number(row)}"
        yield f"%_% {number:>7}, {names}, {nation}, {points}, {discs}, {row.rating or 0}"
    yield ""


def _round_lines(sheet: Sheet) -> Iterator[str]:
    """Yield the games by round, those of finals below their name."""
    ids = {row.start_number: _number(row) for row in sheet.rows}
    last = max((game.round for game in sheet.games), default=0)
    scheduled = last - len(sheet.finals) if sheet.finals else last
    for round_ in range(1, last + 1):
        games = [game for game in sheet.games if game.round == round_]
        if games:
            name = sheet.finals[round_ - scheduled - 1] if round_ > scheduled else ""
            yield from (
                _round_mark(round_, name),
                "",
                *(f"{ids[game.first]:>7} {SIGNS[game.result]} {ids[game.second]:>7} B" for game in games),
                "",
            )


def _round_mark(round_: int, name: str) -> str:
    if not name:
        return f"%Round: {round_}"
    marks = (f"%Round: {name}", f"%{name}", f"%%{name}")
    return next((mark for mark in marks if is_mark_of_final(mark, name)), f"%Final: {_plain(name)}")


def _place_lines(sheet: Sheet) -> list[str]:
    """The final places as comments; none if any player has none, or one could not be read back."""
    if any(row.place is None for row in sheet.rows):
        return []
    lines = [_place_line(row) for row in sorted(sheet.rows, key=lambda row: row.place or 0)]
    return lines if all(map(is_place_line, lines)) else []


def _place_line(row: SheetPlayer) -> str:
    name = " ".join(filter(None, (_part(row.first_name), _part(row.surname or row.name))))
    return f"%{row.place} {_number(row)} {name} {row.points.normalize():f}"


def _number(row: SheetPlayer) -> str:
    return row.identifier or next(id_.value for id_ in row.other_ids if id_.kind == NEW_NUMBER_KIND)


def _part(name: str) -> str:
    """A name as one field of a line with commas."""
    return " ".join(_plain(name).replace(",", " ").split())


def _plain(text: str) -> str:
    """A text without the sign that begins a comment."""
    return " ".join(text.replace("%", " ").split())
