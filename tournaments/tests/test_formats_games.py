"""Games out of two lines that must agree, and byes out of one."""

import pytest

from tournaments.formats.sheet import FileFinding, Reading, SheetBye, SheetGame
from tournaments.tests.event_files import FOUR, HEAD, adjustments, changed, keys, read
from tournaments.tests.test_formats_trf import finding, sheet_of

CODES = ("1", "0", "=", "W", "L", "D", "+", "-", "H", "F", "U", "Z", " ")


def first_game(first: str, second: str) -> Reading:
    """The four players, where 1 against 2 in round 1 ended so by the one line and so by the other."""
    return changed(("2 w 1  ", f"2 w {first}  "), ("1 b 0  ", f"1 b {second}  "))


def first_cells(first: str, second: str) -> Reading:
    return changed(("   2 w 1  ", f"{first}  "), ("   1 b 0  ", f"{second}  "))


def free(code: str, more: str = "") -> Reading:
    """Player 2 has this against nobody in round 1, and so has player 1."""
    return changed(
        ("   2 w 1  ", f"0000 - {code}  "), ("   1 b 0  ", f"0000 - {code}  "), text=HEAD + FOUR + more
    )


@pytest.mark.parametrize(
    ("first", "second", "result", "short"),
    [
        ("1", "0", "1-0", False),
        ("0", "1", "0-1", False),
        ("=", "=", "1/2", False),
        ("0", "0", "0-0", False),
        ("+", "-", "+:-", False),
        ("-", "+", "-:+", False),
        ("-", "-", "-:-", False),
        ("W", "L", "+:-", True),
        ("L", "W", "-:+", True),
        ("w", "l", "+:-", True),
    ],
)
def test_two_sides_that_fit_are_a_game(first: str, second: str, result: str, short: bool) -> None:
    reading = first_game(first, second)
    game = sheet_of(reading).games[0]
    assert (game.round, game.first, game.second, game.result, game.short) == (1, 1, 2, result, short)
    assert not keys(reading, "blocks")


FITTING = {"10", "01", "==", "00", "+-", "-+", "--", "WL", "LW", "DD", "  ", "ZZ", " Z", "Z "}


@pytest.mark.parametrize("pair", [a + b for a in CODES for b in CODES if a + b not in FITTING])
def test_two_sides_that_do_not_fit_are_named_with_both_lines(pair: str) -> None:
    reading = first_game(*pair)
    assert keys(reading, "blocks") == ["results-disagree"]
    found = finding(reading, "results-disagree")
    assert (found.line, found.column, found.params["other_line"]) == (6, 99, 7)
    assert len(sheet_of(reading).games) == 3


def test_a_game_without_a_result_leaves_its_round_unfinished() -> None:
    for pair in ("  ", "ZZ"):
        reading = first_game(*pair)
        assert finding(reading, "round-unfinished") == FileFinding(
            "blocks", "round-unfinished", 6, 99, {"round": 1, "games": 1}
        )


def test_an_unfinished_last_round_is_said_once() -> None:
    text = HEAD + "".join(line[:-1].rstrip() + "\n" for line in FOUR.splitlines())
    reading = read(text)
    assert keys(reading, "blocks") == ["round-unfinished"]
    assert finding(reading, "round-unfinished").params == {"round": 2, "games": 2}


# Decided before a move of each side: D-CSA-21 is the ruleset's, but the journal has no code for it


def test_a_win_before_a_move_is_an_excused_forfeit_and_said() -> None:
    assert adjustments(first_game("W", "L")) == [("short-game", 6, "1: 1–2 W/L", "+:-")]


def test_a_draw_before_a_move_is_two_half_point_byes_and_said() -> None:
    reading = first_game("D", "D")
    assert sheet_of(reading).byes == (SheetBye(1, 1, "half"), SheetBye(1, 2, "half"))
    assert adjustments(reading) == [("short-draw", 6, "1: 1–2 D/D", "H / H")]
    assert len(sheet_of(reading).games) == 3


def test_a_game_that_both_lost_is_noticed() -> None:
    assert finding(first_game("0", "0"), "both-lost").level == "notice"


# Opponents


def test_an_opponent_who_is_not_there_is_said_once_with_the_rounds() -> None:
    reading = read(HEAD + "".join(FOUR.splitlines(keepends=True)[:3]))
    assert [r for r in reading.findings if r.level == "blocks"] == [
        FileFinding("blocks", "opponent-missing", 8, 92, {"opponent": 4, "rounds": "1, 2"})
    ]


def test_nobody_plays_against_themselves() -> None:
    assert finding(changed(("   2 w 1", "   1 w 1")), "plays-self").params == {"number": 1, "round": 1}


def test_a_game_that_one_side_alone_knows_is_refused() -> None:
    free_side = changed(("   1 b 0  ", "0000 - Z  "))
    assert keys(free_side, "blocks") == ["opponent-free"]
    assert finding(free_side, "opponent-free").params == {"number": 1, "opponent": 2, "round": 1}
    elsewhere = changed(("   1 b 0  ", "   3 b 0  "))
    assert keys(elsewhere, "blocks") == ["opponent-elsewhere", "opponent-elsewhere"]
    assert finding(elsewhere, "opponent-elsewhere").params["says"] == 3


# Colours


def test_black_may_stand_first_in_the_file() -> None:
    reading = first_cells("   2 b 1", "   1 w 0")
    assert sheet_of(reading).games[0] == SheetGame(1, 2, 1, "0-1")
    assert not reading.findings
    assert not reading.adjustments


@pytest.mark.parametrize("colour", ["w", "b"])
def test_two_players_of_one_colour_are_refused(colour: str) -> None:
    reading = first_cells(f"   2 {colour} 1", f"   1 {colour} 0")
    assert (keys(reading, "blocks"), finding(reading, "same-colour").column) == (["same-colour"], 97)


@pytest.mark.parametrize(
    ("first", "second", "white"), [("w", "-", 1), ("-", "b", 1), ("b", " ", 2), (" ", "w", 2)]
)
def test_a_missing_colour_follows_from_the_opponents_and_is_said(first: str, second: str, white: int) -> None:
    reading = first_cells(f"   2 {first} 1", f"   1 {second} 0")
    assert sheet_of(reading).games[0].first == white
    assert [adjustment.key for adjustment in reading.adjustments] == ["colour-from-opponent"]
    assert not reading.findings


def test_a_played_game_without_colours_is_refused_and_a_forfeit_is_not() -> None:
    assert keys(first_cells("   2 - 1", "   1 - 0"), "blocks") == ["colour-missing"]
    forfeit = first_cells("   2 - +", "   1 - -")
    assert sheet_of(forfeit).games[0] == SheetGame(1, 1, 2, "+:-")
    assert not forfeit.findings


def test_a_result_that_the_format_does_not_know_is_refused_at_its_column() -> None:
    reading = first_game("%", "0")
    assert finding(reading, "unknown-result") == FileFinding(
        "blocks", "unknown-result", 6, 99, {"result": "%", "round": 1}
    )
    assert keys(reading, "blocks") == ["unknown-result"]


# Against nobody


@pytest.mark.parametrize(
    ("code", "kind"),
    [("U", "pairing"), ("F", "full"), ("H", "half"), ("Z", "zero"), ("u", "pairing"), (" ", "zero")],
)
def test_a_bye_by_its_own_code_needs_no_repair(code: str, kind: str) -> None:
    reading = free(code)
    assert [bye.kind for bye in sheet_of(reading).byes] == [kind, kind]
    assert not reading.adjustments
    assert set(keys(reading)) <= {"points-differ"}


def test_a_round_left_blank_is_a_zero_point_bye() -> None:
    reading = changed(("   2 w 1  ", " " * 10), ("   1 b 0  ", " " * 10))
    assert sheet_of(reading).byes == (SheetBye(1, 1, "zero"), SheetBye(1, 2, "zero"))


def test_blanks_after_the_last_round_with_a_game_are_no_round() -> None:
    reading = read(HEAD + FOUR.replace("\n", "  0000 - Z\n", 1))
    assert sheet_of(reading).rounds_played == 2
    assert sheet_of(reading).byes == ()
    assert adjustments(reading) == [("round-superfluous", 6, "3: 0000 - Z", "")]


@pytest.mark.parametrize("code", ["H", "U", "+"])
def test_points_in_a_round_beyond_the_schedule_are_asked_about(code: str) -> None:
    reading = read(HEAD + FOUR.replace("\n", f"  0000 - {code}\n", 1))
    assert [bye.round for bye in sheet_of(reading).byes] == [3]
    assert "more-rounds-than-scheduled" in keys(reading, "asks")


def test_an_absence_beside_a_game_beyond_the_schedule_is_kept_and_asked_about() -> None:
    reading = changed(
        ("142 2", "142 1"),
        ("     2 w 1     3 b 1", "     2 w 1  0000 - -"),
        ("     4 b 1     1 w 0", "     4 b 1  0000 - -"),
    )
    assert [bye.round for bye in sheet_of(reading).byes] == [2, 2]
    assert "more-rounds-than-scheduled" in keys(reading, "asks")


def test_a_loss_against_nobody_is_an_absence_and_said() -> None:
    reading = free("-")
    assert [bye.kind for bye in sheet_of(reading).byes] == ["zero", "zero"]
    assert adjustments(reading)[0] == ("absent", 6, "1: 0000 - -", "1: 0000 - Z")
    assert not keys(reading, "asks")


def test_a_forfeit_win_against_nobody_is_asked_about_unless_teams_play() -> None:
    reading = free("+")
    assert [bye.kind for bye in sheet_of(reading).byes] == ["pairing", "pairing"]
    assert keys(reading, "asks") == ["win-without-opponent", "win-without-opponent"]
    for in_teams in (free("+", "082 2\n"), free("+", f"013 {'Soweto Rooks':<32}   1    2\n")):
        assert not keys(in_teams, "asks")
        assert [adjustment.key for adjustment in in_teams.adjustments] == [
            "win-without-opponent",
            "win-without-opponent",
        ]


@pytest.mark.parametrize(
    ("code", "kind"), [("1", "full"), ("=", "half"), ("0", "zero"), ("W", "full"), ("L", "zero")]
)
def test_a_result_against_nobody_is_asked_about(code: str, kind: str) -> None:
    reading = free(code)
    assert [bye.kind for bye in sheet_of(reading).byes] == [kind, kind]
    assert finding(reading, "result-without-opponent") == FileFinding(
        "asks", "result-without-opponent", 6, 92, {"number": 1, "rounds": "1"}
    )


def test_a_file_without_a_game_is_refused() -> None:
    reading = read(HEAD + "".join(line[:89] + "\n" for line in FOUR.splitlines()))
    assert "no-games" in keys(reading, "blocks")
