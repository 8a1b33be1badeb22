"""Chess South Africa: ratings from the first game to the list (CSA 10, 43–46, 54–58, 65–67)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from ratings.rulesets.csa import RULESET
from ratings.rulesets.csa.edition_2020.formulas import expected_score
from ratings.rulesets.csa.edition_2020.rating import (
    needs,
    shown_rating,
    sum_expected_and_opposition,
    survey_section,
)
from ratings.rulesets.csa.standing import ZERO
from ratings.rulesets.facts import (
    Bye,
    Entry,
    Game,
    ListClosing,
    Needs,
    Opening,
    Placed,
    Player,
    RatedSection,
    State,
)
from ratings.tests.csa_record import BLITZ, DAY, HOUR, OTB, RAPID, Record, card, section_of

# ------------------------------------------------------------------------------- a rated player's change


def printed_example(**fields: Any) -> Record:
    """The text's example: somebody rated 1500 against 2000, 1800, 1600, 1300 and 800, an hour each."""
    record = Record()
    record.open("Amahle", 1500)
    for name, rating in (("1", 2000), ("2", 1800), ("3", 1600), ("4", 1300), ("5", 800)):
        record.open(name, rating)
    record.rate(card("Amahle", "-=+++"), time_controls=(HOUR,), **fields)
    return record


def test_29_the_printed_example_of_a_change_beside_the_exact_one() -> None:
    expected = [
        Decimal("0.541767") + Decimal("0.001164") * -460,
        1 - (Decimal("0.541767") + Decimal("0.001164") * 300),
        Decimal("0.541767") + Decimal("0.001164") * -100,
        1 - (Decimal("0.541767") + Decimal("0.001164") * -200),
        Decimal("0.541767") + Decimal("0.001164") * 390,
    ]
    difference = Decimal("3.5") - sum(expected)
    assert difference.quantize(Decimal("0.01")) == Decimal("1.27")  # printed 1.26, from lines rounded to 0.01
    main, standard = (printed_example().standing("Amahle", track).pending for track in OTB[:2])
    assert standard == 24 * difference == Decimal("30.540312")
    assert main == Decimal("13.7321664") * difference
    assert shown_rating(main) == Decimal("17.5")  # printed 17.3 = 13.7 × 1.26
    assert shown_rating(standard) == Decimal("30.5")  # printed 30.2 = 24 × 1.26


@pytest.mark.parametrize("black", [700, 1109, 1110, 1111, 1500, 1959, 1960, 1961, 2600])
def test_37_the_loop_over_the_games_is_the_formula_by_itself(black: int) -> None:
    record = Record()
    record.open("White", 1500)
    record.open("Black", black)
    section = replace(section_of(""), entries=(Entry("White"), Entry("Black")))
    section = replace(section, games=(Game(1, "White", "Black", "1-0"),))
    people = {name: Player(name, name) for name in ("White", "Black")}
    surveyed = survey_section(RatedSection(9, DAY, section, people))
    standings = [record.standing("White"), record.standing("Black")]
    expected, _opposition = sum_expected_and_opposition(surveyed, standings)
    alone = expected_score(Decimal(1500), Decimal(black))
    assert expected == [alone, 1 - alone]


def test_67_a_change_waits_for_the_list() -> None:
    record = printed_example()
    change = record.standing("Amahle").pending
    assert record.standing("Amahle").rating == 1500
    assert record.standing("Amahle").due
    after = record.close()["Amahle", "otb-main"].after
    assert (after.rating, after.pending, after.due) == (1500 + change, ZERO, False)


def test_67_a_second_section_of_the_month_is_measured_at_the_list_not_at_what_is_pending() -> None:
    record = printed_example()
    first = record.standing("Amahle").pending
    change = record.rate("1 Amahle 1-0 3", time_controls=(HOUR,))["Amahle", "otb-main"]
    assert change.points == Decimal("13.7321664") * (1 - Decimal("0.425367"))
    assert change.after.pending == first + change.points


def test_67_a_list_moves_only_those_with_something_pending() -> None:
    record = printed_example()
    record.open("Lwazi", 1700)
    moved = record.close()
    assert ("Lwazi", "otb-main") not in moved
    assert len(moved) == 5 * len(OTB)  # the 2000 won, but one game of five rounds gains nothing
    assert record.close() == {}


def test_45_a_list_holds_a_rating_at_100() -> None:
    record = Record()
    record.open("Amahle", 110)
    record.rate("2 Amahle -:+ Pieter")
    change = record.close()["Amahle", "otb-main"]
    assert (change.after.rating, change.points) == (Decimal(100), Decimal(10))


@pytest.mark.parametrize(("taken", "rating"), [("99.9", 100), ("100", 100), ("100.1", Decimal("100.1"))])
def test_45_a_rating_taken_over_below_100_is_lifted_to_it(taken: str, rating: Decimal) -> None:
    record = Record()
    record.open("Amahle", taken)
    assert record.standing("Amahle").rating == rating
    assert record.close() == {}


def test_28_a_change_is_rounded_to_16_decimals_as_it_enters_the_state_and_nowhere_before() -> None:
    record = Record()
    record.open("Amahle", "1500.1234567890123456")
    record.open("Pieter", "1500")
    change = record.rate("1 Amahle 0-1 Pieter")["Amahle", "otb-main"]
    expected = Decimal("0.541767") + Decimal("0.001164") * Decimal("0.1234567890123456")
    assert change.points == (Decimal("23.9999856") * -expected).quantize(Decimal("1e-16"))


def test_57_a_mixed_section_moves_hybrid_ratings_alone() -> None:
    record = Record()
    record.open("Amahle", 1500, tracks=(*OTB, "ol-main"))
    tracks = {track for _player, track in record.rate("1 Amahle 1-0 Pieter", platform="mixed")}
    assert tracks == {"hyb-main", "hyb-standard"}


def test_33_each_track_is_measured_with_the_opponents_rating_of_that_track() -> None:
    record = Record()
    record.open("Amahle", 1500, tracks=("otb-main", "hyb-main"))
    record.open("Pieter", 1400, tracks=("otb-main",))
    record.open("Pieter", 1600, tracks=("hyb-main",))
    record.rate("1 Amahle 1-0 Pieter")
    assert record.standing("Amahle", "otb-main").performances[0].value == 1825
    assert record.standing("Amahle", "hyb-main").performances[0].value == 2025


# ------------------------------------------------------------------------------- unrated players


def test_58_an_unrated_opponent_is_taken_at_the_pre_rating_even_while_collecting() -> None:
    record = Record()
    record.player("Thandi", pre=400)
    record.open("Amahle", 700)
    record.rate(card("Thandi", "+++++++++"), rounds=9)
    change = record.rate("1 Thandi 0-1 Amahle")["Amahle", "otb-main"]
    assert record.standing("Thandi").games == 10  # rated now; before the section she was not
    assert change.after.performances[0].value == 825


def test_58_the_pre_rating_is_what_each_section_states() -> None:
    record = Record()
    record.player("Thandi", pre=600)
    record.open("Amahle", 700)
    record.rate("1 Thandi 0-1 Amahle")
    record.player("Thandi", pre=700)
    year_later = date(2025, 3, 1)
    record.rate("1 Thandi 0-1 Amahle", starts=year_later, ends=year_later, on=year_later)
    assert [item.value for item in record.standing("Amahle").performances] == [1125, 1025]


@pytest.mark.parametrize(("results", "rated"), [("====", False), ("=====", True)])
def test_54_a_first_rating_needs_ten_games_over_all_sections(results: str, rated: bool) -> None:
    record = Record()
    record.rate(card("Thandi", "====="))
    change = record.rate(card("Thandi", results), rounds=5)["Thandi", "otb-main"]
    assert change.after.games == 5 + len(results)
    assert change.after.rating == (1200 if rated else None)
    assert change.points is None
    assert change.after.score == (0 if rated else Decimal("4.5"))
    assert change.after.opposition == (0 if rated else 10800)


def test_54_the_printed_example_stays_unrated_after_nine_games_and_is_rated_after_ten() -> None:
    record = Record()
    ratings = {"a": 1300, "b": 1200, "c": 1250, "d": 1450, "e": 1400, "f": 1350}
    for name, rating in ratings.items():
        record.open(name, rating)
    record.rate("1 Thandi 1-0 a\n2 Thandi 1-0 b\n3 Thandi 1/2 c\n4 Thandi 1-0 d\n5 Thandi 0-1 e")
    record.rate("1 Thandi 1/2 a\n2 Thandi 0-1 c\n4 Thandi 1-0 e\n5 Thandi 1/2 f")
    assert record.standing("Thandi").rating is None
    assert record.standing("Thandi").opposition == 11900
    change = record.rate("1 Thandi 1/2 c")["Thandi", "otb-main"]
    assert change.after.rating == Decimal(13150) / 10 + 850 * (Decimal("0.6") - Decimal("0.5"))


def test_55_collecting_takes_all_games_though_too_few_qualify_a_performance() -> None:
    record = Record()
    change = record.rate(card("Thandi", "=" * 10), rounds=20)["Thandi", "otb-main"]
    assert change.after.rating == 1200
    assert change.after.performances == ()


def test_56_a_first_rating_is_at_least_100() -> None:
    record = Record()
    for number in range(1, 11):
        record.player(str(number), pre=200)
    assert record.rate(card("Thandi", "-" * 10))["Thandi", "otb-main"].after.rating == 100


def test_65_the_section_that_brings_the_first_rating_brings_no_change_and_no_penalty() -> None:
    record = Record()
    change = record.rate(card("Thandi", "=" * 10) + "\n11 Thandi -:+ Pieter")["Thandi", "otb-main"]
    assert (change.after.rating, change.after.pending) == (Decimal(1200), ZERO)


def test_54_each_track_collects_for_itself() -> None:
    record = Record()
    record.rate(card("Thandi", "====="))
    record.rate(card("Thandi", "====="), time_controls=(RAPID,))
    assert record.standing("Thandi", "otb-main").rating == 1200
    assert record.standing("Thandi", "hyb-main").rating == 1200
    assert record.standing("Thandi", "otb-standard").rating is None
    assert record.standing("Thandi", "otb-rapid").rating is None


def test_every_entrant_stands_in_each_track_games_or_none() -> None:
    record = Record()
    changes = record.rate("1 Amahle 1-0 Pieter", entries=[Entry("Lwazi")], byes=(Bye(1, "Lwazi", "pairing"),))
    for track in OTB:
        standing = changes["Lwazi", track].after
        assert (standing.rating, standing.games, standing.activity) == (None, 0, 1)


# ------------------------------------------------------------------------------- weight performances


def with_performances(count: int, *, rating: int = 1000, **fields: Any) -> Record:
    """Amahle with performances of 1500, each in five draws with opponents of 1500."""
    record = Record()
    record.open("Amahle", rating)
    for number in range(1, 6):
        record.open(str(number), 1500)
    for _ in range(count):
        record.rate(card("Amahle", "====="), **fields)
    return record


def test_44_the_fifth_performance_lifts_the_rating_at_once() -> None:
    before = with_performances(4).standing("Amahle")
    assert before.rating == 1000
    after = with_performances(5).standing("Amahle")
    assert after.rating == 1500
    assert after.pending == before.pending * 5 / 4  # what is pending stays pending


def test_44_a_lift_is_of_500_points_at_most() -> None:
    record = with_performances(5, rating=900)
    assert record.standing("Amahle").rating == 1400
    points = record.rate(card("Amahle", "====="))["Amahle", "otb-main"].points
    assert record.standing("Amahle").rating == 1500
    assert points is not None
    assert points > 100


def test_66_at_the_list_what_is_pending_is_added_to_the_lifted_rating() -> None:
    record = with_performances(5)
    pending = record.standing("Amahle").pending
    assert record.close()["Amahle", "otb-main"].after.rating == 1500 + pending


@pytest.mark.parametrize(("days", "rating"), [(2920, 500), (2921, 100)])
def test_40_performances_older_than_2920_days_are_not_weighed(days: int, rating: int) -> None:
    first = date(2020, 7, 1)
    record = with_performances(4, rating=100, starts=first, ends=first, on=first)
    last = first + timedelta(days)
    record.rate(card("Amahle", "====="), starts=last, ends=last, on=last)
    assert record.standing("Amahle").rating == rating  # a third of 1500, the other four having no age left


def test_41_in_main_a_blitz_performance_weighs_nine_tenths_and_in_blitz_all() -> None:
    record = Record()
    record.open("Amahle", 1000, tracks=("otb-main", "otb-blitz"))
    for number in range(1, 6):
        record.open(str(number), 1500, tracks=("otb-main", "otb-blitz"))
    for _ in range(5):
        record.rate(card("Amahle", "====="), time_controls=(BLITZ,))
    assert record.standing("Amahle", "otb-main").rating == 1350
    assert record.standing("Amahle", "otb-blitz").rating == 1500


def test_43_without_a_coloured_game_no_weight_performance_is_worked_out() -> None:
    record = with_performances(5, rating=900)
    record.rate("2 Amahle +:- 1")
    assert record.standing("Amahle").rating == 1400
    record.rate("1 Amahle 1/2 1")
    assert record.standing("Amahle").rating == 1500


def test_39_a_performance_that_does_not_qualify_is_not_weighed_yet_the_section_lifts() -> None:
    record = with_performances(5, rating=900)
    record.rate(card("Amahle", "---"), rounds=5)
    assert len(record.standing("Amahle").performances) == 5
    assert record.standing("Amahle").rating == 1500


def test_39_performances_made_while_unrated_count_and_lift_the_first_rating() -> None:
    record = Record()
    for number in range(1, 3):
        record.open(str(number), 1500)
    for results in ("--", "==", "==", "==", "++"):
        record.rate(card("Thandi", results))
    values = [item.value for item in record.standing("Thandi").performances]
    assert values == [1925, 1500, 1500, 1500, 1075]
    weight = Decimal(1925 * 5 + 1500 * 9 + 1075) / 15
    assert record.standing("Thandi").rating == weight.quantize(Decimal("1e-16"))  # the first rating was 1500


# ------------------------------------------------------------------------------- abroad


def test_10_abroad_foreigners_get_no_row_and_nothing_is_counted_for_them() -> None:
    record = Record()
    record.player("Chipo", nation="ZIM")
    record.player("Farai", nation=None)
    record.rate("1 Chipo 1-0 Amahle")  # at home she is rated like anyone
    before = record.standing("Chipo")
    changes = record.rate("1 Chipo 1-0 Amahle\n2 Farai 1-0 Amahle", country="ZIM")
    assert {player for player, _track in changes} == {"Amahle"}
    assert record.standing("Chipo") == before
    assert record.standing("Amahle").games == 3


def test_10_abroad_an_unrated_opponent_is_taken_at_the_filed_rating_but_not_one_with_a_rating() -> None:
    record = Record()
    record.open("Chipo", 1300)
    entries = [Entry("Chipo", rating=2100), Entry("Farai", rating=2100)]
    record.rate("1 Chipo 1/2 Amahle\n2 Farai 1/2 Amahle", country="ZIM", entries=entries)
    assert record.standing("Amahle").opposition == 1300 + 2100


# ------------------------------------------------------------------------------- needs, lists, answers


def test_needs_names_the_entrants_of_a_section_and_those_due_at_a_list() -> None:
    section = section_of("1 Amahle 1-0 Pieter", entries=[Entry("Lwazi")])
    assert needs(RatedSection(2, DAY, section, {})) == frozenset({"Amahle", "Pieter", "Lwazi"})
    assert needs(Placed(3, ListClosing(DAY))) is Needs.DUE
    opening = Opening("Amahle", "otb-main", Decimal(1500), 30, date(2020, 6, 30), "list")
    assert needs(Placed(2, opening)) == frozenset({"Amahle"})


def test_an_opening_gives_the_official_rating_and_the_games() -> None:
    record = Record()
    record.open("Amahle", "1712.5", games=48, tracks=("otb-main",))
    standing = record.standing("Amahle")
    assert (standing.rating, standing.games, standing.pending) == (Decimal("1712.5"), 48, ZERO)


def test_the_list_is_by_rating_and_equal_shown_ratings_share_a_rank() -> None:
    record = Record()
    for name, rating in (("Amahle", "1500.04"), ("Pieter", "1500.01"), ("Lwazi", "1600"), ("Nomsa", "1400")):
        record.open(name, rating)
    record.rate("1 Thandi 1-0 Thabo")
    rules = RULESET.edition_on(DAY).rules
    rows = rules.rating_list(record.state, "otb-main", DAY)
    assert [(row.rank, row.player) for row in rows] == [
        (1, "Lwazi"),
        (2, "Amahle"),
        (2, "Pieter"),
        (4, "Nomsa"),
    ]
    assert rules.tables(record.state, DAY) == []


def test_a_replay_answers_ratings_and_what_is_pending() -> None:
    record = printed_example()
    rules = RULESET.edition_on(DAY).rules
    answers = {(answer.player, answer.track): answer for answer in rules.answers(record.state, DAY)}
    amahle = answers["Amahle", "otb-standard"]
    assert (amahle.status, amahle.rating, amahle.games, amahle.listed) == ("rated", 1500, 35, True)
    assert amahle.further == {"pending": Decimal("30.540312")}
    record.rate("1 Thandi 1-0 Thabo")
    answers = {(answer.player, answer.track): answer for answer in rules.answers(record.state, DAY)}
    thandi = answers["Thandi", "otb-main"]
    assert (thandi.status, thandi.rating, thandi.games, thandi.listed) == ("unrated", None, 1, False)


def test_other_facts_move_nobody() -> None:
    assert RULESET.apply(State(), Placed(2, Player("Amahle", "Amahle"))).changes == []
