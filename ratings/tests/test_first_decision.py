"""The first decision, before play, can also be a refusal, be put off, or be a question to the region."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.test import Client

from players.office.decision_record import Refused
from players.office.models import Decision, Federation, User
from ratings.office.sections.admit_before_play import awaiting
from ratings.tests.test_waivers import admit, declared, mahjong, official
from tournaments.filing.before_play.decide_before_play import (
    answer_before_play,
    ask_before_play,
    put_off,
    refuse_before_play,
)

__all__ = ("mahjong", "official")
pytestmark = pytest.mark.django_db
TODAY = date(2026, 6, 1)


def test_an_answer_brings_a_section_back_that_a_question_took_off_the_desk(
    mahjong: Federation, official: User
) -> None:
    section = declared(mahjong, official)
    seen: dict[str, Any] = {"section": section, "by": official, "on": TODAY}
    asked = ask_before_play(**seen, version=section.version, reason="Who is the referee?")
    assert awaiting(mahjong, TODAY) == []
    with pytest.raises(Refused):
        put_off(**seen, version=section.version, reason="Too late.", until=date(2026, 6, 3))
    answer_before_play(**seen, version=asked.version, answer="Olga.")
    assert [each.pk for each in awaiting(mahjong, TODAY)] == [section.pk]


def test_a_decision_that_was_put_off_comes_back_on_its_day(mahjong: Federation, official: User) -> None:
    section = declared(mahjong, official)
    seen: dict[str, Any] = {"section": section, "by": official, "on": TODAY, "version": section.version}
    with pytest.raises(Refused, match="later day than today"):
        put_off(**seen, reason="The board meets.", until=TODAY)
    put_off(**seen, reason="The board meets.", until=date(2026, 6, 3))
    assert awaiting(mahjong, date(2026, 6, 2)) == []
    assert len(awaiting(mahjong, date(2026, 6, 3))) == 1


def test_a_refusal_is_public_with_its_reason_and_a_new_decision_replaces_it(
    mahjong: Federation, official: User, client_of: Callable[[User], Client], client: Client
) -> None:
    section = declared(mahjong, official)
    place = f"/mahjong/events/{section.key}/before-play/"
    given = {"decision": "refuse", "version": section.version, "reason": "Not open to all."}
    assert client_of(official).post(place, given).status_code == 302
    section.refresh_from_db()
    assert section.stage == "refused"
    assert "Not open to all." in client.get(section.get_absolute_url()).content.decode()
    assert admit(section, official).stage == "registered"
    assert set(Decision.objects.values_list("kind", flat=True)) >= {"refuse-before-play", "admit"}


def test_refusing_in_place_of_a_newer_decision_is_told(mahjong: Federation, official: User) -> None:
    section = declared(mahjong, official)
    seen: dict[str, Any] = {"section": section, "by": official, "on": TODAY, "version": section.version}
    refuse_before_play(**seen, reason="First.")
    with pytest.raises(Refused, match="changed while your page was open"):
        ask_before_play(**seen, reason="Second?")
