"""Chess South Africa: what a section holds (CSA 10, 16, 19–27, 58–59)."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from ratings.rulesets.csa import RULESET
from ratings.rulesets.csa.edition_2020.formulas import (
    fastest_minutes,
    is_abroad,
    is_rated,
    kind_of,
    time_per_player,
    tracks_of,
)
from ratings.rulesets.csa.edition_2020.rating import pre_rating_by_age, pre_rating_of, stand_in_rating
from ratings.rulesets.facts import Entry, Player, RatedSection, TimeControl
from ratings.tests.csa_record import BLITZ, DAY, RAPID, STANDARD, section_of

ONE_GAME = "1 Amahle 1-0 Pieter"


def control(*minutes: str, increment: str = "0") -> TimeControl:
    return TimeControl(tuple(map(Decimal, minutes)), Decimal(increment))


@pytest.mark.parametrize(
    ("given", "minutes"),
    [
        (control("3", increment="2"), "5"),
        (control("15"), "15"),
        (control("45", increment="15"), "60"),
        (control("90", increment="30"), "120"),
        (control("90", "30", increment="30"), "150"),
        (control("2.5", increment="2.5"), "5"),
    ],
)
def test_19_time_is_all_periods_and_a_minute_for_each_second_of_increment(
    given: TimeControl, minutes: str
) -> None:
    assert time_per_player(given) == Decimal(minutes)


@pytest.mark.parametrize(
    ("minutes", "kind"),
    [
        ("5", "blitz"),
        ("10", "blitz"),
        ("10.01", "rapid"),
        ("59", "rapid"),
        ("59.99", "rapid"),
        ("60", "standard"),
        ("600", "standard"),
    ],
)
def test_20_the_time_says_what_kind_of_game_it_is(minutes: str, kind: str) -> None:
    assert kind_of(Decimal(minutes)) == kind


def test_22_the_fastest_of_several_controls_decides() -> None:
    section = section_of(ONE_GAME, time_controls=(STANDARD, RAPID))
    assert fastest_minutes(section) == 25
    assert "otb-rapid" in tracks_of(section)


@pytest.mark.parametrize(("minutes", "key"), [("5", None), ("4.99", "too-fast")])
def test_23_games_faster_than_five_minutes_cannot_be_rated(minutes: str, key: str | None) -> None:
    finding = RULESET.sections.find_unrateable_reason(section_of(ONE_GAME, time_controls=(control(minutes),)))
    assert (finding and finding.key) == key
    assert finding is None or finding.clause == "23"


def test_23_one_control_that_is_too_fast_among_several_is_enough() -> None:
    finding = RULESET.sections.find_unrateable_reason(
        section_of(ONE_GAME, time_controls=(STANDARD, control("3")))
    )
    assert finding is not None
    assert finding.params == {"minutes": Decimal(3)}


@pytest.mark.parametrize(
    ("starts", "key"), [(date(2020, 7, 1), None), (date(2020, 6, 30), "before-the-regulations")]
)
def test_1_nothing_that_began_before_the_regulations_is_rated(starts: date, key: str | None) -> None:
    finding = RULESET.sections.find_unrateable_reason(section_of(ONE_GAME, starts=starts))
    assert (finding and finding.key) == key


def test_1_the_core_refuses_a_day_before_the_first_edition() -> None:
    assert RULESET.edition_on(date(2020, 7, 1)).in_force == date(2020, 7, 1)
    with pytest.raises(LookupError, match="2020-06-30"):
        RULESET.edition_on(date(2020, 6, 30))


@pytest.mark.parametrize(
    ("platform", "tracks"),
    [
        ("otb", ("otb-main", "otb-standard", "hyb-main", "hyb-standard")),
        ("online", ("ol-main", "ol-standard", "hyb-main", "hyb-standard")),
        ("mixed", ("hyb-main", "hyb-standard")),
    ],
)
def test_24_where_the_players_sit_decides_which_ratings_move(platform: str, tracks: tuple[str, ...]) -> None:
    assert tracks_of(section_of(ONE_GAME, platform=platform)) == tracks


@pytest.mark.parametrize(("given", "kind"), [(STANDARD, "standard"), (RAPID, "rapid"), (BLITZ, "blitz")])
def test_25_main_always_moves_and_the_games_own_kind(given: TimeControl, kind: str) -> None:
    assert tracks_of(section_of(ONE_GAME, time_controls=(given,)))[:2] == ("otb-main", f"otb-{kind}")


def test_27_a_player_has_twelve_ratings() -> None:
    codes = [track.code for track in RULESET.tracks]
    assert len(set(codes)) == 12
    assert [track.group for track in RULESET.tracks] == ["Over the board"] * 4 + ["Online"] * 4 + [
        "Hybrid"
    ] * 4
    for platform in ("otb", "online", "mixed"):
        for given in (STANDARD, RAPID, BLITZ):
            section = section_of(ONE_GAME, platform=platform, time_controls=(given,))
            assert set(RULESET.sections.tracks_of(section)) <= set(codes)


# ------------------------------------------------------------------------------- ages and pre-ratings


def test_16_age_ignores_the_day_of_birth_and_goes_by_the_year_of_the_first_day() -> None:
    section = section_of(ONE_GAME, starts=date(2023, 12, 31), ends=date(2024, 1, 2))
    assert pre_rating_of(2013, None, section) == pre_rating_by_age(10, None) != pre_rating_by_age(11, None)
    assert pre_rating_of(2012, "f", section) == pre_rating_by_age(11, "f")
    assert pre_rating_of(None, None, section) == pre_rating_by_age(None, None)


@pytest.mark.parametrize(
    ("age", "open_", "female"),
    [
        (0, 400, 200),
        (6, 400, 200),
        (7, 500, 300),
        (8, 500, 300),
        (9, 600, 400),
        (10, 600, 400),
        (11, 700, 500),
        (12, 700, 500),
        (13, 800, 600),
        (14, 800, 600),
        (15, 900, 700),
        (16, 900, 700),
        (17, 1000, 800),
        (18, 1000, 800),
        (19, 1100, 900),
        (20, 1100, 900),
        (21, 1200, 1000),
        (None, 1200, 1000),
    ],
)
def test_59_pre_ratings_step_up_after_each_even_age(age: int | None, open_: int, female: int) -> None:
    assert pre_rating_by_age(age, "m") == open_
    assert pre_rating_by_age(age, "f") == female
    assert pre_rating_by_age(age, None) == open_


@pytest.mark.parametrize(
    ("country", "filed", "taken"),
    [("ZIM", 1834, 1834), ("ZIM", 0, 1200), ("ZIM", None, 1200), (None, 1834, 1200), ("RSA", 1834, 1200)],
)
def test_58_the_rating_in_the_file_stands_in_only_abroad(
    country: str | None, filed: int | None, taken: int
) -> None:
    fact = RatedSection(2, DAY, section_of(ONE_GAME, country=country), {})
    assert stand_in_rating(fact, Entry("Amahle", rating=filed, pre=1200)) == taken


@pytest.mark.parametrize(("pre", "before", "taken"), [(900, 400, 900), (None, 400, 400), (None, None, 1200)])
def test_58_without_a_stated_pre_rating_the_last_stated_holds(
    pre: int | None, before: int | None, taken: int
) -> None:
    pres = {} if before is None else {"Amahle": before}
    fact = RatedSection(2, DAY, section_of(ONE_GAME), {}, pres=pres)
    assert stand_in_rating(fact, Entry("Amahle", pre=pre)) == taken


@pytest.mark.parametrize(
    ("country", "nation", "rated"),
    [
        (None, "ZIM", True),
        ("RSA", None, True),
        ("ZIM", "RSA", True),
        ("ZIM", "ZIM", False),
        ("ZIM", None, False),
    ],
)
def test_10_abroad_only_south_africans_are_rated(
    country: str | None, nation: str | None, rated: bool
) -> None:
    section = section_of(ONE_GAME, country=country)
    assert is_abroad(section) == (country == "ZIM")
    assert is_rated(Player("Amahle", "Amahle", nation=nation), section) == rated
