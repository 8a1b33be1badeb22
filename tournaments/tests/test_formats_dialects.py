"""Each dialect of TRF: what it says is read, what is done to it is told, and it comes back when written."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from tournaments.formats import read_any
from tournaments.formats.sheet import National, OtherId, Reading, Sheet, SheetBye, Team
from tournaments.formats.trf_writer import STYLES, write
from tournaments.tests.event_files import FOUR, HEAD, adjustments, changed, keys, read
from tournaments.tests.test_formats_trf import finding, sheet_of
from tournaments.tests.trf_files import BY_DIALECT, JAVAFO, LICHESS, TORNELO, TRF06, TRF26, TRF26_TEAMS

WHOLE_26 = TRF26.replace("3 w 0\n", "3 w 0  0000 - Z\n")  # nothing left blank at the end of a line
NAMED = {"TRF(x)": "TRF16", "TRF26 of teams": "TRF26"}


def the_event(sheet: Sheet | None) -> Sheet:
    """What is left of a sheet when nobody asks who wrote it, or what in it no office uses."""
    assert sheet
    return replace(sheet, dialect="", unused=())


@pytest.mark.parametrize("dialect", BY_DIALECT)
def test_every_dialect_is_known_and_read(dialect: str) -> None:
    reading = read(BY_DIALECT[dialect])
    assert not reading.blocked
    assert sheet_of(reading).dialect == NAMED.get(dialect, dialect)
    assert sheet_of(reading).unused == ()


@pytest.mark.parametrize("dialect", BY_DIALECT)
@pytest.mark.parametrize("style", [None, "TRF16", "TRF26"])
def test_what_was_read_is_written_and_read_again_the_same(dialect: str, style: str | None) -> None:
    first = read(BY_DIALECT[dialect]).sheet
    assert first
    assert the_event(read_any(write(first, style)).sheet) == the_event(first)
    if first.dialect in STYLES:
        assert read_any(write(first)).sheet == first


@pytest.mark.parametrize("text", [WHOLE_26, TRF26_TEAMS, JAVAFO.replace("   0 RSA", "     RSA")])
def test_players_lines_that_keep_to_the_columns_come_out_character_for_character(text: str) -> None:
    def players(file: str) -> list[str]:
        return [line for line in file.splitlines() if line.startswith("001")]

    assert players(write(sheet_of(read(text)), "TRF26").decode()) == players(text)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("dialect", BY_DIALECT)
def test_the_ends_of_lines_and_a_byte_order_mark_change_nothing(dialect: str, mark: bytes, end: str) -> None:
    text = BY_DIALECT[dialect]
    assert read_any(mark + text.replace("\n", end).encode()) == read(text)


# TRF26


def changed_26(*replacements: tuple[str, str]) -> Reading:
    return changed(*replacements, text=TRF26)


def test_the_codes_of_trf26_are_read() -> None:
    reading = read(TRF26)
    sheet = sheet_of(reading)
    assert (sheet.kind, sheet.kind_code) == ("Individual: Swiss-System", "FIDE_DUTCH_2026")
    assert (sheet.time_code, sheet.rounds) == ("5400+30", 2)
    assert not keys(reading)


def test_different_times_for_the_two_sides_are_said() -> None:
    reading = changed_26(("222 5400+30", "222 W300-B240"))
    assert finding(reading, "unequal-times").params == {"text": "W300-B240"}
    assert sheet_of(reading).time_code == "W300-B240"


def test_national_lines_bring_the_national_id_rating_and_region() -> None:
    rows = sheet_of(read(TRF26)).rows
    assert [row.national for row in rows] == [
        (National("RSA", "170001001", 1802, "GAU"),),
        (National("RSA", "170001002", 1711, "KZN"),),
        (),
        (National("RSA", "170001004", None, "WES"),),
    ]
    assert rows[0].identifier == "14300001"


def test_a_national_line_of_nobody_or_a_second_of_the_same_is_left_out_and_said() -> None:
    for line in ("RSA    9                                        1711 KZN   170001009", "RSA    1    "):
        reading = read(TRF26 + line + "\n")
        assert finding(reading, "beside-nobody").params == {"count": 1}
        assert [unused.text for unused in sheet_of(reading).unused] == [line]
        assert sheet_of(reading).rows == sheet_of(read(TRF26)).rows


def test_a_player_may_have_lines_of_two_federations() -> None:
    reading = read(TRF26 + "BOT    1                                        1900 GAB        8811\n")
    assert [n.federation for n in sheet_of(reading).rows[0].national] == ["RSA", "BOT"]


def test_a_national_line_that_leaves_its_columns_is_not_read() -> None:
    reading = changed_26(("1711 KZN   170001002", "1711  KZN  170001002"))
    assert (finding(reading, "national-not-read").line, finding(reading, "national-not-read").column) == (
        24,
        57,
    )
    assert sheet_of(reading).rows[1].national == ()
    assert not reading.blocked


def test_a_birth_that_the_national_line_gives_otherwise_is_said() -> None:
    reading = changed_26(("170001001 1991/04/02", "170001001 1991/02/04"))
    assert finding(reading, "national-birth-differs").line == 22
    assert ("national-birth-differs", 22, "1991/02/04", "1991-04-02") in adjustments(reading)
    assert sheet_of(reading).rows[0].birth == date(1991, 4, 2)


def test_announced_byes_say_what_a_line_leaves_open() -> None:
    assert not adjustments(read(TRF26))  # the line says H, as 240 does
    reading = changed_26(("  0000 - H", ""))
    assert adjustments(reading) == [("bye-announced", 23, "2: 0000 -", "2: 0000 - H")]
    assert SheetBye(2, 2, "half") in sheet_of(reading).byes
    assert sheet_of(reading).byes == sheet_of(read(TRF26)).byes


def test_where_a_line_and_the_announced_byes_differ_the_line_stands_and_it_is_said() -> None:
    for line in ("240 F   2    2", "240 H   1    1"):
        reading = changed_26(("240 H   2    2", line))
        assert keys(reading) == ["bye-differs"]
        assert sheet_of(reading).byes == sheet_of(read(TRF26)).byes
    assert keys(changed_26(("240 H   2    2", "240 H   2    7"))) == ["bye-of-nobody"]


def test_a_bye_announced_for_a_round_to_come_is_none_yet() -> None:
    reading = changed_26(("240 H   2    2", "240 H   2    2\n240 H   3    1"), ("142 2", "142 3"))
    assert sheet_of(reading).byes == sheet_of(read(TRF26)).byes
    assert keys(reading) == ["fewer-rounds-than-scheduled", "round-dates-missing"]


def test_announced_byes_are_read_whatever_the_blanks() -> None:
    assert not keys(changed_26(("240 H   2    2", "240 H  002   2")))
    assert keys(changed_26(("240 H   2    2", "240 X   2    2"))) == ["not-used"]


def test_a_star_is_a_result_that_is_still_open() -> None:
    reading = changed_26(("  0000 - H", "  0000 - *"))
    assert ("open-result", 23, "2: 0000 - *", "") in adjustments(reading)
    unfinished = changed_26(("3 b 1", "3 b *"), ("1 w 0\n", "1 w *\n"))
    assert finding(unfinished, "round-unfinished").params == {"round": 2, "games": 1}
    assert "results-disagree" in keys(changed_26(("3 b 1", "3 b *")), "blocks")


def test_a_team_without_a_name_or_without_players_is_none() -> None:
    for record in ("310   1 Soweto", "013 Soweto", f"013 {'':32}   1    2", f"310   1 {'':65}   1    2"):
        reading = read(TRF26 + record + "\n")
        assert keys(reading) == ["team-not-read", "not-used"]
        assert sheet_of(reading).teams == ()


def test_the_chief_arbiter_stands_first_wherever_the_file_puts_it() -> None:
    reading = changed_26(("102 IA Nomsa", "112 Amahle Ndlovu\n102 IA Nomsa"))
    assert [official.name for official in sheet_of(reading).arbiters] == ["Nomsa Zulu", "Amahle Ndlovu"]


def test_teams_of_310_stand_in_their_columns() -> None:
    reading = read(TRF26_TEAMS)
    assert sheet_of(reading).teams == (Team("Tembisa Juniors", (1, 2)), Team("Soweto", (3, 4)))
    both = read(TRF26_TEAMS + f"013 {'An older name':<32}   1    2    3    4\n")
    assert sheet_of(both).teams == sheet_of(reading).teams


def test_a_team_that_does_not_keep_to_its_columns_is_read_by_the_blanks_and_said() -> None:
    reading = changed(("Tembisa Juniors                  TEM", "Tembisa Juniors  TEM"), text=TRF26_TEAMS)
    assert sheet_of(reading).teams == sheet_of(read(TRF26_TEAMS)).teams
    assert [(key, line, after) for key, line, _, after in adjustments(reading)] == [
        ("team-by-blanks", 12, "Tembisa Juniors: 1, 2")
    ]
    neither = changed(("   1    1    2\n", "   1    1    x\n"), text=TRF26_TEAMS)
    assert finding(neither, "team-not-read").params == {"team": "Tembisa Juniors"}
    assert len(sheet_of(neither).teams) == 1


# The older form, and the programs' own


def test_the_older_form_has_dotted_dates_and_letters_for_titles() -> None:
    reading = read(TRF06)
    sheet = sheet_of(reading)
    assert (sheet.starts, sheet.ends) == (date(2026, 5, 9), date(2026, 5, 10))
    assert [(row.title, row.sex) for row in sheet.rows[:2]] == [("FM", "m"), ("WCM", None)]
    assert [row.birth or row.born for row in sheet.rows] == [date(1991, 4, 2), date(2008, 11, 30), None, 2012]
    assert keys(reading) == ["older-dialect", "rounds-missing"]


def test_lichess_has_users_for_players_and_ratings_of_its_own() -> None:
    reading = read(LICHESS)
    sheet = sheet_of(reading)
    assert (sheet.starts, sheet.rounds) == (date(2026, 5, 9), 3)
    assert sheet.rows[0].other_ids == (OtherId("lichess", "thabo-d"),)
    assert [row.rating for row in sheet.rows] == [None] * 4
    assert ("rating-of-platform", 9, "1874", "") in adjustments(reading)
    assert finding(reading, "online-platform").params == {"platform": "Lichess"}
    assert ("absent", 12, "2: 0000 - -", "2: 0000 - Z") in adjustments(reading)
    assert not reading.blocked


def test_a_game_that_lichess_still_plays_leaves_its_round_unfinished() -> None:
    reading = changed(("3 b 1", "3 b Z"), ("1 w 0", "1 w Z"), text=LICHESS)
    assert keys(reading, "blocks") == ["round-unfinished"]


def test_tornelos_lines_bring_ids_and_nothing_private() -> None:
    reading = read(TORNELO)
    assert sheet_of(reading).rows[0].other_ids == (OtherId("TORNELO", "771001"), OtherId("USCF", "30001"))
    assert finding(reading, "extra-data-left-out").params == {"kinds": "EMAIL"}
    assert "nobody@example.org" not in without_quotes(reading)
    stray = read(TORNELO + "DAT   77 EMAIL nobody@example.org\n")
    assert "beside-nobody" in keys(stray)
    assert "nobody@example.org" not in without_quotes(stray)


def without_quotes(reading: Reading) -> str:
    """All that is kept of a file but the quoted lines, which go with its bytes."""
    return repr(replace(reading, quotes={}))


def test_the_extensions_for_pairing_say_nothing_here() -> None:
    reading = read(JAVAFO)
    assert not reading.findings
    assert the_event(reading.sheet) == the_event(read(HEAD + FOUR).sheet)
    assert sum((row.points for row in sheet_of(reading).rows), Decimal(0)) == 4
