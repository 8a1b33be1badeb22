"""Chess South Africa: a working tells each step, in words, with its clause and its numbers."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from ratings.rulesets.csa import RULESET
from ratings.rulesets.facts import Bye, Departure, Entry, TimeControl, Working
from ratings.tests.csa_record import DAY, HOUR, RAPID, Record, card

NUMBERS = RULESET.numbers_of(RULESET.newest)


def told(working: Working) -> list[str]:
    """The words as a page would write them, decimals without trailing zeros."""
    lines = []
    for step in working.steps:
        given = {key: tidy(value) for key, value in {**NUMBERS, **step.inputs, "result": step.result}.items()}
        lines.append(f"{step.clause} {RULESET.words.messages[step.key].format(**given)}")
    return lines


def tidy(value: object) -> object:
    if isinstance(value, tuple):
        return " + ".join(str(tidy(each)) for each in value)
    return f"{value.normalize():f}" if isinstance(value, Decimal) else value


def keys(working: Working) -> list[str]:
    return [step.key for step in working.steps]


def test_a_rated_players_change_is_told_from_the_games_to_the_rating() -> None:
    record = Record()
    record.open("Amahle", 1500)
    record.open("1", 2000)
    record.open("2", 1550)
    record.rate(card("Amahle", "+="), time_controls=(HOUR,))
    held = "37 Round 1, with white: 1500 − 2000 is held at -460, expected:"
    assert told(record.explain("Amahle", "otb-main")) == [
        "D-CSA-12 Official rating before the section, used for every game: 1500",
        f"{held} 0.541767 + 0.001164 × -460 = 0.006327",
        "37 Round 2, with black: 1 − (0.541767 + 0.001164 × (1550 − 1500)) = 0.400033",
        "19 Minutes for 60 moves, fastest control, the increment in seconds: 60 + 60 × 0 ÷ 60 = 60",
        "31 K for a Main rating: 24 × (0.713043 × 60 + 14.43478) ÷ 100 = 13.7321664",
        "37 Score less expected score, over all games: 1.5 − (0.006327 + 0.400033) = 1.09364",
        "29 K × (score − expected score): 13.7321664 × 1.09364 = 15.018046461696",
        "47 A gain counts with at least 2 games in 2 rounds; there were 2: 15.018046461696",
        "28 Change by this section, kept with 16 decimals: 15.018046461696 − 0 = 15.018046461696",
        "67 Pending until the next list: 0 + 15.018046461696 = 15.018046461696",
        "32 The opponents' ratings, added up: 2000 + 1550 = 3550",
        "32 The opponents' average rating: 3550 ÷ 2 = 1775",
        "32 Performance: 1775 + 850 × (1.5 ÷ 2 − 0.5) = 1987.5",
        "47 The performance qualifies: 2 games in 2 rounds, 2 needed",
        "39 No weight performance: 1 qualified performances are recent enough, 5 are needed",
        "67 After the section: official rating 1500, pending 15.018046461696",
    ]


@pytest.mark.parametrize(
    ("track", "words"),
    [
        ("hyb-main", "{0} minutes are outside 5 to 120, so 120 is used."),
        ("hyb-standard", "K for a Standard rating: 24"),
        ("ol-main", "K for a Main rating online, whatever the time: 20"),
    ],
)
def test_k_says_where_it_comes_from(track: str, words: str) -> None:
    record = Record()
    record.open("Amahle", 1500, tracks=(track,))
    record.rate("1 Amahle 1-0 Pieter", time_controls=(TimeControl((Decimal(121),)),), platform="online")
    assert any(words.format(121) in line for line in told(record.explain("Amahle", track)))


def test_each_game_line_says_why_it_counts_as_it_does() -> None:
    record = Record()
    record.open("Amahle", 1500)
    record.open("Nomsa", 1520)
    record.player("Thandi", pre=200)
    games = """
        1 Amahle 1-0 Nomsa
        2 Thandi 0-1 Amahle
        3 Amahle +:- Nomsa
        4 Nomsa +:- Amahle
        5 Amahle -:- Nomsa excused=first
        6 Amahle annulled Nomsa
        8 Lwazi 1/2 Amahle
    """
    record.rate(games, byes=(Bye(7, "Amahle", "pairing"), Bye(9, "Amahle", "half")))
    lines = record.explain("Amahle", "otb-main").games
    assert [(line.round, line.opponent, line.first, line.note) for line in lines] == [
        (1, "Nomsa", True, ""),
        (2, "Thandi", False, "pre-rating-held"),
        (3, "Nomsa", True, "forfeit-won"),
        (4, "Nomsa", False, "forfeit-lost"),
        (5, "Nomsa", True, "forfeit-excused"),
        (6, "Nomsa", True, "annulled"),
        (7, "", False, "bye-pairing"),
        (8, "Lwazi", False, "pre-rating"),
        (9, "", False, "bye-half"),
    ]
    assert lines[0].expected == Decimal("0.541767") - 20 * Decimal("0.001164")
    assert (lines[1].opponent_rating, lines[1].score) == (Decimal(200), Decimal(1))
    assert (lines[2].expected, lines[2].score) == (None, None)


def test_the_expected_scores_of_the_lines_add_up_to_the_sum_of_the_step() -> None:
    record = Record()
    record.open("Amahle", 1500)
    record.rate(card("Amahle", "+-=+-"))
    working = record.explain("Amahle")
    (step,) = (step for step in working.steps if step.key == "score-less-expected")
    assert (
        tuple(line.expected for line in working.games if line.expected is not None) == step.inputs["expected"]
    )
    assert sum(line.score or 0 for line in working.games) == step.inputs["score"]


def test_abroad_the_filed_rating_is_named() -> None:
    record = Record()
    record.open("Amahle", 1500)
    record.player("Chipo", nation="ZIM")
    entries = [Entry("Chipo", rating=2300), Entry("Farai", rating=1600)]
    record.rate("1 Amahle 0-1 Chipo\n2 Amahle 0-1 Farai", country="ZIM", entries=entries)
    notes = [line.note for line in record.explain("Amahle").games]
    assert notes == ["filed-rating-held", "filed-rating"]
    assert keys(record.explain("Chipo")) == ["abroad-foreigner"]


@pytest.mark.parametrize(
    ("results", "fields", "expected"),
    [
        ("+++", {"rounds": 5}, ["gain-cut"]),
        ("---", {"rounds": 5}, ["loss-counts"]),
        ("-", {"team": True}, ["team-counts"]),
    ],
)
def test_what_counts_is_said(results: str, fields: dict[str, Any], expected: list[str]) -> None:
    record = Record()
    record.open("Amahle", 1500)
    record.rate(card("Amahle", results), **fields)
    said = keys(record.explain("Amahle"))
    assert [key for key in said if key.startswith(("gain", "loss", "team", "winner"))] == expected


@pytest.mark.parametrize(("rounds", "key"), [(3, "winner-protected"), (4, "winner-not-protected")])
def test_a_winners_loss_is_said_to_fall_away_or_to_stay(rounds: int, key: str) -> None:
    record = Record()
    record.open("Amahle", 2200)
    record.open("Pieter", 1500)
    record.rate("1 Amahle 1/2 Pieter\n2 Amahle 1/2 Pieter\n3 Amahle 1/2 Pieter", rounds=rounds)
    assert key in keys(record.explain("Amahle"))


def test_penalties_are_told_one_by_one() -> None:
    record = Record()
    record.open("Amahle", 1500)
    games = card("Amahle", "=") + "\n2 Amahle -:+ Pieter"
    record.rate(games, rounds=4, entries=[Entry("Amahle", left=Departure(3, notified=False))])
    said = [line for line in told(record.explain("Amahle")) if "Penalty" in line]
    assert said == [
        "51 Penalty for the forfeit in round 2: -20",
        "52 Penalty for leaving without notice, round 3: -20",
        "52 Penalty for leaving without notice, round 4: -20",
    ]


def test_a_player_without_a_game_is_told_so() -> None:
    record = Record()
    record.open("Amahle", 1500)
    record.rate("2 Amahle -:+ Pieter")
    assert keys(record.explain("Amahle")) == [
        "own-rating",
        "penalty-forfeit",
        "change",
        "pending",
        "no-games",
        "rated-after",
    ]


def test_collecting_and_the_first_rating_are_told() -> None:
    record = Record()
    record.rate(card("Thandi", "====="))
    assert told(record.explain("Thandi"))[-4:] == [
        "54 Games collected towards a first rating, before and now: 0 + 5 = 5",
        "55 Points from them, before and now: 0 + 2.5 = 2.5",
        "57 The opponents' ratings added up, before and now: 0 + 6000 = 6000",
        "54 After the section: 5 games collected, 5 more needed for a rating",
    ]
    record.rate(card("Thandi", "++++=") + "\n6 Thandi -:+ Pieter")
    said = told(record.explain("Thandi"))
    assert said[4:] == [
        "D-CSA-10 The penalty for round 6 is recorded; a player without a rating loses no points",
        "54 Games collected towards a first rating, before and now: 5 + 5 = 10",
        "55 Points from them, before and now: 2.5 + 4.5 = 7",
        "57 The opponents' ratings added up, before and now: 6000 + 6000 = 12000",
        "32 The opponents' average rating: 12000 ÷ 10 = 1200",
        "56 First rating, the performance over all of them: 1200 + 850 × (7 ÷ 10 − 0.5) = 1370",
        "39 No weight performance: 2 qualified performances are recent enough, 5 are needed",
        "67 After the section: official rating 1370, pending 0",
    ]


def test_a_floor_is_told() -> None:
    record = Record()
    for number in range(1, 11):
        record.player(str(number), pre=200)
    record.rate(card("Thandi", "-" * 10))
    assert {"performance-floor", "first-rating-floor"} <= set(keys(record.explain("Thandi")))


@pytest.mark.parametrize(
    ("rating", "key", "after"),
    [(1000, "weight-lift", 1375), (874, "weight-lift-held", 1374), (1376, "weight-no-lift", 1376)],
)
def test_the_weight_performance_is_told_term_by_term(rating: int, key: str, after: int) -> None:
    record = Record()
    record.open("Amahle", rating)
    for number in range(1, 6):
        record.open(str(number), 1500)
    for number in range(5):
        ends = DAY - timedelta(146 * (5 - number))
        control = RAPID if number == 4 else HOUR
        record.rate(card("Amahle", "====="), starts=ends, ends=ends, on=ends, time_controls=(control,))
    working = record.explain("Amahle")
    said = told(working)
    at = keys(working).index("weight-term")
    day = date(2024, 3, 1) - timedelta(146)
    on, sum_ = said[at].split(", with 2920 of 2920 days left: ")
    assert (on, sum_) == (
        f"40 Performance in None, {day}, 0 days ago",
        "1500 × 0.95 × 2920 ÷ 2920 × 5 = 7125",
    )
    assert "146 days ago, with 2774 of 2920 days left: 1500 × 1 × 2774 ÷ 2920 × 4 = 5700" in said[at + 1]
    assert said[at + 5] == "40 Weight performance: (7125 + 5700 + 4050 + 2550 + 1200) ÷ 15 = 1375"
    assert keys(working)[at + 6] == key
    assert working.steps[at + 6].result == after
    assert record.standing("Amahle").rating == after


@pytest.mark.parametrize(("days", "count"), [(2920, 2), (2921, 1)])
def test_40_a_performance_of_2920_days_ago_still_counts_among_the_young(days: int, count: int) -> None:
    record = Record()
    record.open("Amahle", 1500)
    for number in range(1, 3):
        record.open(str(number), 1500)
    later = DAY + timedelta(days)
    record.rate(card("Amahle", "=="))
    record.rate(card("Amahle", "=="), starts=later, ends=later, on=later)
    (step,) = (step for step in record.explain("Amahle").steps if step.key == "weight-too-few")
    assert step.inputs["count"] == count


def test_a_list_is_told_with_its_floor() -> None:
    record = Record()
    record.open("Amahle", 110)
    record.rate("2 Amahle -:+ Pieter")
    record.close()
    assert told(record.explain("Amahle")) == [
        "67 Official rating and what was pending: 110 + -20 = 90",
        "45 90 is below the floor: 100",
    ]
    assert record.explain("Pieter") == Working(())


def test_an_opening_is_told() -> None:
    record = Record()
    record.open("Amahle", 1500, tracks=("otb-main",))
    assert told(record.explain("Amahle")) == [
        "D-CSA-12 Taken over from list of June 2020, 2020-06-30, with 30 games: 1500"
    ]


def test_nothing_is_told_of_a_track_or_a_player_that_the_section_does_not_concern() -> None:
    record = Record()
    record.rate("1 Amahle 1-0 Pieter")
    assert record.explain("Amahle", "otb-blitz") == Working(())
    assert record.explain("Lwazi") == Working(())
