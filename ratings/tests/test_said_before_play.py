"""What region and office said to each other before play stays to be read, whatever was decided since."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.test import Client

from conftest import appointed
from players.models import Decision, Federation, Role, User
from players.record import withdraw_words
from ratings.tests.test_early_refusals import taken_back
from ratings.tests.test_waivers import admit, declared, mahjong, official
from tests.pages import unbroken
from tournaments.before_play import (
    answer_before_play,
    ask_before_play,
    defer_decision,
    list_before_play_messages,
    refuse_before_play,
)
from tournaments.models import Section

__all__ = ("mahjong", "official")
pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
TODAY = date(2026, 6, 1)
HEADING = "What was said before play"


@pytest.fixture
def section(mahjong: Federation, official: User) -> Section:
    """Asked about, answered, put off, and asked about again."""
    found = declared(mahjong, official)

    def seen() -> dict[str, Any]:
        found.refresh_from_db()
        return {"section": found, "by": official, "on": TODAY, "version": found.version}

    ask_before_play(**seen(), reason="Who is the referee?")
    answer_before_play(**seen(), answer="Olga, of the first category.")
    defer_decision(**seen(), reason="The board meets.", until=date(2026, 6, 3))
    ask_before_play(**seen(), reason="Where is it played?")
    found.refresh_from_db()
    return found


def pages(section: Section, client: Client) -> list[str]:
    place = f"/mahjong/events/{section.key}/"
    return [
        unbroken(client.get(f"{place}{page}/").content.decode())
        for page in ("before-play", "before-play/answer", "deadlines")
    ]


def test_the_whole_thread_stands_on_the_pages_of_both_in_its_order(
    section: Section, official: User, client_of: ClientOf
) -> None:
    for page in pages(section, client_of(official)):
        thread = page.partition(HEADING)[2]
        told = (
            "Who is the referee?",
            "Olga, of the first category.",
            "The board meets.",
            "Until 3 June 2026.",
        )
        places = [thread.index(words) for words in (*told, "Where is it played?")]
        assert places == sorted(places)


def test_the_region_reads_the_thread_and_no_decision_in_it(
    section: Section, mahjong: Federation, client_of: ClientOf
) -> None:
    region = appointed("Vera", mahjong, Role.REGIONAL, mahjong.regions.get())
    for page in pages(section, client_of(region))[1:]:
        assert "Olga, of the first category." in page
    headings = [each.heading for each in list_before_play_messages(section, with_decisions=False)]
    assert headings == [
        "The office asked.",
        "The region answered.",
        "The office put its decision off.",
        "The office asked.",
    ]


def test_officials_read_what_was_decided_too_but_no_refusal_that_was_taken_back(
    section: Section, official: User
) -> None:
    refuse_before_play(section=section, by=official, on=TODAY, version=section.version, reason="A slip.")
    section.refresh_from_db()
    taken_back(section, official)
    section.refresh_from_db()
    admit(section, official)
    headings = [each.heading for each in list_before_play_messages(section, with_decisions=True)]
    assert headings[-1] == "The office admitted it as declared."
    assert "The office refused it before play." not in headings


def test_a_question_and_its_answer_alone_stand_once(
    mahjong: Federation, official: User, client_of: ClientOf
) -> None:
    section = declared(mahjong, official)
    seen: dict[str, Any] = {"section": section, "by": official, "on": TODAY}
    asked = ask_before_play(**seen, version=section.version, reason="Who is the referee?")
    answer_before_play(**seen, version=asked.version, answer="Olga.")
    page = client_of(official).get(f"/mahjong/events/{section.key}/before-play/").content.decode()
    assert (page.count("Who is the referee?"), HEADING in page) == (1, False)


def test_words_withdrawn_from_the_record_are_gone_from_the_thread(section: Section) -> None:
    withdraw_words(decision=Decision.objects.get(kind="answer-before-play"), by=None, on=TODAY)
    assert [each.words for each in list_before_play_messages(section, with_decisions=True)][1] == ""
