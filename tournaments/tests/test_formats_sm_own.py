"""Swiss-Manager's own file, as far as its layout is known; what does not fit is refused with the way out."""

from __future__ import annotations

from collections import Counter
from datetime import date
from decimal import Decimal

import pytest

from tournaments.formats import read_any
from tournaments.formats.sheet import Official, OtherId, SheetBye, SheetGame
from tournaments.tests.event_files import describe_in_english, keys
from tournaments.tests.own_sm_files import GAMES, HEADER, PEOPLE, own_file


def test_players_rounds_games_and_byes_are_read_and_a_person_is_asked_to_compare() -> None:
    reading = read_any(own_file())
    sheet = reading.sheet
    assert sheet
    assert not reading.blocked
    assert (sheet.name, sheet.city, sheet.federation, sheet.dialect) == (
        "Soweto Own Cup", "Soweto", "RSA", "Swiss-Manager",
    )  # fmt: skip
    assert sheet.arbiters == (Official("Sipho Khumalo"), Official("Zanele Mthembu", role="deputy"))
    assert sheet.time_text == "90 min + 30 s"
    assert sheet.round_dates == (date(2026, 3, 6), date(2026, 3, 7))
    assert (sheet.starts, sheet.ends, sheet.rounds, sheet.rounds_played) == (
        date(2026, 3, 6), date(2026, 3, 7), 2, 2,
    )  # fmt: skip
    assert sheet.games == (
        SheetGame(1, 1, 2, "1-0"),
        SheetGame(1, 3, 4, "1/2"),
        SheetGame(2, 2, 3, "+:-"),
        SheetGame(2, 4, 1, "0-1"),
    )
    assert sheet.byes == (SheetBye(1, 5, "pairing"), SheetBye(2, 5, "zero"))
    assert [row.points for row in sheet.rows] == [2, 1, Decimal("0.5"), Decimal("0.5"), 1]
    thabo, priya, piet, *_others = sheet.rows
    assert (thabo.name, thabo.identifier, thabo.rating) == ("Dlamini, Thabo", "101000001", 1874)
    assert thabo.other_ids == (OtherId("fide", "14300001"),)
    assert (thabo.birth, thabo.sex) == (date(1991, 4, 2), None)
    assert (priya.born, priya.birth) == (2008, None)
    assert (piet.name, piet.identifier, piet.born) == ("Botha, Piët", None, None)
    [check] = [finding for finding in reading.findings if finding.key == "tunx-check"]
    assert check.params == {"players": 5, "rounds": 2, "games": 4}
    assert "Sex, tie-breaks, places and teams are not read" in describe_in_english(check)


def test_points_without_an_opponent_are_byes_and_listed() -> None:
    reading = read_any(own_file(games=[*GAMES[:5], (5, 0xFFFE, 2)]))
    assert reading.sheet
    assert reading.sheet.byes[-1] == SheetBye(2, 5, "half")
    assert ("tunx-bye-assumed", "half") in [(each.key, each.after) for each in reading.adjustments]


LATE = ((3, 4, 2), (5, 0xFFFF, 9), (1, 2, 1), (3, 5, 1), (4, 0xFFFE, 3))
"""In the first round 1 and 2 have no record yet; in the second they meet."""


@pytest.mark.parametrize(("records", "met"), [((2, 3), 2), ((3, 2), 1)])
def test_the_schedule_says_in_which_round_a_pair_met(records: tuple[int, int], met: int) -> None:
    sheet = read_any(own_file(games=LATE, records=records)).sheet
    assert sheet
    assert [game.round for game in sheet.games if game.first == 1] == [met]


@pytest.mark.parametrize("selected", [0, 1, 2, 7])
def test_the_round_that_was_selected_when_the_file_was_saved_changes_nothing(selected: int) -> None:
    assert read_any(own_file(selected=selected)) == read_any(own_file())


@pytest.mark.parametrize(("code", "result", "asked"), [(10, "0-0", True), (6, "-:-", False)])
def test_nought_for_both_is_asked_about_unless_it_is_a_forfeit_of_both(
    code: int, result: str, asked: bool
) -> None:
    reading = read_any(own_file(games=[(1, 2, code), *GAMES[1:]]))
    assert reading.sheet
    assert reading.sheet.games[0].result == result
    assert ("tunx-both-nought" in keys(reading, "asks")) == asked


def test_a_round_without_its_days_asks_for_them() -> None:
    reading = read_any(own_file(days=[0, 0]))
    assert reading.sheet
    assert reading.sheet.round_dates == (None, None)
    assert reading.sheet.starts is None


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (own_file(games=[*GAMES, (0, 1, 5)]), "tunx-teams"),
        (own_file(games=[*GAMES, (1, 2, 1)]), "tunx-not-read"),
        (own_file(records=(3, 2)), "tunx-not-read"),
        (own_file(records=(2, 4)), "tunx-not-read"),
        (own_file(rounds=1), "tunx-not-read"),
        (own_file(games=[(1, 9, 1)]), "tunx-not-read"),
        (own_file(games=[(1, 2, 8)]), "tunx-result-not-known"),
        (own_file(games=[(1, 2, 7)]), "round-unfinished"),
        (own_file(games=[]), "no-games"),
        (own_file(rounds=0), "tunx-not-read"),
        (own_file(people=()), "tunx-not-read"),
        (own_file()[:-20], "tunx-not-read"),
        (own_file().replace(b"\xb3\xff\x89\x44", b"\xb3\xff\x89\x44\1"), "tunx-not-read"),
        (own_file().replace(b"\xa5\xff\x89\x44", b"\xa5\xff\x89\x44\xff\xff"), "tunx-not-read"),
        (own_file().replace(b"\xb3\xff\x89\x44", b"\xb4\xff\x89\x44"), "is-swiss-manager"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_export_to_choose(data: bytes, key: str) -> None:
    reading = read_any(data, "club.TUNX")
    assert reading.blocked
    assert key in keys(reading, "blocks")
    if key not in ("round-unfinished", "no-games"):
        told = [describe_in_english(finding) for finding in reading.findings if finding.key == key]
        assert all("FIDE data export TRF16" in words for words in told)


def test_numbers_of_which_two_readings_fit_are_refused() -> None:
    """The players' own numbers and their places in the file are both 1 to 5, and differ."""
    data, swapped = own_file(), own_file(people=[*PEOPLE[1::-1], *PEOPLE[2:]])
    assert read_any(data).sheet
    entry = 134 - 80
    first, second = (b"RSA".decode().encode("utf-16-le") + b"\0\0" * 7 for _ in range(2))
    assert first == second
    at = [place for place in range(len(swapped)) if swapped.startswith(first, place)][:2]
    changed = bytearray(swapped)
    for place, number in zip(at, (2, 1), strict=True):
        changed[place + len(first) + 80] = number
    assert entry
    assert keys(read_any(bytes(changed)), "blocks") == ["tunx-not-read"]


def test_a_head_that_breaks_off_leaves_what_was_read() -> None:
    reading = read_any(own_file(header=HEADER[:36]))
    assert reading.sheet
    assert Counter(game.round for game in reading.sheet.games) == {1: 2, 2: 2}
