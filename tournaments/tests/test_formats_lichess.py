"""Lichess's results: places and points by users' names, and no games."""

from datetime import date
from decimal import Decimal

import pytest

from tournaments.formats import read_any
from tournaments.formats.plain_table import write_csv
from tournaments.formats.sheet import OtherId, Sheet, SheetPlayer
from tournaments.formats.text import MOST_BYTES
from tournaments.tests.event_files import adjustments, keys
from tournaments.tests.lichess_files import RESULTS, SWISS
from tournaments.tests.table_files import found, read


def test_results_are_places_of_users() -> None:
    reading = read(RESULTS)
    assert reading.sheet == Sheet(
        dialect="Lichess results",
        rows=(
            _row(1, "Thabo_D", "4.5", title="FM"),
            _row(2, "priya-n", "3"),
            _row(3, "sipho", "0.5"),
        ),
    )
    assert reading.sheet.family == "lichess-results"
    assert keys(reading) == ["online-platform", "lichess-absent"]
    assert ("rating-of-platform", 1, "2105", "") in adjustments(reading)


def _row(place: int, user: str, points: str, title: str = "") -> SheetPlayer:
    return SheetPlayer(
        start_number=place,
        name=user,
        surname=user,
        title=title,
        points=Decimal(points),
        place=place,
        other_ids=(OtherId("lichess", user),),
    )


def test_the_tournaments_own_json_brings_its_name_day_rounds_and_clock() -> None:
    sheet = read(SWISS + RESULTS).sheet
    assert sheet
    assert (sheet.name, sheet.rounds, sheet.time_code) == ("Soweto Online", 5, "300+3")
    assert (sheet.starts, sheet.ends) == (date(2026, 3, 6), date(2026, 3, 6))
    assert read(RESULTS + SWISS).sheet == sheet


def test_the_description_alone_leads_to_the_trf() -> None:
    [finding] = read(SWISS).findings
    assert (finding.key, finding.params) == ("lichess-no-results", {"id": "sowetoA1"})
    assert read(SWISS.replace("sowetoA1", "../../x")).findings[0].params == {"id": "…"}


def test_an_arena_has_no_rounds_and_is_refused() -> None:
    assert keys(read(RESULTS.replace('"points"', '"score"'))) == ["lichess-arena"]


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        ('"points":3', '"points":3.2', "lichess-result-not-read"),
        ('"points":3', '"points":-1', "lichess-result-not-read"),
        ('"points":3', '"points":true', "lichess-result-not-read"),
        ('"points":3', '"points":NaN', "lichess-result-not-read"),
        ('"points":3', '"points":1e999999', "lichess-result-not-read"),
        ('"rank":2', '"rank":0', "lichess-result-not-read"),
        ('"rank":2', '"rank":"2"', "lichess-result-not-read"),
        ('"username":"priya-n"', '"username":"=cmd()"', "lichess-result-not-read"),
        ('"username":"priya-n"', '"username":["x"]', "lichess-result-not-read"),
        ('"username":"priya-n"', '"username":"THABO_D"', "identifier-twice"),
        ('{"rank":2,', '{"rank":2,,', "lichess-not-read"),
        ('{"rank":2,', '[{"rank":2,', "lichess-not-read"),
        ('{"rank":2,"points"', '{"rank":2,"pints"', "lichess-not-read"),
        ('"tieBreak":9', '"tieBreak":' + "[" * 50_000, "lichess-not-read"),
    ],
)
def test_what_is_no_result_is_refused_by_its_line(before: str, after: str, key: str) -> None:
    assert before in RESULTS
    assert (key, 2, None) in found(read(RESULTS.replace(before, after)), "blocks")


def test_other_bytes_of_json_stay_what_they_were() -> None:
    assert keys(read('{"players": []}')) == ["is-markup"]
    assert keys(read_any("[1]".encode("utf-16"))) == ["not-recognised"]
    assert "lichess-not-read" in keys(read_any(RESULTS.encode() + b"\xff"))
    assert keys(read_any((RESULTS * 20_000).encode()[: MOST_BYTES + 1])) == ["too-big"]


def test_written_as_a_plain_table_the_places_come_back() -> None:
    sheet = read(RESULTS).sheet
    assert sheet
    again = read_any(write_csv(sheet)).sheet
    assert again
    assert [(row.name, row.place, row.points) for row in again.rows] == [
        (row.name, row.place, row.points) for row in sheet.rows
    ]


def test_a_user_stands_once_be_it_twice_in_one_line() -> None:
    first = RESULTS.splitlines()[0]
    assert keys(read(first + first)) == ["identifier-twice", "online-platform"]
