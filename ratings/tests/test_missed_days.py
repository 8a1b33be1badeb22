"""A day before play that was missed is told where it happens, with its clause and what can be done."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from html import unescape

import pytest
from django.test import Client

from players.models import Federation, Region, User
from players.settings import today
from ratings.tests.test_waivers import declared, mahjong, official
from tests.built_once import built_once
from tournaments.before_play import answer_permission, ask_permission, list_missed_days
from tournaments.models import Event, Section, Stage
from tournaments.tests.conftest import section
from tournaments.tests.test_sent_once import event_form

__all__ = ("mahjong", "official", "section")
ClientOf = Callable[[User], Client]
STARTS = date(2026, 3, 6)
ONE = timedelta(1)
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
@built_once
def hold_to_deadlines(csa: Federation, mahjong: Federation) -> None:
    for office in (csa, mahjong):
        office.settings = {"deadlines": True}
        office.save(update_fields=["settings"])


def fresh(section: Section) -> Section:
    return Section.objects.select_related("event__federation", "event__region").get(pk=section.pk)


def registered_on(section: Section, day: date) -> None:
    Section.objects.filter(pk=section.pk).update(registered_on=day)


def words_of(browser: Client, page: str) -> str:
    found = browser.get(page, follow=True).content.decode()
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", found)))


def test_csa_61_is_missed_from_the_day_after_its_last_day_on(section: Section) -> None:
    registered_on(section, STARTS - timedelta(3))
    assert list_missed_days(fresh(section), STARTS) == []
    registered_on(section, STARTS - timedelta(2))
    [missed] = list_missed_days(fresh(section), STARTS)
    assert missed.words() == (
        "Register the event (§61.1): the last day was 3 March 2026, and it was done on 4 March 2026."
    )
    assert missed.follows == "permit"


def test_late_results_are_no_missed_day_before_play(section: Section) -> None:
    assert list_missed_days(fresh(section), STARTS + timedelta(99)) == []


@pytest.mark.parametrize("stage", [Stage.CANCELLED, Stage.RATED, Stage.REFUSED])
def test_of_what_nobody_follows_any_more_nothing_is_told(stage: Stage, section: Section) -> None:
    registered_on(section, STARTS)
    Section.objects.update(stage=stage)
    assert list_missed_days(fresh(section), STARTS) == []


def test_what_follows_is_to_ask_then_to_wait_and_what_is_permitted_is_told_no_more(
    section: Section, amahle: User, nomsa: User
) -> None:
    registered_on(section, STARTS)
    request = ask_permission(
        section=section, by=amahle, on=STARTS, version=section.version, clause="61", reason="The hall burnt."
    )
    assert [each.follows for each in list_missed_days(fresh(section), STARTS)] == ["asked"]
    version = fresh(section).version
    answer_permission(request=request, by=nomsa, on=STARTS, version=version, granted=False, reason="No.")
    assert [each.follows for each in list_missed_days(fresh(section), STARTS)] == ["refused"]
    request = ask_permission(
        section=section, by=amahle, on=STARTS, version=version + 1, clause="61", reason="The hall burnt."
    )
    version = fresh(section).version
    answer_permission(request=request, by=nomsa, on=STARTS, version=version, granted=True, reason="")
    assert list_missed_days(fresh(section), STARTS) == []


def test_an_office_that_does_not_hold_to_deadlines_only_takes_note(section: Section, csa: Federation) -> None:
    registered_on(section, STARTS)
    csa.settings = {"deadlines": False}
    csa.save(update_fields=["settings"])
    [missed] = list_missed_days(fresh(section), STARTS)
    assert (missed.follows, missed.for_region(), missed.for_office()) == ("noted", "", "")


def test_mahjong_16_knows_no_permission_so_the_office_weighs_the_reason(
    mahjong: Federation, official: User
) -> None:
    section = declared(mahjong, official, announced_on="2026-05-21")
    [missed] = list_missed_days(fresh(section), date(2026, 6, 1))
    assert (missed.clause, missed.follows) == ("1.6", "to-weigh")


def test_who_registers_too_late_is_told_at_once_with_the_clause_and_what_to_do(
    csa: Federation, gauteng: Region, amahle: User, client_of: ClientOf
) -> None:
    for days, late in ((2, True), (3, False)):
        day = (today(csa) + timedelta(days=days)).isoformat()
        sent = event_form(gauteng, starts=day, ends=day, name=f"Open {days}")
        answer = client_of(amahle).post("/csa/events/register/", sent, follow=True)
        assert ("(§61.1): the last day was" in answer.content.decode()) is late
        event = Event.objects.get(name=f"Open {days}")
        for page, told in (("sections/", late), ("A/file/", False)):
            text = words_of(client_of(amahle), f"/csa/events/{event.number}/{page}")
            assert ("Too late: section A" in text) is told, page
            assert ("Ask the office to permit it" in text) is told, page


def test_an_official_reads_in_queue_and_review_what_came_too_late(
    section: Section, nomsa: User, client_of: ClientOf
) -> None:
    registered_on(section, STARTS)
    browser = client_of(nomsa)
    assert "too late: Register the event (§61.1)" in words_of(browser, "/csa/desk/?tab=with-regions")
    review = words_of(browser, f"{section.get_absolute_url()}review/")
    assert "The region can ask for permission, and has not." in review
    registered_on(section, STARTS - timedelta(3))
    assert "too late:" not in words_of(browser, "/csa/desk/?tab=with-regions")
    assert "Too late" not in words_of(browser, f"{section.get_absolute_url()}review/")


def test_before_play_an_official_reads_what_was_announced_too_late(
    mahjong: Federation, official: User, client_of: ClientOf
) -> None:
    section = declared(mahjong, official, announced_on="2026-06-19")
    text = words_of(client_of(official), f"{section.get_absolute_url()}before-play/")
    assert "§1.6" in text
    assert "what admits or approves the section needs a reason" in text
