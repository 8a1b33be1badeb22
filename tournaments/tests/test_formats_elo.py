"""The World Othello Federation's file: players in comments, games by their signs, discs added up."""

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from tournaments.formats import othello_elo, read_any
from tournaments.formats.plain_table import write_csv
from tournaments.formats.sheet import OtherId, SheetGame, SheetPlayer
from tournaments.formats.text import MOST_PLAY
from tournaments.tests.elo_files import ELO, LEGACY, PLACES, adjustments, changed, found, read, sheet_of
from tournaments.tests.event_files import describe_in_english
from tournaments.tests.table_files import write_xlsx

ALWAYS = [
    ("surnames-in-capitals", 10, "NOWAK", "Nowak"),
    ("elo-provisional-number", 12, "+170121", "170121"),
    ("elo-round-without-number", 27, "%%Added results", "3"),
]
"""What the whole file makes the reader note, and nothing else."""


def test_players_games_and_days_are_read_with_nothing_to_finding() -> None:
    reading = read(ELO)
    assert (reading.findings, adjustments(reading)) == ((), ALWAYS)
    sheet = reading.sheet
    assert sheet
    assert (sheet.dialect, sheet.family, sheet.name) == ("ELO", "elo", "Wiosna Open")
    assert (sheet.starts, sheet.ends) == (date(2026, 3, 7), date(2026, 3, 8))
    assert sheet.rows[0] == SheetPlayer(
        1,
        "Nowak, Anna",
        "Nowak",
        "Anna",
        federation="POL",
        identifier="700",
        points=Decimal(2),
        discs=80,
    )
    assert [(row.name, row.identifier, row.discs, row.line) for row in sheet.rows[1:]] == [
        ("Kowalski, Jan", "707", 68, 11),
        ("Wojcik, Ewa", None, 52, 12),
        ("Lis, Ola", "1025", 56, 13),
    ]
    assert [row.other_ids for row in sheet.rows] == [(), (), (OtherId("wof-provisional", "170121"),), ()]


def test_black_moves_first_be_it_named_first_or_second() -> None:
    assert sheet_of(ELO).games == (
        SheetGame(1, 1, 2, "1-0"),
        SheetGame(1, 4, 3, "1/2"),
        SheetGame(2, 1, 4, "1-0"),
        SheetGame(2, 2, 3, "1-0"),
        SheetGame(3, 1, 2, "0-1"),
    )


def test_a_loss_of_white_named_first_is_a_win_of_black() -> None:
    reading = changed("   700 (40)>(24)   1025 B", "  1025 (24)<(40)    700 W")
    assert reading.sheet
    assert reading.sheet.games[2] == SheetGame(2, 1, 4, "1-0")


# ---------------------------------------------------------------- other hands


def test_the_older_form_has_neither_discs_nor_names_nor_colours() -> None:
    reading = read(LEGACY)
    assert [row.name for row in sheet_of(LEGACY).rows] == ["130007", "5739", "5725", "5707"]
    assert [row.discs for row in sheet_of(LEGACY).rows] == [None] * 4
    assert [(g.round, g.first, g.second, g.result) for g in sheet_of(LEGACY).games] == [
        (1, 1, 2, "1-0"),
        (1, 3, 4, "1/2"),
        (2, 2, 3, "0-1"),
        (2, 1, 4, "1-0"),
    ]
    assert found(reading) == [("elo-names-missing", 4, None), ("elo-colours-missing", 4, None)]
    assert ("elo-several-games", 7, "5739 < 5725    130007 > 5707", "2") in adjustments(reading)
    assert adjustments(reading)[:2] == [
        ("elo-header-spelling", 1, "Tournement", "Tournament"),
        ("elo-header-spelling", 2, "Contry", "Country"),
    ]


@pytest.mark.parametrize("game", ["700 (40>24) 707", "700(40)>(24)707", "0700 ( 40 ) > ( 24 ) 707 b"])
def test_a_game_may_be_spaced_and_bracketed_otherwise(game: str) -> None:
    reading = changed("   700 (40)>(24)    707 B", game)
    assert reading.sheet
    assert reading.sheet.games[0] == SheetGame(1, 1, 2, "1-0")
    assert reading.sheet.rows[0].discs == 80


@pytest.mark.parametrize("mark", ["%Round1", "% round 1", "%Ronde: 1", "%Runda 1 (sobota)"])
def test_a_comment_numbers_the_round(mark: str) -> None:
    assert changed("%Round: 1", mark).sheet == sheet_of(ELO)


def test_what_follows_the_score_is_no_number_of_discs_where_the_legend_says_otherwise() -> None:
    reading = read(ELO.replace("disc-count, rating", "MBQ").replace("2, 80, 1500", "2, 463.0"))
    assert reading.findings == ()
    assert reading.sheet
    assert reading.sheet.rows[0].discs == 80


def test_without_comments_a_round_ends_where_somebody_plays_again() -> None:
    text = "".join(line for line in ELO.splitlines(True) if not line.startswith(("%Round", "%%Added")))
    reading = read(text)
    assert [game.round for game in sheet_of(text).games] == [1, 1, 2, 2, 3]
    assert ("elo-rounds-by-order", 17, None) in found(reading, "notice")


def test_rounds_out_of_their_order_are_put_in_order_and_told() -> None:
    text = (
        ELO.replace("%Round: 1", "%Round: 9")
        .replace("%Round: 2", "%Round: 1")
        .replace("Round: 9", "Round: 2")
    )
    reading = read(text)
    assert [game.round for game in sheet_of(text).games] == [1, 1, 2, 2, 3]
    assert [key for key, *_ in found(reading, "notice")] == ["table-rounds-mixed"]


@pytest.mark.parametrize(("number", "refused"), [(59, False), (60, True)])
def test_sixty_rounds_are_the_most(number: int, refused: bool) -> None:
    reading = changed("%Round: 2", f"%Round: {number}")
    assert (("elo-too-many-rounds", 28, 4) in found(reading, "blocks")) == refused


@pytest.mark.parametrize("mark", ["%%Round: {}", "%%Round {}", "%% ronde {}", "%%Runda: {}"])
def test_a_round_may_be_headed_with_two_per_cent_signs(mark: str) -> None:
    """Two players who meet first in the second round play in it, though nobody plays again there."""
    rounds = ["707 < 1025", "700 > 170121", "700 > 707\n170121 > 1025"]
    games = "".join(f"{mark.format(number)}\n{play}\n" for number, play in enumerate(rounds, 1))
    text = ELO.partition("%Round: 1")[0] + games
    assert [game.round for game in sheet_of(text).games] == [1, 2, 3, 3]
    assert not {"elo-comments-left-out", "elo-rounds-by-order"} & {key for key, *_ in found(read(text))}


def test_three_signs_are_no_heading_and_nothing_says_that_the_file_has_none() -> None:
    reading = read(ELO.replace("%Round", "%%%Round"))
    assert [key for key, *_ in found(reading)] == ["elo-comments-left-out", "elo-rounds-by-order"]
    told = describe_in_english(reading.findings[1])
    assert "No comment that is understood here says where the rounds begin" in told


FINAL_FIRST = """\
%%Final
700 < 707
707 < 700
700 > 707
%%Semi-finals
700 > 170121
707 > 1025
"""


def test_finals_above_the_rounds_are_played_behind_them() -> None:
    head, rounds = ELO.partition("%Round: 1")[::2]
    text = head + FINAL_FIRST + "%%Round 1" + rounds.replace("%Round: 2", "%%Round 2").partition("%%Added")[0]
    reading = read(text)
    assert reading.sheet
    assert (reading.sheet.rounds_played, reading.sheet.finals) == (2, (*["Final"] * 3, "Semi-finals"))
    assert [game.round for game in reading.sheet.games] == [1, 1, 2, 2, 3, 4, 5, 6, 6]
    assert [key for key, *_ in found(reading)] == ["elo-colours-missing"]


@pytest.mark.parametrize(
    ("mark", "name"),
    [
        ("%Finał", "Finał"),
        ("%% Półfinały", "Półfinały"),
        ("%cwiercfinal", "cwiercfinal"),
        ("%Čtvrtfinále", "Čtvrtfinále"),
        ("%finished by six", None),
    ],
)
def test_finals_are_known_in_polish_and_czech_too(mark: str, name: str | None) -> None:
    sheet = changed("%%Added results", mark).sheet
    assert sheet
    assert sheet.finals == ((name,) if name else ())


def test_groups_without_a_player_in_common_are_played_side_by_side() -> None:
    """Sixteen groups of three and a final of their winners are four rounds, not more than sixty."""
    groups = "".join(
        f"%Round: {chr(64 + group)}\n{one} > {one + 1}\n{one} > {one + 2}\n{one + 1} > {one + 2}\n"
        for group in range(1, 17)
        for one in [100 * group]
    )
    sheet = sheet_of(f"%%Tournament: Cup\n{groups}%%Final\n100 > 200\n100 > 200\n")
    assert sorted({game.round for game in sheet.games}) == [1, 2, 3, 4, 5]
    ids = {row.start_number: row.identifier for row in sheet.rows}
    assert [game.round for game in sheet.games if ids[game.first] == "1600"] == [1, 2]
    assert [game.round for game in sheet.games if {ids[game.first], ids[game.second]} == {"100", "200"}] == [
        4,
        5,
    ]


@pytest.mark.parametrize(
    ("date", "days"),
    [
        ("05/13/2026", ("2026-05-13", "None")),
        ("05/09/2026 - 05/13/2026", ("2026-05-09", "2026-05-13")),
        ("05/09/2026", ("2026-09-05", "None")),
        ("09/05/2026 10:00", ("2026-05-09", "None")),
    ],
)
def test_the_day_stands_first_unless_a_date_can_only_have_the_month_first(
    date: str, days: tuple[str, str]
) -> None:
    reading = changed("07/03/2026 - 08/03/2026", date)
    assert reading.sheet
    assert (str(reading.sheet.starts), str(reading.sheet.ends)) == days


# ---------------------------------------------------------------- discs


@pytest.mark.parametrize(
    ("discs", "told"), [("(40)>(24)", False), ("(40)>(23)", False), ("(40)>(25)", True), ("(40)>(22)", True)]
)
def test_a_board_has_64_discs_and_some_leave_one_square_out(discs: str, told: bool) -> None:
    reading = changed("   700 (40)>(24)    707", f"   700 {discs}    707")
    assert (("elo-disc-sum", 18, 4) in found(reading, "notice")) == told
    assert not reading.blocked


def test_the_sign_counts_where_the_discs_contradict_it() -> None:
    reading = changed("   700 (40)>(24)    707 B", "   700 (40)<(24)    707 B")
    assert reading.sheet
    assert reading.sheet.games[0].result == "0-1"
    assert ("elo-discs-contradict", 18, 4) in found(reading, "notice")
    assert ("elo-sign-counts", 18, "700 (40)<(24) 707 B", "0-1") in adjustments(reading)


def test_level_discs_with_a_winner_are_listed_and_no_contradiction() -> None:
    reading = changed("170121 (32)=(32)   1025 W", "170121 (32)<(32)   1025 W")
    assert "elo-discs-contradict" not in [key for key, *_ in found(reading)]
    assert ("elo-sign-counts", 19, "170121 (32)<(32) 1025 W", "0-1") in adjustments(reading)


def test_where_a_game_lacks_its_discs_those_of_the_players_line_stand() -> None:
    reading = changed("   700 (40)>(24)   1025 B", "   700 > 1025 B")
    assert reading.sheet
    assert [row.discs for row in reading.sheet.rows] == [80, 68, 52, 56]
    assert changed("   700 (40)>(24)   1025 B", "   700 (40)> 1025 B").sheet == reading.sheet


def test_discs_that_nobody_knows_are_not_none_at_all() -> None:
    text = LEGACY + "%_% 5725, NOWAK, Anna, POL, 1.5, 0\n"
    assert [row.discs for row in sheet_of(text).rows] == [None] * 4


def test_discs_and_points_that_differ_from_the_players_line_are_told() -> None:
    reading = changed("POL,  2, 80, 1500", "POL,  3, 100, 1500")
    assert found(reading) == [("elo-points-differ", 10, None), ("elo-discs-differ", 10, None)]
    assert reading.sheet
    assert (reading.sheet.rows[0].points, reading.sheet.rows[0].discs) == (Decimal(3), 80)


@pytest.mark.parametrize(
    ("fields", "points", "discs"),
    [
        ("POL,  2,5, 80, 1500", "2.5", 80),
        ("POL, 2,0, 80", "2.0", 80),
        ("POL, 2, 5, 80", "2.0", 5),
        ("POL,2,5,80", "2.0", 5),
        ("POL, 2.5, 80", "2.5", 80),
        ("POL, 2,7, 80", "2.0", 7),
    ],
)
def test_a_comma_within_the_score_is_a_decimal_one_where_the_others_have_a_blank_behind_them(
    fields: str, points: str, discs: int
) -> None:
    line = "NOWAK,Anna," if "POL,2" in fields else "NOWAK, Anna, "
    text = ELO.replace("NOWAK, Anna, POL,  2, 80, 1500", line + fields)
    row = sheet_of(text.replace("(40)>(24)", ">")).rows[0]
    assert (str(row.points), row.discs) == (points, discs)


TABS = """\
%%Tournament: Cup
%\tID,\tName,\tFirst Name,\t\tCOUNTRY\tPoints,\tMinor Score\tRating
%_%\t700,\tNOWAK, \tAnna,\t\t\tPOL,\t2,\t76,\t\t1800\t
%%_%\t707,\tLIS,\tOla,\t\t\tPOL,\t0,\t52,\t\t1700
%Round 1
700 (40)>(24) 707 B
%Round 2
707 (28)<(36) 700 B
"""


def test_tabs_and_a_comment_that_names_the_columns_make_no_table_of_the_file() -> None:
    reading = read(TABS)
    assert reading.findings == ()
    sheet = sheet_of(TABS)
    assert (sheet.family, len(sheet.games)) == ("elo", 2)
    assert [(row.name, row.federation, row.points, row.discs) for row in sheet.rows] == [
        ("Nowak, Anna", "POL", Decimal(2), 76),
        ("Lis, Ola", "POL", Decimal(0), 52),
    ]


# ---------------------------------------------------------------- who is who


def test_whoever_has_no_number_is_one_player_and_that_is_told() -> None:
    reading = read(ELO.replace("+170121", "      ?").replace("170121", "     ?"))
    assert reading.sheet
    assert (reading.sheet.rows[2].name, reading.sheet.rows[2].identifier) == ("Wojcik, Ewa", None)
    assert found(reading) == [("elo-unknown-is-one", 19, None)]


def test_several_question_marks_are_one_missing_number_and_quoted_as_they_stand() -> None:
    text = ELO.replace("+170121", " ??????").replace("170121", "??????")
    reading = read(text)
    assert reading.sheet == read(text.replace("??????", "?")).sheet
    assert found(reading) == [("elo-unknown-is-one", 19, None)]
    two = read(text.replace("%_%    1025", "%_%  ??????"))
    [told] = {f.params["game"] for f in two.findings if f.key == "elo-several-unknown" and f.line == 19}
    assert told == "?????? (32)=(32) 1025 W"


def test_two_without_a_number_cannot_be_told_apart() -> None:
    text = ELO.replace("+170121", "      ?").replace("170121", "     ?")
    assert ("elo-unknown-twice", 19, None) in found(read(text.replace("   707 B", "     ? B")), "blocks")
    two = text.replace("%_%    1025", "%_%       ?").replace("  1025", "     ?")
    assert ("elo-several-unknown", 19, 6) in found(read(two), "blocks")


def test_a_question_mark_of_whom_no_line_tells_is_refused() -> None:
    assert found(read(LEGACY.replace("130007", "?")), "blocks") == [("elo-nobody-known", 4, None)]


def test_a_game_against_oneself_is_refused() -> None:
    reading = changed("   707 (44)>(20) 170121 B", "   707 (44)>(20)    707 B")
    assert found(reading, "blocks") == [("elo-plays-self", 24, 4)]


def test_a_number_of_two_players_is_refused() -> None:
    assert found(changed("%_%    1025, LIS", "%_%     707, LIS"), "blocks") == [
        ("elo-player-twice", 13, None)
    ]


def test_a_player_without_a_game_is_told() -> None:
    reading = changed("%_%    1025, LIS", "%_%     900, BAK, Jerzy, POL, 0, 0\n%_%    1025, LIS")
    assert found(reading) == [("elo-without-games", 13, None)]


@pytest.mark.parametrize(
    ("surname", "read_as"),
    [("VAN DEN BERG", "Van Den Berg"), ("O'BRIEN-ŻAK", "O'Brien-Żak"), ("McADAM", None)],
)
def test_surnames_in_capitals_are_put_in_small_letters_name_by_name(
    surname: str, read_as: str | None
) -> None:
    reading = changed("KOWALSKI, Jan", f"{surname}, Jan")
    assert reading.sheet
    assert [row.surname for row in reading.sheet.rows[:2]] == ["Nowak", read_as or surname]


def test_an_initial_and_a_name_of_capitals_alone_stay_where_others_were_typed_with_small_letters() -> None:
    text = ELO.replace("KOWALSKI, Jan", "Kowalski, Jan").replace("WOJCIK, Ewa", "X, Ewa")
    names = [row.name for row in sheet_of(text.replace("LIS, Ola", "BA, WY")).rows]
    assert names == ["Nowak, Anna", "Kowalski, Jan", "X, Ewa", "BA, WY"]


@pytest.mark.parametrize(
    ("nation", "read_as", "listed"),
    [("pol", "POL", False), ("?", "", False), ("NL", "NLD", False), ("Nowhere", "", True)],
)
def test_a_country_is_read_in_any_code_or_left_out(nation: str, read_as: str, listed: bool) -> None:
    reading = changed("KOWALSKI, Jan, POL", f"KOWALSKI, Jan, {nation}")
    assert reading.sheet
    assert reading.sheet.rows[1].federation == read_as
    assert (("elo-nation-not-read", 11, nation, "") in adjustments(reading)) == listed


# ---------------------------------------------------------------- places


def test_places_in_comments_are_the_players() -> None:
    reading = read(ELO + PLACES)
    assert reading.findings == ()
    assert reading.sheet
    assert [row.place for row in reading.sheet.rows] == [2, 1, 3, 3]


@pytest.mark.parametrize(
    ("before", "after", "key", "line"),
    [
        ("%1 707", "%1 999", "elo-place-of-stranger", 29),
        ("%1 707", "%1 700", "elo-place-twice", 30),
        ("%3 1025", "%5 1025", "elo-place-out-of-line", 32),
        ("%2 700", "%1 700", "", 0),
    ],
)
def test_places_that_do_not_hang_together_are_all_left_out(
    before: str, after: str, key: str, line: int
) -> None:
    reading = changed(before, after, ELO + PLACES)
    assert reading.sheet
    assert [row.place for row in reading.sheet.rows] == ([None] * 4 if key else [1, 1, 3, 3])
    assert found(reading) == ([(key, line, 1)] if key else [])


def test_places_of_some_are_used_and_the_others_asked() -> None:
    reading = read(ELO + "".join(PLACES.splitlines(True)[:2]))
    assert reading.sheet
    assert [row.place for row in reading.sheet.rows] == [2, 1, None, None]
    assert found(reading) == [("elo-places-of-some", 29, None)]


def test_a_comment_of_places_names_whom_no_other_does() -> None:
    sheet = sheet_of(LEGACY + "%1 5725 Anna Nowak 1.5/2\n%2 130007 Jan Kowalski 2/2\n")
    assert [(row.name, row.place) for row in sheet.rows] == [
        ("Jan Kowalski", 2),
        ("5739", None),
        ("Anna Nowak", 1),
        ("5707", None),
    ]


# ---------------------------------------------------------------- what is no such file


def test_what_is_neither_game_nor_comment_is_refused_with_its_column() -> None:
    reading = changed("   700 (40)>(24)   1025 B", "   700 (40)>(24)   1025 B walkover")
    assert found(reading, "blocks") == [("elo-line-not-read", 23, 27)]
    told = describe_in_english(reading.findings[0])
    assert told.startswith("line 23, column 27: “walkover” cannot be read here.")


def test_other_comments_are_kept_and_told() -> None:
    reading = changed("%Round: 2", "% bye: LIS\n%Round: 2")
    assert found(reading) == [("elo-comments-left-out", 21, None)]
    assert reading.sheet
    assert [(each.text, each.line) for each in reading.sheet.unused] == [("% bye: LIS", 21)]


@pytest.mark.parametrize("text", ["%%Tournament: X\n", "%%Date: 07/03/2026\n%_% 700, NOWAK, Anna\n"])
def test_a_file_without_games_is_refused(text: str) -> None:
    assert found(read(text), "blocks") == [("elo-no-games", None, None)]


@pytest.mark.parametrize(
    ("text", "starts", "ends"),
    [
        ("07/03/2026", date(2026, 3, 7), None),
        ("7/3/2026 -  8/3/2026", date(2026, 3, 7), date(2026, 3, 8)),
        ("2026-03-07", date(2026, 3, 7), None),
        ("??", None, None),
        ("March", None, None),
    ],
)
def test_dates_have_the_day_first_as_the_format_says(
    text: str, starts: date | None, ends: date | None
) -> None:
    reading = changed("07/03/2026 - 08/03/2026", text)
    assert reading.sheet
    assert (reading.sheet.starts, reading.sheet.ends) == (starts, ends)
    assert ("date-not-read" in [key for key, *_ in found(reading)]) == (text == "March")


@pytest.mark.parametrize("text", [ELO, ELO + PLACES, LEGACY])
def test_as_a_plain_table_it_comes_back_the_same_event(text: str) -> None:
    sheet = sheet_of(text)
    for data in (write_csv(sheet), write_xlsx(sheet)):
        again = read_any(data).sheet
        assert again
        rows = tuple(replace(row, other_ids=()) for row in sheet.rows)  # a table has one column of ids
        assert (again.rows, again.games) == (rows, sheet.games)


def test_blanks_are_never_given_back_so_that_no_line_is_tried_in_many_ways() -> None:
    for pattern in (othello_elo._GAME.pattern, othello_elo._HEADER.pattern):
        assert re.findall(r"\\s[*+](?!\+)", pattern) == []


def test_of_a_line_the_first_that_is_no_game_is_told_once() -> None:
    reading = read(f"{LEGACY}\n707 < 1025; x 1 < 2 y 3 < 4 z\n")
    assert [finding.column for finding in reading.findings if finding.key == "elo-line-not-read"] == [13]


@pytest.mark.parametrize("line", [";;;;", ",,,,", " ; , "])
def test_a_line_of_separators_alone_is_no_game(line: str) -> None:
    assert [finding.key for finding in read(f"wer;was\n{line}\n").findings] == ["not-recognised"]


def test_a_round_that_the_file_passes_over_is_told() -> None:
    reading = read(LEGACY.replace("%Round2", "%Round4"))
    [finding] = [finding for finding in reading.findings if finding.key == "table-rounds-missing"]
    assert finding.params == {"rounds": "2, 3"}


def test_of_lines_full_of_games_no_more_are_read_than_a_section_may_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[int] = []
    game = othello_elo._game

    def counted(found: re.Match[str], line: int) -> othello_elo.EloGameLine:
        made.append(line)
        return game(found, line)

    monkeypatch.setattr(othello_elo, "_game", counted)
    reading = read("%%Tournament: x\n" + ("1<2 " * 450 + "\n") * 400)
    assert [finding.key for finding in reading.findings] == ["too-much-play"]
    assert len(made) <= MOST_PLAY + 450


# ---------------------------------------------------------------- finals and play-offs


def with_finals(*marks: str, text: str = ELO) -> str:
    """The two rounds, then a game under each of these comments, and none under “Added results”."""
    body = text.split("%%Added results")[0]
    games = ("1025 < 170121", "700 > 707", "700 > 1025", "707 > 170121")
    return body + "".join(f"{mark}\n{game}\n" for mark, game in zip(marks, games, strict=False))


@pytest.mark.parametrize("name", ["3-4", "1 - 2", "F", "QF", "SF1", "12P", "PO", "of 16", "f"])
def test_a_round_with_a_name_is_a_final_behind_all_scheduled_rounds(name: str) -> None:
    sheet = sheet_of(with_finals(f"%Round: {name}"))
    assert (sheet.rounds_played, sheet.finals) == (2, (name,))
    assert [game.round for game in sheet.games] == [1, 1, 2, 2, 3]


@pytest.mark.parametrize("mark", ["%Round: 3", "%Round3", "% runda 3 (niedziela)", "%Round: 3, Sunday"])
def test_a_plain_number_is_a_scheduled_round(mark: str) -> None:
    sheet = sheet_of(with_finals(mark))
    assert (sheet.rounds_played, sheet.finals) == (3, ())


def test_finals_keep_the_files_order_and_follow_rounds_that_stand_below_them() -> None:
    text = with_finals("%Round: SF", "%Round: 3", "%Round: 3-4", "%Round: F")
    sheet = sheet_of(text)
    assert (sheet.rounds_played, sheet.finals) == (3, ("SF", "3-4", "F"))
    assert [game.round for game in sheet.games] == [1, 1, 2, 2, 3, 4, 5, 6]
    assert [game.line for game in sheet.games[4:]] == [30, 28, 32, 34]


def test_a_final_of_several_games_has_a_round_for_each() -> None:
    sheet = sheet_of(with_finals("%Round: F") + "707 < 700\n700 > 707\n")
    assert sheet.finals == ("F", "F")
    assert [game.round for game in sheet.games[4:]] == [3, 3, 4]


def test_finals_count_for_neither_points_nor_discs() -> None:
    assert [row.discs for row in sheet_of(with_finals("%Round: F")).rows] == [80, 68, 52, 56]
    assert "elo-points-differ" not in [finding.key for finding in read(with_finals("%Round: 3-4")).findings]


def test_a_file_of_finals_alone_has_them_for_rounds() -> None:
    rounds = ELO.replace("%Round: 1", "%Round: SF").replace("%Round: 2", "%Round: F")
    sheet = sheet_of(rounds.split("%%Added")[0])
    assert (sheet.rounds_played, sheet.finals) == (2, ())


def test_all_against_all_is_scheduled_before_finals_and_beside_numbered_rounds() -> None:
    first = ELO.split("%%Added")[0].replace("%Round: 1", "%Round: RR").replace("%Round: 2\n", "")
    sheet = sheet_of(first + "%Round: F\n700 > 707\n")
    assert (sheet.rounds_played, sheet.finals) == (2, ("F",))
    assert sheet_of(with_finals("%Round: RR")).finals == ("Round: RR",)


# ---------------------------------------------------------------- games that are listed by nobody's rounds


def listed_by_winner(players: int) -> str:
    """Everybody against everybody, each one's wins together."""
    games = (f"{one} > {other}" for one in range(1, players + 1) for other in range(one + 1, players + 1))
    return "%%Tournament: Liga\n" + "\n".join(games)


@pytest.mark.parametrize(("players", "rounds"), [(4, 3), (5, 5), (10, 9), (11, 11)])
def test_all_against_all_in_any_order_has_no_more_rounds_than_it_takes(players: int, rounds: int) -> None:
    reading = read(listed_by_winner(players))
    assert reading.sheet
    assert reading.sheet.rounds_played == rounds
    seats = [(game.round, side) for game in reading.sheet.games for side in (game.first, game.second)]
    assert len(set(seats)) == len(seats)
    assert "elo-rounds-spread" in [finding.key for finding in reading.findings]


def test_games_of_some_against_some_are_spread_so_that_nobody_plays_twice_in_a_round() -> None:
    lines = listed_by_winner(30).splitlines()
    sheet = sheet_of("\n".join([*lines[:20], *lines[40:]]))
    seats = [(game.round, side) for game in sheet.games for side in (game.first, game.second)]
    assert len(set(seats)) == len(seats)
    assert sheet.rounds_played <= 60


def test_games_in_order_with_a_few_too_many_rounds_are_left_in_order() -> None:
    text = "%%Tournament: Liga\n1 > 2\n3 > 4\n1 > 3\n2 > 4\n1 > 4\n3 > 2\n1 > 2\n"
    assert "elo-rounds-spread" not in [finding.key for finding in read(text).findings]
    assert sheet_of(text).rounds_played == 4
