"""Swiss-Manager's text exports: players and pairings together, and byes told from the points or asked."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from tournaments.formats import read_any
from tournaments.formats.plain_table import write_csv
from tournaments.formats.sheet import OtherId, Reading, Sheet, SheetBye, SheetGame, SheetPlayer
from tournaments.formats.trf_writer import write
from tournaments.tests.event_files import adjustments, keys
from tournaments.tests.sm_files import BOTH, PAIRINGS, PLAYERS
from tournaments.tests.table_files import found, read
from tournaments.tests.test_formats_archive import zipped


def changed(before: str, after: str, text: str = BOTH) -> Reading:
    assert before in text
    return read(text.replace(before, after, 1))


def sheet_of(reading: Reading) -> Sheet:
    assert reading.sheet
    assert not reading.blocked, reading.findings
    return reading.sheet


def byes_of(reading: Reading, player: int) -> list[tuple[int, str]]:
    return [(bye.round, bye.kind) for bye in sheet_of(reading).byes if bye.player == player]


def in_plain_table(sheet: Sheet) -> Sheet:
    """What of it a plain table has columns for."""
    rows = tuple(replace(row, title="", rating=None, other_ids=()) for row in sheet.rows)
    return replace(sheet, rows=rows, dialect="")


def test_players_and_pairings_are_read_together() -> None:
    sheet = sheet_of(read(BOTH))
    assert (sheet.dialect, sheet.family) == ("Swiss-Manager text", "swiss-manager")
    assert sheet.rows[0] == SheetPlayer(
        start_number=1,
        name="Dlamini, Thabo",
        surname="Dlamini",
        first_name="Thabo",
        title="FM",
        rating=1874,
        federation="RSA",
        identifier="101000001",
        born=1991,
        birth=date(1991, 4, 2),
        points=Decimal("2.5"),
        place=1,
        other_ids=(OtherId("fide", "14300001"),),
    )
    assert [(row.sex, row.identifier, row.born) for row in sheet.rows[1:]] == [
        ("f", "14300002", 2008),
        (None, None, 2010),
        ("f", "101000004", None),
        (None, None, None),
    ]
    assert sheet.games == (
        SheetGame(1, 1, 3, "1-0"),
        SheetGame(1, 4, 2, "1/2"),
        SheetGame(2, 2, 1, "1/2"),
        SheetGame(2, 3, 5, "+:-"),
        SheetGame(3, 1, 4, "1-0"),
        SheetGame(3, 5, 2, "0-1"),
    )
    assert sheet.byes[0] == SheetBye(1, 5, "pairing")
    assert sheet.rounds_played == 3


@pytest.mark.parametrize(
    "data",
    [
        (PAIRINGS + PLAYERS).encode(),
        BOTH.encode("utf-8-sig"),
        BOTH.encode("cp1252"),
        BOTH.replace("\n", "\r\n").encode(),
        BOTH.replace(",", ".").replace(";", ",").encode(),
        zipped(("spieler.txt", PLAYERS.encode()), ("runden.txt", PAIRINGS.encode("utf-8-sig"))),
        zipped(("x", ("\n" + PAIRINGS).encode()), ("__MACOSX/x", b""), ("y", PLAYERS.encode("cp1252"))),
    ],
)
def test_in_which_order_encoding_or_wrapping_they_come_does_not_matter(data: bytes) -> None:
    assert read_any(data).sheet == sheet_of(read(BOTH))


def test_pairings_may_come_in_parts() -> None:
    lines = PAIRINGS.splitlines(keepends=True)
    parts = ["".join(lines[:4]), "".join([lines[0], *lines[4:]])]
    assert read(parts[1] + PLAYERS + parts[0]).sheet == read(BOTH).sheet
    files = [(f"{n}.txt", part.encode()) for n, part in enumerate([*parts, PLAYERS])]
    assert read_any(zipped(*files)).sheet == read(BOTH).sheet


def test_one_of_the_two_alone_says_what_is_missing_and_where_it_is_found() -> None:
    assert found(read(PLAYERS), "blocks") == [("sm-pairings-missing", 1, 1)]
    assert found(read(PAIRINGS), "blocks") == [("sm-players-missing", 1, 1)]
    assert read(PLAYERS).sheet is read(PAIRINGS).sheet is None


def test_a_zip_of_other_files_beside_them_is_refused_by_their_names() -> None:
    files = [("spieler.txt", PLAYERS.encode()), ("runden.txt", PAIRINGS.encode())]
    assert keys(read_any(zipped(*files, ("notes.txt", b"hello")))) == ["zip-of-several"]
    assert keys(read_any(zipped(*files, ("spieler2.txt", PLAYERS.encode())))) == ["zip-of-several"]


def test_in_an_archive_a_place_names_the_file() -> None:
    spoilt = PAIRINGS.replace("1;0;;1:0", "1;0;;3:0", 1)
    reading = read_any(zipped(("spieler.txt", PLAYERS.encode()), ("runden.txt", spoilt.encode())))
    [finding] = [finding for finding in reading.findings if finding.level == "blocks"]
    assert (finding.key, finding.where, finding.line) == ("sm-result-not-read", "runden.txt:2", 2)
    files = [("spieler.txt", PLAYERS.encode("cp1252")), ("runden.txt", PAIRINGS.encode())]
    [guessed] = [
        finding for finding in read_any(zipped(*files)).findings if finding.key == "encoding-guessed"
    ]
    assert guessed.where == "spieler.txt:2"


# ---------------------------------------------------------------- results


@pytest.mark.parametrize(
    ("told", "result"),
    [
        ("1;0;;1:0", "1-0"),
        ("0;1;;0:1", "0-1"),
        ("0,5;0,5;;½:½", "1/2"),
        ("½;½;;0,5:0,5", "1/2"),
        ("1;0;K;1:0K", "+:-"),
        ("0;1;k;0:1k", "-:+"),
        ("0;0;K;0:0K", "-:-"),
    ],
)
def test_a_result_stands_as_points_and_as_a_pair(told: str, result: str) -> None:
    assert sheet_of(changed("1;0;;1:0", told)).games[0].result == result


@pytest.mark.parametrize(
    ("told", "key"),
    [
        ("0;0;;0:0", "round-unfinished"),
        ("3;0;;3:0", "sm-result-not-read"),
        ("1;1;;1:1", "sm-result-not-read"),
        ("0,5;0,5;K;½:½K", "sm-result-not-read"),
        ("1;0;;", "sm-result-not-read"),
        ("1;0;;1:0:0", "sm-result-not-read"),
        ("0;1;;1:0", "sm-results-differ"),
        ("1;0;K;1:0", "sm-results-differ"),
        ("1;0;;1:0K", "sm-results-differ"),
        ("1;0;F;1:0", "sm-results-differ"),
    ],
)
def test_a_result_that_is_none_or_contradicts_itself_is_refused_where_it_stands(told: str, key: str) -> None:
    reading = changed("1;0;;1:0", told)
    line = len(PLAYERS.splitlines()) + 3
    assert [(k, at) for k, at, _column in found(reading, "blocks")] == [(key, line)]


def test_a_result_of_which_a_spreadsheet_made_a_time_is_read_by_the_points_beside_it() -> None:
    reading = changed("1;0;;1:0", "1;0;;01:00:00")
    assert sheet_of(reading) == sheet_of(read(BOTH))
    assert ("sm-result-as-time", 9, "01:00:00", "1:0") in adjustments(reading)
    assert [key for key, *_ in found(changed("1;0;;1:0", "0;1;;01:00"), "blocks")] == ["sm-result-not-read"]


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        ("1;1;14300001;0;1;3;", "1;1;14300001;0;1;9;", "sm-player-not-listed"),
        ("1;1;14300001;0;1;3;", "1;1;14300001;0;1;0;", "sm-player-not-read"),
        ("1;1;14300001;0;1;3;", "1;1;14300001;0;1;-2;", "sm-player-not-read"),
        ("1;1;14300001;0;1;3;", "1;1;14300001;0;1;1;", "plays-self"),
        ("1;1;14300001;0;1;3;", "1;1;14300001;0;1;4;", "sm-twice-in-round"),
        ("1;1;14300001;0;1;3;", "0;1;14300001;0;1;3;", "table-round-not-read"),
        ("\n2;Naidoo", "\n1;Naidoo", "start-number-twice"),
        ("\n2;Naidoo", "\n0;Naidoo", "start-number-zero"),
        ("\n2;Naidoo", "\nx;Naidoo", "table-number-not-read"),
        ("0;;14300002", "0;;14300001", "identifier-twice"),
        (";Naidoo;Priya;", ";;;", "names-not-parted"),
    ],
)
def test_what_names_nobody_or_somebody_twice_is_refused(before: str, after: str, key: str) -> None:
    assert key in keys(changed(before, after))


def test_rounds_that_were_not_exported_are_asked_for() -> None:
    late = "\n".join(
        line for line in BOTH.splitlines() if not line.startswith("2;1;1") and line[:4] != "2;2;"
    )
    assert ("sm-rounds-missing") in keys(read(late))
    assert "sm-rounds-missing" not in keys(read(BOTH))
    assert "sm-no-pairings" in keys(read(PLAYERS + PAIRINGS.splitlines()[0]))


def test_ids_that_are_other_players_are_asked_about_once() -> None:
    [asked] = [r for r in changed("3;1;14300001;0", "3;1;999;888").findings if r.level == "asks"]
    assert (asked.key, asked.params) == ("sm-other-ids", {"id": "999", "count": 2})


# ---------------------------------------------------------------- rounds in which nobody pairs a player


def test_the_points_tell_a_bye_where_they_leave_one_answer() -> None:
    reading = read(BOTH)
    assert byes_of(reading, 3) == [(3, "zero")]
    assert byes_of(reading, 4) == [(2, "full")]
    assert ("sm-absent-zero", 4, "3: –", "3: zero") in adjustments(reading)
    assert ("sm-absent-full", 5, "2: –", "2: full") in adjustments(reading)
    half = changed(";0;;1½;3;1;3;Mokoena", ";0;;1;3;1;3;Mokoena")
    assert byes_of(half, 4) == [(2, "half")]
    [told] = [r for r in half.findings if r.key == "sm-bye-half"]
    assert (told.level, told.line) == ("notice", 5)
    assert told.params == {"number": 4, "rounds": "2", "filed": "1.0", "counted": "0.5"}


def test_two_absences_and_half_a_point_are_asked_about_and_not_guessed() -> None:
    text = BOTH.replace("1;2;0;14300002;4;2;0,5;0,5;;½:½;0;;", "1;2;0;14300002;2;-1;1;1;;1:1;0;;")
    reading = changed(";0;;1½;3;1;3;Mokoena", ";0;;0,5;3;1;3;Mokoena", text)
    [asked] = [r for r in reading.findings if r.level == "asks"]
    assert asked.key == "sm-absences-unclear"
    assert asked.params == {"number": 4, "rounds": "1, 2", "filed": "0.5", "counted": "0"}
    assert byes_of(reading, 4) == [(1, "zero"), (2, "zero")]
    assert ("sm-absent-unclear", 5, "1, 2: –", "1, 2: zero") in adjustments(reading)
    full = changed(";0;;1½;3;1;3;Mokoena", ";0;;2;3;1;3;Mokoena", text)
    assert byes_of(full, 4) == [(1, "full"), (2, "full")]


def test_points_that_fit_no_bye_are_told() -> None:
    differ = changed(";2½;4,5", ";3;4,5")
    assert ("points-differ", 2, 77) in found(differ, "notice")
    assert sheet_of(differ).rows[0].points == Decimal(3)
    assert "points-differ" not in keys(read(BOTH))
    assert "sm-absences-unclear" in keys(changed(";0;;1½;3;1;3;Mokoena", ";0;;3;3;1;3;Mokoena"))


def test_without_points_absences_are_asked_about() -> None:
    text = BOTH.replace("Pkt;", "Quelle2;")
    reading = read(text)
    assert [r.params["number"] for r in reading.findings if r.key == "sm-absences-open"] == [3, 4]
    assert [row.points for row in sheet_of(reading).rows] == [*map(Decimal, ("2.5", "2", "1", "0.5", "1"))]


def test_points_of_another_round_tell_nothing() -> None:
    early = (
        BOTH.replace(";2½;4,5", ";1;4,5")
        .replace(";;2;4;2;2;", ";;½;4;2;2;")
        .replace(";;1;4;1;4", ";;0;4;1;4")
    )
    reading = read(early)
    [asked] = [r for r in reading.findings if r.key == "sm-points-of-another-round"]
    assert asked.params == {"count": 3}
    assert sheet_of(reading).rows[0].points == Decimal("2.5")
    assert byes_of(reading, 4) == [(2, "zero")]


# ---------------------------------------------------------------- round trip


@pytest.mark.parametrize("style", ["TRF16", "TRF26", "Swiss-Manager"])
def test_written_as_trf_it_comes_back_the_same(style: str) -> None:
    sheet = sheet_of(read(BOTH))
    again = sheet_of(read_any(write(sheet, style)))
    names = [row.name for row in again.rows]
    assert replace(again, dialect="", rows=()) == replace(
        sheet, dialect="", rows=(), round_dates=again.round_dates
    )
    assert [name.replace(",", ", ").replace("  ", " ") for name in names] == [row.name for row in sheet.rows]
    assert [replace(row, name="") for row in again.rows] == [replace(row, name="") for row in sheet.rows]


def test_written_as_a_plain_table_it_comes_back_with_all_that_has_a_column() -> None:
    sheet = sheet_of(read(BOTH))
    assert replace(sheet_of(read_any(write_csv(sheet))), dialect="") == in_plain_table(sheet)


def test_the_same_pairings_in_two_files_are_no_second_games() -> None:
    reading = read_any(
        zipped(
            ("spieler.txt", PLAYERS.encode()),
            ("runden.txt", PAIRINGS.encode()),
            ("copy.txt", PAIRINGS.encode()),
        )
    )
    twice = [finding for finding in reading.findings if finding.key == "sm-twice-in-round"]
    assert (twice[0].where, twice[0].params["first"]) == ("copy.txt:2", "runden.txt:2")
    assert reading.sheet
    assert reading.sheet.games == sheet_of(read(BOTH)).games


@pytest.mark.parametrize(("id_", "told"), [("101 000 001", True), ("0", False), ("-", False), ("", False)])
def test_an_id_that_is_none_is_left_out_and_told(id_: str, told: bool) -> None:
    reading = changed(";101000001;", f";{id_};")
    assert ("table-cell-not-read" in keys(reading)) == told
    assert sheet_of(reading).rows[0].identifier == "14300001"
