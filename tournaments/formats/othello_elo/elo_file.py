"""The World Othello Federation's `.ELO` file, as PAPP and Othello Storm write it, and people by hand."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from itertools import islice

from ratings.law.translation_marks import gettext_noop as _
from tournaments.formats.common.capitals import in_small_letters
from tournaments.formats.common.dates import could_be_either, read_date
from tournaments.formats.common.decode_text import MOST_PLAY, Text
from tournaments.formats.common.format_description import FileKind, FileSource
from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import (
    PROVISIONAL,
    OtherId,
    Reading,
    Sheet,
    SheetPlayer,
    Unused,
)
from tournaments.formats.othello_elo.games import Sums, read_games
from tournaments.formats.othello_elo.lines import (
    UNKNOWN,
    EloGameLine,
    EloHeader,
    EloPlayerLine,
    Item,
    PlaceLine,
    RoundMark,
    is_game,
    is_header,
    items_of,
)
from tournaments.formats.othello_elo.players import EloPlayer, EloPlayers, read_players
from tournaments.formats.plain_table.games import SheetGames, points_of

ELO = FileKind(
    "elo",
    ".ELO",
    (
        FileSource(
            "PAPP, Othello Storm",
            _("the .ELO file, as it is sent to the World Othello Federation"),
        ),
    ),
)
KINDS: tuple[FileKind, ...] = (ELO,)
DIALECT = "ELO"
NEW_NUMBER = f"wof{PROVISIONAL}"
"""The kind of a number that a program gave to a new player; the world federation often keeps it."""
_OTHER_TIE_BREAK = re.compile(r"%\s*id\s*,.*\b(?:mbq|bq)\b.*", re.IGNORECASE)
"""The legend above the players, where no discs follow the score."""
_BETWEEN_DAYS = re.compile(r"\s+(?:-|–|to|do)\s+")


@dataclass(slots=True)
class Parts:
    """The lines of an `.ELO` file, sorted by what they are."""

    headers: dict[str, EloHeader] = field(default_factory=dict)
    players: list[EloPlayerLine] = field(default_factory=list)
    places: list[PlaceLine] = field(default_factory=list)
    play: list[RoundMark | EloGameLine] = field(default_factory=list)
    unused: list[Unused] = field(default_factory=list)

    @property
    def games(self) -> list[EloGameLine]:
        return [item for item in self.play if isinstance(item, EloGameLine)]


def recognises(text: Text) -> bool:
    """Whether the text has a header of this format, or a line of nothing but games."""
    return any(is_header(line) or is_game(line) for line in text.lines)


def read_text(text: Text, notes: Notes) -> Reading:
    items = list(islice(items_of(text.lines, notes), MOST_PLAY + 1))
    if len(items) > MOST_PLAY:
        notes.blocks("too-much-play", most=MOST_PLAY)
        return notes.reading(None)
    parts = _parted(items, notes)
    if parts.unused:
        notes.notice("elo-comments-left-out", parts.unused[0].line, count=len(parts.unused))
    if not parts.games and not parts.players:
        notes.blocks("elo-no-games")
        return notes.reading(None)
    has_discs = not any(_OTHER_TIE_BREAK.fullmatch(line[:200].rstrip()) for line in text.lines)
    players = read_players(parts.players, parts.places, parts.games, notes, has_discs=has_discs)
    play, sums = read_games(parts.play, players, notes)
    if not play.games:
        notes.blocks("elo-no-games")
    rows = tuple(in_small_letters(list(_rows(players, play, sums, notes)), notes))
    sheet = _sheet(parts, rows, play, text.encoding, notes)
    return notes.reading(replace(sheet, rounds_played=sums.scheduled, finals=sums.finals))


def _parted(items: Iterable[Item], notes: Notes) -> Parts:
    parts = Parts()
    for item in items:
        match item:
            case EloHeader():
                _add_header(item, parts.headers, notes)
            case EloPlayerLine():
                parts.players.append(item)
            case PlaceLine():
                parts.places.append(item)
            case RoundMark() | EloGameLine():
                parts.play.append(item)
            case Unused():
                parts.unused.append(item)
    return parts


def _add_header(header: EloHeader, headers: dict[str, EloHeader], notes: Notes) -> None:
    if not header.field:
        return
    first = headers.setdefault(header.field, header)
    if first is not header:
        notes.notice("elo-header-twice", header.line, first=first.line)
        notes.adjusts("elo-header-twice", header.line, header.text, "")


def _sheet(
    parts: Parts, rows: tuple[SheetPlayer, ...], play: SheetGames, encoding: str, notes: Notes
) -> Sheet:
    texts = {name: header.text for name, header in parts.headers.items()}
    starts, ends = _days(parts.headers, notes)
    return Sheet(
        dialect=DIALECT,
        family=ELO.code,
        name=texts.get("name", ""),
        federation=texts.get("country", "").strip("?"),
        starts=starts,
        ends=ends,
        rows=rows,
        games=tuple(play.games),
        unused=tuple(parts.unused),
        encoding=encoding,
    )


def _days(headers: Mapping[str, EloHeader], notes: Notes) -> tuple[date | None, date | None]:
    """The first day, and the last if the file gives two: a single day does not say how many followed."""
    header = headers.get("date")
    if header is None or not header.text.strip("?"):
        return None, None
    texts = _BETWEEN_DAYS.split(header.text)
    days = [read_date(" ".join(text.split()), day_first=True) for text in texts]
    if None in days or len(days) > 2:
        key = "date-unclear" if any(map(could_be_either, texts)) else "date-not-read"
        notes.notice(key, header.line, text=header.text[:40])
        notes.adjusts("elo-date-not-read", header.line, header.text[:40], "")
        return None, None
    return days[0], days[1] if len(days) == 2 else None


# ---------------------------------------------------------------- players


def _rows(players: EloPlayers, play: SheetGames, sums: Sums, notes: Notes) -> Iterator[SheetPlayer]:
    counted = points_of(sums.play)
    seated = {player for game in play.games for player in (game.first, game.second)}
    idle = [player for player in players.by_id.values() if player.number not in seated]
    if idle and play.games:
        notes.notice("elo-without-games", idle[0].line, count=len(idle), sample=_name(idle[0]))
    for player in players.by_id.values():
        points = counted.get(player.number, Decimal(0))
        if player.points is not None and player.points != points:
            both = {"filed": f"{player.points:f}", "counted": f"{points:f}"}
            notes.notice("elo-points-differ", player.line, None, player=_name(player), **both)
        yield _row(player, points, _discs(player, sums, notes))


def _row(player: EloPlayer, points: Decimal, discs: int | None) -> SheetPlayer:
    surname = player.surname or player.id
    known = player.id if player.id != UNKNOWN else None
    return SheetPlayer(
        start_number=player.number,
        name=_name(player),
        surname=surname,
        first_name=player.first_name,
        federation=player.nation,
        identifier=None if player.new else known,
        other_ids=(OtherId(NEW_NUMBER, known),) if player.new and known else (),
        points=points if player.points is None else player.points,
        place=player.place,
        discs=discs,
        line=player.line,
    )


def _name(player: EloPlayer) -> str:
    return ", ".join(filter(None, (player.surname, player.first_name))) or player.id


def _discs(player: EloPlayer, sums: Sums, notes: Notes) -> int | None:
    """A player's discs in all games; if a game lacks them, those that the file gives for the whole event."""
    counted = sums.discs_of(player.id)
    if counted is None:
        return player.discs
    if player.discs not in (None, counted):
        both = {"filed": player.discs or 0, "counted": counted}
        notes.notice("elo-discs-differ", player.line, None, player=_name(player), **both)
    return counted
