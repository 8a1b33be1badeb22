"""Shapes that real programs write beside the formats' own words, each with its near miss."""

import pytest

from tournaments.formats import read_any
from tournaments.formats.dates import read_birth
from tournaments.formats.sheet import Reading, Sheet, Team
from tournaments.models import Upload
from tournaments.tests.event_files import FOUR, HEAD, SWISS_MANAGER, changed, describe_in_english, keys, read
from tournaments.tests.sp_files import packed, three_files
from tournaments.tests.trf_files import TRF26_TEAMS


def sheet_of(reading: Reading) -> Sheet:
    assert reading.sheet
    return reading.sheet


# ---------------------------------------------------------------- births


@pytest.mark.parametrize(
    "text", ["1975", "1975/00/00", "1975.  .  ", "1975.  .", "1975. .", "1975..", "1975.", "1975-0-0"]
)
def test_a_year_of_birth_alone_is_read_however_month_and_day_are_left_out(text: str) -> None:
    assert read_birth(text) == (1975, None)


@pytest.mark.parametrize("text", ["197", "1975.05.", "1975.  .12", "1975.13.01", "1899", "1975. . .", "2100"])
def test_what_is_neither_a_year_nor_a_day_is_no_birth(text: str) -> None:
    assert read_birth(text) is None


def test_a_year_with_blank_month_and_day_in_its_columns_is_no_finding() -> None:
    reading = changed(("1991/04/02", "1991.  .  "))
    assert sheet_of(reading).rows[0].born == 1991
    assert "birth-not-read" not in keys(reading)


# ---------------------------------------------------------------- the older form without its dates

OLDER = (HEAD + FOUR).replace("14300", "    1")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1 m    Dlamini", "1 m  f Dlamini"),
        ("1991/04/02", "1991.04.02"),
        ("     2 w 1     3 b 1", "               3 b 1"),
    ],
)
def test_the_older_form_is_known_by_its_players_lines_too(before: str, after: str) -> None:
    assert "older-dialect" in keys(read(OLDER.replace(before, after)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1 m    Dlamini", "1 m FM Dlamini"),
        ("    1001 1991/04/02", "  143001 1991/04/02"),
        ("     2 w 1     3 b 1", "  0000 - Z     3 b 1"),
    ],
)
def test_titles_of_two_letters_long_ids_and_newer_byes_are_not_of_the_older_form(
    before: str, after: str
) -> None:
    blank = OLDER.replace("     1 b 0     4 w =", "               4 w =")
    text = OLDER if "FM" in after else blank
    assert text.count(before) == 1
    assert "older-dialect" not in keys(read(text.replace(before, after)))


def test_a_legend_above_the_players_is_swiss_managers_unless_their_lines_are_older() -> None:
    assert sheet_of(read(SWISS_MANAGER)).dialect == "Swiss-Manager"
    assert sheet_of(read(SWISS_MANAGER.replace("1991/04/02", "1991.04.02"))).dialect == "TRF06"


# ---------------------------------------------------------------- teams of TRF26


def test_a_teams_bye_worth_more_than_a_game_is_no_players() -> None:
    """`162 P 5.0` gives a team of five its points; the player who sat it out has what the line says."""
    bye = TRF26_TEAMS.replace("2.0    1     3 w 1     4 b 1", "1.0    1     3 w 1  0000 - U").replace(
        "1.0    2     2 w 1     1 w 0", "1.0    2     2 w 1          "
    )
    points = "162  W 1.0    D 0.5    L 0.0    A 0.0    P 5.0\n"
    of_team = read(bye.replace("192 FIDE_TEAM", f"{points}192 FIDE_TEAM"))
    assert "points-differ" not in keys(of_team)
    of_player = read(bye.replace("192 FIDE_TEAM", f"{points.replace('P 5.0', 'P 1.0')}192 FIDE_TEAM"))
    assert keys(of_player).count("points-differ") == 1


TEAM = "310   1 Tembisa Juniors                  TEM   1833.0    2.0    2.5   1    1    2"


@pytest.mark.parametrize("short", ["TEM  ", "T E  ", "     "])
def test_a_team_that_keeps_its_columns_is_read_without_a_rank_and_with_any_short_name(short: str) -> None:
    line = TEAM.replace("TEM  ", short).replace("   1    1    2", "        1    2")
    reading = read(TRF26_TEAMS.replace(TEAM, line))
    assert sheet_of(reading).teams[0] == Team("Tembisa Juniors", (1, 2))
    assert "team-not-read" not in keys(reading)
    assert all(adjustment.key != "team-by-blanks" for adjustment in reading.adjustments)


# ---------------------------------------------------------------- dates that the rest of the file settles


def dated(first: str, last: str, *rounds: str) -> Reading:
    """The four players, with these texts for the first and the last day and for the rounds."""
    cells = "".join(f"{text:<10}" for text in rounds).rstrip()
    head = f"012 Tembisa Rapid\n042 {first}\n052 {last}\n142 2\n132{'':88}{cells}\n"
    return read(head + FOUR)


@pytest.mark.parametrize(
    ("first", "last", "rounds"),
    [
        ("26.03.2012", "28.03.2012", ("12.26.03", "12.28.03")),
        ("12.03.26", "12.03.28", ("12/03/26", "12/03/28")),
        ("26/03/2012", "28/03/2012", ("28.03.12", "28.03.12")),
        ("03.26.12", "03.28.12", ("26-03-12", "28-03-12")),
    ],
)
def test_dates_are_settled_where_one_reading_alone_fits_the_others(
    first: str, last: str, rounds: tuple[str, ...]
) -> None:
    reading = dated(first, last, *rounds)
    sheet = sheet_of(reading)
    assert (str(sheet.starts), str(sheet.ends)) == ("2012-03-26", "2012-03-28")
    assert [str(day)[:7] for day in sheet.round_dates] == ["2012-03"] * 2
    assert not {"date-unclear", "date-not-read", "round-date-not-read"} & set(keys(reading))
    assert "date-settled" in [adjustment.key for adjustment in reading.adjustments]


def test_day_and_month_of_the_event_are_settled_by_the_days_of_its_rounds() -> None:
    sheet = sheet_of(dated("05/03/2017", "05/03/2017", "17/03/05", "17/03/05"))
    assert str(sheet.starts) == "2017-03-05"


@pytest.mark.parametrize(
    "dates",
    [
        ("05/03/2017", "05/03/2017"),
        ("05/03/2017", "05/03/2017", "nobody", "knows"),
        ("11.08.14", "11.08.14"),
        ("01.02.2026", "31.12.2026", "26.05.06", "26.05.07"),
        ("26.03.2012", "28.03.2012", "12.29.03", "12.30.03"),
    ],
)
def test_dates_that_keep_two_readings_or_fit_in_none_are_asked(dates: tuple[str, ...]) -> None:
    assert "date-settled" not in [adjustment.key for adjustment in dated(*dates).adjustments]


OLDER_VEGA = f"""\
012 Tembisa Rapid
042 %s
052 %s
XXR 2
{{rounds}}{FOUR}"""
"""Dates with slashes beside XXR, which is how an older Vega is known; it writes the day first."""


def of_vega(first: str, last: str, rounds: str = "") -> Reading:
    cells = f"132{'':88}{rounds}\n" if rounds else ""
    return read(OLDER_VEGA.format(rounds=cells) % (first, last))


def days_of(reading: Reading) -> tuple[str, str]:
    return str(sheet_of(reading).starts), str(sheet_of(reading).ends)


@pytest.mark.parametrize(
    ("first", "last", "rounds", "days"),
    [
        ("05/09/2026", "05/10/2026", "26/05/09  26/05/10", ("2026-05-09", "2026-05-10")),
        ("05/09/2026", "05/10/2026", "26/09/05  26/10/05", ("2026-09-05", "2026-10-05")),
        ("05/09/2026", "05/13/2026", "", ("2026-05-09", "2026-05-13")),
        ("08/10/2024", "08/11/2024", "24/08/10  24/08/11", ("2024-08-10", "2024-08-11")),
        ("12/09/2026", "13/09/2026", "", ("2026-09-12", "2026-09-13")),
        ("05/05/2026", "05/05/2026", "", ("2026-05-05", "2026-05-05")),
    ],
)
def test_the_dates_of_a_file_settle_their_order_before_the_program_does(
    first: str, last: str, rounds: str, days: tuple[str, str]
) -> None:
    reading = of_vega(first, last, rounds)
    assert sheet_of(reading).dialect == "Vega"
    assert days_of(reading) == days
    assert not {"date-by-program", "date-unclear", "date-not-read"} & set(keys(reading))


@pytest.mark.parametrize("rounds", ["", "26/07/01  26/07/02"])
def test_the_program_breaks_a_tie_of_readings_and_a_person_is_asked(rounds: str) -> None:
    reading = of_vega("05/09/2026", "05/10/2026", rounds)
    assert days_of(reading) == ("2026-09-05", "2026-10-05")
    assert keys(reading, "asks").count("date-by-program") == 2
    told = describe_in_english(next(each for each in reading.findings if each.key == "date-by-program"))
    assert "“05/09/2026” can be read as two different days" in told
    assert "2026-09-05" in told


def test_an_end_that_can_only_have_the_month_first_is_no_end_with_the_day_first() -> None:
    """Both days have one order, even where they then contradict each other, which is asked about."""
    reading = of_vega("06/09/2026", "05/13/2026")
    assert days_of(reading) == ("2026-06-09", "2026-05-13")
    assert "ends-before-start" in keys(reading, "asks")


@pytest.mark.parametrize("time", [" 10:00", " 18:30:00", "T09:15", " 9:05"])
@pytest.mark.parametrize("first", ["21/07/2026", "2026-07-21", "21.07.2026", "Jul 21, 2026"])
def test_a_time_of_day_behind_a_date_is_passed_over(first: str, time: str) -> None:
    assert str(sheet_of(dated(first + time, "2026/07/27")).starts) == "2026-07-21"


@pytest.mark.parametrize("behind", [" 10", "10:00", " at 10:00", " 10:00 -"])
def test_what_is_no_time_behind_a_date_is_asked_about(behind: str) -> None:
    assert "date-not-read" in keys(dated(f"2026/07/21{behind}", "2026/07/27"), "asks")


# ---------------------------------------------------------------- Papi's titles


@pytest.mark.parametrize(
    ("filed", "title"),
    [("gf", "WGM"), ("mf", "WIM"), ("ff", "WFM"), ("cf", "WCM"), ("f", "FM"), ("wf", "WFM"), ("GM", "GM")],
)
def test_titles_of_women_as_papi_writes_them_are_fides(filed: str, title: str) -> None:
    row = sheet_of(changed(("1 m    Dlamini", f"1 m{filed:>3} Dlamini"))).rows[0]
    assert row.title == title


# ---------------------------------------------------------------- refusals, and what is no program


def test_an_archive_with_one_of_swiss_perfects_files_is_refused_once_with_the_way_out() -> None:
    for name, data in three_files().items():
        assert [finding.key for finding in read_any(packed({name: data})).findings] == ["is-swiss-perfect"]


@pytest.mark.parametrize("data", [b"1,W,Botha,7\n2,B,Naidoo,8\n", b"[1, 2]", b"{}", b"<html>"])
def test_no_refusal_of_a_file_that_nobody_knows_leads_to_the_format_of_one_game(data: bytes) -> None:
    told = " ".join(describe_in_english(finding) for finding in read_any(data).findings)
    assert told
    assert "TRF16" not in told


@pytest.mark.parametrize("dialect", ["TRF06", "TRF16", "TRF26", "ELO", "Games abroad"])
def test_a_format_is_no_program(dialect: str) -> None:
    assert Upload(dialect=dialect).program == ""
    assert Upload(dialect="Vega").program == "Vega"
