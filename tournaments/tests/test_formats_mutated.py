"""Files changed at random, by bytes and by structure: each is read or refused, and nothing else happens.

As many as MUTATED_FILES says (400), half of them by bytes; a seed stands for ten files, always the same.
"""

import os
import random
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings, strategies as st

from tournaments.formats import read_any, sheet
from tournaments.formats.plain_table import write_csv
from tournaments.formats.sheet import MOST_NOTES, Notes, Sheet, SheetPlayer
from tournaments.formats.text import MOST_BYTES
from tournaments.formats.trf_writer import STYLES, write
from tournaments.tests.abroad_files import ABROAD
from tournaments.tests.cross_files import CROSS, WINTD
from tournaments.tests.elo_files import ELO, LEGACY, PLACES
from tournaments.tests.event_files import FOUR, HEAD, describe_in_english
from tournaments.tests.ftd_files import ftd
from tournaments.tests.own_sm_files import own_file
from tournaments.tests.placement_files import EMA, PORTAL
from tournaments.tests.sm_files import BOTH as EXPORTS
from tournaments.tests.sp_files import TEXT as SP_TEXT, packed, three_files
from tournaments.tests.table_files import BOTH
from tournaments.tests.test_formats_dialects import the_event
from tournaments.tests.trf_files import BY_DIALECT

FILES = int(os.environ.get("MUTATED_FILES", "400"))
A_SEED = 10
SECONDS = 10

OF_TABLES = (BOTH, PORTAL, EMA, EXPORTS, CROSS, WINTD, ABROAD, SP_TEXT)
SEEDS = [text.encode() for text in (*BY_DIALECT.values(), *OF_TABLES, ELO + PLACES, LEGACY)]
BINARY = [own_file(), packed(three_files()), ftd()]
"""Files that are no lines of text: changed by bytes alone."""
PIECES = [b"\n", b"\r", b" ", b"\0", b"\xff", b"0000", b"001", b"\t", b"9" * 400, b"142 99999999999"]
PIECES += ["é٣½".encode(), b"\xed\xa0\x80", b"RSA    1", b"DAT    1 ID:X ", b"240 H   1    1", b"310   1 "]
PIECES += [b"%", b"%_% ", b"%Round: 2", b"(32)>(32)", b"?", b";", b'"', "замены".encode(), b",false"]
PIECES += [b"%%Round: 3", b"%%Final", b"??????", b"W 2", b" 10:00", "Фамилия;Имя;Место\n".encode()]
PIECES += [b"K", b"-1", b"12w1", b";1.Rd;", b"Nr;Nachname\n", b"1e999999"]
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "cp1252", "cp1250", "cp1251", "iso-8859-2", "iso-8859-7")
CELLS = (
    "  9999 w 1",
    "     1 w 1",
    "  0000 - +",
    "     2 b *",
    "  0000 - Z",
    "     2   =",
    "    -1 w 1",
    "?" * 10,
)


def by_bytes(data: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.randint(1, 6)):
        here, there = sorted(chance.choices(range(len(data) + 1), k=2))
        piece = chance.choice([*PIECES, data[here:there], bytes([chance.randrange(256)])])
        match chance.randrange(4):
            case 0:
                data = data[:here] + piece + data[here:]
            case 1:
                data = data[:here] + data[here + len(piece) :]
            case 2:
                data = data[:here] + piece + data[here + len(piece) :]
            case _:
                data = (
                    data[:there]
                    if chance.random() < 0.3
                    else data[:here] + data[there:here:-1] + data[there:]
                )
    return data


Lines = list[str]


def _swap(lines: Lines, chance: random.Random) -> None:
    here, there = chance.choices(range(len(lines)), k=2)
    lines[here], lines[there] = lines[there], lines[here]


def _double(lines: Lines, chance: random.Random) -> None:
    lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))


def _drop(lines: Lines, chance: random.Random) -> None:
    if len(lines) > 1:
        lines.pop(chance.randrange(len(lines)))


def _join(lines: Lines, chance: random.Random) -> None:
    here = chance.randrange(len(lines))
    lines[here : here + 2] = ["".join(lines[here : here + 2])]


def _shift(lines: Lines, chance: random.Random) -> None:
    here = chance.randrange(len(lines))
    column, by = chance.randrange(len(lines[here]) + 1), chance.choice((-1, 1))
    line = lines[here]
    lines[here] = line[:column] + " " + line[column:] if by > 0 else line[:column] + line[column + 1 :]


def _cell(lines: Lines, chance: random.Random) -> None:
    """Another result, opponent or colour in somebody's round."""
    here, column = chance.randrange(len(lines)), 89 + 10 * chance.randrange(61)
    line = lines[here].ljust(column)
    lines[here] = line[:column] + chance.choice(CELLS) + line[column + 10 :]


def _field(lines: Lines, chance: random.Random) -> None:
    """What stands in some columns of one line comes to stand in the same of another."""
    here, there = chance.choices(range(len(lines)), k=2)
    first, last = sorted(chance.choices(range(90), k=2))
    line = lines[there].ljust(last)
    lines[there] = line[:first] + lines[here].ljust(last)[first:last] + line[last:]


def _code(lines: Lines, chance: random.Random) -> None:
    here = chance.randrange(len(lines))
    code = chance.choice(("001", "013", "132", "162", "222", "240", "299", "310", "801", "RSA", "DAT", "XXR"))
    lines[here] = code + lines[here][3:]


STRUCTURE: tuple[Callable[[Lines, random.Random], None], ...] = (
    _swap,
    _double,
    _drop,
    _join,
    _shift,
    _cell,
    _field,
    _code,
)


def by_structure(data: bytes, chance: random.Random) -> bytes:
    lines = data.decode().split("\n")
    for _ in range(chance.randint(1, 5)):
        chance.choice(STRUCTURE)(lines, chance)
    text = chance.choice(("\n", "\n", "\r\n", "\r")).join(lines)
    return text.encode(chance.choice(ENCODINGS) if chance.random() < 0.2 else "utf-8", "replace")


def must_answer(data: bytes) -> None:
    reading = read_any(data)
    assert reading.sheet or reading.blocked
    assert not reading.sheet or reading.sheet.rows
    assert len(reading.findings) <= MOST_NOTES + 1
    assert len(reading.adjustments) <= MOST_NOTES
    for item in reading.findings + reading.adjustments:
        assert describe_in_english(item)
    assert sheet.load(sheet.dump(reading)) == reading
    if reading.sheet and not reading.blocked:
        _must_hang_together(reading.sheet)


def _must_hang_together(sheet: Sheet) -> None:
    """Nobody is in two places, everybody is listed; and as TRF26, or as a table, it comes back the same."""
    numbers = {row.start_number for row in sheet.rows}
    seats = [(game.round, player) for game in sheet.games for player in (game.first, game.second)]
    seats += [(bye.round, bye.player) for bye in sheet.byes]
    if sheet.family == "trf":
        assert len(seats) == len(set(seats))
        assert the_event(read_any(write(sheet, "TRF26")).sheet) == the_event(sheet)
        for style in STYLES:
            assert read_any(write(sheet, style)).sheet
    assert {player for _, player in seats} <= numbers
    table = read_any(write_csv(sheet)).sheet
    assert table
    if sheet.family in ("swiss-manager", "cross-table"):
        assert len(seats) == len(set(seats))
        assert (table.games, table.byes) == (sheet.games, sheet.byes)
    if sheet.family in ("elo", "portal", "ema"):
        assert table.games == sheet.games
        assert [_standing(row) for row in table.rows] == [_standing(row) for row in sheet.rows]


def _standing(row: SheetPlayer) -> tuple[object, ...]:
    return row.start_number, row.place, row.points, row.discs


@pytest.mark.parametrize("seed", range(FILES // A_SEED))
@pytest.mark.parametrize("change", [by_bytes, by_structure])
def test_a_file_changed_at_random_is_read_or_refused(
    change: Callable[[bytes, random.Random], bytes], seed: int
) -> None:
    chance = random.Random(f"{change.__name__} {seed}")
    files = [*SEEDS, *BINARY] if change is by_bytes else SEEDS
    for _ in range(A_SEED // 2):
        must_answer(change(chance.choice(files), chance))


@pytest.mark.parametrize("data", BINARY, ids=("swiss-manager", "swiss-perfect", "flip-the-disc"))
def test_a_binary_file_changed_at_any_of_its_places_is_read_or_refused(data: bytes) -> None:
    chance = random.Random(len(data))
    for _ in range(FILES // 4):
        must_answer(by_bytes(data, chance))
    step = max(1, len(data) // 100)
    for cut in range(0, len(data), step):
        must_answer(data[:cut])


def test_the_three_files_of_swiss_perfect_changed_inside_their_archive_are_read_or_refused() -> None:
    chance = random.Random(3)
    for _ in range(FILES // 4):
        parts = three_files()
        name = chance.choice(list(parts))
        must_answer(packed(parts | {name: by_bytes(parts[name], chance)}))


@settings(max_examples=200)
@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    must_answer(data)


@settings(max_examples=100)
@given(st.text(max_size=120), st.integers(0, 120))
def test_any_text_in_a_players_line_is_read_or_refused(text: str, place: int) -> None:
    line = FOUR.splitlines()[0]
    must_answer(
        (HEAD + FOUR.replace(line, line[:place] + text + line[place:])).encode("utf-8", "surrogatepass")
    )


@pytest.mark.parametrize(
    "line",
    [
        b"001 ",
        b"142 ",
        b"112 a,b,c,d",
        b"X" * 99,
        b"1" * 99 + b"x",
        b"(" * 99,
        b"310 A  B 1 1 1 1" + b" 1" * 99,
        FOUR.encode()[:111] * 9,
        b"Player,1,A,B",
        b"1,1,W,A,B,9,,RSA",
        b"\x93\xff\x89\x44" * 20,
    ],
)
def test_a_file_of_the_greatest_size_is_answered_in_seconds(line: bytes) -> None:
    data = (line + b"\n") * (MOST_BYTES // (len(line) + 1))
    must_answer(data[:MOST_BYTES])
    must_answer((line + b"\n") * 19_999)


HOSTILE: dict[str, bytes] = {
    "a million pairs": ftd(rounds=[{"currentRound": 1, "pairing": [[]] * 500_000}]),
    "a million rounds": ftd(rounds=[0] * 600_000),
    "a million players": ftd(players_list=[{}] * 400_000),
    "a number of a million digits": b'{"players_list": [], "rounds": [' + b"9" * 1_000_000 + b"]}",
    "brackets": b'{"players_list": [], "rounds": ' + b"[" * 1_000_000,
    "a text that ends beyond the file": own_file()[:0x6C] + b"\xff\xff" * 9 + own_file()[0x6C:],
    "sixty thousand players": own_file().replace(b"\x05\0", b"\xff\xff"),
    "games of one player": own_file(games=[(1, 2, 1)] * 90_000),
    "marks alone": b"\x93\xff\x89\x44\xa5\xff\x89\x44" * 200_000,
    "games of nobody": b"Player,1,A,B\n" + b"1,1,W,,,,,\n" * 19_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_means_far_more_than_it_holds_is_answered_in_seconds(name: str) -> None:
    began = time.process_time()
    must_answer(HOSTILE[name][:MOST_BYTES])
    assert time.process_time() - began < SECONDS


def test_a_list_too_long_to_read_still_blocks() -> None:
    notes = Notes()
    for line in range(MOST_NOTES + 1):
        notes.notice("points-differ", line)
    assert notes.reading(Sheet()).findings[-1].key == "too-much-to-list"
    assert notes.reading(Sheet()).blocked
