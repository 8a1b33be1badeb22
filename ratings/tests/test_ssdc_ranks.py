"""Sports Dots: sports ranks (SSDC 2)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ratings.rulesets.ssdc import RULESET
from ratings.rulesets.ssdc.edition_2017 import (
    rank_by_place,
    rank_by_rating,
    rank_holders,
    rank_of,
    rank_proposals,
    round_to_whole,
    tables,
)
from ratings.rulesets.ssdc.standing import RankAward
from ratings.tests.ssdc_record import DAY, Record


def rows(record: Record) -> tuple[tuple[object, ...], ...]:
    table, *others = tables(record.state, DAY)
    assert not any(other.answered for other in others)
    assert (table.name, table.columns, table.answered) == ("ranks", ("player", "rank", "ground"), True)
    return table.rows


@pytest.mark.parametrize(
    ("rating", "rank"),
    [
        (1599, None),
        (1600, "3"),
        (1799, "3"),
        (1800, "2"),
        (1999, "2"),
        (2000, "1"),
        (2199, "1"),
        (2200, "C"),
        (2299, "C"),
        (2300, "M"),
        (2399, "M"),
        (2400, "H"),
        (2499, "H"),
        (2500, "G"),
        (3000, "G"),
    ],
)
def test_2_4_1_each_rank_by_its_rating(rating: int, rank: str | None) -> None:
    assert rank_by_rating(rating) == rank


@pytest.mark.parametrize(
    ("category", "ranks"),
    [
        ("highest", "GGGH-"),
        ("first", "HMMC-"),
        ("second", "C112-"),
        ("third", "2333-"),
        ("fourth", "-----"),
    ],
)
def test_2_4_2_each_rank_by_place_and_category(category: str, ranks: str) -> None:
    assert "".join(rank_by_place(category, place) or "-" for place in range(1, 6)) == ranks


@pytest.mark.parametrize(("rating", "shown"), [("1599.499999", 1599), ("1599.5", 1600)])
def test_d_ssdc_6_thresholds_look_at_the_rating_as_a_whole_number_half_up(rating: str, shown: int) -> None:
    assert round_to_whole(Decimal(rating)) == shown
    record = Record()
    record.open("Ada", rating)
    record.rate("1 Ada +:- Boris")
    assert rows(record) == ((("Ada", "3", "SSDC 2.4.1"),) if shown == 1600 else ())


def test_d_ssdc_6_a_rating_reached_between_the_games_of_a_tournament_is_no_ground() -> None:
    record = Record()
    record.open("Ada", 1595)
    record.open("Boris", 1595)
    record.rate("1 Ada 1-0 Boris\n2 Ada 0-1 Boris")
    assert rows(record) == ()
    record.rate("1 Ada 1-0 Boris")
    assert rows(record) == (("Ada", "3", "SSDC 2.4.1"),)


def test_d_ssdc_6_a_rapid_rating_is_no_ground() -> None:
    record = Record()
    record.open("Ada", 2600, track="rapid")
    record.rate("1 Ada 1-0 Boris", time_class="rapid")
    assert rows(record) == ()


def test_d_ssdc_11_an_opening_is_no_ground_until_a_classic_tournament_leaves_it() -> None:
    record = Record()
    record.open("Ada", 2350)
    assert rows(record) == ()
    record.rate("1 Ada 1-0 Boris", time_class="rapid")
    assert rows(record) == ()  # D-SSDC-13
    record.rate("1 Ada +:- Boris")
    assert rows(record) == (("Ada", "M", "SSDC 2.4.1"),)


def test_d_ssdc_7_a_prize_place_gives_a_rank_in_any_time_class_and_shared_places_are_equal() -> None:
    record = Record()
    record.rate(
        "1 Ada 1-0 Boris\n1 Clara 1/2 Denis",
        places="Ada Boris=Clara Denis",
        time_class="blitz",
        category="second",
        format="knockout",
    )
    assert rows(record) == (
        ("Ada", "C", "SSDC 2.4.2"),
        ("Boris", "1", "SSDC 2.4.2"),
        ("Clara", "1", "SSDC 2.4.2"),
        ("Denis", "2", "SSDC 2.4.2"),
    )


def test_d_ssdc_7_the_higher_of_two_grounds_counts() -> None:
    record = Record()
    record.open("Ada", 1650)
    record.rate("1 Ada 1-0 Boris", places="Ada Boris", category="third")
    assert rows(record)[0] == ("Ada", "2", "SSDC 2.4.2")
    record.open("Clara", 1850)
    record.rate("1 Clara 0-1 Denis", places="Denis Clara", category="third")
    assert rows(record)[2] == ("Clara", "2", "SSDC 2.4.1")


def test_d_ssdc_7_within_one_tournament_the_rating_comes_before_the_place() -> None:
    record = Record()
    record.open("Ada", 1850)
    record.rate("1 Ada 1-0 Boris", places="Ada Boris", category="third")
    assert rows(record)[0] == ("Ada", "2", "SSDC 2.4.1")
    assert record.standing("Ada").award == RankAward("2", "2.4.1", 1850, "2024-001/A")


@pytest.mark.parametrize("first", ["classic", "rapid"])
def test_d_ssdc_7_the_earlier_of_two_equal_grounds_counts_in_whichever_track(first: str) -> None:
    record = Record()
    second = "rapid" if first == "classic" else "classic"
    record.rate("1 Ada 1-0 Boris", places="Ada Boris", category="third", time_class=first, id="2024-001/A")
    record.rate("1 Ada 1-0 Boris", places="Ada Boris", category="third", time_class=second, id="2024-002/A")
    (ada, _boris) = rank_proposals(record.state)
    assert ada[2].section == "2024-001/A"
    assert record.standing("Ada", second).award is None


def test_2_5_1_a_rank_stays_when_the_rating_falls() -> None:
    record = Record()
    record.open("Ada", 1605)
    record.rate("1 Ada +:- Boris")
    record.rate("1 Ada 0-1 Boris\n2 Ada 0-1 Boris")
    assert record.standing("Ada").rating < 1600
    assert rows(record) == (("Ada", "3", "SSDC 2.4.1"),)


def test_2_5_a_rank_is_proposed_until_an_official_confirms_it() -> None:
    record = Record()
    record.rate("1 Ada 1-0 Boris", places="Ada Boris", category="first")
    (player, held, award), boris = rank_proposals(record.state)
    assert (player, held, award.rank) == ("Ada", "N", "H")
    assert boris == ("Boris", "N", RankAward("M", "2.4.2", 2, "2024-001/A"))
    change = record.confirm("Ada", "H", "SSDC 2.4.2")["Ada", "classic"]
    assert (change.after.rating, change.points) == (change.before and change.before.rating, Decimal(0))
    assert [player for player, *_rest in rank_proposals(record.state)] == ["Boris"]
    assert rank_of(record.state, "Ada") == "H"
    assert len(rows(record)) == 2  # confirmed or not


def test_2_3_2_who_has_no_rank_is_of_no_rank() -> None:
    record = Record()
    record.rate("1 Ada 1-0 Boris")
    assert rank_of(record.state, "Ada") == "N"


def test_2_5_1_a_lower_or_equal_confirmation_changes_nothing() -> None:
    record = Record()
    record.rate("1 Ada 1-0 Boris", time_class="rapid")
    record.confirm("Ada", "M")
    assert record.confirm("Ada", "C") == {}
    assert record.confirm("Ada", "M", "SSDC 2.4.2") == {}
    assert record.confirm("Ada", "H").keys() == {("Ada", "rapid")}
    assert rank_of(record.state, "Ada") == "H"


def test_a_confirmed_rank_stands_beside_no_rating_and_the_first_tournament_begins_at_1200() -> None:
    record = Record()
    record.confirm("Ada", "G")
    assert (record.standing("Ada").rating, record.standing("Ada").games) == (None, 0)
    change = record.rate("1 Ada 1-0 Boris")["Ada", "classic"]
    assert (change.after.rating, change.points) == (Decimal(1220), None)
    assert rank_of(record.state, "Ada") == "G"


def test_d_ssdc_14_a_confirmed_rank_without_a_ground_is_shown_to_officials() -> None:
    record = Record()
    record.rate("1 Ada 1-0 Boris", places="Ada Boris", category="third")
    record.confirm("Ada", "2", "SSDC 2.4.2")
    record.confirm("Boris", "M", "SSDC 2.4.2")
    (_ada, confirmed, by_play), (_boris, other, other_by_play) = rank_holders(record.state)
    assert (confirmed.rank, by_play) == ("2", "2")
    assert (other.rank, other_by_play) == ("M", "3")


def test_pages_have_what_waits_for_an_official_and_what_was_confirmed() -> None:
    record = Record()
    record.rate("1 Ada 1-0 Boris", places="Ada Boris", category="third")
    record.confirm("Ada", "2", "SSDC 2.4.2")
    _ranks, proposed, confirmed = tables(record.state, DAY)
    assert proposed.rows == (("Boris", "N", "3", "2.4.2", 2, "2024-001/A"),)
    assert confirmed.rows == (("Ada", "2", DAY, "2.4.2", "2"),)
    for table in (proposed, confirmed):
        assert {table.name, *table.columns} <= RULESET.words.messages.keys()
        assert {len(row) for row in table.rows} == {len(table.columns)}
