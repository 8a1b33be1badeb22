"""Points are compared with the event's own values where it has such (162, XXS, BB…), and with what 299 adds."""

# ruff: noqa: E501 - the lines keep to the columns of the format

from decimal import Decimal

import pytest

from tournaments.formats import read_any
from tournaments.formats.sheet import PointValue, Reading
from tournaments.formats.trf_writer import STYLES, write
from tournaments.tests.event_files import FOUR, HEAD, adjustments, keys, read
from tournaments.tests.test_formats_dialects import the_event
from tournaments.tests.test_formats_trf import finding, sheet_of

# Every kind of result once: a win, a draw, a loss, forfeits both ways, each bye, an absence that is blank.
FILE = """\
012 Tembisa Rapid
042 2026/05/09
052 2026/05/10
092 Individual: Swiss-System
{records}
142 4
132                                                                                        26/05/09  26/05/09  26/05/10  26/05/10
001    1 m    Dlamini, Thabo                                                    {0:>4}    1     2 w 1     3 b 1     4 w +  0000 - U
001    2 w    Naidoo, Priya                                                     {1:>4}    2     1 b 0     4 w =  0000 - F     3 w 0
001    3 m    Botha, Pieter                                                     {2:>4}    3     4 b =     1 w 0  0000 - H     2 b 1
001    4 w    Mokoena, Lerato                                                   {3:>4}    4     3 w =     2 b =     1 b -
"""
USUAL = ("4.0", "1.5", "2.0", "1.0")


def abnormal(points: str, round_: str, *players: int, kind: str = "", match: str = "") -> str:
    """Record 299 in its columns."""
    return f"299 {kind:1}  {match:>4}  {points:>4}  {round_:>3}" + "".join(f" {n:>4}" for n in players)


def file_of(records: str, *points: str) -> Reading:
    return read(FILE.format(*points, records=records))


@pytest.mark.parametrize(
    ("records", "points"),
    [
        ("162  W 1.0    D 0.5    L 0.0    A 0.0    P 1.0    X 0.5", USUAL),
        ("XXS WW=1.0 FL=0.0", USUAL),
        ("BBU  1.0", USUAL),
        ("162  W 3.0    D 1.0    L 0.0", ("12.0", "4.0", "5.0", "2.0")),
        ("162  W 3.0    D 1.0    L 0.0    P 1.0", ("10.0", "4.0", "5.0", "2.0")),
        ("162  P 1.0    L 0.0    D 1.0    W 3.0", ("10.0", "4.0", "5.0", "2.0")),
        ("162  W 1.0    D 0.5    L 0.0    A 0.5", ("4.0", "1.5", "2.0", "2.0")),
        ("162  W 1.0    D 0.5    L 0.0    Z 0.5", ("4.0", "1.5", "2.0", "2.0")),
        ("162  W 2.0    D 1.0    L 0.5", ("8.0", "4.0", "4.5", "2.0")),
        ("XXS WW=1.0 BW=1.5", ("4.5", "1.5", "2.5", "1.0")),
        ("XXS W=3 D=1", ("10.0", "4.0", "5.0", "2.0")),
        ("XXS FW=2.0 FL=0.5 ZPB=0.1 HPB=0.2 FPB=0.3 PAB=0.4", ("4.4", "0.8", "1.7", "1.6")),
        ("BBW  3.0\nBBD  1.0\nBBL  0.5\nBBZ  0.1\nBBF  0.2\nBBU  2.0", ("11.0", "5.0", "5.5", "2.3")),
    ],
)
def test_points_are_compared_by_the_events_own_values(records: str, points: tuple[str, ...]) -> None:
    own = [] if points == USUAL else ["points-by-own-values"]
    right = file_of(records, *points)
    assert keys(right) == own
    one_off = f"{Decimal(points[1]) + Decimal('0.5')}"
    wrong = file_of(records, points[0], one_off, *points[2:])
    assert keys(wrong) == [*own, "points-differ"]
    differ = finding(wrong, "points-differ")
    assert (differ.line, differ.column) == (len(records.splitlines()) + 8, 81)
    counted = Decimal(str(differ.params["counted"]))
    assert (differ.params["filed"], counted) == (one_off, Decimal(points[1]))


def test_points_that_are_missing_are_added_up_by_the_events_own_values() -> None:
    reading = file_of("162  W 3.0    D 1.0    L 0.0", "", "4.0", "5.0", "2.0")
    assert sheet_of(reading).rows[0].points == 12
    assert ("points-missing", 8, "", "12.0") in adjustments(reading)


def test_the_values_that_are_not_the_usual_ones_are_kept() -> None:
    sheet = sheet_of(file_of("162  W 1.0    D 0.5    L 0.0    P 0.5", "3.5", *USUAL[1:]))
    assert sheet.point_values == (PointValue("PAB", Decimal("0.5")),)
    assert sheet_of(file_of("BBU  1.0", *USUAL)).point_values == ()


@pytest.mark.parametrize(
    "record",
    [
        "162  W x.0",
        "162  W 1.0    Q 2.0",
        "162",
        "XXS WW",
        "BBW  3.0 D 1.0",
        "299",
        "299 W          2.0    3",
        abnormal("2.0", "000", 2, kind="W"),
        abnormal("2.0", "", 2, kind="W"),
    ],
)
def test_a_record_of_points_that_cannot_be_read_is_left_out_and_named(record: str) -> None:
    reading = file_of(record, *USUAL)
    assert keys(reading) == ["not-used"]
    assert finding(reading, "not-used").params == {"codes": record[:3], "count": 1}


@pytest.mark.parametrize(
    ("record", "points"),
    [
        (abnormal("2.0", "000", 2), ("4.0", "3.5", "2.0", "1.0")),
        (abnormal("2.0", "", 2), ("4.0", "3.5", "2.0", "1.0")),
        (abnormal("-0.5", "2", 1, 3, match="-1.0"), ("3.5", "1.5", "1.5", "1.0")),
        (abnormal("", "2", 4, match="2.0"), ("4.0", "1.5", "2.0", "3.0")),
        (abnormal("-1.0", "999", 4), ("4.0", "1.5", "2.0", "0.0")),
        ("299 -1.0 3    4", ("4.0", "1.5", "2.0", "0.0")),
        (abnormal("3.0", "1", 1, kind="W"), ("6.0", "1.5", "2.0", "1.0")),
        (abnormal("0.0", "3", 3, kind="H"), ("4.0", "1.5", "1.5", "1.0")),
        (abnormal("0.5", "4", 4, kind="Z"), ("4.0", "1.5", "2.0", "1.5")),
        ("299 W 3.0 1 1", ("6.0", "1.5", "2.0", "1.0")),
    ],
)
def test_299_changes_the_points_of_those_whom_it_names(record: str, points: tuple[str, ...]) -> None:
    reading = file_of(record, *points)
    changed = [number for number, (a, b) in enumerate(zip(points, USUAL, strict=True), 1) if a != b]
    assert set(keys(reading)) == {"points-adjusted"}
    assert [r.params["number"] for r in reading.findings] == changed
    assert sheet_of(reading).games == sheet_of(file_of("142 4", *USUAL)).games
    assert set(keys(file_of(record, *USUAL))) == {"points-adjusted", "points-differ"}


def test_299_for_everybody_is_another_value_of_that_result() -> None:
    reading = file_of(abnormal("2.0", "", kind="+"), "5.0", *USUAL[1:])
    assert keys(reading) == ["points-by-own-values"]
    assert sheet_of(reading).point_values == (PointValue("FW", Decimal("2.0")),)


def test_in_an_event_of_teams_299_is_the_teams() -> None:
    team = f"013 {'Tembisa':<32}   1    2\n"
    reading = read(HEAD + FOUR + team + abnormal("2.0", "", 2) + "\n")
    assert sheet_of(reading).rows == sheet_of(read(HEAD + FOUR + team)).rows
    assert not reading.findings


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    ("records", "points"),
    [
        ("162  W 3.0    D 1.0    L 0.0    A 0.5    P 1.0", ("10.0", "4.0", "5.0", "3.0")),
        ("XXS WW=1.0 BW=1.5", ("4.5", "1.5", "2.5", "1.0")),
        (f"{abnormal('-9.9', '', 1)}\n{abnormal('-9.9', '', 1)}", ("0.0", "1.5", "2.0", "1.0")),
        (abnormal("3.0", "1", 1, kind="W"), ("6.0", "1.5", "2.0", "1.0")),
    ],
)
def test_values_and_adjustments_are_written_and_read_back(
    style: str, records: str, points: tuple[str, ...]
) -> None:
    first = file_of(records, *points)
    again = read_any(write(sheet_of(first), style))
    assert the_event(again.sheet) == the_event(first.sheet)
    assert {"points-by-own-values", "points-adjusted"} & set(keys(again))
    assert set(keys(again)) <= set(keys(first))
    assert [r.params for r in again.findings if r.key == "points-differ"] == [
        r.params for r in first.findings if r.key == "points-differ"
    ]
