"""TRF16 as programs write it: the head of the file, the players' lines, and whose file it is."""

from datetime import date
from decimal import Decimal

import pytest

from tournaments.formats.sheet import (
    FileFinding,
    Official,
    Reading,
    Sheet,
    SheetBye,
    SheetGame,
    SheetPlayer,
    Team,
)
from tournaments.tests.event_files import FOUR, HEAD, SWISS_MANAGER, VEGA, adjustments, changed, keys, read

GAMES = (
    SheetGame(1, 1, 3, "1-0"),
    SheetGame(1, 4, 2, "0-1"),
    SheetGame(2, 2, 1, "1/2"),
    SheetGame(2, 5, 4, "-:+"),
    SheetGame(3, 1, 5, "1-0"),
    SheetGame(3, 3, 2, "1/2"),
)
BYES = (SheetBye(1, 5, "pairing"), SheetBye(2, 3, "half"), SheetBye(3, 4, "half"))


def sheet_of(reading: Reading) -> Sheet:
    assert reading.sheet
    return reading.sheet


def finding(reading: Reading, key: str) -> FileFinding:
    return next(finding for finding in reading.findings if finding.key == key)


def head_without(*codes: str) -> str:
    return "".join(line for line in HEAD.splitlines(keepends=True) if line[:3] not in codes)


# Whole files


def test_a_file_of_swiss_manager_is_read_whole() -> None:
    reading = read(SWISS_MANAGER)
    sheet = sheet_of(reading)
    assert not reading.findings
    assert (sheet.dialect, sheet.name, sheet.city, sheet.federation) == (
        "Swiss-Manager",
        "Soweto Open A",
        "Johannesburg",
        "RSA",
    )
    assert (sheet.starts, sheet.ends) == (date(2026, 3, 6), date(2026, 3, 8))
    assert (sheet.players_declared, sheet.rounds, sheet.rounds_played) == (5, 3, 3)
    assert sheet.kind == "Individual: Swiss-System"
    assert sheet.time_text == "90 minutes + 30 seconds per move"
    assert sheet.round_dates == (date(2026, 3, 6), date(2026, 3, 7), date(2026, 3, 8))
    assert (sheet.games, sheet.byes) == (GAMES, BYES)
    assert sheet.rows[1] == SheetPlayer(
        start_number=2,
        name="Naidoo,Priya",
        surname="Naidoo",
        first_name="Priya",
        sex="f",
        title="WCM",
        rating=1792,
        federation="RSA",
        identifier="14300002",
        born=2008,
        birth=date(2008, 11, 30),
        points=Decimal("2.0"),
        place=2,
    )


def test_a_file_of_vega_that_counts_bytes_is_read_the_same() -> None:
    reading = read(VEGA)
    sheet = sheet_of(reading)
    assert not reading.findings
    assert sheet.dialect == "Vega"
    assert (sheet.games, sheet.byes) == (GAMES, BYES)
    assert (sheet.rows[2].name, sheet.rows[2].rating) == ("Müller, Pieter", 1650)


def test_every_part_knows_its_line() -> None:
    sheet = sheet_of(read(SWISS_MANAGER))
    assert [row.line for row in sheet.rows] == [19, 20, 21, 22, 23]
    assert [arbiter.line for arbiter in sheet.arbiters] == [10, 11, 11]
    assert (sheet.games[1].line, sheet.byes[0].line) == (20, 23)


# Whose file


@pytest.mark.parametrize(
    ("line", "dialect"),
    [
        ("062 4 (3)", "Swiss-Manager"),
        ("062 4", "TRF16"),
        ("DDD SSSS sTTT NNN", "Swiss-Manager"),
        ("182 Swiss-Manager 15", "Swiss-Manager"),
        ("182 Vega 12", "Vega"),
        ("182 Pairing by hand", "TRF16"),
        ("042 2126-02-01", "Vega"),
        ("092 Swiss", "Vega"),  # after 142
    ],
)
def test_the_program_is_known_by_its_marks(line: str, dialect: str) -> None:
    assert sheet_of(read(f"{HEAD}{line}\n{FOUR}")).dialect == dialect


def test_dates_with_the_day_first_and_xxr_are_the_older_vega() -> None:
    days_first = HEAD.replace("2026/05/09", "09/05/2026").replace("2026/05/10", "10/05/2026")
    assert sheet_of(read(f"{days_first}XXR 2\n{FOUR}")).dialect == "Vega"
    assert sheet_of(read(f"{days_first}{FOUR}")).dialect == "TRF16"


# Dates


@pytest.mark.parametrize(
    "text", ["2026/05/09", "2026-05-09", "2026.5.9", "09.05.2026", "9. 5. 2026", "9.5.2026"]
)
def test_a_date_is_read_in_every_certain_form(text: str) -> None:
    assert sheet_of(changed(("2026/05/09", text))).starts == date(2026, 5, 9)


@pytest.mark.parametrize("text", ["09/05/2026", "12/05/2026", "26/05/09", "05-09-2026"])
def test_a_date_that_could_be_two_days_is_asked_for(text: str) -> None:
    rounds = f"132{'':88}26/05/09  26/05/10\n"
    reading = changed(("042 2026/05/09", f"042 {text}"), ("052 2026/05/10\n", ""), (rounds, ""))
    assert sheet_of(reading).starts is None
    assert finding(reading, "date-unclear") == FileFinding("asks", "date-unclear", 2, 5, {"text": text})


def test_a_day_above_twelve_settles_both_dates_and_is_said() -> None:
    reading = changed(("042 2026/05/09", "042 09/05/2026"), ("052 2026/05/10", "052 13/05/2026"))
    assert (sheet_of(reading).starts, sheet_of(reading).ends) == (date(2026, 5, 9), date(2026, 5, 13))
    assert adjustments(reading) == [("date-settled", 2, "09/05/2026", "2026-05-09")]


@pytest.mark.parametrize("text", ["tomorrow", "2026/02/29", "13/13/2026", "1026/05/09"])
def test_what_is_no_date_is_asked_for(text: str) -> None:
    reading = changed(("042 2026/05/09", f"042 {text}"))
    assert sheet_of(reading).starts is None
    assert keys(reading, "asks")[0] in {"date-not-read", "date-unclear"}


def test_the_placeholder_of_vega_is_no_date() -> None:
    reading = changed(("2026/05/09", "2126-02-01"))
    assert sheet_of(reading).starts is None
    assert adjustments(reading) == [("placeholder-date", 2, "2126-02-01", "")]


def test_a_last_day_before_the_first_is_asked_about() -> None:
    assert "ends-before-start" in keys(changed(("2026/05/10", "2026/05/08")), "asks")
    assert "ends-before-start" not in keys(changed(("2026/05/10", "2026/05/09")))


@pytest.mark.parametrize(
    ("code", "key"), [("012", "name-missing"), ("042", "starts-missing"), ("052", "ends-missing")]
)
def test_what_the_head_does_not_say_is_asked_for(code: str, key: str) -> None:
    assert keys(read(head_without(code) + FOUR)) == [key]


def test_a_round_without_a_date_is_asked_for_and_never_filled_in() -> None:
    reading = changed(("26/05/09  26/05/10", "26/05/09"))
    assert sheet_of(reading).round_dates == (date(2026, 5, 9), None)
    assert finding(reading, "round-dates-missing").params == {"rounds": "2"}


def test_two_rounds_on_a_day_are_normal_and_whole_years_are_read() -> None:
    reading = changed(("26/05/09  26/05/10", "2026/05/092026/05/09"))
    assert sheet_of(reading).round_dates == (date(2026, 5, 9), date(2026, 5, 9))


def test_dates_of_rounds_that_cannot_be_read_are_said() -> None:
    reading = changed(("26/05/09  26/05/10", "26/05/09  26/05/32"))
    assert finding(reading, "round-date-not-read").column == 102
    assert sheet_of(reading).round_dates == (date(2026, 5, 9), None)


def test_dates_of_rounds_outside_their_columns_are_read_in_their_order_and_said() -> None:
    for record in ("132 26/05/09\n132 26/05/10\n", "132   2026/05/09 2026/05/10\n"):
        reading = read(head_without("132") + record + FOUR)
        assert keys(reading) == ["round-dates-in-order"]
        assert sheet_of(reading).round_dates == (date(2026, 5, 9), date(2026, 5, 10))
        assert [(key, after) for key, _, _, after in adjustments(reading)] == [
            ("round-dates-in-order", "1: 2026-05-09"),
            ("round-dates-in-order", "2: 2026-05-10"),
        ]


@pytest.mark.parametrize(
    "record",
    [
        "132 26/05/09",  # one date for two rounds
        "132 26/05/10 26/05/09",  # back in time
        "132 26/05/09 26/05/10 26/05/11",  # and one too many
        "132 26/05/09 later",
        "132 26/05/09\n132 26/05/10\n132 26/05/11",
    ],
)
def test_dates_of_rounds_outside_their_columns_that_leave_a_doubt_are_not_read(record: str) -> None:
    reading = read(head_without("132") + record + "\n" + FOUR)
    assert keys(reading).count("round-dates-shifted") == 1
    assert sheet_of(reading).round_dates == (None, None)
    assert [unused.text for unused in sheet_of(reading).unused] == record.split("\n")


# Rounds, numbers, records


def test_rounds_are_what_142_or_xxr_say_and_else_asked_for() -> None:
    assert sheet_of(read(head_without("142") + "XXR 2\n" + FOUR)).rounds == 2
    unknown = read(head_without("142") + FOUR)
    assert (sheet_of(unknown).rounds, sheet_of(unknown).rounds_played) == (None, 2)
    assert finding(unknown, "rounds-missing").params == {"played": 2}
    both = changed(("142 2", "142 2\nXXR 3"))
    assert sheet_of(both).rounds == 3
    assert "rounds-disagree" in keys(both, "notice")
    assert "rounds-disagree" not in keys(changed(("142 2", "142 002\nXXR 2")))


def test_fewer_or_more_rounds_than_scheduled_are_said() -> None:
    assert not keys(read(HEAD + FOUR))
    assert finding(changed(("142 2", "142 3")), "fewer-rounds-than-scheduled").params == {
        "scheduled": 3,
        "played": 2,
    }
    assert finding(changed(("142 2", "142 1")), "more-rounds-than-scheduled").level == "asks"


def test_sixty_rounds_are_a_number_and_sixty_one_are_not() -> None:
    assert sheet_of(changed(("142 2", "142 60"))).rounds == 60
    reading = changed(("142 2", "142 61"))
    assert sheet_of(reading).rounds is None
    assert "number-not-read" in keys(reading)


def test_fewer_players_than_declared_is_a_cut_file_and_more_is_a_notice() -> None:
    assert not keys(read(f"{HEAD}062 4\n{FOUR}"))
    assert finding(read(f"{HEAD}062 5\n{FOUR}"), "players-missing") == FileFinding(
        "blocks", "players-missing", params={"declared": 5, "found": 4}
    )
    assert keys(read(f"{HEAD}062 3\n{FOUR}")) == ["players-more"]


def test_a_record_that_stands_twice_is_used_once_and_said() -> None:
    reading = changed(("042", "012 Another name\n042"))
    assert sheet_of(reading).name == "Tembisa Rapid"
    assert finding(reading, "repeated-record").params == {"code": "012", "first": 1}


def test_records_that_are_not_used_are_listed_and_kept() -> None:
    reading = read(HEAD + FOUR + "992 5400+30\nRSA  what\n777 what\nXXC white1\n### a comment\nnonsense\n")
    assert finding(reading, "not-used").params == {"codes": "777, 992, RSA", "count": 3}
    assert finding(reading, "lines-not-understood").line == 15
    assert [(unused.line, unused.text[:3]) for unused in sheet_of(reading).unused] == [
        (10, "992"),
        (11, "RSA"),
        (12, "777"),
        (15, "non"),
    ]


def test_rulers_legends_comments_and_blank_lines_say_nothing() -> None:
    ruler = "\n         1         2\n123456789012345678901\n# by hand\nDDD SSSS sTTT NNNN\n   \n"
    assert not keys(read(HEAD + ruler + FOUR))


def test_a_long_text_is_cut_and_said() -> None:
    assert len(sheet_of(changed(("Tembisa Rapid", "T" * 200))).name) == 200
    reading = changed(("Tembisa Rapid", "T" * 201))
    assert len(sheet_of(reading).name) == 200
    assert [adjustment.key for adjustment in reading.adjustments] == ["text-cut"]


# Arbiters and teams


@pytest.mark.parametrize(
    ("text", "official"),
    [
        ("Nomsa Zulu", Official("Nomsa Zulu")),
        ("IA Nomsa Zulu (14399001)", Official("Nomsa Zulu", "IA", "14399001")),
        ("Nomsa Zulu - FA 14399001", Official("Nomsa Zulu", "FA", "14399001")),
        ("Zulu, Nomsa, NA", Official("Zulu, Nomsa", "NA")),
        ("Nomsa Zulu 17", Official("Nomsa Zulu 17")),
    ],
)
def test_an_arbiters_title_and_id_are_taken_out_of_the_text(text: str, official: Official) -> None:
    assert sheet_of(read(f"{HEAD}102 {text}\n{FOUR}")).arbiters == (official,)


def test_deputies_stand_in_the_order_of_their_appointment() -> None:
    reading = read(
        f"{HEAD}102 Nomsa Zulu\n112 Zulu, Pieter\n112\n112 Amahle Ndlovu; IA Sipho Khumalo\n{FOUR}"
    )
    assert [(arbiter.name, arbiter.role) for arbiter in sheet_of(reading).arbiters] == [
        ("Nomsa Zulu", "chief"),
        ("Zulu, Pieter", "deputy"),
        ("Amahle Ndlovu", "deputy"),
        ("Sipho Khumalo", "deputy"),
    ]
    assert not reading.adjustments


def test_swiss_managers_deputies_on_one_line_are_parted_and_said() -> None:
    reading = read(SWISS_MANAGER)
    assert [arbiter.name for arbiter in sheet_of(reading).arbiters[1:]] == ["Pieter Venter", "Amahle Ndlovu"]
    assert [adjustment.key for adjustment in reading.adjustments] == ["deputies-parted"]
    one = SWISS_MANAGER.replace("FA Pieter Venter, Amahle Ndlovu (14399003)", "Venter, Pieter")
    assert [arbiter.name for arbiter in sheet_of(read(one)).arbiters[1:]] == ["Venter, Pieter"]


def test_teams_name_their_players() -> None:
    reading = read(f"{HEAD}{FOUR}013 {'Soweto Rooks':<32}   1    3\n013 {'Tembisa Pawns':<32}   2    9\n")
    assert sheet_of(reading).teams == (Team("Soweto Rooks", (1, 3)), Team("Tembisa Pawns", (2, 9)))
    assert finding(reading, "team-member-missing").params == {"team": "Tembisa Pawns", "number": 9}
    assert "team-not-read" in keys(read(f"{HEAD}{FOUR}013 {'Soweto Rooks':<32}   1 Naidoo\n"))


# Players' lines

FIRST = FOUR.splitlines()[0]


@pytest.mark.parametrize("sex", ["f", "F", "w", "W"])
def test_a_woman_is_f_or_w(sex: str) -> None:
    assert sheet_of(changed(("2 f", f"2 {sex}"))).rows[1].sex == "f"


def test_a_sex_that_is_neither_is_left_out_and_said() -> None:
    reading = changed(("2 f", "2 u"))
    assert sheet_of(reading).rows[1].sex is None
    assert adjustments(reading) == [("sex-not-read", 7, "u", "")]
    assert not changed(("2 f", "2  ")).adjustments


@pytest.mark.parametrize(
    ("filed", "title"), [(" GM", "GM"), ("GM ", "GM"), ("WFM", "WFM"), ("  g", "GM"), (" wm", "WIM")]
)
def test_titles_stand_left_or_right_and_old_ones_in_letters(filed: str, title: str) -> None:
    assert sheet_of(changed(("1 m   ", f"1 m{filed}"))).rows[0].title == title


@pytest.mark.parametrize(
    ("filed", "born", "day"),
    [
        ("1991/04/02", 1991, date(1991, 4, 2)),
        ("1991.04.02", 1991, date(1991, 4, 2)),
        ("02.04.1991", 1991, date(1991, 4, 2)),
        ("1991/00/00", 1991, None),
        ("1991      ", 1991, None),
        ("0000/00/00", None, None),
        ("          ", None, None),
        ("1900/00/00", None, None),
        ("1902/00/00", 1902, None),
    ],
)
def test_a_birth_is_a_day_or_a_year_or_nothing(filed: str, born: int | None, day: date | None) -> None:
    reading = changed(("1991/04/02", filed))
    assert (sheet_of(reading).rows[0].born, sheet_of(reading).rows[0].birth) == (born, day)
    listed = [("birth-not-given", 6, "1900", "")] if filed.startswith("1900") else []
    assert adjustments(reading) == listed


@pytest.mark.parametrize("filed", ["1899/00/00", "2100/00/00", "1991/02/30", "02/04/1991", "1991/04   "])
def test_a_birth_that_cannot_be_read_is_left_out_and_said(filed: str) -> None:
    reading = changed(("1991/04/02", filed))
    assert sheet_of(reading).rows[0].born is None
    assert adjustments(reading) == [("birth-not-read", 6, filed.strip(), "")]


@pytest.mark.parametrize("filed", ["   0", "0000", "    "])
def test_no_rating_is_none(filed: str) -> None:
    assert sheet_of(changed(("1874", filed))).rows[0].rating is None


@pytest.mark.parametrize("filed", ["       0", "00000000", "        "])
def test_no_id_is_none(filed: str) -> None:
    assert sheet_of(changed(("14300001", filed))).rows[0].identifier is None


def test_names_without_a_comma_are_not_parted() -> None:
    reading = changed(("Botha, Pieter", "Pieter Botha "))
    assert (sheet_of(reading).rows[2].surname, sheet_of(reading).rows[2].first_name) == ("Pieter Botha", "")
    assert finding(reading, "names-not-parted").params == {"count": 1, "sample": "Pieter Botha"}


@pytest.mark.parametrize("column", [4, 9, 14, 48, 53, 57, 69, 80, 85, 90, 91, 96, 98, 100, 101])
def test_a_column_between_two_fields_is_blank(column: int) -> None:
    filled = FIRST[: column - 1] + "9" + FIRST[column:]
    reading = read(HEAD + FOUR.replace(FIRST, filled))
    assert finding(reading, "columns-shifted") == FileFinding("blocks", "columns-shifted", 6, column)
    assert [row.start_number for row in sheet_of(reading).rows] == [2, 3, 4]
    assert keys(reading, "blocks") == ["columns-shifted"]  # and not once more for each opponent


@pytest.mark.parametrize(
    ("before", "after", "column"),
    [
        ("Dlamini, Thabo ", "Dlamini, Thabo", 47 + 1),
        (" 1874 RSA", " 18?4 RSA", 49),
        ("  2.0    1 ", "  2,x    1 ", 81),
        ("  2.0    1 ", "  2.0   1st", 86),
        ("2 w 1", "2 x 1", 97),
        ("   2 w 1", "  2b w 1", 92),
    ],
)
def test_a_line_that_does_not_keep_to_the_columns_is_refused_where_it_leaves_them(
    before: str, after: str, column: int
) -> None:
    reading = read(HEAD + FOUR.replace(FIRST, FIRST.replace(before, after)))
    assert (finding(reading, "columns-shifted").line, finding(reading, "columns-shifted").column) == (
        6,
        column,
    )


def test_a_line_shifted_by_one_blank_is_refused_both_ways() -> None:
    assert "columns-shifted" in keys(changed(("    Dlamini", "     Dlamini")), "blocks")
    assert "columns-shifted" in keys(changed(("    Dlamini", "   Dlamini")), "blocks")


def test_a_tab_in_a_players_line_is_named() -> None:
    assert finding(changed(("1 m    Dlamini", "1 m\tDlamini")), "tab").column == 11


@pytest.mark.parametrize(
    ("length", "cut"), [(83, True), (84, False), (91, False), (95, True), (96, True), (97, False)]
)
def test_a_line_that_breaks_off_within_a_field_is_called_cut(length: int, cut: bool) -> None:
    reading = read(HEAD + FOUR.replace(FIRST, FIRST[:length]))
    assert ("line-cut" in keys(reading, "blocks")) is cut
    assert reading.blocked  # the opponents know better either way


def test_points_that_are_missing_are_added_up_and_said() -> None:
    reading = changed(("  2.0    1 ", "         1 "))
    assert sheet_of(reading).rows[0].points == 2
    assert adjustments(reading) == [("points-missing", 6, "", "2.0")]


def test_points_with_a_comma_are_points() -> None:
    assert sheet_of(changed(("  2.0    1 ", "  2,0    1 "))).rows[0].points == 2


def test_points_that_differ_from_the_results_are_said_and_the_results_stand() -> None:
    reading = changed(("  2.0    1 ", "  2.5    1 "))
    assert finding(reading, "points-differ") == FileFinding(
        "notice", "points-differ", 6, 81, {"number": 1, "filed": "2.5", "counted": "2.0"}
    )
    assert not reading.blocked


def test_a_start_number_stands_once_and_is_not_zero() -> None:
    reading = changed(("001    4 f", "001    3 f"))
    assert finding(reading, "start-number-twice").params == {"number": 3, "first": 8}
    assert "start-number-zero" in keys(changed(("001    4 f", "001    0 f")), "blocks")


@pytest.mark.parametrize("lines", [4, 40])
def test_where_no_players_line_can_be_read_there_is_no_sheet_and_all_lines_say_why(lines: int) -> None:
    shifted = "".join(f"001 {n:>4}{FOUR.splitlines()[0][7:]}\n" for n in range(1, lines + 1))
    reading = read(HEAD + shifted)
    assert reading.sheet is None
    assert [(r.key, r.line) for r in reading.findings] == [
        ("columns-shifted", len(HEAD.splitlines()) + 1 + n) for n in range(lines)
    ]


def test_an_id_stands_once() -> None:
    reading = changed(("14300004", "14300001"))
    assert finding(reading, "identifier-twice") == FileFinding(
        "blocks", "identifier-twice", 9, 58, {"id": "14300001", "first": 6}
    )


def test_a_player_has_a_name() -> None:
    assert "player-without-name" in keys(changed(("Mokoena, Lerato", " " * 15)), "blocks")


def test_sixty_rounds_are_read_and_a_sixty_first_is_refused() -> None:
    far = HEAD + "".join(line + "  0000 - Z" * 57 + "\n" for line in FOUR.splitlines())
    full = far.replace("0000 - Z\n", "0000 - Z  0000 - Z\n")
    assert "too-many-rounds" not in keys(read(full))
    assert "too-many-rounds" in keys(read(full.replace("0000 - Z\n", "0000 - Z  0000 - Z\n")), "blocks")
