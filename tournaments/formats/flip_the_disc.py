"""Reads FlipTheDisc's JSON of an othello tournament: `info`, `players_list`, and `rounds` of pairs.

    {"info": {"name": …, "city": …, "country_code": "PL", "expected_start": "2026-03-07T09:00:00"},
     "players_list": [{"id": 5, "wof_id": 700, "surname": "NOWAK", "name": "Anna", "country_code": "PL"}, …],
     "rounds": [{"currentRound": 1, "pairing": [[{"id": 5, "result": 2, "score": 40}, {"id": 6, …}], …]}, …]}

`result` is the first player's: 2 won, 1 drawn, 0 lost; `score` are discs. Rounds 108, 109 and 110 are the
semifinals, the game for the third place, and the final; `pairing` may hold names of boards too.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import count
from typing import Any, TypeGuard

from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.particulars import nation_code
from tournaments.formats import sheet
from tournaments.formats.dates import read_date
from tournaments.formats.table_rows import join_name, sum_points
from tournaments.formats.text import (
    MOST_BYTES,
    MOST_LINES,
    MOST_PLAY,
    normalize_surnames,
    replace_odd_characters,
)
from tournaments.formats.trf_layout import MOST_ROUNDS

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


def recognises(data: bytes) -> bool:
    head = data[:_HEAD].removeprefix(_MARK).lstrip()
    return head.startswith(b"{") and b'"players_list"' in data and b'"rounds"' in data


def read_bytes(data: bytes, notes: sheet.Notes) -> sheet.Reading:
    if len(data) > MOST_BYTES:
        raise notes.refusal("too-big")
    try:
        event = json.loads(data.removeprefix(_MARK).decode("utf-8"), parse_float=Decimal)
    except (ValueError, RecursionError):
        event = None
    lists = ("players_list", "rounds")
    if not isinstance(event, dict) or not all(isinstance(event.get(name), list) for name in lists):
        raise notes.refusal("ftd-not-read")
    # More players or pairs than a tournament has are refused, since each can be noted.
    pairings = (each.get("pairing") for each in event["rounds"] if isinstance(each, dict))
    pair_count = sum(len(pairing) for pairing in pairings if isinstance(pairing, list))
    if pair_count + len(event["rounds"]) > MOST_PLAY or len(event["players_list"]) > MOST_LINES:
        raise notes.refusal("too-much-play", most=MOST_PLAY)
    rows = dict(_players(event["players_list"], notes))
    rounds = sorted(_rounds(event["rounds"], notes), key=lambda each: each[0])
    scheduled = max((number for number, final, _pairs in rounds if not final), default=0)
    finals = tuple(final for _number, final, _pairs in rounds if final)
    final_numbers = count(scheduled + 1)
    games = _Games(rows, notes)
    for number, final, pairs in rounds:
        round_ = next(final_numbers) if final else number
        if final:
            notes.adjusts("ftd-final", None, final, str(round_))
        games.read_round(round_, pairs, counts=not final)
    for round_, unfinished in games.open.items():
        notes.blocks("round-unfinished", round=round_, games=unfinished)
    play = games.play
    if not play.games:
        notes.blocks("no-games")
    else:
        notes.notice("ftd-colours", games=len(play.games))
    if nameless := [row for row in rows.values() if row.identifier is None]:
        notes.notice("ftd-without-number", count=len(nameless), sample=nameless[0].name)
    info = event["info"] if isinstance(event.get("info"), dict) else {}
    points = sum_points(play.until(scheduled))
    discs = {number: each for number, each in games.discs.items() if number not in games.unknown}
    players = [
        replace(row, points=points.get(row.start_number, Decimal(0)), discs=discs.get(row.start_number))
        for row in rows.values()
    ]
    return notes.reading(
        sheet.Sheet(
            dialect=DIALECT,
            family=FLIP_THE_DISC.code,
            name=_text(info.get("name")),
            city=_text(info.get("city")),
            federation=nation_code(str(info.get("country_code") or ""), ""),
            starts=read_date(str(info.get("expected_start", ""))[:10]),
            rounds_played=scheduled,
            finals=finals,
            rows=tuple(normalize_surnames(players, notes)),
            games=tuple(sorted(play.games, key=lambda game: game.round)),
            byes=tuple(sorted(play.byes, key=lambda bye: (bye.round, bye.player))),
            encoding="utf-8",
        )
    )


def _players(listed: Iterable[Any], notes: sheet.Notes) -> Iterator[tuple[int, sheet.SheetPlayer]]:
    """Yield the players by FlipTheDisc's number."""
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
        surname, first_name = (_text(player.get(name)) for name in ("surname", "name"))
        shown = join_name(surname, first_name) or str(number or key)
        yield (
            key,
            sheet.SheetPlayer(
                start_number=len(seen),
                name=shown,
                surname=surname or first_name or shown,
                first_name=first_name if surname else "",
                federation=nation_code(str(player.get("country_code") or ""), ""),
                identifier=str(number) if number else None,
                other_ids=(sheet.OtherId(FLIP_THE_DISC_ID, str(key)),),
            ),
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


class _Games:
    """Reads the games. `rows`: the players by FlipTheDisc's number."""

    def __init__(self, rows: Mapping[int, sheet.SheetPlayer], notes: sheet.Notes) -> None:
        self.rows, self.notes, self.play = rows, notes, sheet.SheetGames()
        self.discs: dict[int, int] = defaultdict(int)
        """Without those of finals, by start number."""
        self.unknown: set[int] = set()
        """Start numbers of players with a game whose discs the file lacks."""
        self.open: dict[int, int] = defaultdict(int)
        """Games without a result, by round."""

    def read_round(self, number: int, pairs: Iterable[Any], *, counts: bool) -> None:
        """Read a round's pairs. `counts`: its discs count."""
        seats = set[int]()
        for place, pair in enumerate(pairs, 1):
            if not isinstance(pair, list):  # the name of a board
                continue
            where = f"round {number}, pairing[{place}]"
            sides = [side for side in pair if isinstance(side, dict)]
            ids = [side.get("id") for side in sides]
            players = [self.rows[id_] for id_ in ids if _is_whole(id_, MOST_ID) and id_ in self.rows]
            if not 0 < len({player.start_number for player in players}) == len(sides) <= 2:
                self.notes.blocks("ftd-pair-not-read", round=number, where=where)
                continue
            if again := next((row for row in players if row.start_number in seats), None):
                self.notes.blocks("ftd-twice-in-a-round", round=number, player=again.name, where=where)
                continue
            seats |= {row.start_number for row in players}
            if len(self.play.games) + len(self.play.byes) <= MOST_PLAY:
                self._add_pair(number, sides, players, where, counts=counts)

    def _add_pair(
        self,
        number: int,
        sides: Sequence[Mapping[str, Any]],
        players: Sequence[sheet.SheetPlayer],
        where: str,
        *,
        counts: bool,
    ) -> None:
        name, numbers = players[0].name, [row.start_number for row in players]
        if len(players) == 1:
            self.notes.adjusts("ftd-alone", None, name, "pairing")
            self.play.byes.append(sheet.SheetBye(number, numbers[0], "pairing"))
            return
        result = sides[0].get("result")
        if result is None:
            self.open[number] += 1
            return
        if not _is_whole(result, 2):
            self.notes.blocks("ftd-pair-not-read", round=number, where=where)
            return
        # If the file lacks the discs of one side, they are the rest of a full board.
        one, other = (side.get("score") for side in sides)
        first = one if _is_whole(one, FULL_BOARD) else None
        second = other if _is_whole(other, FULL_BOARD) else None
        discs = None
        if first is not None or second is not None:
            first = FULL_BOARD - (second or 0) if first is None else first
            discs = first, FULL_BOARD - first if second is None else second
        if discs and result != 1 and (discs[0] > discs[1]) != (result == 2):
            self.notes.notice("ftd-discs-contradict", round=number, player=name, discs=discs[0], where=where)
        self.play.games.append(sheet.SheetGame(number, numbers[0], numbers[1], _RESULTS[result]))
        if counts and discs is None:
            self.unknown |= set(numbers)
        elif counts and discs:
            for player, counted in zip(numbers, discs, strict=True):
                self.discs[player] += counted
