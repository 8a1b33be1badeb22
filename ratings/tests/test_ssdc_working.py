"""Sports Dots: a working tells each game, in words, with its clause and its numbers."""

from __future__ import annotations

from ratings.rulesets.facts import Bye
from ratings.tests.ssdc_record import Record


def test_a_newcomers_tournament_is_told_game_by_game() -> None:
    record = Record()
    record.open("Boris", 1600)
    record.rate("1 Ada 1-0 Boris\n2 Boris 1/2 Ada", places="Ada Boris", category="third")
    assert record.told("Ada") == [
        "1.6 First tournament of this kind: the initial rating is 1200",
        "1.4.1 Round 1, expected score of 1200 against 1600: 1 ÷ (1 + 10^((1600 − 1200) ÷ 400)) = "
        "0.09090909090909090909090909090909091",
        "1.4.2 Rated game number 1, within the first 30: K is 40",
        "1.4.2 New rating, kept with 6 decimals: 1200 + 40 × (1 − 0.09090909090909090909090909090909091) = "
        "1236.363636",
        "1.4.1 Round 2, expected score of 1236.363636 against 1581.818182: 1 ÷ (1 + 10^((1581.818182 − "
        "1236.363636) ÷ 400)) = 0.1204054547887011215833116557962133",
        "1.4.2 New rating, kept with 6 decimals: 1236.363636 + 40 × (0.5 − "
        "0.1204054547887011215833116557962133) = 1251.547418",
        "2.4.2 Place 1 in a tournament of category “third” is a ground for rank 2",
        "2.5 Rank held: N. Proposed for an official to confirm: 2",
        "4.1 After the section: 2 rated games, rating 1251.547418",
    ]


def test_k_is_told_where_it_changes() -> None:
    record = Record()
    record.open("Ada", 2405, games=29)
    record.rate("1 Ada 1/2 Boris\n2 Ada 1/2 Boris\n3 Ada 1/2 Boris\n4 Ada 0-1 Boris")
    told = [step for step in record.told("Ada") if "K is" in step]
    assert told == [
        "1.4.2 Rated game number 30, within the first 30: K is 40",
        "1.4.2 Rated game number 31, with a rating below 2400: K is 20",
    ]
    record.open("Clara", 2405, games=30)
    record.rate("1 Clara 1/2 Boris\n2 Clara 1/2 Boris\n3 Clara 1/2 Boris")
    told = [step for step in record.told("Clara") if "K is" in step]
    assert told == [
        "1.4.2 Rated game number 31, with a rating of 2400 or more: K is 10",
        "1.4.2 Rated game number 33, with a rating below 2400: K is 20",
    ]


def test_each_line_of_the_record_is_shown_from_the_players_own_side() -> None:
    record = Record()
    record.rate(
        "1 Ada annulled Boris\n1 Boris 1-0 Ada\n2 Clara +:- Ada\n4 Ada 1/2 Boris",
        byes=[Bye(3, "Ada", "pairing")],
    )
    lines = record.explain("Ada").games
    assert [(line.round, line.opponent, line.first, line.note) for line in lines] == [
        (1, "Boris", True, "annulled"),
        (1, "Boris", False, ""),
        (2, "Clara", False, "without-play"),
        (3, "", False, "bye"),
        (4, "Boris", True, ""),
    ]
    assert [line.opponent_rating for line in lines] == [None, 1200, None, None, 1220]


def test_a_rank_already_held_by_an_earlier_ground_is_not_proposed_again() -> None:
    record = Record()
    record.open("Ada", 1700)
    record.rate("1 Ada +:- Boris")
    assert "2.5 Rank held: N. Proposed for an official to confirm: 3" in record.told("Ada")
    record.confirm("Ada", "3")
    record.rate("1 Ada +:- Boris")
    assert record.told("Ada") == [
        "1.4 Rating before the section, after 30 rated games: 1700",
        "2.4.1 A classic rating of 1700 after the section is a ground for rank 3",
        "4.1 After the section: 30 rated games, rating 1700",
    ]


def test_an_opening_and_a_confirmation_are_told() -> None:
    record = Record()
    record.open("Ada", "1712.5", games=48)
    assert record.told("Ada") == ["4.1 Taken over from old list, 2023-12-31, with 48 games: 1712.5"]
    record.confirm("Ada", "3")
    assert record.told("Ada") == [
        "2.5 An official confirmed a rank on 2024-03-01, by SSDC 2.4.1; before it was N: 3"
    ]


def test_whom_a_fact_does_not_move_has_no_working() -> None:
    record = Record()
    record.open("Ada", 1500)
    assert record.told("Boris") == []
    record.rate("1 Ada 1-0 Boris")
    assert record.told("Clara") == record.told("Ada", "rapid") == []
    record.close()
    assert record.told("Ada") == []
    record.confirm("Ada", "3")
    assert record.told("Boris") == record.told("Ada", "rapid") == []
    record.confirm("Ada", "3")
    assert record.told("Ada") == []
