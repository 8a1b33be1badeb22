"""What counts as a hint: each search on both sides of each of its boundaries, without a database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from itertools import combinations

import pytest

from players.identity import LikelyDouble
from ratings.hints import (
    DAYS_APART,
    ComparedPlay,
    ExpectedGame,
    compute_deviation,
    days_of_rounds,
    find_far_score_hints,
    find_look_alike_hints,
    find_same_event_hints,
    find_two_places_hints,
)
from ratings.models import HintFound
from tournaments.models import Entry

pytestmark = pytest.mark.servers

DAY = date(2026, 11, 7)
PLAYERS = [f"10{n:02}" for n in range(5)]
ROUND_ROBIN = [(one, other, "1-0") for one, other in combinations(PLAYERS, 2)]
"""Ten games of five players."""

# ---------------------------------------------------------------- the same event twice


def played(
    games: Iterable[tuple[str, ...]] = ROUND_ROBIN,
    players: Iterable[str] = PLAYERS,
    starts: date = DAY,
    days: int = 1,
    pk: int = 2,
) -> ComparedPlay:
    ends = starts + timedelta(days - 1)
    who, results = frozenset(players), Counter(games)
    return ComparedPlay(pk, f"2026-{pk}/A", pk, "", False, starts, ends, who, results, {})


def same(other: ComparedPlay) -> list[HintFound]:
    return list(find_same_event_hints(played(pk=1), [other]))


def test_a_section_with_the_same_players_days_and_results_is_the_same_event_twice() -> None:
    [hint] = same(played())
    assert hint.evidence["key"] == "2026-2/A"
    assert (hint.evidence["results"], hint.evidence["of_results"]) == (10, 10)


@pytest.mark.parametrize(("turned", "hinted"), [(2, True), (3, False)])
def test_eight_results_of_ten_alike_are_nearly_the_same_and_seven_are_not(turned: int, hinted: bool) -> None:
    other = [(*game[:2], "0-1") for game in ROUND_ROBIN[:turned]] + ROUND_ROBIN[turned:]
    assert bool(same(played(other))) is hinted


@pytest.mark.parametrize(("others", "hinted"), [(1, True), (2, False)])
def test_four_players_of_five_are_nearly_the_same_field_and_three_are_not(others: int, hinted: bool) -> None:
    """The games stay those of all five: the field alone decides."""
    players = PLAYERS[: 5 - others] + [f"99{n}" for n in range(others)]
    assert bool(same(played(players=players))) is hinted


@pytest.mark.parametrize(("gap", "hinted"), [(0, True), (DAYS_APART, True), (DAYS_APART + 1, False)])
def test_a_month_between_two_sections_may_be_a_file_sent_once_more_and_a_day_more_is_not(
    gap: int, hinted: bool
) -> None:
    assert bool(same(played(starts=DAY + timedelta(gap)))) is hinted
    assert bool(same(played(starts=DAY - timedelta(gap + 2), days=3))) is hinted


@pytest.mark.parametrize(("games", "hinted"), [(6, True), (5, False)])
def test_six_results_alike_are_needed(games: int, hinted: bool) -> None:
    own = played(ROUND_ROBIN[:games], pk=1)
    assert bool(list(find_same_event_hints(own, [played(ROUND_ROBIN[:games])]))) is hinted


def test_a_group_filed_once_more_within_a_larger_field_is_seen() -> None:
    larger = [*ROUND_ROBIN, *((f"7{n}", f"8{n}", "1/2") for n in range(30))]
    players = [*PLAYERS, *(f"7{n}" for n in range(30))]
    assert same(played(larger, players))


def test_the_same_facts_have_the_same_key_and_others_another() -> None:
    [one], [again], [fewer] = same(played()), same(played()), same(played(ROUND_ROBIN[:9]))
    assert one.key == again.key
    assert one.key != fewer.key
    assert len(one.key) <= 40


# ---------------------------------------------------------------- in two places on one day


def there(
    days: Mapping[str, Iterable[date]], event: int = 2, place: str = "soweto", at_home: bool = False
) -> ComparedPlay:
    found = {player: frozenset(each) for player, each in days.items()}
    who, key = frozenset(found), f"2026-{event}/A"
    return ComparedPlay(event, key, event, place, at_home, DAY, DAY, who, Counter(), found)


HERE = there({"1001": [DAY], "1002": [DAY]}, event=1, place="durban")


def test_a_player_of_two_events_on_one_day_in_two_places_is_a_hint_with_the_days() -> None:
    [hint] = find_two_places_hints(HERE, [there({"1001": [DAY], "1003": [DAY]})])
    assert hint.evidence["days"] == {"1001": ["2026-11-07"]}
    assert hint.players == ("1001",)


def test_the_day_before_and_the_day_after_are_other_days() -> None:
    other = there({"1001": [DAY - timedelta(1), DAY + timedelta(1)]})
    assert not list(find_two_places_hints(HERE, [other]))


@pytest.mark.parametrize(("place", "hinted"), [("durban", False), ("soweto", True), ("", True)])
def test_two_events_of_one_place_are_no_hint_and_a_place_that_nobody_gave_is(
    place: str, hinted: bool
) -> None:
    assert bool(list(find_two_places_hints(HERE, [there({"1001": [DAY]}, place=place)]))) is hinted


def test_two_events_without_a_place_may_be_in_two_places() -> None:
    own = there({"1001": [DAY]}, event=1, place="")
    assert list(find_two_places_hints(own, [there({"1001": [DAY]}, place="")]))


def test_two_sections_of_one_event_are_no_hint() -> None:
    assert not list(find_two_places_hints(HERE, [there({"1001": [DAY]}, event=1)]))


def test_online_nobody_is_in_a_place() -> None:
    assert not list(find_two_places_hints(HERE, [there({"1001": [DAY]}, at_home=True)]))
    own = there({"1001": [DAY]}, event=1, at_home=True)
    assert not list(find_two_places_hints(own, [there({"1001": [DAY]})]))


def test_a_round_is_played_on_its_date() -> None:
    dates = [DAY.isoformat(), (DAY + timedelta(7)).isoformat()]
    days = days_of_rounds(DAY, DAY + timedelta(30), 2, dates)
    assert days == {1: {DAY}, 2: {DAY + timedelta(7)}}


@pytest.mark.parametrize(("days", "known"), [(1, True), (3, True), (4, False)])
def test_a_section_without_dates_is_played_on_each_of_its_days_if_it_has_a_round_for_each(
    days: int, known: bool
) -> None:
    found = days_of_rounds(DAY, DAY + timedelta(days - 1), 3, [])
    every = {DAY + timedelta(n) for n in range(days)}
    assert found == dict.fromkeys((1, 2, 3), every if known else set())


# ---------------------------------------------------------------- names that look like another's

ALIKE = LikelyDouble(1, 2, ("surname-nearly", "first-name", "born"))
NUMBERS = {1: "1001", 2: "1002"}


def entered(*players: int, evidence: tuple[str, ...] = (), new: bool = False) -> dict[int, Entry]:
    """The entries of players, each found with this evidence."""
    match = Entry.Match.NEW if new else Entry.Match.CERTAIN
    return {
        key: Entry(number=7, match=match, candidates=[{"player": key, "evidence": list(evidence)}])
        for key in players
    }


def test_a_new_player_who_looks_like_another_is_a_hint_whatever_found_them() -> None:
    [hint] = find_look_alike_hints(entered(1, evidence=("identifier",), new=True), [ALIKE], NUMBERS)
    assert hint.evidence["other"] == "1002"
    assert hint.evidence["new"] is True
    assert hint.players == ("1001", "1002")


@pytest.mark.parametrize(
    ("evidence", "hinted"),
    [(("surname", "first-name"), True), (("surname", "number"), False), (("identifier",), False), ((), True)],
)
def test_who_was_found_by_a_name_may_be_the_other_and_who_was_found_by_an_id_is_not(
    evidence: tuple[str, ...], hinted: bool
) -> None:
    for key in NUMBERS:
        found = find_look_alike_hints(entered(key, evidence=evidence), [ALIKE], NUMBERS)
        assert bool(list(found)) is hinted


def test_two_look_alikes_who_both_play_in_the_section_are_two_persons() -> None:
    assert not list(find_look_alike_hints(entered(1, 2, new=True), [ALIKE], NUMBERS))


# ---------------------------------------------------------------- a score far from expectation


def games(expected: str, scores: Iterable[str]) -> list[ExpectedGame]:
    return [
        ExpectedGame(number, f"20{number:02}", Decimal(1500), Decimal(expected), Decimal(score))
        for number, score in enumerate(scores, start=1)
    ]


def far(*tracks: list[ExpectedGame], deviations: int = 3) -> list[HintFound]:
    by_track = {f"track-{number}": each for number, each in enumerate(tracks)}
    return list(find_far_score_hints({"1001": by_track}, {"1001": 7}, deviations))


def test_the_arithmetic_stands_in_the_evidence() -> None:
    """Nine games of 0.1: expected 0.9; the variance is 9 × 0.1 × 0.9 = 0.81, its root 0.9."""
    deviation = compute_deviation(games("0.1", "111100000"))
    assert deviation is not None
    assert deviation.scored == 4
    assert (deviation.expected, deviation.spread) == (Decimal("0.9"), Decimal("0.9"))
    [hint] = far(games("0.1", "111100000"))
    told = {key: hint.evidence[key] for key in ("scored", "expected", "spread", "deviations", "entry")}
    assert told == {"scored": "4", "expected": "0.90", "spread": "0.90", "deviations": "3.4", "entry": 7}


@pytest.mark.parametrize(
    ("scores", "hinted"),
    [
        (["1"] * 3 + ["0"] * 6, False),  # 3 scored: 2.1 ÷ 0.9 = 2.33 standard deviations
        (["1"] * 3 + ["0.6"] + ["0"] * 5, True),  # 3.6 scored: 3 exactly
        (["1"] * 3 + ["0.5"] + ["0"] * 5, False),  # 3.5 scored: 2.89
        (["1"] * 4 + ["0"] * 5, True),
    ],
)
def test_three_standard_deviations_are_far_and_less_is_not(scores: list[str], hinted: bool) -> None:
    assert bool(far(games("0.1", scores))) is hinted


def test_the_office_sets_how_far_is_far() -> None:
    scores = ["1"] * 3 + ["0"] * 6
    assert far(games("0.1", scores), deviations=2)
    assert not far(games("0.1", scores), deviations=3)


def test_too_bad_a_score_is_a_hint_like_too_good_a_one() -> None:
    assert far(games("0.9", "000011111"))


@pytest.mark.parametrize(("number", "hinted"), [(3, False), (4, True)])
def test_four_games_are_needed(number: int, hinted: bool) -> None:
    assert bool(far(games("0.1", "1" * number))) is hinted


@pytest.mark.parametrize(("lost", "hinted"), [(1, False), (2, True)])
def test_one_slip_against_much_weaker_players_is_no_hint_though_it_is_many_deviations_off(
    lost: int, hinted: bool
) -> None:
    """With 0.99 expected of each game, one lost game of nine is already three deviations and more."""
    scores = ["0"] * lost + ["1"] * (9 - lost)
    deviation = compute_deviation(games("0.99", scores))
    assert deviation is not None
    assert deviation.deviations > 3
    assert bool(far(games("0.99", scores))) is hinted


def test_a_score_that_one_of_the_players_ratings_explains_is_no_hint_and_else_the_least_is_told() -> None:
    surprising, usual, less = games("0.1", "111100000"), games("0.4", "111100000"), games("0.12", "111110000")
    assert not far(surprising, usual)
    [hint] = far(games("0.1", "111110000"), less)
    assert hint.evidence["track"] == "track-1"


def test_the_answer_holds_while_the_games_are_the_same_though_ratings_moved_a_little() -> None:
    [before], [after] = far(games("0.1", "111100000")), far(games("0.11", "111110000"))
    [moved] = far(games("0.09", "111100000"))
    assert before.key == moved.key
    assert before.key != after.key
