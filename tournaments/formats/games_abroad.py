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
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.particulars import nation_code
from tournaments.formats import sheet
from tournaments.formats.dates import can_be_ambiguous_date, read_date, read_days
from tournaments.formats.table_rows import DELIMITERS, Cells, FileCell, Splitter, join_name, sum_points
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
_GAME = re.compile(r'"?[0-9]{1,2}"?\s*[,;\t]\s*"?(?:[01=½])"?\s*[,;\t]\s*"?[WBwb-]')
_WORTH = {"1": Decimal(1), "=": Decimal("0.5"), "0": Decimal(0)}


def recognises(text: Text) -> bool:
    """Whether there is a line of a player, and one of the event or of a game."""
    lines = text.lines[:PLAYER_WITHIN]
    firsts = [_first_word(line) for line in lines]
    return "player" in firsts and ("event" in firsts or any(map(_GAME.match, lines)))


def _first_word(line: str) -> str:
    return re.split(r"[,;\t]", line, maxsplit=1)[0].strip(' "').lower()


def read_text(text: Text, notes: sheet.Notes) -> sheet.Reading:
    heads = [line for line in text.lines if _first_word(line) in ("player", "event")]
    delimiter = max(DELIMITERS, key=lambda mark: sum(line.count(mark) for line in heads))
    splitter, file = Splitter(notes), _File(notes)
    for number, line in enumerate(text.lines, 1):
        cells = splitter.split(line, number, delimiter)
        if any(cell.text for cell in cells):
            file.read_line(line, cells)
    if not file.rows:
        raise notes.refusal("abroad-no-player")
    if not file.games:
        notes.blocks("no-games")
    return notes.reading(file.make_sheet(text.encoding))


class _File:
    """Reads the lines one after the other."""

    def __init__(self, notes: sheet.Notes) -> None:
        self.notes = notes
        self.heads: dict[str, FileCell] = {}
        self.rows: list[sheet.SheetPlayer] = []
        self.games: dict[tuple[int, int], sheet.SheetGame] = {}
        """By round and player, from both sides where both have a line."""
        self.byes: list[sheet.SheetBye] = []
        self.rounds: dict[tuple[int, int], int] = {}
        """The line of each round and player."""
        self.points: dict[int, Decimal] = defaultdict(Decimal)
        self.numbers: dict[tuple[str, str], int] = {}
        """Start numbers by surname and first name."""
        self.unused: list[sheet.Unused] = []
        self.player: sheet.SheetPlayer | None = None
        """The player whose games are being read."""

    def read_line(self, text: str, cells: Cells) -> None:
        line, words = cells[0].line, [*(cell.text for cell in cells), *[""] * 8]
        key = words[0].lower()
        if key in _HEADS:
            self.heads.setdefault(key, cells[1] if len(cells) > 1 else FileCell("", line, 1))
        elif key == "player":
            self._add_player(words, line)
        elif key == "total":
            self._check_total(words[1], line)
        elif _WHOLE.fullmatch(key):
            self._add_game(words, line)
        elif self.rows:
            self.notes.blocks("abroad-line-not-read", line, cells[0].column)
        else:
            self.unused.append(sheet.Unused(text[:200], line))

    def _add_player(self, words: Sequence[str], line: int) -> None:
        surname, first_name = words[2][:LONGEST_NAME], words[3][:LONGEST_NAME]
        known = self.numbers.get(_key(surname, first_name))
        number = known or len(self.rows) + 1
        if not surname:
            self.notes.blocks("player-without-name", line, number=number)
        row = sheet.SheetPlayer(
            start_number=number,
            name=join_name(surname, first_name),
            surname=surname,
            first_name=first_name,
            identifier=words[1] if _ID.fullmatch(words[1]) and words[1].strip("0") else None,
            line=line,
        )
        if known:  # an opponent in a game above: the rating beside that game stays
            before = self.rows[known - 1]
            row = replace(row, rating=before.rating, federation=before.federation, title=before.title)
            self.rows[known - 1] = row
        else:
            self.rows.append(row)
        self.numbers[_key(surname, first_name)] = number
        self.player = row

    def _add_opponent(self, words: Sequence[str], line: int) -> sheet.SheetPlayer:
        surname, first_name = words[3][:LONGEST_NAME], words[4][:LONGEST_NAME]
        known = self.numbers.get(_key(surname, first_name))
        row = self.rows[known - 1] if known else None
        rating = int(words[5]) if _WHOLE.fullmatch(words[5]) else 0
        if row is not None and (row.rating is not None or not rating):
            return row
        if row is None:
            name = join_name(surname, first_name)
            row = sheet.SheetPlayer(len(self.rows) + 1, name, surname, first_name, line=line)
            self.rows.append(row)
            self.numbers[_key(surname, first_name)] = row.start_number
        row = replace(
            row,
            rating=(rating if rating <= 9999 else 0) or None,
            title=words[6].upper() if _TITLE.fullmatch(words[6]) else "",
            federation=nation_code(words[7], ""),
        )
        self.rows[row.start_number - 1] = row
        return row

    def _add_game(self, words: Sequence[str], line: int) -> None:
        player = self.player
        if player is None:
            self.notes.blocks("abroad-before-player", line)
            return
        round_, score, colour = int(words[0]), _SCORES.get(words[1], ""), words[2].upper()
        alone = colour in ("", "-") and not words[3]
        if not 0 < round_ <= MOST_ROUNDS:
            self.notes.blocks("too-many-rounds", line, most=MOST_ROUNDS)
            return
        if not score or not (alone or (colour in ("W", "B") and words[3])):
            self.notes.blocks("abroad-line-not-read", line)
            return
        seat = (round_, player.start_number)
        if first := self.rounds.get(seat):
            self.notes.blocks("abroad-round-twice", line, round=round_, player=player.name, first=first)
            return
        self.rounds[seat] = line
        self.points[player.start_number] += _WORTH[score]
        if alone:
            if score == "1":
                self.notes.notice(
                    "win-without-opponent", line, number=player.start_number, rounds=str(round_)
                )
                self.notes.adjusts("win-without-opponent", line, str(round_), "pairing")
            self.byes.append(sheet.SheetBye(round_, player.start_number, _BYES[score], line))
            return
        opponent = self._add_opponent(words, line)
        if opponent.start_number == player.start_number:
            self.notes.blocks("plays-self", line, number=player.start_number, round=round_)
            return
        pair = (player.start_number, opponent.start_number)
        first_, second = pair if colour == "W" else pair[::-1]
        game = sheet.SheetGame(round_, first_, second, _RESULTS[score, colour], line=line)
        # The opponent's lines may have the game already; they must be the same.
        seats = [(round_, number) for number in pair]
        before = next((self.games[each] for each in seats if each in self.games), None)
        if before is None:
            self.games |= dict.fromkeys(seats, game)
        elif before != game:
            one, other, first = player.name, opponent.name, before.line
            self.notes.blocks(
                "abroad-games-differ", line, round=round_, player=one, opponent=other, first=first
            )

    def _check_total(self, text: str, line: int) -> None:
        player = self.player
        if player is None or not _TOTAL.fullmatch(text):
            self.notes.adjusts("number-not-read", line, text[:40], "")
            return
        filed = Decimal(text.replace("½", ".5").replace(",", "."))
        counted = self.points.get(player.start_number, Decimal(0))
        if filed != counted:
            sums = {"filed": f"{filed:f}", "counted": f"{counted:f}"}
            self.notes.notice("abroad-total-differs", line, None, player=player.name, **sums)

    def make_sheet(self, encoding: str) -> sheet.Sheet:
        games = sorted(dict.fromkeys(self.games.values()), key=lambda game: (game.round, game.line))
        played = max((game.round for game in games), default=0)
        points = sum_points(sheet.SheetGames(games, self.byes))
        rows = tuple(replace(row, points=points.get(row.start_number, Decimal(0))) for row in self.rows)
        own = {player for _round, player in self.rounds}
        if strangers := [row for row in rows if row.start_number not in own]:
            self.notes.notice("abroad-opponents", strangers[0].line, count=len(strangers))
        days = self._days()
        starts, ends = days.get("start"), days.get("end")
        rounds = self._rounds(played)
        return sheet.Sheet(
            dialect=DIALECT,
            family=GAMES_ABROAD.code,
            name=self.heads["event"].text[:200] if "event" in self.heads else "",
            starts=starts,
            ends=ends or starts,
            rounds=rounds,
            rounds_played=played,
            round_dates=(None,) * (rounds or played),
            rows=rows,
            games=tuple(games),
            byes=tuple(sorted(self.byes, key=lambda bye: (bye.round, bye.player))),
            unused=tuple(self.unused),
            encoding=encoding,
        )

    def _days(self) -> dict[str, date | None]:
        """The first and the last day, by the word before them, as far as they are given."""
        given = {name: cell for name in ("start", "end") if (cell := self.heads.get(name)) and cell.text}
        days = dict(zip(given, read_days([cell.text for cell in given.values()]), strict=True))
        for name, day in days.items():
            cell = given[name]
            if day is None:
                key = "date-unclear" if can_be_ambiguous_date(cell.text) else "date-not-read"
                self.notes.asks(key, cell.line, cell.column, text=cell.shown)
            elif read_date(cell.text) != day:
                self.notes.adjusts("date-settled", cell.line, cell.shown, day.isoformat())
        return days

    def _rounds(self, played: int) -> int | None:
        cell = self.heads.get("rounds")
        if cell is None or not cell.text:
            return None
        if not _WHOLE.fullmatch(cell.text) or not played <= int(cell.text) <= MOST_ROUNDS:
            self.notes.adjusts("number-not-read", cell.line, cell.shown, "")
            return None
        return int(cell.text)


def _key(surname: str, first_name: str) -> tuple[str, str]:
    return surname.casefold(), first_name.casefold()
