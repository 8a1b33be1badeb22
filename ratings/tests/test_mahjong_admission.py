"""Russian mahjong: may a competition be admitted (RMF 1–4)?"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from ratings.rulesets.facts import Entry, Player, Section
from ratings.rulesets.mahjong import RULESET, edition
from ratings.rulesets.mahjong.edition.admission import Competition, final, month_before, preliminary
from ratings.rulesets.reports import Finding, Level
from ratings.rulesets.ruleset import Filing
from ratings.tests.mahjong_record import DAY, player, section_of

Told = tuple[str, str, Level]


def told(findings: list[Finding]) -> list[Told]:
    assert all(one.clause in RULESET.clauses for one in findings)
    assert all(RULESET.messages[one.key].format(**one.params) for one in findings)
    return [(one.clause, one.key, one.level) for one in findings]


def competition(status: str | None, players: int = 40, sessions: int = 6, **more: Any) -> Competition:
    return Competition(status, more.pop("coefficient", None), players, sessions, DAY, **more)


def check(filed: Section, filing: Filing | None = None) -> list[Told]:
    return told(edition.check(filed, filing or Filing()))


def section(players: int = 12, **fields: Any) -> Section:
    return section_of(" ".join(f"P{number:02}" for number in range(1, players + 1)), **fields)


def register(filed: Section, **particulars: Any) -> dict[str, Player]:
    return {entry.player: player(entry.player, **particulars) for entry in filed.entries}


def test_1_1_there_are_statuses() -> None:
    for status in ("city", "region", "national", "foreign", "european", "world"):
        assert told(preliminary(competition(status))) == []
    assert told(preliminary(competition(None))) == [("1.1", "no-status", Level.BLOCKS)]
    assert told(preliminary(competition("club"))) == [("1.1", "no-status", Level.BLOCKS)]


def test_4_a_special_tournament_has_a_coefficient_of_1_or_2() -> None:
    for coefficient in (1, 2):
        assert told(preliminary(competition("special", coefficient=coefficient))) == []
    for wrong in (None, 0, 3):
        assert told(preliminary(competition("special", coefficient=wrong))) == [
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
def test_1_2_players_and_1_5_sessions(status: str, players: int, sessions: int) -> None:
    enough = competition(status, players, sessions, coefficient=1)
    assert told(preliminary(enough)) == []
    assert told(preliminary(replace(enough, players=players - 1))) == [
        ("1.2", "too-few-players", Level.BLOCKS)
    ]
    assert told(preliminary(replace(enough, sessions=sessions - 1))) == [
        ("1.5", "too-few-sessions", Level.BLOCKS)
    ]


@pytest.mark.parametrize(
    ("status", "members"),
    [("city", 2), ("region", 2), ("foreign", 2), ("national", 6), ("special", 6), ("world", 2)],
)
def test_1_3_members_once_there_is_membership(status: str, members: int) -> None:
    asked = competition(status, coefficient=1, membership=DAY, members=members)
    assert told(preliminary(asked)) == []
    assert told(preliminary(replace(asked, members=members - 1))) == [
        ("1.3", "too-few-members", Level.BLOCKS)
    ]
    assert told(preliminary(replace(asked, members=None))) == [("1.3", "members-not-known", Level.WAIVABLE)]


def test_d_rmf_5_before_membership_nobody_asks_for_members() -> None:
    asked = competition("city", members=0)
    assert told(preliminary(asked)) == []
    assert told(preliminary(replace(asked, membership=date(2020, 3, 2)))) == []
    assert told(preliminary(replace(asked, membership=date(2020, 3, 1)))) == [
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
    assert told(preliminary(asked)) == []
    few = replace(asked, representing=needed - 1)
    assert told(preliminary(few)) == [("1.3", key, Level.NOTICE)]
    assert told(preliminary(replace(few, membership=DAY, members=9))) == [("1.3", key, Level.BLOCKS)]


def test_1_6_announced_a_month_before_unless_abroad() -> None:
    asked = competition("city", announced=date(2020, 2, 1))
    assert told(preliminary(asked)) == []
    late = replace(asked, announced=date(2020, 2, 2))
    assert told(preliminary(late)) == [("1.6", "announced-late", Level.WAIVABLE)]
    for status in ("foreign", "european", "world"):
        assert told(preliminary(replace(late, status=status))) == []


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
    assert told(final(declared, declared)) == []
    assert told(final(declared, None)) == []
    assert told(final(replace(declared, coefficient=2), declared)) == [("4", "revised-alone", Level.BLOCKS)]
    assert told(final(competition("city"), declared)) == []
    assert told(final(replace(declared, coefficient=2), competition("city"))) == []


# ------------------------------------------------------------------------------- a section as filed


def test_a_sound_section_has_no_finding() -> None:
    filed = section(status="region")
    filing = Filing(
        registered=date(2020, 1, 2),
        filed=DAY,
        particulars=register(filed, region="MOW"),
        members=frozenset({"P01", "P02"}),
        membership=date(2015, 1, 1),
    )
    assert check(filed, filing) == []
    assert check(filed) == []


def test_1_3_who_is_a_member_and_of_the_region_is_counted() -> None:
    filed = section(status="region")
    people = register(filed, region="MOW")
    for name in list(people)[4:]:
        people[name] = replace(people[name], region=None)
    filing = Filing(particulars=people, members=frozenset({"P01", "Somebody"}), membership=DAY)
    assert check(filed, filing) == [
        ("1.3", "too-few-members", Level.BLOCKS),
        ("1.3", "too-few-of-the-place", Level.BLOCKS),
    ]


def test_1_3_of_russia_are_its_citizens() -> None:
    filed = section(16, status="national")
    people = register(filed)
    for name in list(people)[8:]:
        people[name] = replace(people[name], nation="KAZ")
    assert check(filed, Filing(particulars=people)) == [("1.3", "too-few-of-russia", Level.NOTICE)]


def test_3_the_final_decision_comes_after_the_end() -> None:
    filed = section(ends=date(2020, 3, 2))
    assert check(filed, Filing(filed=date(2020, 3, 2))) == []
    assert check(filed, Filing(filed=date(2020, 3, 1))) == [("3", "not-over", Level.BLOCKS)]


def test_4_what_was_declared_is_compared() -> None:
    declared = section(status="special", coefficient=1)
    assert check(replace(declared, coefficient=2), Filing(declared=declared)) == [
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
    assert check(filed, Filing(particulars=people)) == [("2", "nation-unknown", Level.NOTICE)]
