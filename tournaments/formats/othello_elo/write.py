"""A sheet → an `.ELO` file, as it is sent to the World Othello Federation.

`read(write(sheet))` says of players, places and games what the sheet says. The format has no byes and no
forfeits, and discs of each game are in no sheet: games are written in its older form, without discs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from itertools import chain

from tournaments.formats.common.reading_result import OtherId, Result, Sheet, SheetGame, SheetPlayer
from tournaments.formats.othello_elo.elo_file import NEW_NUMBER
from tournaments.formats.othello_elo.lines import is_name_of_final, is_place

SIGNS: dict[Result, str] = {"1-0": ">", "0-1": "<", "1/2": "="}
"""The results that the format has."""
CREATOR = "Federation Ratings"
_NUMBER = re.compile(r"[1-9][0-9]{0,6}")
OWN_NUMBERS = 9_000_000
"""The first of the numbers that no player of the world has."""


def fits(results: Iterable[str]) -> bool:
    """Whether an `.ELO` file has room for these results: there are some, and all were played to their end."""
    results = list(results)
    return bool(results) and all(result in SIGNS for result in results)


def with_numbers(sheet: Sheet) -> Sheet:
    """The sheet with the numbers of such a file alone: the world federation's; or one that a program gave
    before, or this file gives now, marked as provisional.
    """
    return replace(sheet, rows=tuple(map(_with_number, sheet.rows)))


def _with_number(row: SheetPlayer) -> SheetPlayer:
    worldwide = (row.identifier or "").lstrip("0")
    if _NUMBER.fullmatch(worldwide):
        return replace(row, identifier=worldwide, other_ids=())
    known = tuple(id_ for id_ in row.other_ids if id_.kind == NEW_NUMBER)
    own = OtherId(NEW_NUMBER, str(OWN_NUMBERS + row.start_number))
    return replace(row, identifier=None, other_ids=known or (own,))


def write(sheet: Sheet) -> bytes:
    """Write a sheet whose results `fits` takes; byes are left out, as the format has none."""
    sheet = with_numbers(sheet)
    lines = chain(_head(sheet), _players(sheet), _rounds(sheet), _places(sheet))
    return "".join(f"{line}\r\n" for line in lines).encode()


def _head(sheet: Sheet) -> Iterator[str]:
    yield f"%%Tournament: {_plain(sheet.name)}"
    yield f"%%Country: {_plain(sheet.federation)}"
    if sheet.starts:
        days = dict.fromkeys((sheet.starts, sheet.ends or sheet.starts))
        yield f"%%Date: {' - '.join(map(_day, days))}"
    yield f"%%Creator: {CREATOR}"
    yield ""


def _day(day: date) -> str:
    return f"{day:%d/%m/%Y}"


def _players(sheet: Sheet) -> Iterator[str]:
    yield "%        ID, NAME, Firstname, COUNTRY, score, disc-count, rating"
    for row in sheet.rows:
        discs = "?" if row.discs is None else row.discs
        points = f"{row.points.normalize():f}"
        names = f"{_part(row.surname or row.name)}, {_part(row.first_name)}"
        nation = row.federation or "?"
        yield f"%_% {_marked(row):>7}, {names}, {nation}, {points}, {discs}, {row.rating or 0}"
    yield ""


def _rounds(sheet: Sheet) -> Iterator[str]:
    """Yield the games by round; those behind the scheduled rounds below the name of their final."""
    ids = {row.start_number: _number(row) for row in sheet.rows}
    last = max((game.round for game in sheet.games), default=0)
    scheduled = last - len(sheet.finals) if sheet.finals else last
    for round_ in range(1, last + 1):
        games = [game for game in sheet.games if game.round == round_]
        if games:
            name = sheet.finals[round_ - scheduled - 1] if round_ > scheduled else ""
            yield from (_mark(round_, name), "", *(_game(game, ids) for game in games), "")


def _mark(round_: int, name: str) -> str:
    if not name:
        return f"%Round: {round_}"
    known = next(
        (mark for mark in (f"%Round: {name}", f"%{name}", f"%%{name}") if is_name_of_final(mark, name)), ""
    )
    return known or f"%Final: {_plain(name)}"


def _game(game: SheetGame, ids: dict[int, str]) -> str:
    return f"{ids[game.first]:>7} {SIGNS[game.result]} {ids[game.second]:>7} B"


def _places(sheet: Sheet) -> Iterator[str]:
    """Yield the final places as the format's comment has them: all, or none where one could not be read."""
    if any(row.place is None for row in sheet.rows):
        return
    lines = [_place(row) for row in sorted(sheet.rows, key=lambda row: row.place or 0)]
    if all(map(is_place, lines)):
        yield from lines


def _place(row: SheetPlayer) -> str:
    name = " ".join(filter(None, (_part(row.first_name), _part(row.surname or row.name))))
    return f"%{row.place} {_number(row)} {name} {row.points.normalize():f}"


def _number(row: SheetPlayer) -> str:
    return row.identifier or next(id_.value for id_ in row.other_ids if id_.kind == NEW_NUMBER)


def _marked(row: SheetPlayer) -> str:
    return row.identifier or f"+{_number(row)}"


def _part(name: str) -> str:
    """A name as one field of a line that commas divide."""
    return " ".join(_plain(name).replace(",", " ").split())


def _plain(text: str) -> str:
    """A text without the sign that begins a comment."""
    return " ".join(text.replace("%", " ").split())
