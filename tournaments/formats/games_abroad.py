"""Reads a player's event abroad, or several players', as CSV: the event, then each player with their games.
Irish players send in such events by this table.

    Event,Open of Maputo
    Start,2026-03-06
    End,2026-03-08
    Rounds,3
    Website,https://example.org/open
    Player,101000001,Dlamini,Thabo
    1,1,W,Taylor,Pat,2209,FM,ENG
    2,=,B,Novak,Jan,1985,,CZE
    3,0,-
    Total,1.5
"""

import re
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal

from ratings.rulesets.facts import gettext_noop as _
from tournaments.formats import sheet
from tournaments.formats.dates import read_date
from tournaments.formats.plain_table import DELIMITERS, FileCell, SheetGames, Splitter, sum_points
from tournaments.formats.text import Text
from tournaments.formats.trf_layout import MOST_ROUNDS

_SOURCE = sheet.FileSource(
    _("A player’s own table"),
    _("Event, Start, End, Rounds; then Player, id, surname, first name, and a line for each game"),
    by_description=True,
)
GAMES_ABROAD = sheet.FileKind("games-abroad", _("Games abroad (CSV)"), (_SOURCE,))
KINDS: tuple[sheet.FileKind, ...] = (GAMES_ABROAD,)
DIALECT = "Games abroad"
LONGEST_NAME = 100  # characters of a name
PLAYER_WITHIN = 50  # lines
_HEADS = ("event", "start", "end", "rounds", "website")
_WHOLE = re.compile(r"[0-9]{1,5}")
_TOTAL = re.compile(r"[0-9]{1,2}(?:[.,][05]|½)?|½")
_FEDERATION = re.compile(r"[A-Za-z]{3}")
_TITLE = re.compile(r"[A-Za-z]{1,4}")
_ID = re.compile(r"[0-9A-Za-z-]{1,30}")
_SCORES = {"1": "1", "0": "0", "=": "=", "½": "=", "0.5": "=", "0,5": "="}
_RESULTS: dict[tuple[str, str], sheet.Result] = {
    ("1", "W"): "1-0",
    ("0", "W"): "0-1",
    ("=", "W"): "1/2",
    ("1", "B"): "0-1",
    ("0", "B"): "1-0",
    ("=", "B"): "1/2",
}
_BYES: dict[str, sheet.ByeKind] = {"1": "pairing", "=": "half", "0": "zero"}
_WORTH = {"1": Decimal(1), "=": Decimal("0.5"), "0": Decimal(0)}


@dataclass(slots=True)
class _AbroadFound:
    heads: dict[str, FileCell] = field(default_factory=dict)
    rows: list[sheet.SheetPlayer] = field(default_factory=list)
    games: dict[tuple[int, int], sheet.SheetGame] = field(default_factory=dict)
    """By round and player, from both sides where both have a line."""
    byes: list[sheet.SheetBye] = field(default_factory=list)
    rounds: dict[tuple[int, int], int] = field(default_factory=dict)
    """The line of each round and player."""
    points: dict[int, Decimal] = field(default_factory=dict)
    opponents: dict[tuple[str, str], int] = field(default_factory=dict)
    unused: list[sheet.Unused] = field(default_factory=list)
    player: sheet.SheetPlayer | None = None
    """The player whose games are being read."""


def recognises(text: Text) -> bool:
    """Whether there is a line of a player, and one of the event or of a game."""
    lines = text.lines[:PLAYER_WITHIN]
    firsts = [_first_word(line) for line in lines]
    return "player" in firsts and ("event" in firsts or any(map(_is_game, lines)))


def _first_word(line: str) -> str:
    return re.split(r"[,;\t]", line, maxsplit=1)[0].strip(' "').lower()


def _is_game(line: str) -> bool:
    return re.match(r'"?[0-9]{1,2}"?\s*[,;\t]\s*"?(?:[01=½])"?\s*[,;\t]\s*"?[WBwb-]', line) is not None


def read_text(text: Text, notes: sheet.Notes) -> sheet.Reading:
    delimiter, splitter, found = _delimiter(text), Splitter(notes), _AbroadFound()
    for number, line in enumerate(text.lines, 1):
        cells = splitter.split(line, number, delimiter)
        if cells is None:
            return notes.reading(None)
        if any(cell.text for cell in cells):
            words = [*(cell.text for cell in cells), *[""] * 8]
            key = words[0].lower()
            if key in _HEADS:
                found.heads.setdefault(key, cells[1] if len(cells) > 1 else FileCell("", number, 1))
            elif key == "player":
                _add_player(words, number, found, notes)
            elif key == "total":
                _check_total(words[1], number, found, notes)
            elif _WHOLE.fullmatch(key):
                _add_game(words, number, found, notes)
            elif found.rows:
                notes.blocks("abroad-line-not-read", number, cells[0].column)
            else:
                found.unused.append(sheet.Unused(line[:200], number))
    if not found.rows:
        notes.blocks("abroad-no-player")
        return notes.reading(None)
    if not found.games:
        notes.blocks("no-games")
    return notes.reading(_sheet(found, text.encoding, notes))


def _delimiter(text: Text) -> str:
    heads = [line for line in text.lines if _first_word(line) in ("player", "event")]
    return max(DELIMITERS, key=lambda mark: sum(line.count(mark) for line in heads))


def _add_player(words: list[str], line: int, found: _AbroadFound, notes: sheet.Notes) -> None:
    surname, first_name = words[2][:LONGEST_NAME], words[3][:LONGEST_NAME]
    known = found.opponents.get(_key(surname, first_name))
    number = known or len(found.rows) + 1
    if not surname:
        notes.blocks("player-without-name", line, number=number)
    row = sheet.SheetPlayer(
        start_number=number,
        name=", ".join(filter(None, (surname, first_name))),
        surname=surname,
        first_name=first_name,
        identifier=words[1] if _ID.fullmatch(words[1]) and words[1].strip("0") else None,
        line=line,
    )
    if known:  # an opponent in a game above: the rating beside that game stays
        before = found.rows[known - 1]
        row = replace(row, rating=before.rating, federation=before.federation, title=before.title)
        found.rows[known - 1] = row
    else:
        found.rows.append(row)
    found.opponents[_key(surname, first_name)] = number
    found.player = row


def _add_opponent(words: list[str], line: int, found: _AbroadFound) -> sheet.SheetPlayer:
    surname, first_name = words[3][:LONGEST_NAME], words[4][:LONGEST_NAME]
    known = found.opponents.get(_key(surname, first_name))
    row = found.rows[known - 1] if known else None
    rating = int(words[5]) if _WHOLE.fullmatch(words[5]) else 0
    if row is not None and (row.rating is not None or not rating):
        return row
    if row is None:
        name = ", ".join(filter(None, (surname, first_name)))
        row = sheet.SheetPlayer(len(found.rows) + 1, name, surname, first_name, line=line)
        found.rows.append(row)
        found.opponents[_key(surname, first_name)] = row.start_number
    row = replace(
        row,
        rating=(rating if rating <= 9999 else 0) or None,
        title=words[6].upper() if _TITLE.fullmatch(words[6]) else "",
        federation=words[7].upper() if _FEDERATION.fullmatch(words[7]) else "",
    )
    found.rows[row.start_number - 1] = row
    return row


def _key(surname: str, first_name: str) -> tuple[str, str]:
    return surname.casefold(), first_name.casefold()


def _add_game(words: list[str], line: int, found: _AbroadFound, notes: sheet.Notes) -> None:
    player = found.player
    if player is None:
        notes.blocks("abroad-before-player", line)
        return
    round_, score, colour = int(words[0]), _SCORES.get(words[1], ""), words[2].upper()
    alone = colour in ("", "-") and not words[3]
    if not 0 < round_ <= MOST_ROUNDS:
        notes.blocks("too-many-rounds", line, most=MOST_ROUNDS)
        return
    if not score or not (alone or (colour in ("W", "B") and words[3])):
        notes.blocks("abroad-line-not-read", line)
        return
    seat = (round_, player.start_number)
    if first := found.rounds.get(seat):
        notes.blocks("abroad-round-twice", line, round=round_, player=player.name, first=first)
        return
    found.rounds[seat] = line
    found.points[player.start_number] = found.points.get(player.start_number, Decimal(0)) + _WORTH[score]
    if alone:
        if score == "1":
            notes.notice("win-without-opponent", line, number=player.start_number, rounds=str(round_))
            notes.adjusts("win-without-opponent", line, str(round_), "pairing")
        found.byes.append(sheet.SheetBye(round_, player.start_number, _BYES[score], line))
        return
    opponent = _add_opponent(words, line, found)
    if opponent.start_number == player.start_number:
        notes.blocks("plays-self", line, number=player.start_number, round=round_)
        return
    pair = (player.start_number, opponent.start_number)
    first_, second = pair if colour == "W" else pair[::-1]
    game = sheet.SheetGame(round_, first_, second, _RESULTS[score, colour], line=line)
    _add_once(game, player, opponent, found, notes)


def _add_once(
    game: sheet.SheetGame,
    player: sheet.SheetPlayer,
    opponent: sheet.SheetPlayer,
    found: _AbroadFound,
    notes: sheet.Notes,
) -> None:
    """Add a game unless the opponent's lines have it already; those must be the same."""
    seats = [(game.round, player.start_number), (game.round, opponent.start_number)]
    before = next((found.games[seat] for seat in seats if seat in found.games), None)
    if before is None:
        found.games |= dict.fromkeys(seats, game)
    elif before != game:
        one, other, first = player.name, opponent.name, before.line
        notes.blocks(
            "abroad-games-differ", game.line, round=game.round, player=one, opponent=other, first=first
        )


def _check_total(text: str, line: int, found: _AbroadFound, notes: sheet.Notes) -> None:
    player = found.player
    if player is None or not _TOTAL.fullmatch(text):
        notes.adjusts("number-not-read", line, text[:40], "")
        return
    filed = Decimal(text.replace("½", ".5").replace(",", "."))
    counted = found.points.get(player.start_number, Decimal(0))
    if filed != counted:
        sums = {"filed": f"{filed:f}", "counted": f"{counted:f}"}
        notes.notice("abroad-total-differs", line, None, player=player.name, **sums)


def _sheet(found: _AbroadFound, encoding: str, notes: sheet.Notes) -> sheet.Sheet:
    games = sorted(dict.fromkeys(found.games.values()), key=lambda game: (game.round, game.line))
    played = max((game.round for game in games), default=0)
    points = sum_points(SheetGames(games, found.byes))
    rows = tuple(replace(row, points=points.get(row.start_number, Decimal(0))) for row in found.rows)
    own = {player for _round, player in found.rounds}
    if strangers := [row for row in rows if row.start_number not in own]:
        notes.notice("abroad-opponents", strangers[0].line, count=len(strangers))
    starts, ends = (_day(found, name, notes) for name in ("start", "end"))
    rounds = _rounds(found, played, notes)
    return sheet.Sheet(
        dialect=DIALECT,
        family=GAMES_ABROAD.code,
        name=found.heads["event"].text[:200] if "event" in found.heads else "",
        starts=starts,
        ends=ends or starts,
        rounds=rounds,
        rounds_played=played,
        round_dates=(None,) * (rounds or played),
        rows=rows,
        games=tuple(games),
        byes=tuple(sorted(found.byes, key=lambda bye: (bye.round, bye.player))),
        unused=tuple(found.unused),
        encoding=encoding,
    )


def _day(found: _AbroadFound, name: str, notes: sheet.Notes) -> date | None:
    cell = found.heads.get(name)
    if cell is None or not cell.text:
        return None
    day = read_date(cell.text)
    if day is None:
        notes.notice("date-not-read", cell.line, cell.column, text=cell.shown)
    return day


def _rounds(found: _AbroadFound, played: int, notes: sheet.Notes) -> int | None:
    cell = found.heads.get("rounds")
    if cell is None or not cell.text:
        return None
    if not _WHOLE.fullmatch(cell.text) or not played <= int(cell.text) <= MOST_ROUNDS:
        notes.adjusts("number-not-read", cell.line, cell.shown, "")
        return None
    return int(cell.text)
