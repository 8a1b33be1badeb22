"""What is written here, read by three readers of other people: each game, bye and sum of points comes out the
same. Where one of them wants more than the standard, or reads it wrongly, a test says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tournaments.formats.sheet import Sheet, SheetGame, SheetPlayer
from tournaments.formats.trf_writer import fill_missing_ranks, write
from tournaments.tests.event_files import FOUR, HEAD, open_sheet, read
from tournaments.tests.test_formats_points import FILE
from tournaments.tests.test_formats_trf import sheet_of
from tournaments.tests.trf_files import BY_DIALECT

pytestmark = pytest.mark.verifiers

Seat = tuple[int, str, str]
"""Opponent, colour, code of the result; a zero-point bye is no seat, for a blank says as much."""
CODES = {"1-0": ("1", "0"), "0-1": ("0", "1"), "1/2": ("=", "="), "0-0": ("0", "0")}
CODES |= {"+:-": ("+", "-"), "-:+": ("-", "+"), "-:-": ("-", "-")}
SHORT = {"+:-": ("W", "L"), "-:+": ("L", "W")}
BYES = {"pairing": "U", "full": "F", "half": "H"}


@dataclass(frozen=True)
class Seen:
    """What a reader makes of a file, by round and start number; and the points by start number."""

    seats: Mapping[tuple[int, int], Seat]
    points: Mapping[int, Decimal]


Reader = Callable[[bytes, Path], Seen]


def meant(sheet: Sheet) -> Seen:
    seats: dict[tuple[int, int], Seat] = {}
    for game in sheet.games:
        first, second = (SHORT if game.short else CODES)[game.result]
        seats[game.round, game.first] = (game.second, "w", first)
        seats[game.round, game.second] = (game.first, "b", second)
    seats |= {(bye.round, bye.player): (0, "-", BYES[bye.kind]) for bye in sheet.byes if bye.kind != "zero"}
    return Seen(seats, {row.start_number: row.points for row in sheet.rows})


# ---------------------------------------------------------------- the three


def py4swiss(data: bytes, folder: Path) -> Seen:
    from py4swiss.trf import TrfParser

    file = folder / "event.trf"
    file.write_bytes(data)
    read = TrfParser.parse(file, strict=False)
    seats = {
        (number, player.starting_number): (seat.id, seat.color.value, seat.result.value)
        for player in read.player_sections
        for number, seat in enumerate(player.results, 1)
        if seat.result.value != "Z"
    }
    return Seen(seats, {p.starting_number: Decimal(p.points_times_ten) / 10 for p in read.player_sections})


def gacrux(data: bytes, folder: Path) -> Seen:
    from gacrux.trf2json import trf2json

    reader = trf2json()
    reader.parse_file(data.decode(), False)
    assert reader.get_status() == 0, reader.chessjson["status"]
    read = reader.get_tournament(1)
    seats: dict[tuple[int, int], Seat] = {}
    for game in read["gameList"]:
        seats |= _of_gacrux(game)
    points = {number: player["gamePoints"] for number, player in reader.pcompetitors.items()}
    return Seen({where: seat for where, seat in seats.items() if seat[2] != "Z"}, points)


def _of_gacrux(game: dict[str, Any]) -> dict[tuple[int, int], Seat]:
    white, black = game["white"], game["black"]
    if not black:
        codes = {"P": "U", "W": "F", "D": "H", "Z": "Z"}
        return {(game["round"], white["cid"]): (0, "-", codes[white["result"]])}
    if game["rated"]:
        codes = {"W": "1", "D": "=", "L": "0"}
    else:
        codes = {"W": "W", "L": "L"} if game["played"] else {"W": "+", "Z": "-"}
    return {
        (game["round"], white["cid"]): (black["cid"], "w", codes[white["result"]]),
        (game["round"], black["cid"]): (white["cid"], "b", codes[black["result"]]),
    }


def pairing_core(data: bytes, folder: Path) -> Seen:
    from pairing_core.adapters.trf import parse_trf

    read = parse_trf(data.decode())
    seats = {
        (number, player.pairing_id): (seat.opponent or 0, seat.color, seat.result)
        for player in read.players
        for number, seat in enumerate(player.rounds, 1)
        if seat.result != "Z"
    }
    return Seen(seats, {player.pairing_id: Decimal(str(player.points)) for player in read.players})


def for_py4swiss(data: bytes) -> bytes:
    """Without the deputies and the dates of rounds: the tests below say why. Pairing needs neither."""
    return re.sub(rb"(?m)^(?:112|132) .*\r\n", b"", data)


# ---------------------------------------------------------------- what they are given


def many(players: int, rounds: int) -> Sheet:
    """Everybody's seat moves on by one each round; results by turns, each kind of forfeit among them."""
    results = ("1-0", "1/2", "0-1", "1-0", "+:-", "0-1", "-:+", "1/2", "-:-")
    games = []
    for number in range(1, rounds + 1):
        seats = [1, *((place + number) % (players - 1) + 2 for place in range(players - 1))]
        for table in range(players // 2):
            pair = (seats[table], seats[-1 - table])
            first, second = pair if (number + table) % 2 else pair[::-1]
            result = results[(3 * number + 5 * table) % len(results)]
            games.append(SheetGame(number, first, second, result))  # type: ignore[arg-type]
    rows = tuple(
        SheetPlayer(n, f"Ndlovu-Müller {n}, Žofie", sex="f" if n % 3 else "m") for n in range(1, players + 1)
    )
    return open_sheet(rows=rows, games=tuple(games), rounds=rounds, rounds_played=rounds, round_dates=())


def as_scheduled(sheet: Sheet) -> Sheet:
    """With the number of rounds, which the office asks for where a file does not give it."""
    return replace(sheet, rounds=sheet.rounds or sheet.rounds_played)


THREE_ONE_NOUGHT = "162  W 3.0    D 1.0    L 0.0    P 1.0"
FINER = "XXS WW=1.0 BW=1.0 WD=0.5 BD=0.5 HPB=0.0 FPB=0.5 PAB=0.5"
EVENTS: dict[str, Sheet] = {
    **{name: as_scheduled(sheet_of(read(text))) for name, text in BY_DIALECT.items()},
    "every result": sheet_of(read(FILE.format("4.0", "1.5", "2.0", "1.0", records="192 CUSTOM_SWISS"))),
    "three points for a win": sheet_of(
        read(FILE.format("10.0", "4.0", "5.0", "2.0", records=THREE_ONE_NOUGHT))
    ),
    "everybody against everybody": open_sheet(),
    "forty players": many(40, 11),
    "sixty rounds": many(62, 60),
}


@pytest.mark.parametrize("style", ["TRF16", "TRF26"])
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("reader", [py4swiss, gacrux, pairing_core])
def test_another_reader_sees_every_game_bye_and_sum_of_points(
    reader: Reader, event: str, style: str, tmp_path: Path
) -> None:
    sheet = EVENTS[event]
    data = write(fill_missing_ranks(sheet), style)
    seen = reader(for_py4swiss(data) if reader is py4swiss else data, tmp_path)
    assert seen == meant(sheet)
    assert len(seen.seats) >= 4


def test_py4swiss_reckons_with_the_finer_values(tmp_path: Path) -> None:
    """It refuses a file whose points its own reckoning does not give."""
    sheet = sheet_of(read(FILE.format("3.5", "1.0", "1.5", "1.0", records=FINER)))
    assert py4swiss(for_py4swiss(write(sheet, "TRF16")), tmp_path) == meant(sheet)
    wrong = replace(sheet, rows=(replace(sheet.rows[0], points=Decimal("4.0")), *sheet.rows[1:]))
    with pytest.raises(Exception, match=r"starting number '1' as 3\.5, expected 4\.0"):
        py4swiss(for_py4swiss(write(wrong, "TRF16")), tmp_path)


# ---------------------------------------------------------------- where they want more than the standard


ONE_DATE = HEAD.replace("26/05/09  26/05/10", "26/05/09")


def test_py4swiss_reads_the_whole_file_where_one_deputy_and_one_date_are_named(tmp_path: Path) -> None:
    sheet = sheet_of(read(ONE_DATE + "112 FA Pieter Venter\n" + FOUR))
    data = write(fill_missing_ranks(sheet), "TRF16")
    assert b"\r\n112 " in data
    assert b"\r\n132 " in data
    assert py4swiss(data, tmp_path) == meant(sheet)


def test_py4swiss_takes_one_deputy_where_the_standard_gives_each_a_line(tmp_path: Path) -> None:
    text = ONE_DATE + "112 FA Pieter Venter\n112 Amahle Ndlovu\n" + FOUR
    with pytest.raises(Exception, match="DEPUTY_CHIEF_ARBITER' is declared twice"):
        py4swiss(write(fill_missing_ranks(sheet_of(read(text))), "TRF16"), tmp_path)


def test_py4swiss_counts_nine_columns_a_date_where_the_standard_has_ten(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="Invalid date '/05/1'"):
        py4swiss(write(fill_missing_ranks(sheet_of(read(HEAD + FOUR))), "TRF16"), tmp_path)


def test_py4swiss_takes_no_gap_in_the_start_numbers(tmp_path: Path) -> None:
    text = (ONE_DATE + FOUR).replace("001    4 f", "001    7 f").replace("     4 ", "     7 ")
    with pytest.raises(Exception, match="Starting number '4' is missing"):
        py4swiss(write(fill_missing_ranks(sheet_of(read(text))), "TRF16"), tmp_path)


def test_py4swiss_takes_no_game_that_both_lost(tmp_path: Path) -> None:
    text = (ONE_DATE + FOUR).replace("4 w =", "4 w 0").replace("2 b =", "2 b 0").replace("0.5", "0.0")
    with pytest.raises(Exception, match="Incompatible result entries"):
        py4swiss(write(fill_missing_ranks(sheet_of(read(text))), "TRF16"), tmp_path)


def test_py4swiss_wants_the_rank_that_the_standard_makes_a_duty(tmp_path: Path) -> None:
    sheet = replace(open_sheet(), round_dates=())
    with pytest.raises(Exception, match="No rank provided"):
        py4swiss(write(sheet, "TRF16"), tmp_path)
    assert py4swiss(write(fill_missing_ranks(sheet), "TRF16"), tmp_path) == meant(sheet)


def test_gacrux_finds_points_that_no_values_give(tmp_path: Path) -> None:
    sheet = sheet_of(read(FILE.format("10.0", "4.0", "5.0", "2.5", records=THREE_ONE_NOUGHT)))
    with pytest.raises(Exception, match="no score system adds the results of player"):
        gacrux(write(sheet, "TRF26"), tmp_path)
