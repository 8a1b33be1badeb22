"""Notices are shown with the words of the record alone, each beside what it is the reason of."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from conftest import appointed
from players.models import Decision, Federation, Region, Role, User
from players.record import withdraw_words
from players.writing import page_cache
from ratings import approval
from tests.pages import unbroken
from tournaments.announcements import (
    cancel_event,
    cancel_section,
    find_closing_notice,
    postpone_event,
    postpone_section,
)
from tournaments.before_play import refuse_before_play
from tournaments.models import Section, Stage
from tournaments.registration import edit_section, withdraw_event, withdraw_section
from tournaments.review import appeal, decide_appeal, take_back_decision
from tournaments.tests.conftest import TODAY, fresh
from tournaments.tests.test_changes import NEW_DAYS, WHY, as_seen, at, like, registered, second

pytestmark = pytest.mark.django_db
EVENTS, EVENT = "/csa/events/", "/csa/events/2026-001/"
A, B = f"{EVENT}A/", f"{EVENT}B/"
ALONE: dict[str, Any] = {"starts": date(2026, 3, 7), "ends": date(2026, 3, 7)}
REFUSAL = "No arbiter."
Deed = Callable[..., object]


def page(client: Client, address: str) -> str:
    page_cache.clear()
    return unbroken(client.get(address).content.decode())


def told_as_postponed(told: str) -> int:
    """How often a page tells the reason of the postponement right after the word for it."""
    return len(re.findall(rf"Postponed\.(</strong>)? ?{re.escape(WHY)}", told))


def withdraw(kind: str) -> None:
    withdraw_words(decision=Decision.objects.get(kind=kind), by=None, on=TODAY)


def postponed(thing: Any, by: User, **more: Any) -> None:
    deed: Deed = postpone_section if isinstance(thing, Section) else postpone_event
    what = "section" if isinstance(thing, Section) else "event"
    deed(**{what: thing}, **({"reason": WHY} | NEW_DAYS | more), **as_seen(thing, by))


def refused_early(section: Section, by: User, reason: str = REFUSAL) -> None:
    refuse_before_play(section=section, reason=reason, **as_seen(section, by))


# ---------------------------------------------------------------- words that were withdrawn


@pytest.mark.parametrize(
    ("kind", "pages"),
    [
        ("postpone", [EVENTS, EVENT, A]),
        ("cancel", [EVENTS, EVENT, A]),
        ("withdraw-event", [EVENT, A]),
    ],
)
def test_withdrawn_words_of_the_only_notice_of_an_event_are_gone_from_every_public_page(
    client: Client, section: Section, amahle: User, kind: str, pages: list[str]
) -> None:
    event = section.event
    if kind == "postpone":
        postponed(event, amahle)
    else:
        deed: Deed = cancel_event if kind == "cancel" else withdraw_event
        deed(event=event, reason=WHY, **as_seen(event, amahle))
    assert [address for address in pages if WHY not in page(client, address)] == []
    withdraw(kind)
    told = {address: page(client, address) for address in pages}
    assert [address for address in pages if WHY in told[address] or ">None<" in told[address]] == []


@pytest.mark.parametrize(
    ("kind", "pages"),
    [
        ("postpone", [EVENT, B]),
        ("cancel", [EVENT, B]),
        ("refuse-before-play", [EVENT, B]),
        ("withdraw-section", [B]),
    ],
)
def test_withdrawn_words_of_the_only_notice_of_a_section_are_gone_from_every_public_page(
    client: Client, section: Section, amahle: User, nomsa: User, kind: str, pages: list[str]
) -> None:
    other = second(section, amahle)
    if kind == "postpone":
        postponed(other, amahle, **ALONE)
    elif kind == "refuse-before-play":
        refused_early(other, nomsa, WHY)
    else:
        deed: Deed = cancel_section if kind == "cancel" else withdraw_section
        deed(section=other, reason=WHY, **as_seen(other, amahle))
    assert [address for address in pages if WHY not in page(client, address)] == []
    withdraw(kind)
    assert [address for address in pages if WHY in page(client, address)] == []


def test_withdrawn_words_are_gone_from_the_regions_pages_of_what_was_called_off(
    client_of: Callable[[User], Client], section: Section, amahle: User
) -> None:
    withdraw_event(event=section.event, reason=WHY, **as_seen(section.event, amahle))
    pages = [f"{EVENT}sections/", f"{A}submit/"]
    assert [address for address in pages if WHY not in page(client_of(amahle), address)] == []
    withdraw("withdraw-event")
    assert [address for address in pages if WHY in page(client_of(amahle), address)] == []


def test_no_template_shows_the_rows_copy_of_a_notice() -> None:
    folder = Path(__file__).resolve().parents[2] / "templates"
    shown = re.compile(r"\{\{[^}]*\b(event|section|thing|gone)\.notice\b")
    assert [str(each) for each in folder.rglob("*.html") if shown.search(each.read_text())] == []


def test_the_list_of_events_asks_no_more_for_the_words_of_many_than_of_one(
    client: Client, section: Section, amahle: User, csa: Federation, gauteng: Region
) -> None:
    def asked() -> int:
        page_cache.clear()
        with CaptureQueriesContext(connection) as queries:
            client.get(EVENTS)
        return len(queries)

    postponed(section, amahle)
    assert WHY in page(client, EVENTS)
    one = asked()
    for number in range(3):
        event = registered(amahle, csa, gauteng, f"Benoni Open {number}")
        postponed(event, amahle, reason=f"Reason {number}.")
    cancel_event(event=event, reason=REFUSAL, **as_seen(event, amahle))
    told = page(client, EVENTS)
    assert all(words in told for words in (WHY, "Reason 0.", "Reason 1.", REFUSAL))
    assert "Reason 2." not in told
    assert asked() == one


# ---------------------------------------------------------------- refused sections


def test_a_section_changed_and_then_refused_before_play_tells_what_changed_and_why(
    client: Client, section: Section, amahle: User, nomsa: User
) -> None:
    Section.objects.update(rounds=7)
    said = like(fresh(section), rounds=9, reason="One day less.")
    edit_section(section=section, said=said, **as_seen(section, amahle))
    refused_early(section, nomsa)
    told = page(client, A)
    assert "What was announced has changed." in told
    assert "One day less." in told
    assert "Rounds: 7 → 9" in told
    assert f"The office refused to rate it. {REFUSAL}" in told


def test_a_section_postponed_and_then_refused_before_play_tells_why_it_was_postponed(
    client: Client, section: Section, amahle: User, nomsa: User
) -> None:
    other = second(section, amahle)
    postponed(other, amahle, **ALONE)
    refused_early(other, nomsa)
    told = page(client, B)
    assert told_as_postponed(told) == 1
    assert f"The office refused to rate it. {REFUSAL}" in told


@pytest.mark.parametrize("stage", [Stage.SUBMITTED, Stage.REFUSED])
def test_the_reason_of_a_postponement_is_told_as_that_once_a_section_is_submitted_or_refused_after_play(
    client: Client, section: Section, amahle: User, nomsa: User, stage: Stage
) -> None:
    other = second(section, amahle)
    postponed(other, amahle, **ALONE)
    held = at(other, stage=Stage.SUBMITTED)
    if stage == Stage.REFUSED:
        approval.record_refusal(section=held, reason=REFUSAL, **as_seen(held, nomsa))
    told, of_event = page(client, B), page(client, EVENT)
    assert told.count(WHY) == told_as_postponed(told) == 1
    assert of_event.count(WHY) == told_as_postponed(of_event) == 1
    assert REFUSAL not in told + of_event


def test_the_refusal_that_stands_is_told_and_not_a_slip_that_was_taken_back(
    client: Client, section: Section, nomsa: User
) -> None:
    refused_early(section, nomsa)
    refused_early(section, nomsa, "A slip.")
    at_ = Decision.objects.filter(kind="refuse-before-play").latest("number").at
    take_back_decision(section=section, by=nomsa, at=at_, on=TODAY, version=fresh(section).version)
    told = page(client, A)
    assert REFUSAL in told
    assert "A slip." not in told


@pytest.mark.parametrize("upheld", [True, False])
def test_an_appeal_leaves_the_words_of_an_earlier_postponement(
    client: Client, section: Section, amahle: User, nomsa: User, csa: Federation, *, upheld: bool
) -> None:
    other = second(section, amahle)
    postponed(other, amahle, **ALONE)
    refused_early(other, nomsa)
    made = appeal(section=other, reason="There is one.", **as_seen(other, amahle))
    decides = appointed("Themba", csa, Role.OFFICIAL)
    decide_appeal(appeal=made, upheld=upheld, reason="We looked again.", **as_seen(other, decides))
    told = page(client, B)
    assert told_as_postponed(told) == 1
    assert (REFUSAL in told) is not upheld
    assert told_as_postponed(page(client, EVENT)) == upheld


# ---------------------------------------------------------------- a section's own notices


def test_a_sections_only_notice_stays_when_its_event_is_cancelled(
    client: Client, section: Section, amahle: User
) -> None:
    other = second(section, amahle)
    postponed(other, amahle, **ALONE)
    cancel_event(event=section.event, reason=REFUSAL, **as_seen(section.event, amahle))
    told = page(client, B)
    assert told_as_postponed(told) == 1
    assert f"It was cancelled. {REFUSAL}" in told


@pytest.mark.parametrize("deed", [postpone_event, cancel_event])
def test_one_notice_that_the_headline_tells_has_its_words_there_and_no_list(
    client: Client, section: Section, amahle: User, deed: Deed
) -> None:
    days = NEW_DAYS if deed is postpone_event else {}
    deed(event=section.event, reason=WHY, **days, **as_seen(section.event, amahle))
    told = page(client, EVENT)
    headline = "Postponed." if days else "This event was cancelled."
    assert f"<strong>{headline}</strong>{WHY}" in told
    assert told.count(WHY) == 1


def test_a_sections_only_postponement_stands_in_a_list_once_it_was_cancelled_with_its_event(
    client: Client, section: Section, amahle: User
) -> None:
    other = second(section, amahle)
    postponed(other, amahle, **ALONE)
    cancel_event(event=section.event, reason=REFUSAL, **as_seen(section.event, amahle))
    assert f"This section was cancelled.</strong>{WHY}" not in page(client, B)


def test_a_sections_cancellation_that_is_its_only_notice_is_told_once(
    client: Client, section: Section, amahle: User
) -> None:
    other = second(section, amahle)
    cancel_section(section=other, reason=REFUSAL, **as_seen(other, amahle))
    told = page(client, B)
    assert told.count(REFUSAL) == told.count(f"It was cancelled. {REFUSAL}") == 1


def test_what_stands_as_registered_or_was_only_postponed_has_no_closing_notice(
    section: Section, amahle: User
) -> None:
    assert find_closing_notice(section) is find_closing_notice(section.event) is None
    postponed(section, amahle)
    assert find_closing_notice(fresh(section)) is find_closing_notice(fresh(section).event) is None
