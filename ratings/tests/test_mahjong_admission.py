"""Russian mahjong: may a competition be admitted (RMF 1–4)?"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from ratings.rulesets.facts import Entry, Filing, Finding, Level, Player, Section
from ratings.rulesets.mahjong import RULESET, edition_undated
from ratings.rulesets.mahjong.edition_undated import (
    CompetitionParticulars,
    final_findings,
    month_before,
    preliminary_findings,
)
from ratings.tests.findings import LENIENT
from ratings.tests.mahjong_cases import MEMBERSHIP
from ratings.tests.mahjong_record import DAY, player, section_of

Told = tuple[str, str, Level]


def told(findings: list[Finding]) -> list[Told]:
    assert all(one.clause in RULESET.words.clauses for one in findings)
    assert all(RULESET.words.messages[one.key].format(**one.params) for one in findings)
    return [(one.clause, one.key, one.level) for one in findings]


def competition(
    status: str | None, players: int = 40, sessions: int = 6, **more: Any
) -> CompetitionParticulars:
    return CompetitionParticulars(status, more.pop("coefficient", None), players, sessions, DAY, **more)


def check(filed: Section, /, **changes: Any) -> list[Told]:
    """What is found in a competition that was open, by the rules and declared before; changed in this."""
    filing = Filing(
        said={"entry": "open", "played_by": "wmo"} | changes.pop("said", {}),
        declared=filed,
        declared_on=filed.starts - timedelta(1),
    )
    return told(edition_undated.check(filed, replace(filing, **changes)))


def section(players: int = 12, **fields: Any) -> Section:
    return section_of(" ".join(f"P{number:02}" for number in range(1, players + 1)), **fields)


def register(filed: Section, **particulars: Any) -> dict[str, Player]:
    return {entry.player: player(entry.player, **particulars) for entry in filed.entries}


def test_1_1_there_are_statuses() -> None:
    for status in ("city", "region", "national", "foreign", "european", "world"):
        assert told(preliminary_findings(competition(status))) == []
    assert told(preliminary_findings(competition(None))) == [("1.1", "no-status", Level.BLOCKS)]
    assert told(preliminary_findings(competition("club"))) == [("1.1", "no-status", Level.BLOCKS)]


def test_4_a_special_tournament_has_a_coefficient_of_1_or_2() -> None:
    for coefficient in (1, 2):
        assert told(preliminary_findings(competition("special", coefficient=coefficient))) == []
    for wrong in (None, 0, 3):
        assert told(preliminary_findings(competition("special", coefficient=wrong))) == [
            ("4", "no-coefficient", Level.BLOCKS)
        ]


@pytest.mark.parametrize(
    ("status", "players", "sessions"),
    [
        ("city", 8, 3),
        ("region", 12, 3),
        ("special", 12, 4),
        ("national", 16, 4),
        ("foreign", 24, 5),
        ("european", 24, 5),
        ("world", 24, 5),
    ],
)
def test_1_5_a_number_of_sessions_that_nobody_gave_is_called_unknown_and_no_number(
    status: str, players: int, sessions: int
) -> None:
    assert sessions > 1
    for given, key in ((0, "sessions-not-known"), (1, "too-few-sessions")):
        [found] = preliminary_findings(competition(status, players, given, coefficient=1))
        assert (found.clause, found.key, found.level) == ("1.5", key, Level.BLOCKS)
        assert found.params.get("sessions") == (given or None)
        assert found.params["needed"] == sessions


@pytest.mark.parametrize(
    ("status", "players", "sessions"),
    [
        ("city", 8, 3),
        ("region", 12, 3),
        ("special", 12, 4),
        ("national", 16, 4),
        ("foreign", 24, 5),
        ("european", 24, 5),
        ("world", 24, 5),
    ],
)
def test_1_2_players_and_1_5_sessions(status: str, players: int, sessions: int) -> None:
    enough = competition(status, players, sessions, coefficient=1)
    assert told(preliminary_findings(enough)) == []
    assert told(preliminary_findings(replace(enough, players=players - 1))) == [
        ("1.2", "too-few-players", Level.BLOCKS)
    ]
    assert told(preliminary_findings(replace(enough, sessions=sessions - 1))) == [
        ("1.5", "too-few-sessions", Level.BLOCKS)
    ]


@pytest.mark.parametrize(
    ("status", "members"),
    [("city", 2), ("region", 2), ("foreign", 2), ("national", 6), ("special", 6), ("world", 2)],
)
def test_1_3_members_once_there_is_membership(status: str, members: int) -> None:
    asked = competition(status, coefficient=1, membership=DAY, members=members, representing=9)
    assert told(preliminary_findings(asked)) == []
    assert told(preliminary_findings(replace(asked, members=members - 1))) == [
        ("1.3", "too-few-members", Level.BLOCKS)
    ]
    assert told(preliminary_findings(replace(asked, members=None))) == [
        ("1.3", "members-not-known", Level.WAIVABLE)
    ]


def test_d_rmf_5_before_membership_too_few_members_are_a_notice() -> None:
    asked = competition("city", members=0, representing=5)
    noticed = [("1.3", "too-few-members", Level.NOTICE)]
    assert told(preliminary_findings(asked)) == noticed
    assert told(preliminary_findings(replace(asked, members=None))) == []
    assert told(preliminary_findings(replace(asked, membership=date(2020, 3, 2)))) == noticed
    assert told(preliminary_findings(replace(asked, membership=date(2020, 3, 1)))) == [
        ("1.3", "too-few-members", Level.BLOCKS)
    ]


@pytest.mark.parametrize(
    ("status", "needed", "key"),
    [
        ("city", 5, "too-few-of-the-place"),
        ("region", 5, "too-few-of-the-place"),
        ("national", 9, "too-few-of-russia"),
    ],
)
def test_1_3_players_of_the_place_are_a_notice_until_there_is_membership(
    status: str, needed: int, key: str
) -> None:
    asked = competition(status, representing=needed)
    assert told(preliminary_findings(asked)) == []
    few = replace(asked, representing=needed - 1)
    assert told(preliminary_findings(few)) == [("1.3", key, Level.NOTICE)]
    held = replace(few, membership=DAY, members=9)
    assert told(preliminary_findings(held)) == [("1.3", key, Level.BLOCKS)]
    assert told(preliminary_findings(replace(asked, representing=None))) == []
    assert told(preliminary_findings(replace(held, representing=None))) == [
        ("1.3", "representing-not-known", Level.WAIVABLE)
    ]


def test_1_6_announced_a_month_before_unless_abroad() -> None:
    asked = competition("city", announced=date(2020, 2, 1))
    assert told(preliminary_findings(asked)) == []
    late = replace(asked, announced=date(2020, 2, 2))
    assert told(preliminary_findings(late)) == [("1.6", "announced-late", Level.WAIVABLE)]
    for status in ("foreign", "european", "world"):
        assert told(preliminary_findings(replace(late, status=status))) == []


@pytest.mark.parametrize(
    ("day", "before"),
    [
        (date(2020, 3, 31), date(2020, 2, 29)),
        (date(2021, 3, 31), date(2021, 2, 28)),
        (date(2021, 1, 15), date(2020, 12, 15)),
        (date(2021, 12, 31), date(2021, 11, 30)),
        (date(2021, 2, 1), date(2021, 1, 1)),
    ],
)
def test_a_month_before_is_the_same_day_or_the_last(day: date, before: date) -> None:
    assert month_before(day) == before


def test_4_a_coefficient_is_revised_only_together_with_the_status() -> None:
    declared = competition("special", coefficient=1)
    assert told(final_findings(declared, declared)) == []
    assert told(final_findings(declared, None)) == []
    assert told(final_findings(replace(declared, coefficient=2), declared)) == [
        ("4", "revised-alone", Level.BLOCKS)
    ]
    assert told(final_findings(competition("city"), declared)) == []
    assert told(final_findings(replace(declared, coefficient=2), competition("city"))) == []


@pytest.mark.parametrize("status", ["city", "region", "national", "foreign", "european", "world"])
def test_1_1_all_but_special_tournaments_are_open(status: str) -> None:
    asked = competition(status)
    assert told(preliminary_findings(replace(asked, entry="closed"))) == [("1.1", "not-open", Level.BLOCKS)]
    assert told(preliminary_findings(replace(asked, entry=None))) == [
        ("1.1", "entry-not-said", Level.WAIVABLE)
    ]
    special = competition("special", coefficient=1, entry="closed")
    assert told(preliminary_findings(special)) == []


@pytest.mark.parametrize(("status", "home"), [("city", True), ("national", True), ("foreign", False)])
def test_1_1_a_championship_is_held_at_home(status: str, home: bool) -> None:
    abroad = told(preliminary_findings(competition(status, abroad=True)))
    assert abroad == ([("1.1", "championship-abroad", Level.WAIVABLE)] if home else [])


@pytest.mark.parametrize(
    ("played_by", "found"),
    [
        ("wmo", []),
        ("approved", []),
        ("other", [("1.4", "other-rules", Level.BLOCKS)]),
        (None, [("1.4", "rules-not-said", Level.WAIVABLE)]),
    ],
)
def test_1_4_the_rules_are_the_world_organizations_or_approved(played_by: Any, found: list[Told]) -> None:
    assert told(preliminary_findings(competition("city", played_by=played_by))) == found


def test_what_is_late_or_not_said_is_only_told_where_the_office_holds_nobody_to_it() -> None:
    asked = competition(
        "city", entry=None, played_by=None, announced=DAY, unsaid=Level.NOTICE, late=Level.NOTICE
    )
    assert {level for _clause, _key, level in told(preliminary_findings(asked))} == {Level.NOTICE}


# ------------------------------------------------------------------------------- a section as filed


def test_3_the_first_decision_comes_before_play_on_what_is_declared() -> None:
    nobody_yet = section(0, status="region")
    said = {"entry": "open", "played_by": "wmo", "expected": 12}
    assert told(edition_undated.check_admission(nobody_yet, Filing(said=said))) == []
    few = told(edition_undated.check_admission(nobody_yet, Filing(said=said | {"expected": 11})))
    assert few == [("1.2", "too-few-players", Level.BLOCKS)]
    filed = section()
    assert check(filed, declared_on=filed.starts - timedelta(1)) == []
    assert check(filed, declared_on=filed.starts) == [("3", "declared-late", Level.WAIVABLE)]
    assert check(filed, declared=None) == [("3", "not-declared", Level.WAIVABLE)]
    assert check(filed, declared=None, settings=LENIENT) == [("3", "not-declared", Level.NOTICE)]


def test_1_3_no_register_of_one_region_says_who_is_of_the_place() -> None:
    filed = section(status="region")
    people = register(filed, region="RUS")
    members = {"members": 2}
    assert check(filed, particulars=people, settings=MEMBERSHIP, said=members) == [
        ("1.3", "representing-not-known", Level.WAIVABLE)
    ]
    assert check(filed, particulars=people, settings=MEMBERSHIP, said=members | {"representing": 5}) == []
    assert check(filed, particulars=people, settings=MEMBERSHIP, said=members | {"representing": 4}) == [
        ("1.3", "too-few-of-the-place", Level.BLOCKS)
    ]
    assert check(filed, particulars=people) == []


def test_1_3_the_organizers_say_how_many_are_members() -> None:
    filed = section(status="region")
    of_the_place = {"representing": 5}
    assert check(filed, settings=MEMBERSHIP, said=of_the_place | {"members": 2}) == []
    assert check(filed, settings=MEMBERSHIP, said=of_the_place | {"members": 1}) == [
        ("1.3", "too-few-members", Level.BLOCKS)
    ]
    assert check(filed, settings=MEMBERSHIP, said=of_the_place) == [
        ("1.3", "members-not-known", Level.WAIVABLE)
    ]


def test_1_6_the_day_of_the_announcement_is_that_of_registration_unless_said() -> None:
    filed = section()
    assert check(filed, registered=date(2020, 2, 2)) == [("1.6", "announced-late", Level.WAIVABLE)]
    assert check(filed, registered=date(2020, 2, 2), said={"announced_on": date(2020, 2, 1)}) == []


def test_a_sound_section_has_no_finding() -> None:
    filed = section(status="region")
    filing = {
        "registered": date(2020, 1, 2),
        "filed": DAY,
        "particulars": register(filed, region="MOW"),
        "said": {"members": 2, "representing": 5},
        "settings": {"membership": "2015-01-01"},
    }
    assert check(filed, **filing) == []
    assert check(filed) == []


def test_1_3_of_russia_are_its_citizens() -> None:
    filed = section(16, status="national")
    people = register(filed)
    for name in list(people)[8:]:
        people[name] = replace(people[name], nation="KAZ")
    assert check(filed, particulars=people) == [("1.3", "too-few-of-russia", Level.NOTICE)]


def test_3_the_final_decision_comes_after_the_end() -> None:
    filed = section(ends=date(2020, 3, 2))
    assert check(filed, filed=date(2020, 3, 2)) == []
    assert check(filed, filed=date(2020, 3, 1)) == [("3", "not-over", Level.BLOCKS)]


def test_4_what_was_declared_is_compared() -> None:
    declared = section(status="special", coefficient=1)
    assert check(replace(declared, coefficient=2), declared=declared) == [
        ("4", "revised-alone", Level.BLOCKS)
    ]


@pytest.mark.parametrize(
    ("places", "found"),
    [
        ((1, 2, 3, 4, 5, 6, 7, 8), []),
        ((1, 1, 3, 4, 5, 6, 7, 7), []),
        ((1, 1, 2, 4, 5, 6, 7, 8), [("5", "place-out-of-line", Level.WAIVABLE)]),
        ((1, 2, 3, 4, 5, 6, 7, 9), [("5", "place-beyond", Level.BLOCKS)]),
        ((1, 2, 3, 4, 5, 6, 7, None), [("5", "no-place-given", Level.BLOCKS)]),
    ],
)
def test_5_places(places: tuple[int | None, ...], found: list[Told]) -> None:
    entries = tuple(Entry(f"P{number}", place) for number, place in enumerate(places))
    assert check(replace(section(), entries=entries)) == found


def test_2_unknown_nations_are_told() -> None:
    filed = section()
    people = register(filed, region="MOW")
    people["P03"] = replace(people["P03"], nation=None)
    assert check(filed, particulars=people) == [("2", "nation-unknown", Level.NOTICE)]
