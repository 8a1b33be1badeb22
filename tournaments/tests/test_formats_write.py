"""What is written is read back the same, by dialect."""

import re
from datetime import date, timedelta
from decimal import Decimal
from unicodedata import normalize

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tournaments.formats import read_any, sheet as reading_as_json
from tournaments.formats.sheet import ByeKind, Official, Result, Sheet, SheetBye, SheetGame, SheetPlayer, Team
from tournaments.formats.trf_writer import STYLES, fill_missing_ranks, format_trf_name, write
from tournaments.tests.event_files import FOUR, HEAD, SWISS_MANAGER, VEGA, read
from tournaments.tests.test_formats_trf import sheet_of

RESULTS: tuple[tuple[Result, bool], ...] = (
    ("1-0", False),
    ("0-1", False),
    ("1/2", False),
    ("0-0", False),
    ("+:-", False),
    ("-:+", False),
    ("-:-", False),
    ("+:-", True),
    ("-:+", True),
)
BYES: tuple[ByeKind, ...] = ("pairing", "full", "half", "zero")
WORTH = {
    "1-0": (2, 0),
    "0-1": (0, 2),
    "1/2": (1, 1),
    "+:-": (2, 0),
    "-:+": (0, 2),
    "-:-": (0, 0),
    "0-0": (0, 0),
}
HALVES = {"pairing": 2, "full": 2, "half": 1, "zero": 0}

words = st.text("abcdefghijklmnopqrstuvwxyzéèüšłñ", min_size=1, max_size=7).map(
    lambda word: normalize("NFC", word.capitalize())
)
days = st.dates(date(2020, 7, 1), date(2099, 12, 1))


@st.composite
def sheets(draw: st.DrawFn) -> Sheet:
    """A sheet such as a whole, faultless file gives."""
    style = draw(st.sampled_from(sorted(STYLES)))
    numbers = sorted(draw(st.sets(st.integers(1, 9999), min_size=2, max_size=9)))
    played = draw(st.integers(1, 4))
    games, byes, halves = _play(draw, numbers, played)
    rows = tuple(_row(draw, number, style, Decimal(halves[number]) / 2) for number in numbers)
    starts = draw(days)
    rounds = draw(st.none() | st.integers(played, 9))
    dates = tuple(starts + timedelta(days=day) for day in range(rounds or played))
    return Sheet(
        dialect=style,
        name=draw(words),
        city=draw(words | st.just("")),
        federation="RSA",
        starts=starts,
        ends=starts + timedelta(days=9),
        players_declared=len(rows),
        kind=draw(words),
        arbiters=tuple(_officials(draw)),
        time_text="90 minutes + 30 seconds per move",
        # Vega is known by its own place for the number of rounds, so it has one.
        rounds=rounds if style != "Vega" else rounds or played,
        rounds_played=max((game.round for game in games), default=0),
        round_dates=dates,
        rows=rows,
        games=tuple(games),
        byes=tuple(byes),
        teams=(Team(draw(words), tuple(numbers)),) if draw(st.booleans()) else (),
    )


def _play(
    draw: st.DrawFn, numbers: list[int], played: int
) -> tuple[list[SheetGame], list[SheetBye], dict[int, int]]:
    games: list[SheetGame] = []
    byes: list[SheetBye] = []
    halves = dict.fromkeys(numbers, 0)
    for round_ in range(1, played + 1):
        order = draw(st.permutations(numbers))
        paired = 2 * draw(st.integers(1, len(order) // 2))
        pairs = sorted(zip(order[:paired:2], order[1:paired:2], strict=True), key=min)
        for first, second in pairs:
            result, short = draw(st.sampled_from(RESULTS))
            games.append(SheetGame(round_, first, second, result, short))
            for player, worth in zip((first, second), WORTH[result], strict=True):
                halves[player] += worth
        for player in sorted(order[paired:]):
            byes.append(SheetBye(round_, player, draw(st.sampled_from(BYES))))
            halves[player] += HALVES[byes[-1].kind]
    return games, byes, halves


def _row(draw: st.DrawFn, number: int, style: str, points: Decimal) -> SheetPlayer:
    surname, first_name = draw(words), draw(words)
    birth = draw(st.none() | st.dates(date(1930, 1, 1), date(2020, 1, 1)))
    return SheetPlayer(
        start_number=number,
        name=format_trf_name(surname, first_name, style),
        surname=surname,
        first_name=first_name,
        sex=draw(st.sampled_from(["m", "f", None])),
        title=draw(st.sampled_from(["", "GM", "WFM", "CM"])),
        rating=draw(st.none() | st.integers(1, 3000)),
        federation=draw(st.sampled_from(["RSA", "BOT", ""])),
        identifier=draw(st.none() | st.integers(number * 10000, number * 10000 + 9999).map(str)),
        born=birth.year if birth else draw(st.none() | st.integers(1930, 2020)),
        birth=birth,
        points=points,
        place=draw(st.none() | st.integers(1, 9999)),
    )


def _officials(draw: st.DrawFn) -> list[Official]:
    names = draw(st.lists(st.tuples(words, words), max_size=3))
    roles = ["chief", "deputy", "deputy"]
    titles = st.sampled_from(["", "IA", "FA"])
    return [
        Official(
            f"{a} {b}", draw(titles), draw(st.sampled_from(["", "14399001"])), "chief" if n == 0 else "deputy"
        )
        for n, ((a, b), _) in enumerate(zip(names, roles, strict=False))
    ]


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(sheets())
def test_what_is_written_is_read_back_the_same(sheet: Sheet) -> None:
    reading = read_any(write(sheet))
    assert reading.sheet == sheet
    assert not reading.blocked
    assert reading_as_json.load(reading_as_json.dump(reading)) == reading


@pytest.mark.parametrize("text", [SWISS_MANAGER, VEGA, HEAD + FOUR])
def test_players_lines_are_written_character_for_character(text: str) -> None:
    assert players(write(sheet_of(read(text))).decode()) == players(text)


def players(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("001")]


HANDS = {
    "zeros before an opponent's number": re.sub("     ([1-4]) ([wb])", r"  000\1 \2", FOUR),
    "ids at the left": re.sub("   (1430000[1-4]) ", r"\1    ", FOUR),
    "a title at the left": FOUR.replace("001    1 m   ", "001    1 mGM "),
    "a title at the right": FOUR.replace("001    1 m   ", "001    1 m GM"),
    "0 for no rating": FOUR,
    "four zeros for no rating": FOUR.replace("   0 RSA", "0000 RSA"),
    "nothing for no rating": FOUR.replace("   0 RSA", "     RSA"),
    "0 for no id": FOUR.replace("14300004", "       0"),
    "nothing for no id": FOUR.replace("14300004", "        "),
    "w for women": FOUR.replace(" f ", " w "),
    "large letters for the sexes": FOUR.replace(" f ", " W ").replace(" m ", " M "),
    "u where the sex is not known": FOUR.replace(" f ", " u "),
    "byes with a dash": FOUR.replace("     4 w =", "  0000 - H").replace("     2 b =", "  0000 - U"),
    "byes with a blank": FOUR.replace("     4 w =", "  0000   H").replace("     2 b =", "  0000   U"),
    "byes without zeros": FOUR.replace("     4 w =", "       - H").replace("     2 b =", "       - U"),
    "byes of their letter alone": FOUR.replace("     4 w =", "         H").replace(
        "     2 b =", "         U"
    ),
    "a round left blank": FOUR.replace("     1 b 0     4 w =", "     1 b 0").replace(
        "     3 w 0     2 b =", "     3 w 0"
    ),
    "a round left blank before another": FOUR.replace("     4 b 1     1 w 0", "               1 w 0").replace(
        "     3 w 0     2 b =", "               2 b ="
    ),
}


@pytest.mark.parametrize("hand", HANDS)
def test_a_program_fills_the_columns_in_its_own_hand_and_that_is_written_again(hand: str) -> None:
    text = HEAD + HANDS[hand]
    sheet = sheet_of(read(text))
    assert len(sheet.rows) == 4
    assert players(write(sheet).decode()) == players(text)
    assert reading_as_json.load(reading_as_json.dump(read(text))).sheet == sheet


@pytest.mark.parametrize("hand", HANDS)
def test_in_the_standards_own_hand_all_programs_write_the_same(hand: str) -> None:
    sheet = sheet_of(read(HEAD + HANDS[hand]))
    written = players(write(sheet, "TRF16").decode())
    assert written
    assert {line[9] for line in written} <= set("mw ")
    assert {line[48:52] for line in written} <= {"1874", "1792", "1650", "    "}
    assert all(
        line[57:68].strip() == (row.identifier or "") for line, row in zip(written, sheet.rows, strict=True)
    )
    assert {line[96] for line in written} | {line[106] for line in written} <= set("wb-")
    assert {line[91:95] for line in written} <= {"   1", "   2", "   3", "   4", "0000"}


def test_a_rank_that_nobody_gave_follows_from_the_points_and_is_shared() -> None:
    points = ("2.0", "3.0", "2.0", "1.0")
    rows = tuple(SheetPlayer(n, f"Player {n}", points=Decimal(p)) for n, p in enumerate(points, 1))
    assert [row.place for row in fill_missing_ranks(Sheet(rows=rows)).rows] == [2, 1, 2, 4]


def test_a_place_that_stands_in_the_file_stays() -> None:
    rows = (SheetPlayer(1, "Botha", points=Decimal(2), place=2), SheetPlayer(2, "Zulu", points=Decimal(1)))
    assert [row.place for row in fill_missing_ranks(Sheet(rows=rows)).rows] == [2, 2]


@pytest.mark.parametrize(("style", "text"), [("Swiss-Manager", SWISS_MANAGER), ("Vega", VEGA)])
def test_heads_are_written_as_the_program_writes_them(style: str, text: str) -> None:
    written = write(sheet_of(read(text)), style).decode().split("\r\n")
    ruler = [line for line in text.splitlines() if line.startswith(("         1", "12345"))]
    expected = [line for line in text.splitlines() if line not in ruler]
    assert [line for line in written[:-1] if not line.startswith(("         1", "12345"))] == expected


def test_vegas_names_are_cut_between_letters() -> None:
    # With nothing but names these lines fit by characters too, and the name would take in what follows: that
    # the file is Vega's decides.
    sheet = Sheet(
        dialect="Vega",
        rounds=1,
        kind="Swiss",
        rows=(SheetPlayer(1, "é" * 40), SheetPlayer(2, "a" + "é" * 40)),
    )
    assert [row.name for row in sheet_of(read_any(write(sheet))).rows] == ["é" * 16, "a" + "é" * 16]
