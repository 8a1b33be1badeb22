"""Sections whose event gets other days: who moves, who stays, what the public reads and what is found."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

import pytest
from django.test import Client

from players.models import User
from players.record import Refused
from players.writing import page_cache
from tests.built_once import built_once
from tournaments.acceptance import recheck
from tournaments.announcements import Days, postpone_event, postpone_section
from tournaments.models import Entry, Event, Section
from tournaments.registration import edit_event, edit_section, withdraw_section
from tournaments.tests.conftest import fresh
from tournaments.tests.test_changes import WHY, as_seen, like, named, second

pytestmark = pytest.mark.django_db
Move = Callable[[Section, User, Days], object]
LATE = ("61.1", "registered-late")


@pytest.fixture(autouse=True)
def no_page_is_kept() -> None:
    page_cache.clear()


def march(first: int, last: int) -> Days:
    return date(2026, 3, first), date(2026, 3, last)


def by_edit_of_event(section: Section, by: User, to: Days) -> None:
    said = named(section.event, starts=to[0], ends=to[1], reason=WHY)
    edit_event(event=section.event, said=said, **as_seen(section.event, by))


def by_postponing_event(section: Section, by: User, to: Days) -> None:
    seen = as_seen(section.event, by)
    postpone_event(event=section.event, reason=WHY, starts=to[0], ends=to[1], **seen)


def by_edit_of_section(section: Section, by: User, to: Days) -> None:
    said = like(section, starts=to[0], ends=to[1], reason=WHY)
    edit_section(section=section, said=said, **as_seen(section, by))


def by_postponing_section(section: Section, by: User, to: Days) -> None:
    postpone_section(section=section, reason=WHY, starts=to[0], ends=to[1], **as_seen(section, by))


of_event = pytest.mark.parametrize("move", [by_edit_of_event, by_postponing_event])
of_section = pytest.mark.parametrize("move", [by_edit_of_section, by_postponing_section])


# ---------------------------------------------------------------- who moves (event: 6 to 8 March)


@of_event
@pytest.mark.parametrize(
    ("own", "to", "expected"),
    [
        pytest.param((7, 7), (6, 9), (7, 7), id="longer at its end: stays"),
        pytest.param((7, 7), (5, 8), (7, 7), id="longer at its start: stays"),
        pytest.param((7, 7), (5, 9), (7, 7), id="longer at both: stays"),
        pytest.param((7, 7), (7, 8), (7, 7), id="shorter, and within from its first day: stays"),
        pytest.param((7, 7), (6, 7), (7, 7), id="shorter, and within to its last day: stays"),
        pytest.param((6, 6), (7, 8), (7, 7), id="shorter, and before it: moves as the first day"),
        pytest.param((7, 7), (7, 9), (8, 8), id="moved by a day, though it lay within: moves"),
        pytest.param((7, 7), (5, 7), (6, 6), id="moved back by a day: moves"),
        pytest.param((7, 8), (20, 22), (21, 22), id="moved as a whole: moves"),
        pytest.param((7, 7), (20, 21), (21, 21), id="moved and shorter: moves as the first day"),
        pytest.param((6, 8), (6, 9), (6, 9), id="the event's days: gets the new ones"),
    ],
)
def test_a_section_moves_with_its_event_and_stays_where_the_event_gets_longer_or_shorter_around_it(
    section: Section,
    amahle: User,
    move: Move,
    own: tuple[int, int],
    to: tuple[int, int],
    expected: tuple[int, int],
) -> None:
    starts, ends = march(*own)
    other = second(section, amahle, starts=starts, ends=ends)
    move(section, amahle, march(*to))
    now = fresh(other)
    assert (now.starts, now.ends) == march(*expected)
    stays = own == expected
    assert (now.postponed, now.version, now.notice) == ((False, 0, "") if stays else (True, 1, WHY))


@of_event
def test_a_section_that_would_end_after_its_event_refuses_the_move_and_nothing_is_changed(
    section: Section, amahle: User, move: Move
) -> None:
    starts, ends = march(7, 8)
    second(section, amahle, starts=starts, ends=ends)
    with pytest.raises(Refused, match="Section B would end on 8 March 2026, after the event"):
        move(section, amahle, march(6, 7))
    assert not fresh(section).postponed
    assert not fresh(section).event.postponed


# ---------------------------------------------------------------- what the public reads


@of_event
def test_a_section_that_stays_is_not_called_postponed_on_its_page_and_one_that_moves_says_why(
    client: Client, section: Section, amahle: User, move: Move
) -> None:
    second(section, amahle, starts=date(2026, 3, 7), ends=date(2026, 3, 7))
    move(section, amahle, march(6, 9))
    assert "Postponed." not in client.get("/csa/events/2026-001/B/").content.decode()
    page_cache.clear()
    section.event.refresh_from_db()
    move(section, amahle, march(7, 10))
    page = client.get("/csa/events/2026-001/B/").content.decode()
    told = re.search(
        r"Postponed\.\s*</strong>\s*(.*?)\s*<br>.*?<time datetime=\"([0-9-]+)\"", page, re.DOTALL
    )
    assert told
    assert told.groups() == (WHY, "2026-03-07")


@of_event
def test_a_section_with_its_events_days_says_once_why_these_changed(
    client: Client, section: Section, amahle: User, move: Move
) -> None:
    move(section, amahle, march(20, 22))
    for address in ("/csa/events/2026-001/A/", "/csa/events/2026-001/"):
        assert client.get(address).content.decode().count(WHY) == 1, address


# ---------------------------------------------------------------- what is found then


def found(section: Section) -> list[tuple[str, str]]:
    return list(section.findings.filter(key=LATE[1]).values_list("clause", "key"))


@pytest.fixture
@built_once
def filed(section: Section) -> Section:
    return with_a_player(section)


def with_a_player(section: Section) -> Section:
    """Registered on 4 March, too late for 6 March by two days (§61.1), with somebody to check."""
    Section.objects.filter(pk=section.pk).update(registered_on=date(2026, 3, 4))
    Entry.objects.create(section=section, number=1, surname="Dlamini")
    recheck(fresh(section))
    assert found(section) == [LATE]
    return fresh(section)


@pytest.mark.parametrize(
    "move", [by_edit_of_event, by_postponing_event, by_edit_of_section, by_postponing_section]
)
def test_csa_61_findings_count_from_the_days_that_the_event_got_just_now(
    filed: Section, amahle: User, move: Move
) -> None:
    move(filed, amahle, march(7, 9))
    assert found(filed) == []
    filed = fresh(filed)
    move(filed, amahle, march(6, 9))
    assert found(filed) == [LATE]


@of_section
def test_csa_61_findings_of_the_other_sections_count_from_the_days_that_one_section_gives_the_event(
    section: Section, amahle: User, move: Move
) -> None:
    starts, ends = march(8, 8)
    other = with_a_player(second(section, amahle, starts=starts, ends=ends))
    move(section, amahle, march(7, 8))
    assert Event.objects.get().starts == date(2026, 3, 7)
    assert found(other) == []


def test_csa_61_findings_of_the_other_sections_count_from_the_days_without_a_withdrawn_one(
    section: Section, amahle: User
) -> None:
    starts, ends = march(8, 8)
    other = with_a_player(second(section, amahle, starts=starts, ends=ends))
    withdraw_section(section=section, reason=WHY, **as_seen(section, amahle))
    assert Event.objects.get().starts == date(2026, 3, 8)
    assert found(other) == []


def test_an_edited_or_postponed_section_comes_back_with_its_event_as_it_is_now(
    section: Section, amahle: User
) -> None:
    to = march(20, 22)
    now = postpone_section(section=section, reason=WHY, starts=to[0], ends=to[1], **as_seen(section, amahle))
    assert (now.event.starts, now.event.ends) == to
