"""Reads FlipTheDisc's JSON of an othello tournament: `info`, `players_list`, and `rounds` of pairs.

    {"info": {"name": …, "city": …, "country_code": "PL", "expected_start": "2026-03-07T09:00:00"},
     "players_list": [{"id": 5, "wof_id": 700, "surname": "NOWAK", "name": "Anna", "country_code": "PL"}, …],
     "rounds": [{"currentRound": 1, "pairing": [[{"id": 5, "result": 2, "score": 40}, {"id": 6, …}], …]}, …]}

`result` is the first player's: 2 won, 1 drawn, 0 lost; `score` are discs. Rounds 108, 109 and 110 are the
semifinals, the game for the third place, and the final; `pairing` may hold names of boards too.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import count
from typing import Any, TypeGuard

from ratings.rulesets.facts import gettext_noop as _
from tournaments.formats import sheet
from tournaments.formats.dates import read_date
from tournaments.formats.plain_table import SheetGames, sum_points
from tournaments.formats.text import (
    MOST_BYTES,
    MOST_LINES,
    MOST_PLAY,
    normalize_surnames,
    replace_odd_characters,
)
from tournaments.formats.trf_layout import MOST_ROUNDS

NATIONS = {
    "AR": "ARG", "AT": "AUT", "AU": "AUS", "BE": "BEL", "BG": "BGR", "BR": "BRA", "CA": "CAN", "CH": "CHE",
    "CL": "CHL", "CN": "CHN", "CZ": "CZE", "DE": "DEU", "DK": "DNK", "EE": "EST", "ES": "ESP", "FI": "FIN",
    "FR": "FRA", "GB": "GBR", "GR": "GRC", "HK": "HKG", "HR": "HRV", "HU": "HUN", "IE": "IRL", "IL": "ISR",
    "IN": "IND", "IS": "ISL", "IT": "ITA", "JP": "JPN", "KR": "KOR", "LT": "LTU", "LV": "LVA", "MX": "MEX",
    "MY": "MYS", "NL": "NLD", "NO": "NOR", "NZ": "NZL", "PL": "POL", "PT": "PRT", "RO": "ROU", "RS": "SRB",
    "RU": "RUS", "SE": "SWE", "SG": "SGP", "SI": "SVN", "SK": "SVK", "TH": "THA", "TR": "TUR", "TW": "TWN",
    "UA": "UKR", "US": "USA", "ZA": "ZAF",
}  # fmt: skip


def parse_nation_code(code: object) -> str:
    """The three letters of a nation; empty if they are not known."""
    text = code.strip().upper() if isinstance(code, str) else ""
    if len(text) == 3 and text.isascii() and text.isalpha():
        return text
    return NATIONS.get(text, "")


_SOURCE = sheet.FileSource(
    "FlipTheDisc", _("a tournament’s JSON, with players, rounds and results"), by_description=True
)
FLIP_THE_DISC = sheet.FileKind("flip-the-disc", "FlipTheDisc", (_SOURCE,))
KINDS: tuple[sheet.FileKind, ...] = (FLIP_THE_DISC,)
DIALECT = "FlipTheDisc"
FLIP_THE_DISC_ID = "flipthedisc"
"""The kind of FlipTheDisc's own numbers of players."""
FINALS = {108: "SF", 109: "3-4", 110: "F"}
MOST_ID = 9_999_999
FULL_BOARD = 64
LONGEST_NAME = 100  # characters of a name
_MARK = b"\xef\xbb\xbf"
_HEAD = 4_000  # bytes
_RESULTS: dict[int, sheet.Result] = {2: "1-0", 1: "1/2", 0: "0-1"}


@dataclass(slots=True)
class _TournamentFound:
    rows: dict[int, sheet.SheetPlayer] = field(default_factory=dict)
    """By FlipTheDisc's number."""
    play: SheetGames = field(default_factory=SheetGames)
    scheduled: SheetGames = field(default_factory=SheetGames)
    discs: dict[int, int] = field(default_factory=dict)
    unknown: set[int] = field(default_factory=set)
    """Start numbers of players with a game whose discs the file lacks."""
    open: dict[int, int] = field(default_factory=dict)
    """Games without a result, by round."""


def recognises(data: bytes) -> bool:
    head = data[:_HEAD].removeprefix(_MARK).lstrip()
    return head.startswith(b"{") and b'"players_list"' in data and b'"rounds"' in data


def read_bytes(data: bytes, notes: sheet.Notes) -> sheet.Reading:
    if len(data) > MOST_BYTES:
        notes.blocks("too-big")
        return notes.reading(None)
    event = _event(data)
    if event is None:
        notes.blocks("ftd-not-read")
        return notes.reading(None)
    if _is_too_much(event):
        notes.blocks("too-much-play", most=MOST_PLAY)
        return notes.reading(None)
    found = _TournamentFound(rows=dict(_players(event["players_list"], notes)))
    rounds = sorted(_rounds(event["rounds"], notes), key=lambda each: each[0])
    scheduled = max((number for number, final, _pairs in rounds if not final), default=0)
    finals = tuple(final for _number, final, _pairs in rounds if final)
    final_numbers = count(scheduled + 1)
    for number, final, pairs in rounds:
        round_ = next(final_numbers) if final else number
        if final:
            notes.adjusts("ftd-final", None, final, str(round_))
        _read_round(round_, pairs, found, notes, counts=not final)
    for round_, games in found.open.items():
        notes.blocks("round-unfinished", round=round_, games=games)
    if not found.play.games:
        notes.blocks("no-games")
    else:
        notes.notice("ftd-colours", games=len(found.play.games))
    if nameless := [row for row in found.rows.values() if row.identifier is None]:
        notes.notice("ftd-without-number", count=len(nameless), sample=nameless[0].name)
    info = event["info"] if isinstance(event.get("info"), dict) else {}
    return notes.reading(_sheet(info, found, scheduled, finals, notes))


def _event(data: bytes) -> dict[str, Any] | None:
    """The tournament as JSON; None if the bytes are none."""
    try:
        event = json.loads(data.removeprefix(_MARK).decode("utf-8"), parse_float=Decimal)
    except (ValueError, RecursionError):
        return None
    lists = ("players_list", "rounds")
    valid = isinstance(event, dict) and all(isinstance(event.get(name), list) for name in lists)
    return event if valid else None


def _is_too_much(event: Mapping[str, Any]) -> bool:
    """Whether there are more players or pairs than a tournament has, since each can be noted."""
    pairings = (each.get("pairing") for each in event["rounds"] if isinstance(each, dict))
    pairs = sum(len(pairing) for pairing in pairings if isinstance(pairing, list))
    return pairs + len(event["rounds"]) > MOST_PLAY or len(event["players_list"]) > MOST_LINES


def _players(listed: Iterable[Any], notes: sheet.Notes) -> Iterator[tuple[int, sheet.SheetPlayer]]:
    seen, worldwide = set[int](), dict[int, int]()
    for place, player in enumerate(listed, 1):
        key = player.get("id") if isinstance(player, dict) else None
        if not _is_whole(key, MOST_ID) or key in seen:
            notes.blocks("ftd-player-not-read", where=f"players_list[{place}]")
            continue
        seen.add(key)
        wof = player.get("wof_id")
        number = wof if _is_whole(wof, MOST_ID) and wof else None
        if number is not None and worldwide.setdefault(number, place) != place:
            where, first = f"players_list[{place}]", worldwide[number]
            notes.blocks("identifier-twice", where=where, id=str(number), first=first)
            continue
        yield key, _row(player, len(seen), number, key)


def _row(player: Mapping[str, Any], start: int, number: int | None, key: int) -> sheet.SheetPlayer:
    surname, first_name = (_text(player.get(name)) for name in ("surname", "name"))
    shown = ", ".join(filter(None, (surname, first_name))) or str(number or key)
    return sheet.SheetPlayer(
        start_number=start,
        name=shown,
        surname=surname or first_name or shown,
        first_name=first_name if surname else "",
        federation=parse_nation_code(player.get("country_code")),
        identifier=str(number) if number else None,
        other_ids=(sheet.OtherId(FLIP_THE_DISC_ID, str(key)),),
    )


def _text(value: object) -> str:
    plain = replace_odd_characters(value)[0] if isinstance(value, str) else ""
    return " ".join(plain.replace("\t", " ").split())[:LONGEST_NAME]


def _is_whole(value: object, most: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _rounds(listed: Iterable[Any], notes: sheet.Notes) -> Iterator[tuple[int, str, list[Any]]]:
    """Yield the rounds as number, name of a final, and pairs."""
    seen = set[int]()
    for place, each in enumerate(listed, 1):
        number = each.get("currentRound") if isinstance(each, dict) else None
        pairs = each.get("pairing") if isinstance(each, dict) else None
        known = _is_whole(number, MOST_ROUNDS) or number in FINALS
        if not known or not number or number in seen or not isinstance(pairs, list):
            notes.blocks("ftd-round-not-read", where=f"rounds[{place}]")
            continue
        seen.add(number)
        yield number, FINALS.get(number, ""), pairs


def _read_round(
    number: int, pairs: list[Any], found: _TournamentFound, notes: sheet.Notes, *, counts: bool
) -> None:
    seats = set[int]()
    for place, pair in enumerate(pairs, 1):
        if not isinstance(pair, list):  # the name of a board
            continue
        where = f"round {number}, pairing[{place}]"
        sides = [side for side in pair if isinstance(side, dict)]
        ids = [side.get("id") for side in sides]
        players = [found.rows[id_] for id_ in ids if _is_whole(id_, MOST_ID) and id_ in found.rows]
        if not 0 < len({player.start_number for player in players}) == len(sides) <= 2:
            notes.blocks("ftd-pair-not-read", round=number, where=where)
            continue
        if again := next((row for row in players if row.start_number in seats), None):
            notes.blocks("ftd-twice-in-a-round", round=number, player=again.name, where=where)
            continue
        seats |= {row.start_number for row in players}
        if len(found.play.games) + len(found.play.byes) <= MOST_PLAY:
            _add_pair(number, sides, players, where, found, notes, counts=counts)


def _add_pair(
    number: int,
    sides: Sequence[Mapping[str, Any]],
    players: list[sheet.SheetPlayer],
    where: str,
    found: _TournamentFound,
    notes: sheet.Notes,
    *,
    counts: bool,
) -> None:
    first = players[0]
    if len(players) == 1:
        notes.adjusts("ftd-alone", None, first.name, "pairing")
        found.play.byes.append(sheet.SheetBye(number, first.start_number, "pairing"))
        if counts:
            found.scheduled.byes.append(found.play.byes[-1])
        return
    result = sides[0].get("result")
    if result is None:
        found.open[number] = found.open.get(number, 0) + 1
        return
    if not _is_whole(result, 2):
        notes.blocks("ftd-pair-not-read", round=number, where=where)
        return
    discs = _discs(sides)
    if discs and result != 1 and (discs[0] > discs[1]) != (result == 2):
        notes.notice("ftd-discs-contradict", round=number, player=first.name, discs=discs[0], where=where)
    found.play.games.append(
        sheet.SheetGame(number, first.start_number, players[1].start_number, _RESULTS[result])
    )
    if counts:
        found.scheduled.games.append(found.play.games[-1])
        _add_discs(players, discs, found)


def _discs(sides: Sequence[Mapping[str, Any]]) -> tuple[int, int] | None:
    """The discs of both sides; if the file lacks one, the rest of a full board; None if it lacks both."""
    one, other = (side.get("score") if _is_whole(side.get("score"), FULL_BOARD) else None for side in sides)
    if one is None and other is None:
        return None
    first = one if one is not None else FULL_BOARD - (other or 0)
    return first, other if other is not None else FULL_BOARD - first


def _add_discs(
    players: list[sheet.SheetPlayer], discs: tuple[int, int] | None, found: _TournamentFound
) -> None:
    numbers = [row.start_number for row in players]
    if discs is None:
        found.unknown |= set(numbers)
        return
    for number, counted in zip(numbers, discs, strict=True):
        found.discs[number] = found.discs.get(number, 0) + counted


def _sheet(
    info: Mapping[str, Any],
    found: _TournamentFound,
    scheduled: int,
    finals: tuple[str, ...],
    notes: sheet.Notes,
) -> sheet.Sheet:
    points = sum_points(found.scheduled)
    rows = [
        replace(
            row,
            points=points.get(row.start_number, Decimal(0)),
            discs=None if row.start_number in found.unknown else found.discs.get(row.start_number),
        )
        for row in found.rows.values()
    ]
    day = read_date(str(info.get("expected_start", ""))[:10])
    return sheet.Sheet(
        dialect=DIALECT,
        family=FLIP_THE_DISC.code,
        name=_text(info.get("name")),
        city=_text(info.get("city")),
        federation=parse_nation_code(info.get("country_code")),
        starts=day,
        rounds_played=scheduled,
        finals=finals,
        rows=tuple(normalize_surnames(rows, notes)),
        games=tuple(sorted(found.play.games, key=lambda game: game.round)),
        byes=tuple(sorted(found.play.byes, key=lambda bye: (bye.round, bye.player))),
        encoding="utf-8",
    )
