"""Sports Dots: may a section be rated (SSDC 1.5, 2.4.2, 3, 4.2, 4.3)?"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from ratings.rulesets.facts import Entry, Filing, Finding, Level, Section
from ratings.rulesets.ssdc import RULESET
from ratings.tests.findings import LENIENT
from ratings.tests.ssdc_record import DAY, section_of

GAMES = "1 Ada 1-0 Boris\n2 Boris 1-0 Clara\n3 Clara 1-0 Ada"


def check(section: Section, filing: Filing | None = None) -> list[Finding]:
    rules: Any = RULESET.edition_on(section.starts).rules
    found: list[Finding] = rules.check(section, filing or Filing())
    assert all(one.clause in RULESET.words.clauses for one in found)
    assert all(RULESET.words.messages[one.key].format(**one.params) for one in found)
    return found


def findings(section: Section, filing: Filing | None = None) -> list[tuple[str, str, Level]]:
    return [(one.clause, one.key, one.level) for one in check(section, filing)]


def test_a_sound_section_has_no_findings() -> None:
    filing = Filing(registered=DAY - timedelta(7), filed=DAY + timedelta(3), handed_in=DAY + timedelta(3))
    assert findings(section_of(GAMES, category="highest"), filing) == []


def test_1_5_3_2_time_class_and_category_must_be_known() -> None:
    assert findings(section_of(GAMES, time_class=None, category=None)) == [
        ("1.5", "no-time-class", Level.BLOCKS),
        ("3.2", "no-category", Level.BLOCKS),
    ]


def test_3_5_a_friendly_tournament_is_never_rated() -> None:
    friendly = section_of(GAMES, category="friendly")
    assert findings(friendly) == [("3.5", "friendly", Level.BLOCKS)]
    found = RULESET.sections.find_unrateable_reason(friendly)
    assert found is not None
    assert found.clause == "3.5"
    assert RULESET.sections.find_unrateable_reason(section_of(GAMES, category="fourth")) is None


@pytest.mark.parametrize(("day", "key"), [(26, "before-the-regulations"), (27, None)])
def test_5_2_what_began_before_the_regulations_is_never_rated(day: int, key: str | None) -> None:
    first = date(2017, 1, day)
    found = RULESET.sections.find_unrateable_reason(section_of(GAMES, starts=first, ends=DAY))
    assert (found.key if found else None) == key


@pytest.mark.parametrize(
    ("time_class", "category", "found"),
    [
        ("classic", "highest", []),
        ("rapid", "first", []),
        ("rapid", "highest", [("3.4.7", "too-high", Level.BLOCKS)]),
        ("blitz", "highest", [("3.4.7", "too-high", Level.BLOCKS)]),
    ],
)
def test_3_4_1_with_rapid_or_blitz_time_no_tournament_is_of_the_highest(
    time_class: str, category: str, found: list[Any]
) -> None:
    assert findings(section_of(GAMES, time_class=time_class, category=category)) == found


@pytest.mark.parametrize(
    ("format_", "time_class", "category", "key"),
    [
        ("round-robin", "classic", "highest", None),
        ("double-round-robin", "classic", "highest", None),
        ("swiss", "classic", "first", None),
        ("swiss", "classic", "highest", "too-high-for-format"),
        ("knockout", "classic", "highest", "too-high-for-format"),
        ("scheveningen", "classic", "highest", "too-high-for-format"),
        ("swiss", "rapid", "second", None),
        ("swiss", "rapid", "first", "too-high-for-format"),
        ("swiss", "rapid", "highest", "too-high"),
    ],
)
def test_d_ssdc_12_where_not_all_meet_a_step_is_lost(
    format_: str, time_class: str, category: str, key: str | None
) -> None:
    found = check(section_of(GAMES, format=format_, time_class=time_class, category=category))
    assert [one.key for one in found] == ([key] if key else [])


@pytest.mark.parametrize(("category", "found"), [("third", True), ("fourth", False)])
def test_3_4_6_a_match_of_two_is_at_best_fourth_unless_the_office_knows_of_a_title(
    category: str, found: bool
) -> None:
    match = section_of("1 Ada 1-0 Boris", format="match", category=category)
    assert findings(match) == ([("3.4.6", "too-high-for-match", Level.BLOCKS)] if found else [])
    assert findings(match, Filing(said={"for_a_title": True})) == []


@pytest.mark.parametrize(
    ("said", "at_best", "clauses"),
    [
        ({"highest_rating": 2200}, "first", "3.4.1"),
        ({"highest_rating": 2199}, "second", "3.4.4"),
        ({"highest_rank": "C"}, "first", "3.4.1"),
        ({"highest_rank": "1"}, "second", "3.4.4"),
        ({"one_gender": True}, "first", "3.4.1"),
        ({"ages": True, "territory": True}, "second", "3.4.1"),
        ({"by_correspondence": True}, "first", "3.4.1"),
        ({"division": 2}, "first", "3.4.2"),
        ({"guaranteed_places": True}, "second", "3.4.3"),
        ({"guaranteed_places": True, "division": 3}, "fourth", "3.4.2, 3.4.3"),
        ({"guaranteed_places": True, "division": 4}, "friendly", "3.4.2, 3.4.3, 3.5"),
    ],
)
def test_3_4_7_no_category_is_above_what_the_stated_conditions_allow(
    said: dict[str, Any], at_best: str, clauses: str
) -> None:
    [found] = check(section_of(GAMES, category="highest"), Filing(said=said))
    assert (found.key, found.clause, found.level) == ("too-high", "3.4.7", Level.BLOCKS)
    assert found.params == {"category": "highest", "at_best": at_best, "clauses": clauses}
    if at_best != "friendly":
        assert findings(section_of(GAMES, category=at_best), Filing(said=said)) == []


@pytest.mark.parametrize("said", [{"for_a_challenger": True}, {"division": 1}, {"highest_rank": None}])
def test_3_3_what_limits_nobody_lowers_nothing(said: dict[str, Any]) -> None:
    assert findings(section_of(GAMES, category="highest"), Filing(said=said)) == []


def test_2_4_2_every_player_has_a_place_and_somebody_the_first() -> None:
    entries = (Entry("Ada", 1), Entry("Boris"), Entry("Clara"))
    lacking = check(section_of(GAMES, entries=entries))
    assert [(one.key, one.params) for one in lacking] == [("places-missing", {"players": 2})]
    late = section_of(GAMES, entries=(Entry("Ada", 2), Entry("Boris", 2), Entry("Clara", 3)))
    assert findings(late) == [("2.4.2", "nobody-first", Level.WAIVABLE)]


@pytest.mark.parametrize(
    ("places", "wrong"),
    [((1, 1, 3), []), ((1, 2, 2), []), ((1, 1, 2), ["place 2"]), ((1, 3, 3), ["place 3"]), ((1, 2, 5), [])],
)
def test_2_4_2_prize_places_count_those_before(places: tuple[int, ...], wrong: list[str]) -> None:
    entries = tuple(Entry(name, place) for name, place in zip(("Ada", "Boris", "Clara"), places, strict=True))
    assert [one.where for one in check(section_of(GAMES, entries=entries))] == wrong


def test_1_7_without_a_game_there_is_nothing_to_rate() -> None:
    assert findings(section_of("1 Ada +:- Boris")) == [("1.7", "no-games", Level.WAIVABLE)]


@pytest.mark.parametrize(
    ("games", "found"),
    [
        ("1 Ada 1/2 Boris\n1 Boris 1/2 Ada\n1 Ada 1-0 Boris", []),
        ("1 Ada annulled Boris\n1 Ada 0-1 Boris", []),
        ("1 Ada 1-0 Boris\n2 Ada 1-0 Boris", []),
        ("1 Ada 1-0 Boris\n1 Boris 1-0 Ada", [("1.7.1", "played-again", Level.NOTICE)]),
        ("1 Ada 0-0 Boris\n1 Boris 1-0 Ada", [("1.7.1", "played-again", Level.NOTICE)]),
    ],
)
def test_1_7_1_only_draws_and_annulled_games_are_replayed(games: str, found: list[Any]) -> None:
    assert findings(section_of(games, format="double-round-robin")) == found
    assert findings(section_of(games, format="match")) == []


def test_1_7_2_an_annulled_game_without_a_replay_is_asked_about() -> None:
    annulled = GAMES + "\n3 Ada annulled Boris"
    found = check(section_of(annulled))
    assert [(one.key, one.level, one.where) for one in found] == [
        ("annulled-no-replay", Level.NOTICE, "round 3")
    ]
    assert findings(section_of(annulled + "\n3 Boris 1-0 Ada")) == []


@pytest.mark.parametrize(("days", "late"), [(7, False), (6, True)])
def test_4_2_other_organizers_send_their_regulations_seven_days_before(days: int, late: bool) -> None:
    said = {"held_by": "other", "sent_on": DAY - timedelta(days + 9), "entry_from": DAY - timedelta(9)}
    found = findings(section_of(GAMES), Filing(said=said))
    assert found == ([("4.2", "announced-late", Level.WAIVABLE)] if late else [])
    lenient = findings(section_of(GAMES), Filing(said=said, settings=LENIENT))
    assert lenient == ([("4.2", "announced-late", Level.NOTICE)] if late else [])


def test_4_2_other_organizers_say_both_days() -> None:
    said = {"held_by": "other", "sent_on": DAY, "entry_from": None}
    assert findings(section_of(GAMES), Filing(said=said)) == [("4.2", "sending-not-said", Level.WAIVABLE)]


@pytest.mark.parametrize(("days", "late"), [(7, False), (6, True)])
def test_4_2_a_tournament_registered_shortly_before_is_asked_who_held_it(days: int, late: bool) -> None:
    registered = DAY - timedelta(days)
    found = findings(section_of(GAMES), Filing(registered=registered))
    assert found == ([("4.2", "holder-not-said", Level.NOTICE)] if late else [])
    assert findings(section_of(GAMES), Filing(registered=registered, said={"held_by": "club"})) == []


@pytest.mark.parametrize(("days", "late"), [(3, False), (4, True)])
def test_4_3_results_come_within_three_days_of_the_end(days: int, late: bool) -> None:
    found = findings(section_of(GAMES), Filing(handed_in=DAY + timedelta(days)))
    assert found == ([("4.3", "filed-late", Level.WAIVABLE)] if late else [])
    lenient = findings(section_of(GAMES), Filing(handed_in=DAY + timedelta(days), settings=LENIENT))
    assert lenient == ([("4.3", "filed-late", Level.NOTICE)] if late else [])


def test_4_3_results_do_not_come_before_the_end() -> None:
    assert findings(section_of(GAMES), Filing(filed=DAY - timedelta(1))) == [
        ("4.3", "filed-early", Level.WAIVABLE)
    ]


def test_every_finding_is_told_not_only_the_first() -> None:
    section = section_of(
        "1 Ada annulled Boris",
        time_class="blitz",
        category="highest",
        format="match",
        entries=(Entry("Ada"),),
    )
    found = check(section, Filing(registered=DAY, handed_in=DAY + timedelta(10)))
    assert [one.key for one in found] == [
        "too-high",
        "places-missing",
        "no-games",
        "annulled-no-replay",
        "holder-not-said",
        "filed-late",
    ]
