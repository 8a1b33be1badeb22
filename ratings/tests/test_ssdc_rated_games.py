"""Sports Dots: how games move ratings (SSDC 1)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ratings.rulesets.facts import Bye, Entry
from ratings.rulesets.ssdc import RULESET
from ratings.rulesets.ssdc.edition_2017 import expected_score, k_factor
from ratings.rulesets.ssdc.standing import round_kept
from ratings.tests.ssdc_record import Record, section_of


def test_1_4_1_equals_are_expected_to_share() -> None:
    assert expected_score(Decimal(1500), Decimal(1500)) == Decimal("0.5")


@pytest.mark.parametrize(
    ("difference", "expected"), [(400, "1/11"), (-400, "10/11"), (800, "1/101"), (-800, "100/101")]
)
def test_d_ssdc_1_the_exponent_is_the_difference_by_400(difference: int, expected: str) -> None:
    over, under = expected.split("/")
    found = expected_score(Decimal(1500), Decimal(1500 + difference))
    assert abs(found - Decimal(over) / Decimal(under)) < Decimal("1e-27")


@pytest.mark.parametrize(
    ("rating", "games", "k"),
    [
        ("1200", 0, 40),
        ("1200", 29, 40),
        ("1200", 30, 20),
        ("2500", 29, 40),  # new comes first
        ("2500", 30, 10),
        ("2399.999999", 30, 20),
        ("2400", 30, 10),
        ("2400", 29, 40),
    ],
)
def test_1_4_2_k_by_games_then_by_the_rating_as_it_is_kept(rating: str, games: int, k: int) -> None:
    assert k_factor(Decimal(rating), games) == k


def test_d_ssdc_3_the_31st_game_is_the_first_with_another_k_within_one_tournament() -> None:
    record = Record()
    record.open("Ada", 1200, games=29)
    record.open("Boris", 1200, games=30)
    record.rate("1 Ada 1/2 Boris\n2 Ada 1/2 Boris")
    record = Record()
    record.open("Ada", 1200, games=29)
    record.rate("1 Ada 1-0 Boris")
    assert record.standing("Ada").rating == 1220  # the 30th: 40 × 0.5
    before = record.standing("Ada").rating
    record.rate("2 Ada 1-0 Clara")
    expected = expected_score(before, Decimal(1200))
    assert record.standing("Ada").rating == round_kept(before + 20 * (1 - expected))


def test_d_ssdc_2_ratings_move_game_by_game_and_both_are_measured_before_the_game() -> None:
    record = Record()
    record.rate("1 Ada 1-0 Boris\n2 Boris 1-0 Ada")
    first = expected_score(Decimal(1180), Decimal(1220))
    assert record.standing("Boris").rating == round_kept(Decimal(1180) + 40 * (1 - first))
    assert record.standing("Ada").rating == round_kept(Decimal(1220) - 40 * (1 - first))


def test_d_ssdc_2_games_stand_by_round_then_as_they_are_written() -> None:
    straight, mixed = Record(), Record()
    straight.rate("1 Ada 1-0 Boris\n1 Clara 1-0 Ada\n2 Boris 1-0 Clara", places="Ada Boris Clara")
    mixed.rate("2 Boris 1-0 Clara\n1 Ada 1-0 Boris\n1 Clara 1-0 Ada", places="Ada Boris Clara")
    assert straight.state.standings == mixed.state.standings
    other = Record()
    other.rate("1 Clara 1-0 Ada\n1 Ada 1-0 Boris\n2 Boris 1-0 Clara", places="Ada Boris Clara")
    assert other.standing("Ada").rating != straight.standing("Ada").rating


def test_d4_a_rating_is_rounded_to_6_decimals_after_each_game() -> None:
    record = Record()
    record.open("Ada", "1499.999999")
    record.open("Boris", "1500.3")
    record.rate("1 Ada 0-1 Boris")
    exact = Decimal("1499.999999") - 20 * expected_score(Decimal("1499.999999"), Decimal("1500.3"))
    assert record.standing("Ada").rating == exact.quantize(Decimal("1e-6"))
    assert record.standing("Ada").rating != exact


@pytest.mark.parametrize(
    ("time_class", "track"), [("classic", "classic"), ("rapid", "rapid"), ("blitz", "rapid")]
)
def test_1_5_rapid_and_blitz_are_one_rating_and_classic_the_other(time_class: str, track: str) -> None:
    record = Record()
    changes = record.rate("1 Ada 1-0 Boris", time_class=time_class)
    assert changes.keys() == {("Ada", track), ("Boris", track)}
    assert RULESET.sections.tracks_of(section_of("1 Ada 1-0 Boris", time_class=time_class)) == (track,)


def test_1_6_each_kind_of_rating_begins_at_1200_and_counts_its_own_games() -> None:
    record = Record()
    record.open("Ada", 1800, games=31)
    record.rate("1 Ada 1-0 Boris", time_class="blitz")
    assert record.standing("Ada", "rapid").rating == 1220
    assert record.standing("Ada", "rapid").games == 1
    assert record.standing("Ada", "classic").rating == 1800


def test_d_ssdc_4_who_enters_and_plays_no_rated_game_has_1200() -> None:
    record = Record()
    changes = record.rate(
        "1 Ada 1-0 Boris\n1 Clara +:- Denis\n1 Efim annulled Fedor", byes=[Bye(1, "Galina", "pairing")]
    )
    for name in ("Clara", "Denis", "Efim", "Fedor", "Galina"):
        change = changes[name, "classic"]
        assert (change.after.rating, change.after.games, change.after.years) == (Decimal(1200), 0, ())
        assert change.points is None


def test_1_7_1_a_drawn_game_and_its_replays_are_all_rated() -> None:
    record = Record()
    record.rate("1 Ada 1/2 Boris\n1 Boris 1/2 Ada\n1 Ada 1-0 Boris")
    assert record.standing("Ada").games == 3
    assert record.standing("Ada").rating == 1220


def test_1_7_2_of_an_annulled_game_the_replay_alone_is_rated() -> None:
    record, plain = Record(), Record()
    record.rate("1 Ada annulled Boris\n1 Ada 0-1 Boris")
    plain.rate("1 Ada 0-1 Boris")
    assert record.state.standings == plain.state.standings


@pytest.mark.parametrize("result", ["+:-", "-:+", "-:-"])
def test_1_7_3_a_game_decided_without_play_is_not_rated(result: str) -> None:
    record = Record()
    record.open("Ada", 1500)
    change = record.rate(f"1 Ada {result} Boris")["Ada", "classic"]
    assert (change.after.rating, change.after.games, change.points) == (Decimal(1500), 30, Decimal(0))


def test_d7_a_game_that_both_lost_is_a_game_and_each_scores_nothing() -> None:
    record = Record()
    record.rate("1 Ada 0-0 Boris")
    assert record.standing("Ada").rating == record.standing("Boris").rating == 1180
    assert record.standing("Ada").games == 1


def test_a_tournament_is_measured_from_the_opening_rating_and_its_points_are_told() -> None:
    record = Record()
    record.open("Ada", "1500.5", games=30)
    record.open("Boris", "1500.5", games=30)
    change = record.rate("1 Ada 1-0 Boris", entries=(Entry("Ada", 1), Entry("Boris", 2)))["Ada", "classic"]
    assert (change.after.rating, change.points) == (Decimal("1510.5"), Decimal(10))


def test_needs_are_the_entrants_or_whom_the_fact_names_and_a_list_needs_nobody() -> None:
    record = Record()
    rules = RULESET.editions[0].rules
    record.open("Ada", 1500)
    assert rules.needs(record.last) == {"Ada"}
    record.confirm("Boris", "3")
    assert rules.needs(record.last) == {"Boris"}
    record.rate("1 Ada 1-0 Boris", byes=[Bye(1, "Clara", "full")])
    assert rules.needs(record.last) == {"Ada", "Boris", "Clara"}
    assert record.close() == {}
    assert rules.needs(record.last) == frozenset()
